"""Servers and racks: their network cards and what the ports are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from intent.catalog.source import UnknownName
from intent.catalog.switches import Confidence
from intent.core.errors import IntentError

_LAYOUT = re.compile(r"^([1-9]\d?)x([1-9]\d{0,3})G$")


@dataclass(frozen=True, slots=True)
class Nic:
    """A network card.

    Args:
        name: `ConnectX-8`.
        aliases: short names (`cx8`).
        max_gbps: total of its ports.
        source: where it stands.
        pkeys: entries of the partition table of one port; 0 when no figure is known.
    """

    name: str
    aliases: tuple[str, ...]
    max_gbps: int
    source: str
    pkeys: int = 0


@dataclass(frozen=True, slots=True)
class NicPort:
    """One logical port of a node.

    Args:
        name: interface name on the node.
        nic: number of its card in the group, from 1.
        part: number of the port on its card, from 1: with planes, the plane it serves.
        cage: label of the physical cage (`east-west-3`).
        sub_port: part of the cage, from 0; None when the cage is not shared.
        breakout: parts the cage has; 1 when it is not shared.
        speed_gbps: speed.
        lanes: electrical lanes.
        rail: rail it serves, from 1; 0 when the group has no rails.
        hca: name of the RDMA device (`mlx5_0`); empty when the layout names none.
    """

    name: str
    nic: int
    part: int
    cage: str
    sub_port: int | None
    breakout: int
    speed_gbps: int
    lanes: int
    rail: int
    hca: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to use a card.

    Args:
        name: `2x400G`.
        kind: fabric kind: `ethernet` or `infiniband`.
        ports: logical ports of a card.
        speed_gbps: speed of each.
        lanes: electrical lanes of each.
        names: interface name with {nic} and {part}, both counted from 1.
        cage_per_port: every port has its own cage.
        hca: name of the RDMA device with {index}, which counts the cards from 0; empty when none is fixed.
    """

    name: str
    kind: str
    ports: int
    speed_gbps: int
    lanes: int
    names: str
    cage_per_port: bool = False
    hca: str = ""


@dataclass(frozen=True, slots=True)
class NicGroup:
    """Equal network cards of a node.

    Args:
        name: `east-west`, `north-south`, `management`.
        model: the card's catalog name.
        count: cards in one node.
        rails: card k serves rail k.
        nics_per_cage: cards that share one cage.
        connector: form factor of the cage.
        layouts: ways to use a card; the first of a kind is the default.
    """

    name: str
    model: str
    count: int
    rails: bool
    nics_per_cage: int
    connector: str
    layouts: tuple[Layout, ...]

    def layout(self, kind: str = "ethernet", name: str = "") -> Layout:
        """The layout of a fabric kind: by name, or the default.

        Raises:
            UnknownName: the card has no such layout.
        """
        fitting = [item for item in self.layouts if item.kind == kind]
        for item in fitting:
            if not name or item.name == name:
                return item
        raise UnknownName(f"{kind} layout of {self.model}", name or "default", [item.name for item in fitting])

    def ports(self, kind: str = "ethernet", layout: str = "") -> tuple[NicPort, ...]:
        """Every port of the group, card by card.

        Args:
            kind: fabric kind.
            layout: `2x400G`; empty for the default.

        Raises:
            UnknownName: the card has no such layout.
        """
        return tuple(self._ports(self.layout(kind, layout)))

    def _ports(self, layout: Layout) -> Iterator[NicPort]:
        shared = 1 if layout.cage_per_port else self.nics_per_cage * layout.ports
        for nic in range(1, self.count + 1):
            for part in range(1, layout.ports + 1):
                position = (nic - 1) * layout.ports + part - 1
                yield NicPort(
                    name=layout.names.format(nic=nic, part=part),
                    nic=nic,
                    part=part,
                    cage=f"{self.name}-{position // shared + 1}",
                    sub_port=position % shared if shared > 1 else None,
                    breakout=shared,
                    speed_gbps=layout.speed_gbps,
                    lanes=layout.lanes,
                    rail=nic if self.rails else 0,
                    hca=layout.hca.format(index=nic - 1),
                )


@dataclass(frozen=True, slots=True)
class NodeType:
    """A server, or a rack of equal trays.

    Args:
        name: catalog name (`dgx-b300`).
        trays: nodes in one rack of this type; 0 for a server.
        gpus: GPUs in one node.
        groups: network cards of one node by group name.
        nvlink_switch_trays: of the rack.
        power_shelves: of the rack.
        confidence: how well this is known; interface names are always ours.
        source: where it stands.
    """

    name: str
    trays: int
    gpus: int
    groups: Mapping[str, NicGroup]
    nvlink_switch_trays: int
    power_shelves: int
    confidence: Confidence
    source: str

    @property
    def is_rack(self) -> bool:
        """True when the type names a rack of trays."""
        return self.trays > 0

    def group(self, name: str) -> NicGroup:
        """The network cards of a group.

        Raises:
            UnknownName: the node has none of that name.
        """
        if name not in self.groups:
            raise UnknownName(f"group of network cards of {self.name}", name, self.groups)
        return self.groups[name]


def nics(rows: list[Mapping[str, Any]]) -> dict[str, Nic]:
    """Network cards by name, from `nodes.toml`."""
    return {
        r["name"]: Nic(r["name"], tuple(r.get("aliases", ())), r["max_gbps"], r["source"], r.get("pkeys", 0))
        for r in rows
    }


def nodes(rows: list[Mapping[str, Any]]) -> dict[str, NodeType]:
    """Node and rack types by name, from `nodes.toml`."""
    return {
        row["name"]: NodeType(
            name=row["name"],
            trays=row.get("trays", 0),
            gpus=row["gpus"],
            groups={name: _group(name, group) for name, group in row.get("groups", {}).items()},
            nvlink_switch_trays=row.get("nvlink_switch_trays", 0),
            power_shelves=row.get("power_shelves", 0),
            confidence=Confidence(row["confidence"]),
            source=row["source"],
        )
        for row in rows
    }


def _group(name: str, row: Mapping[str, Any]) -> NicGroup:
    return NicGroup(
        name=name,
        model=row["model"],
        count=row["count"],
        rails=row.get("rails", False),
        nics_per_cage=row["nics_per_cage"],
        connector=row["connector"],
        layouts=tuple(Layout(**layout) for layout in row["layouts"]),
    )


def custom_group(name: str, nic: Nic, count: int, layout: str) -> NicGroup:
    """A group the intent describes itself: `{model: cx7, ports: 2x400G}`.

    Args:
        name: name of the group.
        nic: the card.
        count: cards in one node, at least 1.
        layout: ports of one card, `2x400G`.

    Raises:
        IntentError: the layout is malformed or faster than the card.
    """
    match = _LAYOUT.match(layout)
    if not match or count < 1:
        raise IntentError(f"ports {layout!r} of {count} cards: not a layout", hint="write ports as 2x400G")
    parts, speed = int(match.group(1)), int(match.group(2))
    if speed > nic.max_gbps:
        raise IntentError(
            f"ports {layout!r}: {nic.name} has no port of {speed}G", hint=f"its fastest port is {nic.max_gbps}G"
        )
    names = f"{name[:9]}{{nic}}p{{part}}"
    way = Layout(layout, "ethernet", parts, speed, max(1, speed // 100), names, cage_per_port=True)
    return NicGroup(name, nic.name, count, rails=False, nics_per_cage=1, connector="", layouts=(way,))
