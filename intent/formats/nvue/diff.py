"""Differences between NVUE trees: scope, commands for people, bodies for a PATCH, order of revisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from intent.catalog.patterns import match
from intent.catalog.stages import StageRule, fits
from intent.core.differences import Differences
from intent.core.tree import ABSENT, Difference, Kind, Path, Tree, copy, difference, get, leaves, patch, put
from intent.formats.nvue.emit import command

# Differences up to which looking at all that stands would cost more than looking at them.
_FEW = 100


def restrict(tree: Mapping[str, Any], owned: Iterable[Path], excepted: Iterable[Path] = ()) -> Tree:
    """The part of a tree that is compared and pruned; see `Restriction`."""
    return Restriction(owned, excepted).of(tree)


class Restriction:
    """What of a tree is compared and pruned, made once and used on several trees.

    Args:
        owned: paths of subtrees kept; `()` is the whole tree. `*` stands for any key.
        excepted: paths of subtrees taken out of them, likewise.
    """

    __slots__ = ("_excepted", "_roots", "_whole")

    def __init__(self, owned: Iterable[Path], excepted: Iterable[Path] = ()) -> None:
        self._excepted = tuple(excepted)
        self._roots: _Keys = {}
        self._whole = False
        for path in owned:
            self._add(path)

    def _add(self, path: Path) -> None:
        if not path:
            self._whole = True
            return
        node: _Keys | None = self._roots
        for key in path[:-1]:
            if node is None:  # an owned path above it takes all of it
                return
            node = node.setdefault(key, {})
        if node is not None:
            node[path[-1]] = None

    def of(self, tree: Mapping[str, Any]) -> Tree:
        """The part of a tree. It shares the branches that are kept whole."""
        if self._whole:
            return _without(tree, (), self._excepted)
        return self._kept(tree, (self._roots,), ())

    def _kept(self, tree: Mapping[str, Any], nodes: tuple[_Keys, ...], path: Path) -> Tree:
        """What is kept of a mapping, given every node of the owned paths that leads here."""
        result: Tree = {}
        for key in tree if len(nodes) > 1 or "*" in nodes[0] else [key for key in nodes[0] if key in tree]:
            below = [node[name] for node in nodes for name in (key, "*") if name in node]
            if not below:
                continue
            value, at = tree[key], (*path, key)
            if None in below:
                if not _is_excepted(at, self._excepted):
                    result[key] = _without(value, at, self._excepted) if isinstance(value, Mapping) else value
            elif isinstance(value, Mapping):
                part = self._kept(value, tuple(node for node in below if node is not None), at)
                if part:
                    result[key] = part
        return result


# Owned paths by their next key; None where one ends.
_Keys: TypeAlias = dict[str, "_Keys | None"]


def _is_excepted(path: Path, excepted: tuple[Path, ...]) -> bool:
    return any(match((*pattern, "**"), path) is not None for pattern in excepted)


def _without(tree: Mapping[str, Any], path: Path, excepted: tuple[Path, ...]) -> Tree:
    near = tuple(pattern for pattern in excepted if match(pattern[: len(path)], path) is not None)
    if not near:
        return tree if isinstance(tree, dict) else dict(tree)
    kept: Tree = {}
    for key, value in tree.items():
        at = (*path, key)
        if _is_excepted(at, near):
            continue
        if isinstance(value, Mapping) and value:
            below = _without(value, at, near)
            if below:
                kept[key] = below
        else:
            kept[key] = value
    return kept


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be removed as a whole.

    Args:
        after: the tree the differences lead to, restricted as the differences are.
        owned: subtrees compared; `()` is the whole tree.
        excepted: subtrees inside them that are left alone: nothing that holds one is removed as a whole.
    """

    after: Mapping[str, Any]
    owned: tuple[Path, ...]
    excepted: tuple[Path, ...] = ()

    def whole(self, path: Path) -> bool:
        """True when all that stands at a path is compared and nothing of it stays."""
        if not path or get(self.after, path) is not ABSENT:
            return False
        inside = any(match((*pattern, "**"), path) is not None for pattern in self.owned)
        return inside and not any(match(pattern[: len(path)], path) is not None for pattern in self.excepted)


def commands(differences: Sequence[Difference], scope: Scope | None = None) -> list[str]:
    """The differences as `nv unset` and `nv set` lines, unsets first.

    Args:
        differences: what leads from one tree to another.
        scope: what may be removed as a whole; without it every leaf has its own line.
    """
    gone = dict.fromkeys(_removals(differences, scope))
    lines = [command("unset", path) for path in gone]
    return lines + [command("set", item.path, item.after) for item in differences if item.after is not ABSENT]


