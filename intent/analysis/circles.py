"""Circles of a directed graph: one shortest for each knot of nodes that reach each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TypeVar

Spot = TypeVar("Spot", bound=tuple[int, ...])
"""A node; nodes are ordered."""


def circles(graph: Mapping[Spot, set[Spot]]) -> Iterator[list[Spot]]:
    """One shortest circle through the least node of each knot.

    Args:
        graph: what follows each node; every node stands in it.
    """
    for knot in _knots(graph):
        yield _shortest(knot, graph)


def _shortest(knot: frozenset[Spot], graph: Mapping[Spot, set[Spot]]) -> list[Spot]:
    """A shortest circle through the least channel of a knot."""
    start = min(knot)
    came: dict[Spot, Spot] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for following in sorted(graph[here]):
            if following == start:
                circle = [here]
                while circle[-1] != start:
                    circle.append(came[circle[-1]])
                return circle[::-1]
            if following in knot and following not in came:
                came[following] = here
                waiting.append(following)
    return [start]


def _knots(graph: Mapping[Spot, set[Spot]]) -> list[frozenset[Spot]]:
    """Strongly connected components of two channels or more (R. Tarjan 1972), without recursion."""
    order: dict[Spot, int] = {}
    low: dict[Spot, int] = {}
    stack: list[Spot] = []
    on_stack: set[Spot] = set()
    knots: list[frozenset[Spot]] = []
    for root in sorted(graph):
        if root in order:
            continue
        work = [(root, iter(sorted(graph[root])))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, following = work[-1]
            fresh = next((step for step in following if _seen(here, step, order, low, on_stack)), None)
            if fresh is not None:
                order[fresh] = low[fresh] = len(order)
                stack.append(fresh)
                on_stack.add(fresh)
                work.append((fresh, iter(sorted(graph[fresh]))))
                continue
            work.pop()
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[here])
            if low[here] == order[here]:
                knots += _pop_knot(here, stack, on_stack, graph)
    return knots


def _seen(here: Spot, step: Spot, order: Mapping[Spot, int], low: dict[Spot, int], on_stack: set[Spot]) -> bool:
    """True for a channel not visited yet; a visited one may lower where we reach back to."""
    if step not in order:
        return True
    if step in on_stack:
        low[here] = min(low[here], order[step])
    return False


def _pop_knot(
    here: Spot, stack: list[Spot], on_stack: set[Spot], graph: Mapping[Spot, set[Spot]]
) -> list[frozenset[Spot]]:
    knot = []
    while True:
        step = stack.pop()
        on_stack.discard(step)
        knot.append(step)
        if step == here:
            break
    return [frozenset(knot)] if len(knot) > 1 or here in graph[here] else []
