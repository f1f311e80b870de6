"""Credit loops: whether InfiniBand routes can deadlock.

Links are lossless, so a packet keeps its buffer until the next switch grants it one. Routes deadlock exactly when the
channels they hold one after the other can wait in a circle: when the channel-dependency graph has a cycle (W. J. Dally
and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE Transactions on
Computers C-36(5), 1987).

A channel is the buffer of one virtual lane. `check_routes` takes one lane for all, which judges engines that keep to
it; those that break circles by giving routes lanes of their own (lash, dfsssp, nue, torus-2QoS) are judged by
`check_lanes`, from the service level of every route and the lanes of service levels at every switch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from intent.analysis.circles import circles
from intent.core.errors import IntentError
from intent.core.verdict import Verdict

NodePort = tuple[int, int]
Buffer = tuple[int, int, int]
"""GUID of a switch, number of an output port, lane."""

_NO_LANE = 15


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """The buffer of one lane behind an output port of a switch.

    Args:
        switch: GUID of the switch that sends.
        port: number of its port.
        lane: virtual lane; 0 where one is taken for all.
    """

    switch: int
    port: int
    lane: int = 0


class Fault(StrEnum):
    """Why a route does not arrive."""

    NO_ENTRY = "no forwarding entry"
    NO_LINK = "forwarded to a port without a link"
    WRONG_NODE = "delivered to another node"
    CIRCLE = "forwarded in a circle"
    DROPPED = "its service level has no lane here"


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
        unjudged: routes whose lanes nobody told; what they hold is not among the channels.
    """

    loops: tuple[tuple[Channel, ...], ...]
    broken: tuple[BrokenRoute, ...]
    channels: int
    dependencies: int
    unjudged: int = 0

    @property
    def verdict(self) -> Verdict:
        """Pass when every route was judged, arrives, and none can wait in a circle; unknown is never green."""
        if self.loops or self.broken:
            return Verdict.FAIL
        return Verdict.UNKNOWN if self.unjudged or not self.channels else Verdict.PASS


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
    graph: dict[Buffer, set[Buffer]] = {}
    broken: set[BrokenRoute] = set()
    for lid, node in destinations.items():
        _walk(lid, node, sources, tables, far, graph, broken)
    return _routes(graph, broken)


def check_lanes(
    tables: Mapping[int, Mapping[int, int]],
    links: Mapping[NodePort, NodePort],
    destinations: Mapping[int, int],
    levels: Mapping[tuple[int, int], int],
    lanes: Mapping[int, Mapping[NodePort, Sequence[int]]],
) -> Routes:
    """Walk the route of every pair of end nodes in the lanes it takes, and look for circles.

    Args:
        tables: forwarding tables: switch GUID → LID → output port.
        links: (node GUID, port) → (node GUID, port), in both directions.
        destinations: LID → node GUID of the end nodes.
        levels: (LID of the source, LID of the destination) → service level; a pair that is missing is not judged.
        lanes: switch GUID → (input port, output port) → lane of each of the sixteen service levels.

    Raises:
        IntentError: a link is known from one side only.
    """
    _check_links(links)
    entries = {here[0]: there for here, there in links.items() if there[0] in tables and here[0] not in tables}
    graph: dict[Buffer, set[Buffer]] = {}
    broken: set[BrokenRoute] = set()
    unjudged = 0
    for source, sender in destinations.items():
        for lid, node in destinations.items():
            if node == sender or sender not in entries:
                continue
            level = levels.get((source, lid))
            judged = level is not None and _follow(
                lid, node, entries[sender], level, tables, links, lanes, graph, broken
            )
            unjudged += not judged
    return _routes(graph, broken, unjudged)


def _routes(graph: Mapping[Buffer, set[Buffer]], broken: Iterable[BrokenRoute], unjudged: int = 0) -> Routes:
    return Routes(
        loops=_circles(graph),
        broken=tuple(sorted(broken)),
        channels=len(graph),
        dependencies=sum(map(len, graph.values())),
        unjudged=unjudged,
    )


def describe(loop: Sequence[Channel], names: Mapping[int, str] | None = None) -> str:
    """A circle as people read it: `leaf1 port 3 → spine2 port 1 → … → leaf1 port 3`; lanes but 0 are named.

    Args:
        loop: the circle.
        names: names of switches by GUID; a GUID stands for itself where there is none.
    """
    known = names or {}
    steps = [
        f"{known.get(item.switch, f'0x{item.switch:016x}')} port {item.port}{f' lane {item.lane}' if item.lane else ''}"
        for item in loop
    ]
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
    graph: dict[Buffer, set[Buffer]],
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
            channel = (here, port, 0)
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


def _follow(
    lid: int,
    node: int,
    entry: NodePort,
    level: int,
    tables: Mapping[int, Mapping[int, int]],
    links: Mapping[NodePort, NodePort],
    lanes: Mapping[int, Mapping[NodePort, Sequence[int]]],
    graph: dict[Buffer, set[Buffer]],
    broken: set[BrokenRoute],
) -> bool:
    """Follow one route; False when a lane of it is not known."""
    (here, came_by), before = entry, None
    passed: set[int] = set()
    while True:
        port = tables[here].get(lid)
        beyond = links.get((here, port)) if port is not None else None
        if port is None or beyond is None or here in passed:
            fault = Fault.NO_ENTRY if port is None else Fault.NO_LINK if beyond is None else Fault.CIRCLE
            broken.add(BrokenRoute(lid, here, fault))
            return True
        if beyond[0] not in tables:
            if beyond[0] != node:
                broken.add(BrokenRoute(lid, here, Fault.WRONG_NODE))
            return True
        row = lanes.get(here, {}).get((came_by, port))
        if row is None or not 0 <= level < len(row):
            return False
        if row[level] == _NO_LANE:
            broken.add(BrokenRoute(lid, here, Fault.DROPPED))
            return True
        channel = (here, port, row[level])
        follows = graph.setdefault(channel, set())
        if before is not None:
            before.add(channel)
        passed.add(here)
        (here, came_by), before = beyond, follows


def _circles(graph: Mapping[Buffer, set[Buffer]]) -> tuple[tuple[Channel, ...], ...]:
    found = [tuple(Channel(*step) for step in circle) for circle in circles(graph)]
    return tuple(sorted(found, key=lambda circle: (len(circle), circle)))
