"""Ports of the hosts that run subnet managers: counted, placed once, kept by the lock.

They take ports the switches have apart for them; else ports of the first leaves that no node will ever take; else node
slots, the last ones of the first leaf block: the published NDR designs lose one node to UFM that way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intent.catalog.switches import ManagerPort
from intent.fabric.cabling import Leaf, most_parts, uplink_ports
from intent.fabric.clos import LeafSplit
from intent.fabric.design import Design, InfiniBandDesign
from intent.fabric.model import Device, Network, Port, Role, Tier
from intent.fabric.placement import RESERVED, Block, Slot
from intent.fabric.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Spot:
    """A port of a leaf for a manager: block and rail as in `Leaf`, logical port; -1 - n for the n-th port apart."""

    block: int
    rail: int
    port: int


def slots_needed(design: Design, spec: InfiniBandDesign, block: Block, split: LeafSplit) -> int:
    """Node slots that go to subnet managers.

    Args:
        design: the fabric.
        spec: what only InfiniBand has.
        block: what one leaf block holds.
        split: use of a leaf's cages.
    """
    if spec.reserved is not None:
        return spec.reserved
    rails = design.rails if design.by_rail else 1
    wanted = sum(host.ports for host in spec.managers)
    apart = len(_apart(design)) * rails
    spare = (split.host_ports - block.ports) * rails
    if not wanted or wanted <= max(apart, spare):
        return 0
    return -(-wanted // (block.group_nodes * block.ports_per_node * rails))


def add_managers(
    shop: Workshop,
    design: Design,
    spec: InfiniBandDesign,
    leaves: Sequence[Leaf],
    block: Block,
    split: LeafSplit,
    slots: Mapping[str, Slot],
) -> None:
    """Place and plug in the hosts of subnet managers.

    Args:
        shop: the site.
        design: the fabric.
        spec: what only InfiniBand has.
        leaves: its leaves.
        block: what one leaf block holds.
        split: use of a leaf's cages.
        slots: place of each group, the reserved ones among them.
    """
    by_place = {(leaf.block, leaf.rail): leaf.name for leaf in leaves}
    spots = _texts(design, _spots(design, leaves, block, split, slots))
    faces = uplink_ports(design.host, design.host_speed_gbps, range(split.host_ports), most_parts(design))
    apart = _apart(design)
    for host in spec.managers:
        shop.managers.append(
            Device(
                host.name,
                Role.MANAGER,
                host.model,
                design.site,
                fabric=design.name,
                release=host.release,
                management=host.address,
                span=host.span,
                network=Network.INFINIBAND,
                generation=spec.generation,
            )
        )
        for number in range(1, host.ports + 1):
            text = shop.allocator.take("manager", f"{design.name}/{host.name}/{number}", spots)
            spot = _parse(text or "", design.name)
            leaf = by_place.get((spot.block, spot.rail)) if spot else None
            if spot is None or leaf is None or not -len(apart) <= spot.port < split.host_ports:
                _no_room(shop, design, host.name, text)
                return
            face = _apart_port(apart[-1 - spot.port], design) if spot.port < 0 else faces[spot.port]
            mine = Port(f"ib{number}", str(number), None, 1, face.speed_gbps, face.lanes, "", 1, f"mlx5_{number - 1}")
            shop.cabling.connect(host.name, mine, leaf, face, Tier.HOST, rail=spot.rail, network=Network.INFINIBAND)


def _no_room(shop: Workshop, design: Design, host: str, text: str | None) -> None:
    if text:
        shop.lock_error(f"port {text} of subnet manager {host} - the fabric has no such port")
        return
    shop.error(
        design,
        f"no port is left for subnet manager {host}",
        "keep a node slot for it from the first day (unit.reserved), or let it run on a node of the fabric",
    )


def _spots(
    design: Design, leaves: Sequence[Leaf], block: Block, split: LeafSplit, slots: Mapping[str, Slot]
) -> Iterator[Spot]:
    """Every port a manager may take, in the order in which they are given."""
    apart = len(_apart(design))
    blocks = list(dict.fromkeys(leaf.block for leaf in leaves))
    rails = list(dict.fromkeys(leaf.rail for leaf in leaves))
    for number in blocks:
        for port in range(apart):
            yield from (Spot(number, rail, -1 - port) for rail in rails)
    for number in blocks if not apart else ():
        for port in range(block.ports, split.host_ports):
            yield from (Spot(number, rail, port) for rail in rails)
    size = block.group_nodes * block.ports_per_node
    for group, slot in slots.items() if not apart else ():
        if group.startswith(RESERVED):
            for port in range(slot.ordinal * size, (slot.ordinal + 1) * size):
                yield from (Spot(slot.block, rail, port) for rail in rails)


def _texts(design: Design, spots: Iterator[Spot]) -> Iterator[str]:
    for spot in spots:
        port = spot.port if spot.port >= 0 else _FIRST_APART - 1 - spot.port
        yield f"{design.name}:{spot.block}.{spot.rail}.{port}"


# In the lock ports apart are counted from here, beyond the ports any switch has.
_FIRST_APART = 100_000


def _parse(text: str, fabric: str) -> Spot | None:
    name, _, place = text.rpartition(":")
    if name != fabric:
        return None
    block, rail, port = (int(word) for word in place.split("."))
    return Spot(block, rail, port if port < _FIRST_APART else _FIRST_APART - 1 - port)


def _apart(design: Design) -> tuple[ManagerPort, ...]:
    own = design.host.switch.infiniband
    return own.sm_ports if own else ()


def _apart_port(port: ManagerPort, design: Design) -> Port:
    cage = len(design.host.switch.cages) + 1
    return Port(port.name, str(cage), None, 1, port.speed_gbps, port.lanes, "", port.number)
