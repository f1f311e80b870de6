"""What a compilation changes against the lock: told before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from intent.fabric.lock import Lock
from intent.fabric.wiring import Spot, Wiring, decode, moves

_NUMBERS = ("name", "asn", "loopback", "management", "host-prefix", "slot")


@dataclass(frozen=True, slots=True)
class CableMove:
    """One cable to move: unplug its upper end, plug it in elsewhere.

    Args:
        order: place in the sequence, from 1.
        leaf: leaf whose end stays.
        port: port of the leaf.
        before: spine and port it leaves.
        after: spine and port it goes to.
    """

    order: int
    leaf: str
    port: str
    before: tuple[str, str]
    after: tuple[str, str]


@dataclass(frozen=True, slots=True)
class LeafCables:
    """How a leaf's uplinks are called.

    Args:
        group: what its spines are numbered in: fabric and plane.
        ports: the leaf's uplink ports, in uplink order.
        spine_name: name of a spine by its number.
        spine_port: name of a spine's port by its logical number.
    """

    group: str
    ports: tuple[str, ...]
    spine_name: Callable[[int], str]
    spine_port: Callable[[int], str]

    def spot(self, spot: Spot) -> tuple[str, str]:
        """Spine and port a spot stands for."""
        return self.spine_name(spot.spine), self.spine_port(spot.port)


@dataclass(frozen=True, slots=True)
class Growth:
    """Differences between two states of a lock.

    Args:
        new: switches that were not there.
        changed: switches whose ports, far ends or addresses differ.
        removed: switches that are gone.
        renumbered: `kind owner: before → after` of whatever persists with another value. Must be empty.
        moves: cables that move, in an order that can be carried out.
        first: True when there was no lock before.
    """

    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renumbered: tuple[str, ...]
    moves: tuple[CableMove, ...]
    first: bool


def compare(before: Lock, after: Lock, cables: Mapping[str, LeafCables]) -> Growth:
    """What leads from one lock to another.

    Args:
        before: as committed.
        after: as compiled now.
        cables: names of each leaf's uplinks.
    """
    old, new = before.held.get("wiring", {}), after.held.get("wiring", {})
    renumbered = [
        f"{kind} {owner}: {value} → {after.held[kind][owner]}"
        for kind in _NUMBERS
        for owner, value in before.held.get(kind, {}).items()
        if owner in after.held.get(kind, {}) and after.held[kind][owner] != value
    ]
    return Growth(
        new=tuple(name for name in new if name not in old),
        changed=tuple(name for name in new if name in old and new[name] != old[name]),
        removed=tuple(name for name in old if name not in new),
        renumbered=tuple(renumbered),
        moves=tuple(_moves(*_rewired(before, after), cables)),
        first=not old,
    )


def _moves(before: Wiring, after: Wiring, cables: Mapping[str, LeafCables]) -> Iterator[CableMove]:
    order = 0
    for group in dict.fromkeys(item.group for item in cables.values()):
        leaves = [leaf for leaf, item in cables.items() if item.group == group and leaf in before]
        for move in moves({leaf: before[leaf] for leaf in leaves}, {leaf: after[leaf] for leaf in leaves}):
            order += 1
            names = cables[move.leaf]
            yield CableMove(order, move.leaf, names.ports[move.uplink], names.spot(move.before), names.spot(move.after))


def _rewired(before: Lock, after: Lock) -> tuple[Wiring, Wiring]:
    """Wiring of the leaves that were there and whose cables do not all stay, before and after."""
    old, new = before.held.get("uplinks", {}), after.held.get("uplinks", {})
    were: dict[str, tuple[Spot, ...]] = {}
    are: dict[str, tuple[Spot, ...]] = {}
    for leaf, text in new.items():
        if leaf in old and old[leaf] != text:
            were[leaf], are[leaf] = decode(old[leaf]), decode(text)
    return were, are
