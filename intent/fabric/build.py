"""Builds a site: sizes, slots, wiring and numbers, in that order, everything new through the allocator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic, has_errors, in_order
from intent.fabric.cabling import Leaf, uplink_ports
from intent.fabric.clos import LeafSplit, spine_count
from intent.fabric.design import Design, SwitchUse
from intent.fabric.growth import Growth, LeafCables, compare
from intent.fabric.infiniband import InfiniBandBuilder
from intent.fabric.leaves import leaf_split, leaves_of
from intent.fabric.lock import Lock
from intent.fabric.model import Device, Fabric, Network, Role
from intent.fabric.nodes import Places
from intent.fabric.placement import Block, Slot, block_of, place, planned_blocks, split_for, units_of
from intent.fabric.resolve import Resolver
from intent.fabric.shape import shape_of
from intent.fabric.wiring import wire
from intent.fabric.workshop import SIZES, Workshop, unit_of
from intent.schema.model import Site


@dataclass(frozen=True, slots=True)
class Built:
    """What a site compiles to.

    Args:
        fabric: devices and links; None when findings stopped the build.
        lock: the lock after this compilation.
        growth: what changes against the lock as committed.
        diagnostics: everything found.
    """

    fabric: Fabric | None
    lock: Lock
    growth: Growth
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Sizes of one fabric, all settled.

    Args:
        design: the fabric.
        split: use of a leaf's cages.
        uplink: the cages that serve uplinks.
        block: what one leaf block holds.
        slots: place of each group of nodes.
        blocks: leaf blocks that are in use.
        spines: spines per plane.
    """

    design: Design
    split: LeafSplit
    uplink: SwitchUse
    block: Block
    slots: Mapping[str, Slot]
    blocks: tuple[int, ...]
    spines: int


def build_site(name: str, site: Site, catalog: Catalog, places: Places, lock: Lock) -> Built:
    """Compile one site.

    Args:
        name: its name.
        site: what is written about it.
        catalog: the hardware.
        places: where things stand in the files.
        lock: allocations as committed; `lock.pruned()` to see what a prune would give.

    Returns:
        The fabric, the new lock, what grew, and all findings; without a fabric when one is an error.
    """
    resolver = Resolver(name, site, catalog, places)
    nodes = resolver.nodes()
    site_pools = resolver.pools()
    designs = [design for key, text in site.fabrics.items() if (design := resolver.design(key, text, nodes))]
    shop = Workshop(site, site_pools, lock)
    if not has_errors(resolver.diagnostics):
        ethernet, infiniband = _Ethernet(shop), InfiniBandBuilder(shop)
        for design in designs:
            (infiniband if design.network is Network.INFINIBAND else ethernet).add(design)
        shop.check_names(nodes)
    diagnostics = in_order([*resolver.diagnostics, *shop.diagnostics, *shop.numbers.diagnostics()])
    if has_errors(diagnostics):
        return Built(None, lock, compare(lock, lock, {}), diagnostics)
    fabric = Fabric(name, shop.devices(nodes), tuple(shop.cabling.links))
    after = _with_wiring(shop.allocator.result(), fabric)
    return Built(fabric, after, compare(lock, after, shop.cables), diagnostics)


