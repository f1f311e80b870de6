"""Wiring of one plane for any sizes, the order of cable moves, and the sizes themselves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.fabric.clos import PortPlan, spine_count, split_leaf, trim_uplinks
from intent.fabric.wiring import Move, Spot, Wiring, decode, encode, moves, wire

UPLINKS = [1, 4, 6, 7, 12, 18, 36, 64, 72]


def divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


@st.composite
def planes(draw: st.DrawFn) -> tuple[int, int, list[tuple[list[str], int]]]:
    """Uplinks, spine ports and a history of leaves and spines that fit."""
    uplinks = draw(st.sampled_from(UPLINKS))
    ports = draw(st.integers(1, 48))
    history = []
    for _ in range(draw(st.integers(1, 4))):
        spines = draw(st.sampled_from(divisors(uplinks)))
        most = min(spines * ports // uplinks, 12)
        leaves = draw(st.sets(st.integers(1, 15), max_size=most))
        history.append(([f"l{number}" for number in sorted(leaves)], spines))
    return uplinks, ports, history


def check(wiring: Wiring, spines: int, uplinks: int, ports: int) -> None:
    spots = [spot for each in wiring.values() for spot in each]
    assert len(set(spots)) == len(spots)
    assert all(1 <= spot.spine <= spines and 0 <= spot.port < ports for spot in spots)
    for each in wiring.values():
        assert Counter(spot.spine for spot in each) == dict.fromkeys(range(1, spines + 1), uplinks // spines)


@settings(max_examples=200, deadline=None)
@given(planes())
def test_every_leaf_has_equal_links_and_moves_are_least_and_ordered(
    plane: tuple[int, int, list[tuple[list[str], int]]],
) -> None:
    uplinks, ports, history = plane
    before: Wiring = {}
    for leaves, spines in history:
        after = wire(leaves, spines, uplinks, ports, before)
        check(after, spines, uplinks, ports)
        stay = {leaf: before[leaf] for leaf in leaves if leaf in before}
        listed = moves(stay, after)
        least = 0
        for old in stay.values():
            had = Counter(spot.spine for spot in old)
            least += uplinks - sum(min(had[spine], uplinks // spines) for spine in range(1, spines + 1))
        assert len(listed) == least
        execute(stay, after, listed)
        check_fresh_ports_first(before, after, ports)
        assert wire(leaves, spines, uplinks, ports, after) == after
        before = after


def check_fresh_ports_first(before: Wiring, after: Wiring, ports: int) -> None:
    """A cable is plugged where another was before only when its spine has no other port left: nothing then waits."""
    were = {spot for spots in before.values() for spot in spots}
    are = {spot for spots in after.values() for spot in spots}
    plugged = {
        spot
        for leaf, spots in after.items()
        for uplink, spot in enumerate(spots)
        if leaf not in before or before[leaf][uplink] != spot
    }
    for spine in {spot.spine for spot in plugged & were}:
        assert {Spot(spine, port) for port in range(ports)} - were <= are


def execute(before: Wiring, after: Wiring, listed: tuple[Move, ...]) -> int:
    """Carry out the moves; returns how often a cable was pulled to be plugged later."""
    at = {(leaf, uplink): spot for leaf, spots in before.items() for uplink, spot in enumerate(spots)}
    held: tuple[str, int] | None = None
    pulled = 0
    for move in listed:
        end = (move.leaf, move.uplink)
        if end == held:
            held = None
        else:
            assert at.pop(end) == move.before
        occupant = next((other for other, spot in at.items() if spot == move.after), None)
        if occupant:
            assert held is None
            held, pulled = occupant, pulled + 1
            del at[occupant]
        at[end] = move.after
    assert held is None
    wanted = {(leaf, uplink): after[leaf][uplink] for leaf, spots in before.items() for uplink in range(len(spots))}
    assert at == wanted
    return pulled


@settings(max_examples=200, deadline=None)
@given(st.permutations(range(12)), st.integers(1, 12))
def test_any_rearrangement_can_be_carried_out(target: list[int], leaves: int) -> None:
    before = {f"l{n}": (Spot(1, n),) for n in range(leaves)}
    after = {f"l{n}": (Spot(1, target[n]),) for n in range(leaves)}
    listed = moves(before, after)
    assert len(listed) == sum(before[leaf] != after[leaf] for leaf in before)
    circles = execute(before, after, listed)
    assert circles == count_circles(target, leaves)


def count_circles(target: list[int], leaves: int) -> int:
    """Circles of two cables or more among the cables that are there."""
    seen: set[int] = set()
    found = 0
    for start in range(leaves):
        path, at = [], start
        while at < leaves and at not in seen:
            seen.add(at)
            path.append(at)
            at = target[at]
        found += len(path) > 1 and at == start
    return found


def test_of_two_cables_in_one_spot_the_first_counts() -> None:
    after = wire(["a", "b"], 2, 2, 2, {"a": (Spot(1, 0), Spot(2, 0)), "b": (Spot(1, 0), Spot(2, 1))})
    assert after["a"] == (Spot(1, 0), Spot(2, 0))
    assert after["b"] == (Spot(1, 1), Spot(2, 1))


@pytest.mark.parametrize(("spines", "uplinks", "leaves"), [(0, 4, 1), (3, 4, 1), (1, 4, 9), (2, 64, 3)])
def test_sizes_that_contradict_each_other(spines: int, uplinks: int, leaves: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        wire([f"l{n}" for n in range(leaves)], spines, uplinks, 32, {})


@given(st.lists(st.tuples(st.integers(1, 9999), st.integers(0, 9999)), max_size=80))
def test_spots_come_back_from_their_text(spots: list[tuple[int, int]]) -> None:
    each = tuple(Spot(*pair) for pair in spots)
    assert decode(encode(each)) == each


@pytest.mark.parametrize(
    "text", ["1", "1.", ".1", "0.1", "1.1.1", "-1.2", "1,2", "a.b", "¹.2", "1.²", "9" * 5000 + ".1"]
)
def test_what_is_no_spot(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected spine\.port"):
        decode(text)


@given(st.integers(1, 600), st.integers(1, 128), st.integers(1, 256))
def test_spines_divide_the_uplinks_and_are_the_fewest(leaves: int, uplinks: int, ports: int) -> None:
    count = spine_count(leaves, uplinks, ports)
    fitting = [n for n in divisors(uplinks) if n * ports >= leaves * uplinks]
    assert count == (fitting[0] if fitting else None)
    assert spine_count(0, uplinks, ports) == 0


@given(
    st.integers(1, 64),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2]),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(5, 3), Fraction(1, 2), Fraction(9, 7)]),
)
def test_a_leaf_is_split_as_asked_and_has_no_more_room(cages: int, down: int, up: int, ratio: Fraction) -> None:
    host, uplink = PortPlan(down, 400 // down), PortPlan(up, 800 // up)
    split = split_leaf(cages, host, uplink, ratio)
    if split is None:
        assert cages < 1 + -(-Fraction(400) // (ratio * 800))
        return
    assert split.host_cages + split.uplink_cages <= cages
    assert split.host_ports * host.speed_gbps <= ratio * split.uplinks * uplink.speed_gbps
    assert (split.uplinks - 1) * ratio * uplink.speed_gbps < split.host_ports * host.speed_gbps
    more = (split.host_cages + 1) * 400
    needed = -(-Fraction(more) // (ratio * uplink.speed_gbps))
    assert split.host_cages + 1 + -(-needed // up) > cages
    trimmed = trim_uplinks(split, 1, host, uplink, ratio)
    assert (trimmed.host_cages, trimmed.host_ports) == (split.host_cages, split.host_ports)
    assert 1 <= trimmed.uplinks <= split.uplinks
