"""Circles in routes: small fabrics by hand, laws on trees, hostile tables."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.analysis.credit_loops import Channel, Fault, Routes, check_lanes, check_routes, describe
from intent.core.errors import IntentError
from intent.core.verdict import Verdict

HOST = 1000


def ring(size: int, *, both_ways: bool) -> Routes:
    """Switches 1…size in a ring, a host on each; port 1 to the host, 2 clockwise, 3 back."""
    switches = range(1, size + 1)
    after = {s: s % size + 1 for s in switches}
    links = {}
    for s in switches:
        links |= {(s, 1): (HOST + s, 1), (HOST + s, 1): (s, 1), (s, 2): (after[s], 3), (after[s], 3): (s, 2)}
    tables = {}
    for s in switches:
        tables[s] = {}
        for lid in switches:
            clockwise = (lid - s) % size
            port = 1 if clockwise == 0 else 2 if not both_ways or clockwise <= 1 else 3
            tables[s][lid] = port
    return check_routes(tables, links, {s: HOST + s for s in switches})


def test_a_ring_routed_one_way_round_waits_for_itself() -> None:
    routes = ring(4, both_ways=False)
    assert routes.loops == (tuple(Channel(s, 2) for s in (1, 2, 3, 4)),)
    assert routes.broken == ()
    assert describe(routes.loops[0], {1: "a", 2: "b", 3: "c"}) == (
        "a port 2 → b port 2 → c port 2 → 0x0000000000000004 port 2 → a port 2"
    )


def test_a_ring_of_three_routed_the_short_way_does_not() -> None:
    routes = ring(3, both_ways=True)
    assert (routes.loops, routes.broken) == ((), ())
    assert routes.channels == 6


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int | None], list[int]]:
    """Parents of the nodes of a tree, and switches with a host."""
    size = draw(st.integers(2, 12))
    parents: list[int | None] = [None, *(draw(st.integers(0, n - 1)) for n in range(1, size))]
    return parents, draw(st.lists(st.integers(0, size - 1), min_size=2, unique=True))


@given(trees())
def test_a_tree_never_waits_for_itself(tree: tuple[list[int | None], list[int]]) -> None:
    parents, hosted = tree
    size = len(parents)
    near: dict[int, dict[int, int]] = {s: {} for s in range(size)}
    links = {}
    for child, parent in enumerate(parents):
        if parent is not None:
            up, down = len(near[child]) + 1, len(near[parent]) + 1
            near[child][parent], near[parent][child] = up, down
            links |= {(child, up): (parent, down), (parent, down): (child, up)}
    for s in hosted:
        links |= {(s, 99): (HOST + s, 1), (HOST + s, 1): (s, 99)}
    tables: dict[int, dict[int, int]] = {s: {} for s in range(size)}
    for lid in hosted:
        tables[lid][lid] = 99
        waiting, seen = [lid], {lid}
        while waiting:
            here = waiting.pop()
            for there in near[here]:
                if there not in seen:
                    seen.add(there)
                    tables[there][lid] = near[there][here]
                    waiting.append(there)
    routes = check_routes(tables, links, {s: HOST + s for s in hosted})
    assert (routes.loops, routes.broken) == ((), ())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({2: {}}, Fault.NO_ENTRY),
        ({2: {3: 9}}, Fault.NO_LINK),
        ({2: {3: 255}}, Fault.NO_LINK),
        ({2: {3: 1}}, Fault.WRONG_NODE),
        ({2: {3: 3}}, Fault.CIRCLE),
    ],
)
def test_routes_that_do_not_arrive_are_said(change: dict[int, dict[int, int]], fault: Fault) -> None:
    links = {}
    for s in (1, 2, 3):
        links |= {(s, 1): (HOST + s, 1), (HOST + s, 1): (s, 1)}
    for s in (1, 2):
        links |= {(s, 2): (s + 1, 3), (s + 1, 3): (s, 2)}
    tables = {1: {3: 2}, 2: {3: 2}, 3: {3: 1}} | change
    broken = check_routes(tables, links, {3: HOST + 3}).broken
    assert {item.fault for item in broken} == {fault}
    assert {item.lid for item in broken} == {3}


def test_a_link_known_from_one_side_only_is_an_error() -> None:
    with pytest.raises(IntentError, match="one side only"):
        check_routes({1: {}}, {(1, 1): (2, 1)}, {})


def test_a_long_ring_is_found_without_recursion_and_in_linear_time() -> None:
    small, large = (_cpu(size) for size in (60, 240))
    assert len(ring(240, both_ways=False).loops[0]) == 240
    assert large < max(small, 0.002) * 16 * 6  # sixteen times the routes' hops, and room for a busy machine


def _cpu(size: int) -> float:
    start = time.process_time()
    ring(size, both_ways=False)
    return time.process_time() - start


def laned(levels: dict[tuple[int, int], int], lanes: dict[int, dict[tuple[int, int], tuple[int, ...]]]) -> Routes:
    """The ring of four routed one way round, each route in the lane of its service level."""
    switches = range(1, 5)
    links = {}
    for s in switches:
        after = s % 4 + 1
        links |= {(s, 1): (HOST + s, 1), (HOST + s, 1): (s, 1), (s, 2): (after, 3), (after, 3): (s, 2)}
    tables = {s: {lid: 1 if lid == s else 2 for lid in switches} for s in switches}
    return check_lanes(tables, links, {s: HOST + s for s in switches}, levels, lanes)


PAIRS = {(a, b): 0 for a in range(1, 5) for b in range(1, 5) if a != b}
# Routes that pass from switch 4 to switch 1 have level 1, and go on in lane 1 behind it.
APART = {(a, b): int(b < a) for a, b in PAIRS}
LANES = {s: {(1, 2): (0,) * 16, (3, 2): (0, int(s <= 2), *(0,) * 14)} for s in range(1, 5)}


def test_in_one_lane_the_ring_waits_for_itself_and_in_two_it_does_not() -> None:
    same = laned(PAIRS, LANES)
    assert same.loops == (tuple(Channel(s, 2) for s in (1, 2, 3, 4)),)
    assert same.verdict is Verdict.FAIL
    split = laned(APART, LANES)
    assert (split.loops, split.broken, split.unjudged, split.verdict) == ((), (), 0, Verdict.PASS)
    assert split.channels == 6, "four in lane 0, those of switches 1 and 2 in lane 1 too"
    onto_one = {s: dict.fromkeys(rows, (3,) * 16) for s, rows in LANES.items()}
    loop = laned(APART, onto_one)
    assert loop.loops == (tuple(Channel(s, 2, 3) for s in (1, 2, 3, 4)),), "what counts is the lane, not the level"
    assert "1 port 2 lane 3 → " in describe(loop.loops[0])


def test_a_route_whose_lane_nobody_told_is_unknown_and_never_green() -> None:
    without = {pair: level for pair, level in APART.items() if pair != (1, 3)}
    assert (laned(without, LANES).unjudged, laned(without, LANES).verdict) == (1, Verdict.UNKNOWN)
    assert laned(APART, {**LANES, 2: {}}).verdict is Verdict.UNKNOWN
    assert check_lanes({}, {}, {}, {}, {}).verdict is Verdict.UNKNOWN, "nothing was judged"


def test_a_level_without_a_lane_is_dropped() -> None:
    closed = {**LANES, 2: dict.fromkeys(LANES[2], (15,) * 16)}
    broken = laned(PAIRS, closed).broken
    assert {(item.switch, item.fault) for item in broken} == {(2, Fault.DROPPED)}
