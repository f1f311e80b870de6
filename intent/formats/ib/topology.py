"""An InfiniBand topology as files tell it: nodes with GUIDs, ports and what is plugged in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span


class NodeKind(StrEnum):
    """Kind of node, by the word that begins its stanza."""

    SWITCH = "Switch"
    ADAPTER = "Ca"
    ROUTER = "Rt"


@dataclass(frozen=True, slots=True)
class Cable:
    """What a node's port is plugged into.

    Args:
        port: port number of the node, from 1.
        peer: id of the node at the other end.
        peer_port: its port number.
        guid: GUID of this port, 16 digits; empty where the file gives none, as for switches.
        peer_guid: GUID of the other port, likewise.
        rate: width and speed (`4xNDR`); empty where the file gives none.
        span: where it stands; None for one that was made.
    """

    port: int
    peer: str
    peer_port: int
    guid: str = ""
    peer_guid: str = ""
    rate: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A switch, an adapter or a router.

    Args:
        kind: which of them.
        id: the name by which cables mean it (`S-0002c9030070a8b0`).
        ports: number of its ports.
        guid: node GUID, 16 hexadecimal digits in small letters; empty where the file gives none.
        description: node description.
        lid: local identifier; 0 where none is given.
        cables: by port number.
        span: where its stanza begins; None for one that was made.
    """

    kind: NodeKind
    id: str
    ports: int
    guid: str = ""
    description: str = ""
    lid: int = 0
    cables: tuple[Cable, ...] = field(default=())
    span: Span | None = None


@dataclass(frozen=True)
class Topology:
    """Nodes in the order of the file."""

    nodes: tuple[Node, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    def links(self) -> Iterator[tuple[Node, Cable]]:
        """Every link once, from the end that stands first in the file."""
        seen: set[tuple[str, int]] = set()
        for node in self.nodes:
            for cable in node.cables:
                if (node.id, cable.port) not in seen:
                    seen.add((cable.peer, cable.peer_port))
                    yield node, cable


@dataclass(frozen=True, slots=True)
class TopologyFile:
    """What came of reading a topology file.

    Args:
        topology: the nodes; empty when there is any error.
        diagnostics: what is wrong, with line and column.
    """

    topology: Topology
    diagnostics: tuple[Diagnostic, ...]
