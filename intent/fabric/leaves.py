"""The leaf tier, which all kinds of fabric share: how a leaf's cages are used and what the leaves are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent.fabric.cabling import Leaf
from intent.fabric.clos import LeafSplit, PortPlan, split_leaf
from intent.fabric.design import Design
from intent.fabric.placement import Block, units_of
from intent.fabric.workshop import Workshop, unit_of


def leaf_split(design: Design, shop: Workshop) -> LeafSplit | None:
    """The largest use of a leaf's cages; None when not even one host cage fits, which is noted."""
    split = split_leaf(
        len(design.host.cages),
        PortPlan(design.host.breakout.parts, design.host_speed_gbps),
        PortPlan(design.uplink.breakout.parts, design.uplink_speed_gbps),
        design.oversubscription,
        design.uplinks,
        lambda cages: len(design.uplink.beside(design.host, cages).cages),
    )
    if split is None:
        wanted = f"{design.uplinks} uplinks" if design.uplinks else "the uplinks they need"
        name, speed = design.host.switch.name, design.host_speed_gbps
        hint = "fewer uplinks, or a higher oversubscription"
        shop.error(design, f"{name} has no room for host ports of {speed}G and {wanted}", hint)
    return split


def leaves_of(shop: Workshop, design: Design, block: Block, blocks: Sequence[int], plane: int) -> Iterator[Leaf]:
    """The leaves of one plane, block by block, rail by rail, with their names.

    Args:
        shop: gives the names.
        design: the fabric.
        block: what one leaf block holds.
        blocks: leaf blocks in use.
        plane: number of the plane.
    """
    per_unit = units_of(design, block)
    for number in blocks:
        for rail in range(1, design.rails + 1) if design.by_rail else (0,):
            unit = unit_of(number, per_unit)
            proposal = design.leaf_name.format(
                site=design.site, fabric=design.name, plane=plane, rail=rail, unit=unit, n=number
            )
            position = f"{design.name}/p{plane}/r{rail}/l{number}"
            name = shop.numbers.name(position, proposal, "leaf", design.name, design.span)
            yield Leaf(name, plane, rail, number)
