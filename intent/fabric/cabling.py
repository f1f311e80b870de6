"""Ports and links: nodes to leaves by slot, leaves to spines by the wiring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from intent.fabric import pools as pool
from intent.fabric.design import Design, SwitchUse
from intent.fabric.model import End, Link, Network, Port, Tier
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
        prefixes: Mapping[str, str] | None = None,
    ) -> None:
        """Plug in every node.

        Args:
            design: the fabric.
            leaves: leaves of every plane.
            block: what one leaf block holds.
            slots: place of each group.
            prefixes: host prefix of each leaf; None where ports have no addresses.
        """
        by_place = {(leaf.plane, leaf.rail, leaf.block): leaf for leaf in leaves}
        none = (("", ""),) * block.ports
        pairs = {n.name: pool.host_pairs(prefixes[n.name], block.ports) if prefixes else none for n in leaves}
        faces = _ports(design.host, design.host_speed_gbps, range(block.ports), most_parts(design))
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
                number = nic.part if design.infiniband else 0
                self.connect(
                    member.name,
                    Port(
                        nic.name, nic.cage, nic.sub_port, nic.breakout, nic.speed_gbps, nic.lanes, high, number, nic.hca
                    ),
                    leaf.name,
                    replace(face, address=low) if low else face,
                    Tier.HOST,
                    plane=leaf.plane if design.planes > 1 else 0,
                    rail=rail,
                    network=design.network,
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
                self.connect(leaf.name, mine, spine, theirs, Tier.FABRIC, plane=plane, rail=leaf.rail)

    def connect(
        self,
        lower: str,
        a_port: Port,
        upper: str,
        b_port: Port,
        tier: Tier,
        *,
        plane: int = 0,
        rail: int = 0,
        network: Network = Network.ETHERNET,
    ) -> None:
        """Plug in one cable.

        Args:
            lower: device of the lower end.
            a_port: its port.
            upper: device of the upper end.
            b_port: its port.
            tier: between which tiers.
            plane: plane it runs in, 0 where there are none.
            rail: rail it serves, 0 where it has none.
            network: kind of network.
        """
        a, b = End(lower, a_port.name), End(upper, b_port.name)
        for end, port in ((a, a_port), (b, b_port)):
            ports = self.ports.setdefault(end.device, {})
            if end.port in ports:
                self.doubles.append(end)
            ports[end.port] = port
        # A cable is named by its lower end, which never moves.
        self.links.append(Link(a, b, tier, a_port.speed_gbps, f"{a.device}/{a.port}", plane, rail, network))


def uplink_ports(use: SwitchUse, speed_gbps: int, indices: range, parts: int = 0) -> tuple[Port, ...]:
    """Ports of a switch by logical number; without an address, so every switch of a tier shares them.

    Args:
        use: how the cages are used.
        speed_gbps: speed of each port.
        indices: their logical numbers.
        parts: InfiniBand: the most parts any cage of the switch is split into; left out, those of this use.
    """
    return _ports(use, speed_gbps, indices, parts)


def most_parts(design: Design) -> int:
    """The most parts any cage of a leaf is split into: a split switch counts all its ports in such parts."""
    return max(design.host.breakout.parts, design.uplink.breakout.parts)


def _ports(use: SwitchUse, speed_gbps: int, indices: range, parts: int = 0) -> tuple[Port, ...]:
    ports = []
    stride = max(parts, use.breakout.parts)
    for index in indices:
        cage, part = use.place(index)
        # Ports of an InfiniBand chip are counted over the cages, part by part.
        number = (cage - 1) * stride + (part or 0) * (stride // use.breakout.parts) + 1 if use.switch.infiniband else 0
        name = use.port_name(index)
        ports.append(Port(name, str(cage), part, use.breakout.parts, speed_gbps, use.breakout.lanes, "", number))
    return tuple(ports)
