"""Ports and links: nodes to leaves by slot, leaves to spines by the wiring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from intent.fabric import pools as pool
from intent.fabric.design import Design, SwitchUse
from intent.fabric.model import End, Link, Port, Tier
from intent.fabric.placement import Block, Slot
from intent.fabric.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf before it gets its ports: its place in the fabric, from 1; rail 0 where it serves all."""

    name: str
    plane: int
    rail: int
    block: int


@dataclass(slots=True)
class Cabling:
    """Ports and links as they are made.

    Args:
        ports: device → port name → port.
        links: in cabling order.
        doubles: ports that were asked to take a second cable.
    """

    ports: dict[str, dict[str, Port]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    doubles: list[End] = field(default_factory=list)

    def hosts(
        self,
        design: Design,
        leaves: Sequence[Leaf],
        block: Block,
        slots: Mapping[str, Slot],
        prefixes: Mapping[str, str],
    ) -> None:
        """Plug in every node.

        Args:
            design: the fabric.
            leaves: leaves of every plane.
            block: what one leaf block holds.
            slots: place of each group.
            prefixes: host prefix of each leaf.
        """
        by_place = {(leaf.plane, leaf.rail, leaf.block): leaf for leaf in leaves}
        pairs = {leaf.name: pool.host_pairs(prefixes[leaf.name], block.ports) for leaf in leaves}
        faces = _ports(design.host, design.host_speed_gbps, range(block.ports))
        rails = {nic: rail for rail, nic in enumerate(sorted({port.nic for port in design.members[0].ports}), 1)}
        for member in design.members:
            slot = slots[member.group]
            first = (slot.ordinal * block.group_nodes + member.ordinal) * block.ports_per_node
            for nic in member.ports:
                rail, part = rails[nic.nic], nic.part - 1
                leaf = by_place[part % design.planes + 1, rail if design.by_rail else 0, slot.block]
                index = first + part // design.planes
                if not design.by_rail:
                    index += (rail - 1) * design.ports_per_rail
                face, (low, high) = faces[index], pairs[leaf.name][index]
                self._connect(
                    End(member.name, nic.name),
                    Port(nic.name, nic.cage, nic.sub_port, nic.breakout, nic.speed_gbps, nic.lanes, high),
                    End(leaf.name, face.name),
                    Port(face.name, face.cage, face.sub_port, face.breakout, face.speed_gbps, face.lanes, low),
                    Tier.HOST,
                    leaf.plane if design.planes > 1 else 0,
                    rail,
                )

    def spines(
        self, design: Design, leaves: Sequence[Leaf], uplink: Sequence[Port], spines: Sequence[str], wiring: Wiring
    ) -> None:
        """Connect the leaves of one plane to its spines.

        Args:
            design: the fabric.
            leaves: leaves of the plane.
            uplink: the uplink ports every leaf has.
            spines: names of the spines by number.
            wiring: where each uplink ends.
        """
        tops = _ports(design.spine, design.uplink_speed_gbps, range(design.spine.ports))
        for leaf in leaves:
            plane = leaf.plane if design.planes > 1 else 0
            for mine, spot in zip(uplink, wiring[leaf.name], strict=True):
                theirs, spine = tops[spot.port], spines[spot.spine - 1]
                self._connect(
                    End(leaf.name, mine.name), mine, End(spine, theirs.name), theirs, Tier.FABRIC, plane, leaf.rail
                )

    def _connect(self, a: End, a_port: Port, b: End, b_port: Port, tier: Tier, plane: int, rail: int) -> None:
        for end, port in ((a, a_port), (b, b_port)):
            ports = self.ports.setdefault(end.device, {})
            if end.port in ports:
                self.doubles.append(end)
            ports[end.port] = port
        # A cable is named by its lower end, which never moves.
        self.links.append(Link(a, b, tier, a_port.speed_gbps, f"{a.device}/{a.port}", plane, rail))


def uplink_ports(use: SwitchUse, speed_gbps: int, count: int) -> tuple[Port, ...]:
    """The first `count` uplink ports of a leaf; they carry no address, so every leaf shares them."""
    return _ports(use, speed_gbps, range(count))


def _ports(use: SwitchUse, speed_gbps: int, indices: range) -> tuple[Port, ...]:
    ports = []
    for index in indices:
        cage, part = use.place(index)
        ports.append(Port(use.port_name(index), str(cage), part, use.breakout.parts, speed_gbps, use.breakout.lanes))
    return tuple(ports)
