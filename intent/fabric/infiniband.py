"""Builds InfiniBand fabrics: fat trees of two and three tiers with rail groups, and dragonfly+."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intent.core.diagnostic import Diagnostic
from intent.fabric.cabling import Leaf, most_parts, uplink_ports
from intent.fabric.clos import LeafSplit, PortPlan, trim_uplinks
from intent.fabric.design import Design, InfiniBandDesign, SwitchUse
from intent.fabric.growth import LeafCables
from intent.fabric.leaves import leaf_split, leaves_of
from intent.fabric.managers import add_managers, slots_needed
from intent.fabric.model import Device, Network, Role, Tier
from intent.fabric.placement import RESERVED, Block, Slot, block_of, parse_slot, place, reserve, units_of
from intent.fabric.shape import shape_of
from intent.fabric.tiers import Tiers, TooLarge, global_ports, tiers_of
from intent.fabric.wiring import wire
from intent.fabric.workshop import SIZES, Workshop, unit_of

Pod = tuple[int, int]
"""A group of spines: unit and rail, each 0 where it does not count."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Sizes of one fabric, all settled.

    Args:
        design: the fabric.
        spec: what only InfiniBand has.
        split: use of a leaf's cages.
        uplink: the cages that serve uplinks.
        block: what one leaf block holds.
        slots: place of each group of nodes, and of what is reserved.
        blocks: leaf blocks in use.
        tiers: what stands above the leaves.
    """

    design: Design
    spec: InfiniBandDesign
    split: LeafSplit
    uplink: SwitchUse
    block: Block
    slots: Mapping[str, Slot]
    blocks: tuple[int, ...]
    tiers: Tiers

    def pod(self, leaf: Leaf) -> Pod:
        """The group of spines that serves a leaf."""
        if self.tiers.count == 2 and not self.spec.dragonfly:
            return 0, 0
        return unit_of(leaf.block, units_of(self.design, self.block)), leaf.rail if self.tiers.by_rail else 0


class InfiniBandBuilder:
    """Builds the InfiniBand fabrics of a site.

    Args:
        shop: the site.
    """

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def add(self, design: Design) -> None:
        """Build one fabric of the site."""
        spec = design.infiniband
        plan = self._plan(design, spec) if spec else None
        if plan is None:
            return
        leaves = list(leaves_of(self.shop, design, plan.block, plan.blocks, 1))
        pods: dict[Pod, list[Leaf]] = {}
        for leaf in leaves:
            pods.setdefault(plan.pod(leaf), []).append(leaf)
        spines = {pod: self._spines(plan, pod) for pod in pods}
        groups = range(1, plan.tiers.spines + 1) if plan.tiers.cores else range(0)
        cores = {group: self._cores(plan, group) for group in groups}
        if self.shop.numbers.misnamed:
            return
        self._add_switches(plan, leaves, spines, cores)
        self.shop.cabling.hosts(design, leaves, plan.block, plan.slots)
        add_managers(self.shop, design, plan.spec, leaves, plan.block, plan.split, plan.slots)
        for pod, members in pods.items():
            self._connect_pod(plan, pod, members, spines[pod])
        for group, names in cores.items():
            self._connect_core(plan, group, names, {pod: spines[pod][group - 1] for pod in spines})
        if plan.spec.dragonfly:
            self._connect_groups(plan, {pod[0]: names for pod, names in spines.items()})
        self.shop.check_doubles(design)

    def _plan(self, design: Design, spec: InfiniBandDesign) -> _Plan | None:
        split = leaf_split(design, self.shop)
        design = _whole_leaves(design, split) if split else design
        block = self._block(design, split) if split else None
        if split is None or block is None:
            return None
        split = _trimmed(design, block, split)
        slots = self._place(design, spec, block, split)
        if slots is None:
            return None
        blocks = tuple(sorted({slot.block for slot in slots.values()}))
        units = max(unit_of(blocks[-1], units_of(design, block)), design.planned_units)
        if spec.dragonfly and units > design.planned_units:
            self.shop.error(
                design,
                f"{units} groups are attached - {design.planned_units} are planned",
                f"links between groups are dealt out once for all: write unit: {{…, planned: {units}}} or more",
            )
            return None
        tiers = tiers_of(design, spec, block, split, units)
        if isinstance(tiers, TooLarge):
            self.shop.error(design, tiers.message, tiers.hint)
            return None
        use = design.uplink.beside(design.host, split.host_cages)
        if not self.shop.same_shape(design, shape_of(design, block, split, use, _more(design, spec, block, tiers))):
            return None
        return _Plan(design, spec, split, use, block, slots, blocks, self._kept(design, split, tiers))

    def _block(self, design: Design, split: LeafSplit) -> Block | None:
        """What one leaf block holds; a unit is a whole number of them."""
        block = block_of(design, split)
        if isinstance(block, Diagnostic):
            self.shop.diagnostics.append(block)
            return None
        if design.unit_groups % block.groups:
            what = "racks" if design.group_nodes > 1 else "nodes"
            self.shop.error(
                design,
                f"a unit of {design.unit_groups} {what} is no whole number of leaves of {block.groups}",
                "let leaf.racks divide the unit, or leave it out",
            )
            return None
        return block

    def _place(
        self, design: Design, spec: InfiniBandDesign, block: Block, split: LeafSplit
    ) -> Mapping[str, Slot] | None:
        """A slot for each group of nodes and for each reserved place, which comes last in the first block."""
        count = slots_needed(design, spec, block, split)
        if count >= block.groups:
            self.shop.error(design, f"{count} node slots for subnet managers - a leaf serves {block.groups}")
            return None
        late = [group for number in range(count) if (group := reserve(design, block, self.shop.allocator, number))]
        try:
            return {**place(design, block, self.shop.allocator, late), **self._reserved(design, block, count)}
        except ValueError as error:
            self.shop.error(design, str(error), SIZES)
            return None

    def _reserved(self, design: Design, block: Block, count: int) -> Mapping[str, Slot]:
        groups = [f"{RESERVED}{number}" for number in range(1, count + 1)]
        given = {group: self.shop.allocator.given("slot", f"{design.name}/{group}") for group in groups}
        return {group: parse_slot(text, design.name, block) for group, text in given.items() if text}

    def _kept(self, design: Design, split: LeafSplit, tiers: Tiers) -> Tiers:
        """Counts that only a prune lets fall. Those of pods follow from sizes that never change."""
        if tiers.count == 2 and not tiers.pair_links and not tiers.spine_up:
            count = self.shop.keep_count(design.name, design, "spines", split.uplinks, tiers.spines)
            return replace(tiers, spines=count)
        if not tiers.cores:
            return tiers
        owner = f"{design.name}/core"
        count = self.shop.keep_count(owner, design, "switches per core group", tiers.spine_up, tiers.cores)
        return replace(tiers, cores=count)

    def _spines(self, plan: _Plan, pod: Pod) -> tuple[str, ...]:
        return tuple(self._spine_name(plan, pod, number) for number in range(1, plan.tiers.spines + 1))

    def _spine_name(self, plan: _Plan, pod: Pod, number: int) -> str:
        position, proposal = _spine(plan.design, pod, number)
        return self.shop.numbers.name(position, proposal, "spine", plan.design.name, plan.design.span)

    def _cores(self, plan: _Plan, group: int) -> tuple[str, ...]:
        design = plan.design
        return tuple(
            self.shop.numbers.name(*_core(design, plan.spec, group, number), "core", design.name, design.span)
            for number in range(1, plan.tiers.cores + 1)
        )

    def _add_switches(
        self,
        plan: _Plan,
        leaves: Sequence[Leaf],
        spines: Mapping[Pod, Sequence[str]],
        cores: Mapping[int, Sequence[str]],
    ) -> None:
        per_unit = units_of(plan.design, plan.block)
        for leaf in leaves:
            unit = unit_of(leaf.block, per_unit)
            self._add(plan, plan.design.host, leaf.name, Role.LEAF, leaf.block, rail=leaf.rail, unit=unit)
        for (unit, rail), names in spines.items():
            for number, name in enumerate(names, 1):
                self._add(plan, plan.design.spine, name, Role.SPINE, number, rail=rail, unit=unit)
        for group, names in cores.items():
            for number, name in enumerate(names, 1):
                self._add(plan, plan.spec.core, name, Role.CORE, number, group=group)

    def _add(
        self,
        plan: _Plan,
        use: SwitchUse,
        name: str,
        role: Role,
        index: int,
        *,
        rail: int = 0,
        unit: int = 0,
        group: int = 0,
    ) -> None:
        own = use.switch.infiniband
        self.shop.switches.append(
            Device(
                name=name,
                role=role,
                model=use.switch.name,
                site=plan.design.site,
                fabric=plan.design.name,
                rail=rail,
                unit=unit,
                index=index,
                management=self.shop.numbers.management(name) if own and own.managed else "",
                span=plan.design.span,
                network=Network.INFINIBAND,
                generation=plan.spec.generation,
                group=group,
            )
        )

    def _connect_pod(self, plan: _Plan, pod: Pod, leaves: Sequence[Leaf], spines: Sequence[str]) -> None:
        design, uplinks, down = plan.design, plan.split.uplinks, plan.tiers.spine_down
        ports = uplink_ports(plan.uplink, design.uplink_speed_gbps, range(uplinks), most_parts(design))
        tops = uplink_ports(design.spine, design.uplink_speed_gbps, range(down))
        names = [leaf.name for leaf in leaves]
        after = wire(names, plan.tiers.spines, uplinks, down, self.shop.known(names, uplinks, down))

        def spine_name(number: int) -> str:
            position, proposal = _spine(design, pod, number)
            return spines[number - 1] if number <= len(spines) else self.shop.lock.value("name", position) or proposal

        group = f"{design.name}/{_pod(pod)}"
        cables = LeafCables(group, tuple(port.name for port in ports), spine_name, design.spine.port_name)
        self.shop.keep_wiring(after, cables)
        for leaf in leaves:
            for mine, spot in zip(ports, after[leaf.name], strict=True):
                self.shop.cabling.connect(
                    leaf.name,
                    mine,
                    spines[spot.spine - 1],
                    tops[spot.port],
                    Tier.FABRIC,
                    rail=leaf.rail,
                    network=Network.INFINIBAND,
                )

    def _connect_core(self, plan: _Plan, group: int, cores: Sequence[str], spines: Mapping[Pod, str]) -> None:
        """Connect spine `group` of every pod to the core group of that number."""
        design, tiers, core = plan.design, plan.tiers, plan.spec.core
        first = tiers.spine_down
        ports = uplink_ports(design.spine, design.uplink_speed_gbps, range(first, first + tiers.spine_up))
        tops = uplink_ports(core, design.uplink_speed_gbps, range(core.ports))
        names = list(spines.values())
        known = self.shop.known(names, tiers.spine_up, core.ports)
        after = wire(names, tiers.cores, tiers.spine_up, core.ports, known)

        def core_name(number: int) -> str:
            position, proposal = _core(design, plan.spec, group, number)
            return cores[number - 1] if number <= len(cores) else self.shop.lock.value("name", position) or proposal

        cables = LeafCables(f"{design.name}/g{group}", tuple(port.name for port in ports), core_name, core.port_name)
        self.shop.keep_wiring(after, cables)
        for (_, rail), name in spines.items():
            for mine, spot in zip(ports, after[name], strict=True):
                self.shop.cabling.connect(
                    name, mine, cores[spot.spine - 1], tops[spot.port], Tier.CORE, rail=rail, network=Network.INFINIBAND
                )

    def _connect_groups(self, plan: _Plan, groups: Mapping[int, Sequence[str]]) -> None:
        """Connect every pair of groups of a dragonfly+. Which ports serve which pair never changes."""
        design = plan.design
        faces = uplink_ports(design.spine, design.uplink_speed_gbps, range(design.spine.ports))
        numbers = sorted(groups)
        for low in numbers:
            for high in (number for number in numbers if number > low):
                ends = zip(global_ports(plan.tiers, low, high), global_ports(plan.tiers, high, low), strict=True)
                for (a_spine, a_port), (b_spine, b_port) in ends:
                    self.shop.cabling.connect(
                        groups[low][a_spine - 1],
                        faces[a_port],
                        groups[high][b_spine - 1],
                        faces[b_port],
                        Tier.GLOBAL,
                        network=Network.INFINIBAND,
                    )


def _whole_leaves(design: Design, split: LeafSplit) -> Design:
    """The design with leaves that fill a unit exactly: as many groups per leaf as divide the unit."""
    per_node = design.ports_per_rail * (1 if design.by_rail else design.rails)
    fits = split.host_ports // (design.group_nodes * per_node)
    if design.leaf_groups or not design.unit_groups or fits < 1:
        return design
    groups = next(number for number in range(min(fits, design.unit_groups), 0, -1) if design.unit_groups % number == 0)
    return replace(design, leaf_groups=groups)


def _trimmed(design: Design, block: Block, split: LeafSplit) -> LeafSplit:
    """A leaf has as many uplinks as the hosts it serves by design need, never more: the published designs do so."""
    if design.uplinks:
        return split
    host = PortPlan(design.host.breakout.parts, design.host_speed_gbps)
    uplink = PortPlan(design.uplink.breakout.parts, design.uplink_speed_gbps)
    return trim_uplinks(split, block.ports, host, uplink, design.oversubscription)


def _more(design: Design, spec: InfiniBandDesign, block: Block, tiers: Tiers) -> dict[str, str]:
    """What else everything built depends on."""
    more = {"tiers": "dragonfly-plus" if spec.dragonfly else str(tiers.count)}
    if spec.dragonfly:
        more |= {"unit": str(units_of(design, block)), "groups": str(tiers.pods)}
    elif tiers.count == 3:
        more |= {"unit": str(units_of(design, block)), "spine-group": "rail" if tiers.by_rail else "unit"}
        more["core"] = f"{spec.core.breakout.parts}x{design.uplink_speed_gbps}G-on-{len(spec.core.cages)}"
    return more


def _pod(pod: Pod) -> str:
    unit, rail = pod
    return "p1" if not unit else f"u{unit}" + (f"/r{rail}" if rail else "")


def _spine(design: Design, pod: Pod, number: int) -> tuple[str, str]:
    """Position and proposed name of a spine."""
    unit, rail = pod
    template = (
        design.spine_name or "{fabric}" + ("-u{unit}" if unit else "") + ("-r{rail}" if rail else "") + "-s{n:02}"
    )
    name = template.format(site=design.site, fabric=design.name, plane=1, unit=unit, rail=rail, n=number)
    return f"{design.name}/{_pod(pod)}/s{number}", name


def _core(design: Design, spec: InfiniBandDesign, group: int, number: int) -> tuple[str, str]:
    """Position and proposed name of a core switch."""
    name = spec.core_name.format(site=design.site, fabric=design.name, group=group, n=number)
    return f"{design.name}/g{group}/c{number}", name
