"""Which devices change together. Pure: equal devices and strategy, equal waves, whatever the order they come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from intent.change.selection import natural
from intent.change.strategy import Strategy
from intent.device.actor import Target

Domain = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Wave:
    """Devices changed together.

    Args:
        number: from 1.
        devices: their names, in order.
        canary: True for the first wave when the strategy asks for one.
        domain: site, fabric, plane, role and platform they share; empty words where a device has no such label.
    """

    number: int
    devices: tuple[str, ...]
    canary: bool
    domain: Domain

    def __str__(self) -> str:
        where = ", ".join(
            f"{word} {value}"
            for word, value in zip(("fabric", "plane", "role"), self.domain[1:4], strict=True)
            if value
        )
        return f"wave {self.number}{' (canary)' if self.canary else ''}: {where or 'all'}"


def make_waves(targets: Iterable[Target], strategy: Strategy) -> tuple[Wave, ...]:
    """Order devices into waves.

    A wave holds devices of one plane of one fabric, of one role and of one platform only: never two planes, never a
    leaf with a spine.
    A plane is finished before the next is begun; inside a plane leaves come before spines. The first wave is the
    canary. No wave is larger than the batch, nor breaks a limit of `max_unavailable`.

    Args:
        targets: devices that change.
        strategy: canary, batch and limits.
    """
    items = sorted(targets, key=lambda target: (_domain_key(_domain(target)), natural(target.name)))
    batch = strategy.batch(len(items))
    limits = _Limits(strategy, items)
    waves: list[Wave] = []
    while items:
        canary = not waves and strategy.canary > 0
        domain = _domain(items[0])
        taken = limits.fill([t for t in items if _domain(t) == domain], strategy.canary if canary else batch)
        waves.append(Wave(len(waves) + 1, tuple(target.name for target in taken), canary, domain))
        names = {target.name for target in taken}
        items = [target for target in items if target.name not in names]
    return tuple(waves)


def _domain(target: Target) -> Domain:
    labels = target.labels
    words = [labels.get(key, "") for key in ("site", "fabric", "plane", "role")]
    return (words[0], words[1], words[2], words[3], target.platform)


def _domain_key(domain: Domain) -> tuple[tuple[tuple[int, int, str], ...], ...]:
    return tuple(natural(word) for word in domain)


class _Limits:
    """`max_unavailable`, read against the devices at hand: a key is a role where some device has that role."""

    def __init__(self, strategy: Strategy, targets: Sequence[Target]) -> None:
        roles = {target.labels.get("role", "") for target in targets}
        limits = {key: limit for key, limit in strategy.max_unavailable.items() if key != "plane"}
        self._roles = {key: limit for key, limit in limits.items() if key in roles}
        self._labels = {key: limit for key, limit in limits.items() if key not in roles}

    def fill(self, candidates: Sequence[Target], size: int) -> list[Target]:
        taken: list[Target] = []
        used: Counter[tuple[str, str]] = Counter()
        for target in candidates:
            if len(taken) == size:
                break
            marks = self._marks(target)
            if all(used[mark] < limit for mark, limit in marks.items()):
                taken.append(target)
                used.update(marks.keys())
        return taken

    def _marks(self, target: Target) -> dict[tuple[str, str], int]:
        role = target.labels.get("role", "")
        marks = {("role", role): self._roles[role]} if role in self._roles else {}
        for label, limit in self._labels.items():
            value = target.labels.get(label)
            if value:
                marks[(label, value)] = limit
        return marks
