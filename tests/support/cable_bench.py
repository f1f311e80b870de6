"""A person with one free hand: carries out a list of cable moves, one cable at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from intent.fabric.growth import CableMove
from intent.fabric.model import Fabric, Tier

Spot = tuple[str, str]


def upper_ends(fabric: Fabric) -> dict[Spot, Spot]:
    """Leaf port → spine port."""
    return {
        (link.a.device, link.a.port): (link.b.device, link.b.port) for link in fabric.links if link.tier is Tier.FABRIC
    }


def carry_out(before: Fabric, after: Fabric, moves: Iterable[CableMove]) -> None:
    """Leaves that go are unplugged, cables move in order, new leaves are plugged in; the end must be `after`.

    The documented rule: a port is only plugged when it is free, except that the first cable of a circle is pulled and
    held in hand until its own move comes, last of its circle.
    """
    plugged = upper_ends(before)
    wanted = upper_ends(after)
    plugged = {end: spot for end, spot in plugged.items() if end in wanted}
    taken = {spot: end for end, spot in plugged.items()}
    assert len(taken) == len(plugged)
    in_hand: Spot | None = None
    listed = list(moves)
    assert [move.order for move in listed] == list(range(1, len(listed) + 1))
    for place, move in enumerate(listed):
        end = (move.leaf, move.port)
        if end == in_hand:
            in_hand = None
        else:
            assert plugged[end] == move.before
            del taken[plugged.pop(end)]
        if move.after in taken:
            assert in_hand is None, "two cables in hand"
            in_hand = taken.pop(move.after)
            del plugged[in_hand]
            assert any((later.leaf, later.port) == in_hand for later in listed[place + 1 :])
        plugged[end] = move.after
        taken[move.after] = end
    assert in_hand is None
    for end, spot in wanted.items():
        if end not in plugged:
            assert spot not in taken
            plugged[end] = spot
            taken[spot] = end
    assert plugged == wanted


def least_moves(before: Fabric, after: Fabric) -> int:
    """Fewest cables that can move: of each leaf and spine no more than the new share may stay."""
    old, new = upper_ends(before), upper_ends(after)
    spines_before = Counter((leaf, old[leaf, port][0]) for leaf, port in old if (leaf, port) in new)
    share = Counter((leaf, spot[0]) for (leaf, _), spot in new.items())
    stay = sum(min(count, share[pair]) for pair, count in spines_before.items())
    return sum(end in new for end in old) - stay
