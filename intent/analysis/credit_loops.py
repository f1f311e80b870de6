"""Credit loops: whether InfiniBand routes can deadlock.

Links are lossless, so a packet keeps its buffer until the next switch grants it one. Routes deadlock exactly when the
channels they hold one after the other can wait in a circle: when the channel-dependency graph has a cycle (W. J. Dally
and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE Transactions on
Computers C-36(5), 1987).

One virtual lane is assumed. Engines that break circles by changing lanes (lash, dfsssp, nue, torus-2QoS) need their SL
and VL tables as well and are not judged by this.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from intent.core.errors import IntentError

NodePort = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """The buffers behind one output port of a switch.

    Args:
        switch: GUID of the switch that sends.
        port: number of its port.
    """

    switch: int
    port: int


class Fault(StrEnum):
    """Why a route does not arrive."""

    NO_ENTRY = "no forwarding entry"
    NO_LINK = "forwarded to a port without a link"
    WRONG_NODE = "delivered to another node"
    CIRCLE = "forwarded in a circle"


@dataclass(frozen=True, slots=True, order=True)
class BrokenRoute:
    """A destination that a source's packets never reach.

    Args:
        lid: LID of the destination.
        switch: GUID of the switch where the route ends, or of one in the circle.
        fault: why.
    """

    lid: int
    switch: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class Routes:
    """What the forwarding tables do.

    Args:
        loops: one shortest circle of channels for each knot of channels that wait for each other.
        broken: routes that do not arrive.
        channels: number of channels between switches in use.
        dependencies: number of pairs of channels some route holds one after the other.
    """

    loops: tuple[tuple[Channel, ...], ...]
    broken: tuple[BrokenRoute, ...]
    channels: int
    dependencies: int


def check_routes(
    tables: Mapping[int, Mapping[int, int]], links: Mapping[NodePort, NodePort], destinations: Mapping[int, int]
) -> Routes:
    """Walk every route from every switch with an end node to every destination, and look for circles.

    Args:
        tables: forwarding tables: switch GUID → LID → output port.
        links: (node GUID, port) → (node GUID, port), in both directions.
        destinations: LID → node GUID of the end nodes; switches are reached over a lane of their own and left out.

    Raises:
        IntentError: a link is known from one side only.
    """
    _check_links(links)
    far = {here: there[0] for here, there in links.items() if here[0] in tables}
    sources = sorted({switch for (switch, _), node in far.items() if node not in tables})
    graph: dict[NodePort, set[NodePort]] = {}
    broken: set[BrokenRoute] = set()
    for lid, node in destinations.items():
        _walk(lid, node, sources, tables, far, graph, broken)
    return Routes(
        loops=_circles(graph),
        broken=tuple(sorted(broken)),
        channels=len(graph),
        dependencies=sum(map(len, graph.values())),
    )


def describe(loop: Sequence[Channel], names: Mapping[int, str] | None = None) -> str:
    """A circle as people read it: `leaf1 port 3 → spine2 port 1 → … → leaf1 port 3`.

    Args:
        loop: the circle.
        names: names of switches by GUID; a GUID stands for itself where there is none.
    """
    known = names or {}
    steps = [f"{known.get(item.switch, f'0x{item.switch:016x}')} port {item.port}" for item in loop]
    return " → ".join([*steps, *steps[:1]])


def _check_links(links: Mapping[NodePort, NodePort]) -> None:
    for here, there in links.items():
        if links.get(there) != here:
            raise IntentError(
                f"link 0x{here[0]:016x} port {here[1]} - 0x{there[0]:016x} port {there[1]} is known from one side only",
                hint="give every link in both directions",
            )


def _walk(
    lid: int,
    node: int,
    sources: Iterable[int],
    tables: Mapping[int, Mapping[int, int]],
    far: Mapping[NodePort, int],
    graph: dict[NodePort, set[NodePort]],
    broken: set[BrokenRoute],
) -> None:
    """Follow one destination from every source; each switch is passed once, for routes to one LID merge."""
    passed: set[int] = set()
    for source in sources:
        here, before = source, None
        path: set[int] = set()
        while True:
            port = tables[here].get(lid)
            beyond = far.get((here, port)) if port is not None else None
            if port is None or beyond is None:
                broken.add(BrokenRoute(lid, here, Fault.NO_ENTRY if port is None else Fault.NO_LINK))
                break
            if beyond not in tables:
                if beyond != node:
                    broken.add(BrokenRoute(lid, here, Fault.WRONG_NODE))
                break
            channel = (here, port)
            follows = graph.setdefault(channel, set())
            if before is not None:
                before.add(channel)
            if here in path:
                broken.add(BrokenRoute(lid, here, Fault.CIRCLE))
                break
            if here in passed:
                break
            passed.add(here)
            path.add(here)
            here, before = beyond, follows


def _circles(graph: Mapping[NodePort, set[NodePort]]) -> tuple[tuple[Channel, ...], ...]:
    found = [_shortest(knot, graph) for knot in _knots(graph)]
    return tuple(sorted((tuple(Channel(*step) for step in circle) for circle in found), key=lambda c: (len(c), c)))


def _shortest(knot: frozenset[NodePort], graph: Mapping[NodePort, set[NodePort]]) -> list[NodePort]:
    """A shortest circle through the least channel of a knot."""
    start = min(knot)
    came: dict[NodePort, NodePort] = {}
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


def _knots(graph: Mapping[NodePort, set[NodePort]]) -> list[frozenset[NodePort]]:
    """Strongly connected components of two channels or more (R. Tarjan 1972), without recursion."""
    order: dict[NodePort, int] = {}
    low: dict[NodePort, int] = {}
    stack: list[NodePort] = []
    on_stack: set[NodePort] = set()
    knots: list[frozenset[NodePort]] = []
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


def _seen(
    here: NodePort, step: NodePort, order: Mapping[NodePort, int], low: dict[NodePort, int], on_stack: set[NodePort]
) -> bool:
    """True for a channel not visited yet; a visited one may lower where we reach back to."""
    if step not in order:
        return True
    if step in on_stack:
        low[here] = min(low[here], order[step])
    return False


def _pop_knot(
    here: NodePort, stack: list[NodePort], on_stack: set[NodePort], graph: Mapping[NodePort, set[NodePort]]
) -> list[frozenset[NodePort]]:
    knot = []
    while True:
        step = stack.pop()
        on_stack.discard(step)
        knot.append(step)
        if step == here:
            break
    return [frozenset(knot)] if len(knot) > 1 or here in graph[here] else []
