"""Equal changes told once: at 1,000 devices the grouping is what makes a plan readable."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intent.change.plan import DevicePlan, Plan, signature
from intent.change.selection import natural
from intent.core.differences import rows
from intent.core.tree import ABSENT, Difference, Kind, Path, dotted, kind_of
from intent.device.actor import Disruption
from intent.render.artifact import Origin

_DIGITS = re.compile(r"\d+")

# Part of the devices with alike changes that must be equal to be shown as a group of their own.
_OWN_KIND = 1 / 8


@dataclass(frozen=True, slots=True)
class Line:
    """One difference of a group.

    Args:
        kind: add, remove or change.
        path: dotted path; where alike devices differ in it, numbers stand as `#`, addresses as `<address>`.
        before: value on the left in words, empty where it has none; `…` where the devices differ.
        after: value on the right, likewise.
        least: how often it stands in the device that has it least.
        most: how often it stands in the device that has it most.
        origin: line of the intent behind it, of the first device.
    """

    kind: Kind
    path: str
    before: str
    after: str
    least: int = 1
    most: int = 1
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Devices whose change reads the same.

    Args:
        devices: their names, in order.
        equal: True when every difference is equal; False when only the changed paths are alike and each device has
            values of its own.
        lines: the differences, sorted by path.
        disruptions: what the change does to traffic, of the first device.
        revert: how they come back.
        new: the devices are new.
    """

    devices: tuple[str, ...]
    equal: bool
    lines: tuple[Line, ...]
    disruptions: tuple[Disruption, ...]
    revert: str
    new: bool


def groups(plan: Plan) -> tuple[Group, ...]:
    """The devices to change, grouped: those with equal differences, and those that differ only in values of their own.

    Of the devices whose changed paths are alike, equal ones are told apart from the rest where they are many enough to
    be a kind of their own (`_OWN_KIND` of them); else they are one group of alike. Every device to change is in exactly
    one group. Larger groups come first.
    """
    shapes = _Shapes()
    alike: dict[tuple[Any, ...], dict[str, list[DevicePlan]]] = {}
    for device in plan.to_change:
        variants = alike.setdefault((shapes.of(device.differences), *_manner(device)), {})
        variants.setdefault(signature(device.differences), []).append(device)
    found: list[Group] = []
    for variants in alike.values():
        total = sum(len(members) for members in variants.values())
        rest: list[DevicePlan] = []
        for members in variants.values():
            if len(members) == total or (len(members) > 1 and len(members) >= total * _OWN_KIND):
                found.append(_equal_group(members))
            else:
                rest.extend(members)
        if rest:
            ordered = sorted(rest, key=lambda device: natural(device.name))
            found.append(_alike_group(ordered, shapes) if len(rest) > 1 else _equal_group(rest))
    return tuple(sorted(found, key=lambda group: (-len(group.devices), group.devices)))


def _manner(device: DevicePlan) -> tuple[Any, ...]:
    worst = tuple(sorted({item.severity for item in device.disruptions}))
    return (device.wanted.target.platform, device.new, device.revert, worst)


def show_value(value: Any) -> str:
    """A value as people read it; the set member itself and the absent value show as nothing."""
    if value is ABSENT or value == {}:
        return ""
    if isinstance(value, bool) or value is None:
        return str(value).lower() if isinstance(value, bool) else "null"
    return ", ".join(show_value(item) for item in value) if isinstance(value, list) else str(value)


def _equal_group(members: Sequence[DevicePlan]) -> Group:
    first = members[0]
    lines = tuple(
        Line(item.kind, dotted(item.path), show_value(item.before), show_value(item.after), origin=origin)
        for item, origin in zip(first.differences, first.origins, strict=True)
    )
    return Group(tuple(d.name for d in members), True, lines, first.disruptions, first.revert, first.new)


class _Shapes:
    """Paths with what is a device's own taken out; keys and paths repeat over devices, so each is worked out once."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._paths: dict[Path, str] = {}

    def path(self, path: Path) -> str:
        shape = self._paths.get(path)
        if shape is None:
            shape = self._paths[path] = dotted(tuple(self._key(key) for key in path))
        return shape

    def of(self, differences: Sequence[Difference]) -> frozenset[tuple[Kind, str]]:
        paths = self._paths
        return frozenset(
            [
                (kind_of(before, after), paths[path] if path in paths else self.path(path))
                for path, before, after in rows(differences)
            ]
        )

    def _key(self, key: str) -> str:
        shape = self._keys.get(key)
        if shape is None:
            shape = self._keys[key] = "<address>" if _is_address(key) else _DIGITS.sub("#", key)
        return shape


def _is_address(key: str) -> bool:
    if "." not in key and ":" not in key:
        return False
    try:
        ipaddress.ip_interface(key)
    except ValueError:
        return False
    return True


@dataclass(slots=True)
class _Tally:
    before: str
    after: str
    origin: Origin | None
    per_device: dict[str, int]

    path: Path | None

    def add(self, device: str, path: Path, before: str, after: str) -> None:
        self.path = self.path if self.path == path else None
        self.before = self.before if self.before == before else "…"
        self.after = self.after if self.after == after else "…"
        self.per_device[device] = self.per_device.get(device, 0) + 1


def _alike_group(members: Sequence[DevicePlan], shapes: _Shapes) -> Group:
    tallies: dict[tuple[Kind, str], _Tally] = {}
    for device in members:
        for (path, old, new), origin in zip(rows(device.differences), device.origins, strict=True):
            key = (kind_of(old, new), shapes.path(path))
            before, after = show_value(old), show_value(new)
            tally = tallies.get(key)
            if tally is None:
                tally = tallies[key] = _Tally(before, after, origin, {}, path)
            tally.add(device.name, path, before, after)
    lines = tuple(
        Line(
            kind,
            dotted(t.path) if t.path else shape,
            t.before,
            t.after,
            min(t.per_device.values()),
            max(t.per_device.values()),
            t.origin,
        )
        for (kind, shape), t in sorted(tallies.items(), key=lambda entry: (entry[0][1], entry[0][0]))
    )
    first = members[0]
    return Group(tuple(d.name for d in members), False, lines, first.disruptions, first.revert, first.new)
