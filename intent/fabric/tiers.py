"""How many switches an InfiniBand fabric needs above its leaves: two tiers, three, or groups of a dragonfly+.

In three tiers a spine gives half of its ports to the core, and serves the leaves of one *pod*: a scalable unit, or one
rail of it. Spine k of every pod goes to core group k, whose number of switches divides a spine's uplinks, as the spines
of a pod divide a leaf's. In a dragonfly+ every pod is a group, and what would go up to a core goes to the other groups.
"""

from __future__ import annotations

from dataclasses import dataclass

from intent.fabric.clos import LeafSplit, spine_count
from intent.fabric.design import Design, InfiniBandDesign
from intent.fabric.placement import Block, units_of


@dataclass(frozen=True, slots=True)
class Tiers:
    """What stands above the leaves.

    Args:
        count: 2 or 3; in a dragonfly+ 2.
        by_rail: a pod is one rail of a unit.
        pod_leaves: leaves of a full pod; all of them in two tiers.
        pods: pods the upper tier is sized for; 1 in two tiers.
        spines: spines of a pod.
        spine_down: ports of a spine that serve leaves, the first ones.
        spine_up: links of a spine to the core, or to other groups; 0 in two tiers.
        cores: switches of one core group; 0 without a core.
        pair_links: links between two groups of a dragonfly+; 0 elsewhere.
    """

    count: int
    by_rail: bool
    pod_leaves: int
    pods: int
    spines: int
    spine_down: int
    spine_up: int = 0
    cores: int = 0
    pair_links: int = 0


@dataclass(frozen=True, slots=True)
class TooLarge:
    """Why the tiers cannot be built.

    Args:
        message: what does not fit.
        hint: what to do.
    """

    message: str
    hint: str


def tiers_of(design: Design, spec: InfiniBandDesign, block: Block, split: LeafSplit, units: int) -> Tiers | TooLarge:
    """The tiers of a fabric.

    Args:
        design: the fabric.
        spec: what only InfiniBand has.
        block: what one leaf block holds.
        split: use of a leaf's cages.
        units: units that are attached or planned, whichever is more.
    """
    per_unit = units_of(design, block)
    rails = design.rails if design.by_rail else 1
    if spec.dragonfly:
        return _dragonfly(design, split, rails * per_unit, units)
    leaves = units * per_unit * rails
    count = spine_count(leaves, split.uplinks, design.spine.ports)
    if spec.tiers != 3 and count is not None:
        return Tiers(2, by_rail=False, pod_leaves=leaves, pods=1, spines=count, spine_down=design.spine.ports)
    if spec.tiers == 2:
        name = design.spine.switch.name
        return TooLarge(
            f"{leaves} leaves do not fit two tiers of {name}",
            f"design: fat-tree adds a third tier; two tiers of {name} carry {design.spine.ports} leaves",
        )
    by_rail = design.by_rail and (per_unit > 1 if spec.by_rail is None else spec.by_rail)
    pods = units * (rails if by_rail else 1)
    return _three(design, spec, split, per_unit * (1 if by_rail else rails), pods, by_rail=by_rail)


def _three(
    design: Design, spec: InfiniBandDesign, split: LeafSplit, pod_leaves: int, pods: int, *, by_rail: bool
) -> Tiers | TooLarge:
    spine, half = design.spine.switch.name, half_ports(design)
    spines = spine_count(pod_leaves, split.uplinks, half)
    if spines is None:
        return TooLarge(
            f"{pod_leaves} leaves of a unit do not fit half of the ports of {spine}",
            f"a spine serves at most {half} leaves in three tiers: take a smaller unit, or spine_group: rail",
        )
    up = pod_leaves * split.uplinks // spines
    cores = spine_count(pods, up, spec.core.ports)
    if cores is None:
        core = spec.core.switch.name
        return TooLarge(
            f"{pods} groups of spines do not fit a core of {core}",
            f"a core switch of {spec.core.ports} ports joins at most as many groups: take larger units",
        )
    return Tiers(3, by_rail, pod_leaves, pods, spines, half, up, cores)


def _dragonfly(design: Design, split: LeafSplit, pod_leaves: int, groups: int) -> Tiers | TooLarge:
    spine, half = design.spine.switch.name, half_ports(design)
    spines = spine_count(pod_leaves, split.uplinks, half)
    if spines is None:
        return TooLarge(
            f"{pod_leaves} leaves of a group do not fit half of the ports of {spine}",
            f"a spine serves at most {half} leaves and gives the other ports to other groups: take a smaller unit",
        )
    outward = pod_leaves * split.uplinks
    pair_links = outward // (groups - 1) if groups > 1 else 0
    if groups > 1 and not pair_links:
        return TooLarge(
            f"{groups} groups - a group has {outward} links to others, so at most {outward + 1} groups",
            "take larger groups (unit), or a fat tree",
        )
    # The links of a pair are dealt out over the spines in turn, so the first spines may have one more.
    up = -(-pair_links * (groups - 1) // spines)
    return Tiers(2, False, pod_leaves, groups, spines, half, up, 0, pair_links)


def half_ports(design: Design) -> int:
    """Ports of a spine that serve leaves when the others go up: whole cages, the first half of them."""
    return len(design.spine.cages) // 2 * design.spine.breakout.parts


def global_ports(tiers: Tiers, group: int, other: int) -> tuple[tuple[int, int], ...]:
    """Where the links of one group of a dragonfly+ to another one leave it.

    Args:
        tiers: the fabric's tiers.
        group: the group, from 1.
        other: the other group, from 1.

    Returns:
        Spine of the group from 1 and logical port of the spine, for each link of the pair.
    """
    turn = other - 1 if other < group else other - 2
    first = turn * tiers.pair_links
    places = range(first, first + tiers.pair_links)
    return tuple((place % tiers.spines + 1, tiers.spine_down + place // tiers.spines) for place in places)