def _removals(differences: Sequence[Difference], scope: Scope | None) -> list[Path]:
    """Paths to unset. A set member that gets content is no removal: unsetting it would take the content along."""
    filled = {item.path[:end] for item in differences if item.after is not ABSENT for end in range(len(item.path))}
    paths = []
    for item in differences:
        if item.after is not ABSENT or item.path in filled:
            continue
        end = len(item.path)
        while scope is not None and scope.whole(item.path[: end - 1]):
            end -= 1
        paths.append(item.path[:end])
    return paths


@dataclass(frozen=True, slots=True)
class Group:
    """Equal changes of several devices.

    Args:
        devices: names, in the order given.
        lines: `nv` commands.
    """

    devices: tuple[str, ...]
    lines: tuple[str, ...]


def grouped(by_device: Mapping[str, Sequence[Difference]]) -> tuple[Group, ...]:
    """Devices with equal differences side by side, in the order of their first device; unchanged ones left out."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for device, differences in by_device.items():
        lines = tuple(commands(differences))
        if lines:
            groups.setdefault(lines, []).append(device)
    return tuple(Group(tuple(devices), lines) for lines, devices in groups.items())


def conflicts(differences: Sequence[Difference]) -> tuple[Path, ...]:
    """Objects that one PATCH would both set and unset: a removed path with a set one above or below it.

    The reference is the API guide's: the order of the two is undefined.
    """
    set_paths = {item.path for item in differences if item.after is not ABSENT}
    above = {path[:end] for path in set_paths for end in range(1, len(path))}
    found = []
    for item in differences:
        if item.kind is Kind.REMOVE and (
            item.path in above or any(item.path[:end] in set_paths for end in range(1, len(item.path)))
        ):
            found.append(item.path)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Stage:
    """One revision of a change that needs several.

    Args:
        differences: what it does.
        reason: why it stands apart; empty for the last.
    """

    differences: Sequence[Difference]
    reason: str = ""


def stages(
    differences: Sequence[Difference], rules: Sequence[StageRule], before: Mapping[str, Any] | None = None
) -> tuple[Stage, ...]:
    """The differences in as few revisions as the device copes with; mostly one.

    Applied one after the other they lead where the differences lead.

    Args:
        differences: what leads from live to wanted.
        rules: what cannot be in one revision (`intent.catalog.stages`).
        before: the live tree; rules that take out what stands there need it.
    """
    live: Mapping[str, Any] = before or {}
    first: dict[Path, Difference] = {}
    reasons: list[str] = []
    removed = _removed(differences)
    standing_paths = [path for path, _ in leaves(live)] if len(differences) > _FEW else None
    for rule in rules:
        if not removed and not _may_drop(rule, live, standing_paths):
            continue
        bound = [found for item in differences if (found := rule.bound(item.path)) is not None]
        going = dict.fromkeys(pattern for patterns, _ in bound for pattern in patterns)
        dropped = dict.fromkeys((*pattern, "**") for _, patterns in bound for pattern in patterns)
        taken = [item for item in removed if any(fits(pattern, item.path) for pattern in going)]
        if dropped:
            standing = [(path, value) for path, value in leaves(live) if any(fits(p, path) for p in dropped)]
            taken += [Difference(path, value, ABSENT) for path, value in standing]
        if taken:
            reasons.append(f"{rule.name}: {rule.reason} ({rule.source})")
            first |= {item.path: item for item in taken}
    if not first:
        return (Stage(differences),) if differences else ()
    early = tuple(sorted(first.values(), key=lambda item: item.path))
    return _with_rest(early, differences, live, "; ".join(reasons))


def _removed(differences: Sequence[Difference]) -> list[Difference]:
    if isinstance(differences, Differences):  # a first build has thousands of additions
        return differences.removed()
    return [item for item in differences if item.after is ABSENT]


def _may_drop(rule: StageRule, live: Mapping[str, Any], standing: list[Path] | None) -> bool:
    """Whether anything stands that a rule could take out; asked first, for a first build has thousands of additions."""
    if not rule.drop or not live:
        return False
    if standing is None:
        return True
    anywhere = [(*(part.replace("{1}", "*") for part in pattern), "**") for pattern in rule.drop]
    return any(fits(pattern, path) for pattern in anywhere for path in standing)


def _with_rest(
    early: tuple[Difference, ...], differences: Sequence[Difference], live: Mapping[str, Any], reason: str
) -> tuple[Stage, ...]:
    start: Mapping[str, Any] = live or _start(differences)
    late = tuple(difference(patch(start, list(early)), patch(start, list(differences))))
    return (Stage(early, reason), Stage(late)) if late else (Stage(early),)


def _start(differences: Sequence[Difference]) -> Tree:
    tree: Tree = {}
    for item in differences:
        if item.before is not ABSENT:
            put(tree, item.path, copy(item.before))
    return tree
