"""Which uplink of which leaf ends on which port of which spine, and which cables must move when that changes.

Every leaf has the same number of links to every spine. What the lock knows stays as long as that rule allows: for
each leaf and spine the first links up to the new number are kept, so the cables that move are the minimum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SPOT = re.compile(r"([1-9]\d{0,3})\.(\d{1,4})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Spot:
    """A port of a spine: number of the spine from 1, logical port from 0."""

    spine: int
    port: int


@dataclass(frozen=True, slots=True)
class Move:
    """A cable whose spine end moves; the leaf end stays where it is."""

    leaf: str
    uplink: int
    before: Spot
    after: Spot


Wiring = Mapping[str, tuple[Spot, ...]]


def wire(
    leaves: Sequence[str], spines: int, uplinks: int, spine_ports: int, before: Wiring
) -> dict[str, tuple[Spot, ...]]:
    """Wire one plane.

    Args:
        leaves: names of the leaves in cabling order.
        spines: number of spines; divides `uplinks`.
        uplinks: uplinks of each leaf.
        spine_ports: logical ports of a spine; `len(leaves) * uplinks <= spines * spine_ports`.
        before: what the lock knows, leaf → spot of each uplink; of two cables in one spot the first counts.

    Returns:
        Leaf → spot of each uplink, in uplink order.

    Raises:
        ValueError: when the sizes contradict each other.
    """
    if spines < 1 or uplinks % spines or len(leaves) * uplinks > spines * spine_ports:
        raise ValueError(f"{len(leaves)} leaves x {uplinks} uplinks do not fit {spines} spines x {spine_ports} ports")
    per_spine = uplinks // spines
    used: set[tuple[int, int]] = set()
    kept = {leaf: _keep(before.get(leaf, ())[:uplinks], spines, per_spine, spine_ports, used) for leaf in leaves}
    free = _free_ports(used, before, spines, spine_ports)
    return {leaf: _complete(kept[leaf], spines, uplinks, per_spine, free) for leaf in leaves}


def _keep(
    old: Sequence[Spot], spines: int, per_spine: int, spine_ports: int, used: set[tuple[int, int]]
) -> dict[int, Spot]:
    """The cables of a leaf that may stay, by uplink; notes their spots in `used`."""
    count: dict[int, int] = {}
    kept: dict[int, Spot] = {}
    for uplink, spot in enumerate(old):
        place = (spot.spine, spot.port)
        fits = spot.spine <= spines and spot.port < spine_ports and place not in used
        if fits and count.get(spot.spine, 0) < per_spine:
            count[spot.spine] = count.get(spot.spine, 0) + 1
            kept[uplink] = spot
            used.add(place)
    return kept


def _free_ports(used: set[tuple[int, int]], before: Wiring, spines: int, spine_ports: int) -> dict[int, list[int]]:
    """Free ports of each spine, in reverse order of preference: those nothing was plugged into come first."""
    busy_before = {(spot.spine, spot.port) for spots in before.values() for spot in spots}
    free: dict[int, list[int]] = {}
    for spine in range(1, spines + 1):
        ports = [port for port in range(spine_ports) if (spine, port) not in used]
        ports.sort(key=lambda port: ((spine, port) in busy_before, port), reverse=True)
        free[spine] = ports
    return free


def _complete(
    kept: Mapping[int, Spot], spines: int, uplinks: int, per_spine: int, free: Mapping[int, list[int]]
) -> tuple[Spot, ...]:
    wanting = dict.fromkeys(range(1, spines + 1), per_spine)
    for spot in kept.values():
        wanting[spot.spine] -= 1
    order = [spine for turn in range(per_spine) for spine in wanting if wanting[spine] > turn]
    places = iter(order)
    return tuple(
        kept[uplink] if uplink in kept else Spot(spine := next(places), free[spine].pop()) for uplink in range(uplinks)
    )


def moves(before: Wiring, after: Wiring) -> tuple[Move, ...]:
    """Cables that move, in an order that can be carried out.

    A port is only plugged once what was in it has left. Where moves wait for each other in a circle, the first of
    the circle is pulled first and plugged when its port is free: it stands last of its circle.
    """
    waiting: dict[Spot, Move] = {}
    for leaf, spots in after.items():
        for uplink, (old, new) in enumerate(zip(before.get(leaf, ()), spots, strict=False)):
            if old != new:
                waiting[old] = Move(leaf, uplink, old, new)
    ordered: list[Move] = []
    while waiting:
        stack = [next(iter(waiting.values()))]
        seen = {stack[0].before}
        while (blocker := waiting.get(stack[-1].after)) and blocker.before not in seen:
            stack.append(blocker)
            seen.add(blocker.before)
        for move in reversed(stack):
            ordered.append(waiting.pop(move.before))
    return tuple(ordered)


def encode(spots: Sequence[Spot]) -> str:
    """Spots as the lock keeps them: `spine.port` per uplink, in uplink order."""
    return " ".join(f"{spot.spine}.{spot.port}" for spot in spots)


def decode(text: str) -> tuple[Spot, ...]:
    """The reverse of `encode`.

    Raises:
        ValueError: when the text is no such list.
    """
    spots = []
    for token in text.split():
        match = _SPOT.fullmatch(token)
        if match is None:
            raise ValueError(f"uplink {token[:40]!a} - expected spine.port")
        spots.append(Spot(int(match[1]), int(match[2])))
    return tuple(spots)
