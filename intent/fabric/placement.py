"""Where each node attaches: its leaf block and its place in it. Decided once, kept by the lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic
from intent.fabric.clos import LeafSplit, PortPlan, trim_uplinks
from intent.fabric.design import Design
from intent.fabric.lock import Allocator

RESERVED = "reserved/"
"""Beginning of the names of groups that hold slots without being nodes; no node's name has a slash."""


@dataclass(frozen=True, slots=True)
class Block:
    """How many groups one set of leaves serves.

    Args:
        groups: racks or nodes per block.
        group_nodes: nodes per group.
        ports_per_node: leaf ports a node takes on one leaf.
        limited: the intent asks for fewer groups than fit.
    """

    groups: int
    group_nodes: int
    ports_per_node: int
    limited: bool = False

    @property
    def ports(self) -> int:
        """Host ports of a leaf when it is full."""
        return self.groups * self.group_nodes * self.ports_per_node


@dataclass(frozen=True, slots=True)
class Slot:
    """A group's place: block from 1, ordinal in the block from 0."""

    block: int
    ordinal: int

    def __str__(self) -> str:
        return f"{self.block}.{self.ordinal + 1}"


def block_of(design: Design, split: LeafSplit) -> Block | Diagnostic:
    """What one leaf block holds.

    Args:
        design: the fabric.
        split: use of a leaf's cages.

    Returns:
        The block, or a finding when not even one group fits or more is asked than fits.
    """
    group_nodes = design.group_nodes
    per_node = design.ports_per_rail * (1 if design.by_rail else design.rails)
    fits = split.host_ports // (group_nodes * per_node)
    wanted = design.leaf_groups or (min(fits, design.unit_groups) if design.unit_groups else fits)
    if fits < 1 or wanted > fits:
        return Diagnostic(
            "F003",
            f"fabric {design.name}: one {design.host.switch.name} offers {split.host_ports} host ports of "
            f"{design.host_speed_gbps}G - expected {max(wanted, 1) * group_nodes * per_node} "
            f"({max(wanted, 1)} x {group_nodes} nodes x {per_node} ports)",
            design.span,
            hint="serve fewer racks or nodes per leaf (leaf.racks, unit), or raise the oversubscription",
        )
    return Block(wanted, group_nodes, per_node, wanted < fits)


def split_for(design: Design, block: Block, split: LeafSplit) -> LeafSplit:
    """The split a leaf is cabled by: where the intent limits what it serves, its uplinks are for that many ports."""
    if not block.limited or design.uplinks:
        return split
    host = PortPlan(design.host.breakout.parts, design.host_speed_gbps)
    uplink = PortPlan(design.uplink.breakout.parts, design.uplink_speed_gbps)
    return trim_uplinks(split, block.ports, host, uplink, design.oversubscription)


def units_of(design: Design, block: Block) -> int:
    """Leaf blocks in one scalable unit."""
    return -(-design.unit_groups // block.groups) if design.unit_groups else 1


def planned_blocks(design: Design, block: Block) -> int:
    """Leaf blocks the spine tier is sized for."""
    return -(-design.planned_units * (design.unit_groups or block.groups) // block.groups)


def place(design: Design, block: Block, allocator: Allocator, also: Sequence[str] = ()) -> Mapping[str, Slot]:
    """A slot for each group, by group name. New groups take the first slots nobody holds or held.

    Args:
        design: the fabric.
        block: what one leaf block holds.
        allocator: keeps the slots.
        also: further groups, which come last.

    Raises:
        ValueError: when the lock holds something that is no slot of this fabric.
    """
    candidates = _slots(design.name, block.groups)
    slots: dict[str, Slot] = {}
    for group in (*dict.fromkeys(member.group for member in design.members), *also):
        value = allocator.take("slot", f"{design.name}/{group}", candidates)
        slots[group] = parse_slot(value or "", design.name, block)
    return slots


def reserve(design: Design, block: Block, allocator: Allocator, number: int) -> str:
    """Claim one of the last slots of the first block for what is no node, where it is free or was claimed before.

    Args:
        design: the fabric.
        block: what one leaf block holds.
        allocator: keeps the slots.
        number: which one, from 0, counted back from the end.

    Returns:
        The name of its group when the slot still has to be found, else an empty text.
    """
    group = f"{RESERVED}{number + 1}"
    wanted = f"{design.name}:{Slot(1, block.groups - 1 - number)}"
    claimed = number < block.groups and allocator.claim("slot", f"{design.name}/{group}", wanted)
    return "" if claimed else group


def _slots(fabric: str, groups: int) -> Iterator[str]:
    number = 0
    while True:
        block, ordinal = divmod(number, groups)
        yield f"{fabric}:{Slot(block + 1, ordinal)}"
        number += 1


def parse_slot(text: str, fabric: str, block: Block) -> Slot:
    """The slot a value of the lock stands for.

    Raises:
        ValueError: it is no slot of this fabric.
    """
    name, _, place_text = text.rpartition(":")
    number, _, ordinal = place_text.partition(".")
    if name != fabric or not number.isdecimal() or not ordinal.isdecimal():
        raise ValueError(f"slot {text!r} - expected {fabric}:block.place")
    slot = Slot(int(number), int(ordinal) - 1)
    if slot.block < 1 or not 0 <= slot.ordinal < block.groups:
        raise ValueError(f"slot {text!r} - a leaf block of fabric {fabric} now holds {block.groups} places")
    return slot