class _Ethernet:
    """Builds the two-tier Ethernet fabrics of a site."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def add(self, design: Design) -> None:
        """Build one fabric of the site."""
        plan = self._plan(design)
        if plan is None:
            return
        leaves = [leaf for plane in range(1, design.planes + 1) for leaf in self._leaves(plan, plane)]
        spines = {plane: self._spines(plan, plane) for plane in range(1, design.planes + 1)}
        if self.shop.numbers.misnamed:
            return
        prefixes = {leaf.name: self._add_leaf(plan, leaf) for leaf in leaves}
        for plane, names in spines.items():
            for number, name in enumerate(names, 1):
                self._add_switch(design, name, Role.SPINE, design.spine.switch.name, plane, number)
        if not all(prefixes.values()):
            return  # a pool is exhausted, which is reported
        self.shop.cabling.hosts(design, leaves, plan.block, plan.slots, prefixes)
        for plane, names in spines.items():
            self._connect_spines(plan, [leaf for leaf in leaves if leaf.plane == plane], names, plane)
        self.shop.check_doubles(design)

    def _plan(self, design: Design) -> _Plan | None:
        split = leaf_split(design, self.shop)
        if split is None:
            return None
        block = block_of(design, split)
        if isinstance(block, Diagnostic):
            self.shop.diagnostics.append(block)
            return None
        split = split_for(design, block, split)
        use = design.uplink.beside(design.host, split.host_cages)
        if not self.shop.same_shape(design, shape_of(design, block, split, use)):
            return None
        try:
            slots = place(design, block, self.shop.allocator)
        except ValueError as error:
            self.shop.error(design, str(error), SIZES)
            return None
        blocks = tuple(sorted({slot.block for slot in slots.values()}))
        spines = self._spine_count(design, block, split, len(blocks))
        return _Plan(design, split, use, block, slots, blocks, spines) if spines else None

    def _spine_count(self, design: Design, block: Block, split: LeafSplit, blocks: int) -> int | None:
        per_block = design.rails if design.by_rail else 1
        leaves = max(blocks, planned_blocks(design, block)) * per_block
        count = spine_count(leaves, split.uplinks, design.spine.ports)
        if count is None:
            most = design.spine.ports // per_block * block.groups * block.group_nodes
            self.shop.error(
                design,
                f"{leaves} leaves per plane do not fit two tiers of {design.spine.switch.name}",
                f"two tiers carry {most} nodes here; raise the oversubscription or use more planes",
            )
            return None
        return self.shop.keep_count(design.name, design, "spines per plane", split.uplinks, count)

    def _leaves(self, plan: _Plan, plane: int) -> Iterator[Leaf]:
        return leaves_of(self.shop, plan.design, plan.block, plan.blocks, plane)

    def _spines(self, plan: _Plan, plane: int) -> tuple[str, ...]:
        design = plan.design
        return tuple(
            self.shop.numbers.name(
                _spine_position(design, plane, number),
                _spine_proposal(design, plane, number),
                "spine",
                design.name,
                design.span,
            )
            for number in range(1, plan.spines + 1)
        )

    def _add_leaf(self, plan: _Plan, leaf: Leaf) -> str:
        design = plan.design
        prefix = self.shop.numbers.host_prefix(leaf.name, design.host.ports)
        unit = unit_of(leaf.block, units_of(design, plan.block))
        model = design.host.switch.name
        self._add_switch(design, leaf.name, Role.LEAF, model, leaf.plane, leaf.block, rail=leaf.rail, unit=unit)
        return prefix

    def _add_switch(
        self, design: Design, name: str, role: Role, model: str, plane: int, index: int, *, rail: int = 0, unit: int = 0
    ) -> None:
        self.shop.add_switch(
            Device(
                name=name,
                role=role,
                model=model,
                site=design.site,
                fabric=design.name,
                plane=plane if design.planes > 1 else 0,
                rail=rail,
                unit=unit,
                index=index,
                span=design.span,
            )
        )

    def _connect_spines(self, plan: _Plan, leaves: Sequence[Leaf], spines: Sequence[str], plane: int) -> None:
        design, uplinks = plan.design, plan.split.uplinks
        ports = uplink_ports(plan.uplink, design.uplink_speed_gbps, range(uplinks))
        names = [leaf.name for leaf in leaves]
        known = self.shop.known(names, uplinks, design.spine.ports)
        after = wire(names, plan.spines, uplinks, design.spine.ports, known)

        def spine_name(number: int) -> str:
            gone = self.shop.lock.value("name", _spine_position(design, plane, number))
            return spines[number - 1] if number <= len(spines) else gone or _spine_proposal(design, plane, number)

        cables = LeafCables(
            f"{design.name}/p{plane}", tuple(port.name for port in ports), spine_name, design.spine.port_name
        )
        self.shop.keep_wiring(after, cables)
        self.shop.cabling.spines(design, leaves, ports, spines, after)


def _spine_position(design: Design, plane: int, number: int) -> str:
    return f"{design.name}/p{plane}/s{number}"


def _spine_proposal(design: Design, plane: int, number: int) -> str:
    return design.spine_name.format(site=design.site, fabric=design.name, plane=plane, n=number)


def _with_wiring(lock: Lock, fabric: Fabric) -> Lock:
    """The lock with a digest of each switch's ports, far ends and addresses: what makes a device count as changed."""
    facts = {d.name: [f"{d.loopback} {d.asn} {d.management}"] for d in fabric.switches}
    for link in fabric.links:
        for near, far in ((link.a, link.b), (link.b, link.a)):
            if near.device in facts:
                address = fabric.devices[near.device].ports[near.port].address
                facts[near.device].append(f"{near.port} {link.speed_gbps} {address} {far.device} {far.port}")
    digests = {name: sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16] for name, lines in facts.items()}
    return Lock(lock.site, {**lock.held, "wiring": digests}, {k: v for k, v in lock.released.items() if k != "wiring"})
