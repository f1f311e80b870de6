"""The hardware catalog: one object over the data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from intent.catalog.infiniband import infiniband_switches
from intent.catalog.nodes import Layout, Nic, NicGroup, NicPort, NodeType, custom_group, nics, nodes
from intent.catalog.source import UnknownName, read
from intent.catalog.switches import Asic, Breakout, Buffer, Cage, Confidence, Switch, asics, switches

__all__ = [
    "Asic",
    "Breakout",
    "Buffer",
    "Cage",
    "Catalog",
    "Confidence",
    "Layout",
    "Nic",
    "NicGroup",
    "NicPort",
    "NodeType",
    "Switch",
    "UnknownName",
    "custom_group",
]


_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every piece of hardware the program knows.

    Args:
        switches: by name and by alias.
        nodes: node and rack types by name.
        nics: network cards by name and by alias.
        asics: switch chips by name.
    """

    switches: Mapping[str, Switch]
    nodes: Mapping[str, NodeType]
    nics: Mapping[str, Nic]
    asics: Mapping[str, Asic]

    @classmethod
    def load(cls) -> Catalog:
        """Read the data files. Cheap; the caller keeps the result."""
        chips = asics(read("asics")["asic"])
        boxes = switches(read("switches")["switch"], chips)
        boxes |= infiniband_switches(read("infiniband")["switch"], chips)
        servers = read("nodes")
        cards = nics(servers["nic"])
        return cls(
            switches=boxes | {alias: box for box in boxes.values() for alias in box.aliases},
            nodes=nodes(servers["node"]),
            nics=cards | {alias: card for card in cards.values() for alias in card.aliases},
            asics=chips,
        )

    def switch(self, name: str) -> Switch:
        """A switch by name or alias.

        Raises:
            UnknownName: there is none; says which names are near.
        """
        return _find("switch", name, self.switches)

    def node(self, name: str) -> NodeType:
        """A node or rack type by name.

        Raises:
            UnknownName: there is none; says which names are near.
        """
        return _find("node type", name, self.nodes)

    def nic(self, name: str) -> Nic:
        """A network card by name or alias.

        Raises:
            UnknownName: there is none; says which names are near.
        """
        return _find("network card", name, self.nics)

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of a kind: `switches`, `nodes`, `nics` or `asics`."""
        tables: dict[str, Mapping[str, object]] = {
            "switches": self.switches,
            "nodes": self.nodes,
            "nics": self.nics,
            "asics": self.asics,
        }
        return tuple(tables[kind])


def _find(kind: str, name: str, table: Mapping[str, _Entry]) -> _Entry:
    if name not in table:
        raise UnknownName(kind, name, table)
    return table[name]
