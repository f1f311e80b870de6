"""Builds a site: sizes, slots, wiring and numbers, in that order, everything new through the allocator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from intent.catalog.hardware import Catalog
from intent.core import selector
from intent.core.diagnostic import Diagnostic, Severity, has_errors, in_order
from intent.core.span import Span
from intent.fabric.cabling import Cabling, Leaf, uplink_ports
from intent.fabric.clos import LeafSplit, PortPlan, spine_count, split_leaf
from intent.fabric.design import Design, Pools, SwitchUse
from intent.fabric.growth import Growth, LeafCables, compare
from intent.fabric.lock import Allocator, Lock
from intent.fabric.model import Device, Fabric, Port, Role
from intent.fabric.numbers import Numbers
from intent.fabric.placement import Block, Slot, block_of, place, planned_blocks, split_for, units_of
from intent.fabric.resolve import NodeSpec, Places, Resolver
from intent.fabric.shape import differences, shape_of
from intent.fabric.wiring import Spot, Wiring, decode, encode, wire
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
    builder = _Builder(site, site_pools, lock)
    if not has_errors(resolver.diagnostics):
        for design in designs:
            builder.add(design)
        builder.check_names(nodes)
    diagnostics = in_order([*resolver.diagnostics, *builder.diagnostics, *builder.numbers.diagnostics()])
    if has_errors(diagnostics):
        return Built(None, lock, compare(lock, lock, {}), diagnostics)
    fabric = Fabric(name, builder.devices(nodes), tuple(builder.cabling.links))
    after = _with_wiring(builder.allocator.result(), fabric)
    return Built(fabric, after, compare(lock, after, builder.cables), diagnostics)


class _Builder:
    """Adds fabrics to a site one after the other."""

    def __init__(self, site: Site, pools: Pools, lock: Lock) -> None:
        self.site = site
        self.lock = lock
        self.allocator = Allocator(lock)
        self.numbers = Numbers(pools, lock, self.allocator)
        self.cabling = Cabling()
        self.switches: list[Device] = []
        self.diagnostics: list[Diagnostic] = []
        self.cables: dict[str, LeafCables] = {}
        self._releases = {text: item.cumulus for text, item in site.releases.selected.items() if item.cumulus}

    def add(self, design: Design) -> None:
        """Build one fabric of the site."""
        plan = self._plan(design)
        if plan is None:
            return
        leaves = [leaf for plane in range(1, design.planes + 1) for leaf in self._leaves(plan, plane)]
        spines = {plane: self._spines(plan, plane) for plane in range(1, design.planes + 1)}
        if self.numbers.misnamed:
            return
        prefixes = {leaf.name: self._add_leaf(plan, leaf) for leaf in leaves}
        for plane, names in spines.items():
            for number, name in enumerate(names, 1):
                self._add_switch(design, name, Role.SPINE, design.spine.switch.name, plane, number)
        if not all(prefixes.values()):
            return  # a pool is exhausted, which is reported
        self.cabling.hosts(design, leaves, plan.block, plan.slots, prefixes)
        for plane, names in spines.items():
            self._connect_spines(plan, [leaf for leaf in leaves if leaf.plane == plane], names, plane)
        if self.cabling.doubles:
            end = self.cabling.doubles[0]
            message = f"fabric {design.name}: {end.device} {end.port} has a cable already"
            hint = "names under `interfaces` must differ over all groups of NICs of a node"
            self.diagnostics.append(Diagnostic("F008", message, design.span, hint=hint))
            self.cabling.doubles.clear()

    def _plan(self, design: Design) -> _Plan | None:
        host = PortPlan(design.host.breakout.parts, design.host_speed_gbps)
        uplink = PortPlan(design.uplink.breakout.parts, design.uplink_speed_gbps)
        split = split_leaf(
            len(design.host.cages),
            host,
            uplink,
            design.oversubscription,
            design.uplinks,
            lambda cages: len(design.uplink.beside(design.host, cages).cages),
        )
        if split is None:
            wanted = f"{design.uplinks} uplinks" if design.uplinks else "the uplinks they need"
            self._error(
                design,
                f"{design.host.switch.name} has no room for host ports of {design.host_speed_gbps}G and {wanted}",
            )
            return None
        block = block_of(design, split)
        if isinstance(block, Diagnostic):
            self.diagnostics.append(block)
            return None
        split = split_for(design, block, split)
        use = design.uplink.beside(design.host, split.host_cages)
        if not self._same_shape(design, shape_of(design, block, split, use)):
            return None
        try:
            slots = place(design, block, self.allocator)
        except ValueError as error:
            self._error(design, str(error), _SIZES)
            return None
        blocks = tuple(sorted({slot.block for slot in slots.values()}))
        spines = self._spine_count(design, block, split, len(blocks))
        return _Plan(design, split, use, block, slots, blocks, spines) if spines else None

    def _same_shape(self, design: Design, shape: str) -> bool:
        built = self.lock.value("shape", design.name) or shape
        self.allocator.keep("shape", design.name, built)
        found = list(differences(built, shape))
        if found:
            self._error(design, "; ".join(found), _SIZES)
        return not found

    def _spine_count(self, design: Design, block: Block, split: LeafSplit, blocks: int) -> int | None:
        per_block = design.rails if design.by_rail else 1
        leaves = max(blocks, planned_blocks(design, block)) * per_block
        count = spine_count(leaves, split.uplinks, design.spine.ports)
        if count is None:
            most = design.spine.ports // per_block * block.groups * block.group_nodes
            self._error(
                design,
                f"{leaves} leaves per plane do not fit two tiers of {design.spine.switch.name}",
                f"two tiers carry {most} nodes here; raise the oversubscription or use more planes",
            )
            return None
        return self._keep_spines(design, split, count)

    def _keep_spines(self, design: Design, split: LeafSplit, count: int) -> int:
        """Never fewer spines than the lock knows: taking one away moves cables, which only a prune may ask for."""
        known = self.lock.value("spines", design.name)
        kept = int(known) if known and known.isdecimal() else 0
        if kept > count and split.uplinks % kept == 0:
            self.diagnostics.append(
                Diagnostic(
                    "F010",
                    f"fabric {design.name}: {kept} spines per plane kept - {count} would do for what is attached",
                    design.span,
                    Severity.INFO,
                    hint="`intent lock prune` lets them go; cables then move",
                )
            )
            count = kept
        self.allocator.keep("spines", design.name, str(count))
        return count

    def _leaves(self, plan: _Plan, plane: int) -> Iterator[Leaf]:
        design, per_unit = plan.design, units_of(plan.design, plan.block)
        for block in plan.blocks:
            for rail in range(1, design.rails + 1) if design.by_rail else (0,):
                proposal = design.leaf_name.format(
                    site=design.site, fabric=design.name, plane=plane, rail=rail, unit=_unit(block, per_unit), n=block
                )
                position = f"{design.name}/p{plane}/r{rail}/l{block}"
                name = self.numbers.name(position, proposal, "leaf", design.name, design.span)
                yield Leaf(name, plane, rail, block)

    def _spines(self, plan: _Plan, plane: int) -> tuple[str, ...]:
        design = plan.design
        return tuple(
            self.numbers.name(
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
        prefix = self.numbers.host_prefix(leaf.name, design.host.ports)
        unit = _unit(leaf.block, units_of(design, plan.block))
        model = design.host.switch.name
        self._add_switch(design, leaf.name, Role.LEAF, model, leaf.plane, leaf.block, rail=leaf.rail, unit=unit)
        return prefix

    def _add_switch(
        self, design: Design, name: str, role: Role, model: str, plane: int, index: int, *, rail: int = 0, unit: int = 0
    ) -> None:
        device = Device(
            name=name,
            role=role,
            model=model,
            site=design.site,
            fabric=design.name,
            plane=plane if design.planes > 1 else 0,
            rail=rail,
            unit=unit,
            index=index,
            loopback=self.numbers.loopback(name),
            asn=self.numbers.asn(name),
            management=self.numbers.management(name),
            span=design.span,
        )
        self.switches.append(replace(device, release=self._release(device)))

    def _release(self, device: Device) -> str:
        chosen = selector.best(self._releases, device.labels) if self._releases else None
        return str(self._releases[chosen] if chosen else self.site.releases.cumulus)

    def _connect_spines(self, plan: _Plan, leaves: Sequence[Leaf], spines: Sequence[str], plane: int) -> None:
        design, uplinks = plan.design, plan.split.uplinks
        ports = uplink_ports(plan.uplink, design.uplink_speed_gbps, uplinks)
        known = self._known(leaves, uplinks, design.spine.ports)
        after = wire([leaf.name for leaf in leaves], plan.spines, uplinks, design.spine.ports, known)

        def spine_name(number: int) -> str:
            gone = self.lock.value("name", _spine_position(design, plane, number))
            return spines[number - 1] if number <= len(spines) else gone or _spine_proposal(design, plane, number)

        cables = LeafCables(
            f"{design.name}/p{plane}", tuple(port.name for port in ports), spine_name, design.spine.port_name
        )
        for leaf in leaves:
            self.allocator.keep("uplinks", leaf.name, encode(after[leaf.name]))
            self.cables[leaf.name] = cables
        self.cabling.spines(design, leaves, ports, spines, after)

    def _known(self, leaves: Sequence[Leaf], uplinks: int, spine_ports: int) -> Wiring:
        """Spots the lock knows. A leaf that comes back gets its cables back too, where nobody took a spot since."""
        known: dict[str, tuple[Spot, ...]] = {}
        owner: dict[Spot, str] = {}
        for part in (self.lock.held, self.lock.released):
            for leaf in leaves:
                text = part.get("uplinks", {}).get(leaf.name)
                if text is None or leaf.name in known:
                    continue
                spots = self._decode(leaf.name, text, uplinks, spine_ports)
                taken = next((spot for spot in spots if spot in owner), None)
                if taken is None:
                    known[leaf.name] = spots
                    owner.update(dict.fromkeys(spots, leaf.name))
                elif part is self.lock.held:
                    self._lock_error(f"uplinks of {leaf.name}: {encode([taken])} - also held by {owner[taken]}")
        return known

    def _decode(self, leaf: str, text: str, uplinks: int, spine_ports: int) -> tuple[Spot, ...]:
        try:
            spots = decode(text)
        except ValueError as error:
            self._lock_error(f"uplinks of {leaf}: {error}")
            return ()
        if len(spots) != uplinks or len(set(spots)) != uplinks:
            self._lock_error(f"uplinks of {leaf} - expected {uplinks}, each on a port of its own")
        elif any(spot.port >= spine_ports or spot.spine > uplinks for spot in spots):
            self._lock_error(f"uplinks of {leaf} - expected ports 0 to {spine_ports - 1} of at most {uplinks} spines")
        return spots

    def check_names(self, nodes: Sequence[NodeSpec]) -> None:
        """Every device of the site has a name of its own, whatever the case of its letters."""
        first: dict[str, tuple[str, Span | None]] = {}
        switches = {switch.name: (str(switch.role), switch.span) for switch in self.switches}
        for what, name, span in [
            *((role, name, span) for name, (role, span) in switches.items()),
            *(("node", node.name, node.span) for node in nodes),
        ]:
            known = first.setdefault(name.casefold(), (f"{what} {name}", span))
            if known != (f"{what} {name}", span):
                other, place = known
                related = ((place, f"{other} is made here"),) if place else ()
                message = f"{what} {name} has the name of {other}"
                self.diagnostics.append(Diagnostic("F007", message, span, hint="rename one", related=related))

    def devices(self, nodes: Sequence[NodeSpec]) -> dict[str, Device]:
        """Every device with its ports in cage order, switches first."""
        made = self.cabling.ports
        result = {d.name: replace(d, ports=_in_order(made.get(d.name, {}))) for d in self.switches}
        for number, node in enumerate(nodes, 1):
            if made.get(node.name):
                ports = made[node.name]
                result[node.name] = Device(
                    node.name, Role.NODE, node.kind.name, self.lock.site, index=number, ports=ports, span=node.span
                )
        return result

    def _error(self, design: Design, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic("F004", f"fabric {design.name}: {message}", design.span, hint=hint))

    def _lock_error(self, message: str) -> None:
        hint = "restore the lock from version control; it is written by the compiler, not by hand"
        self.diagnostics.append(Diagnostic("A001", f"lock of site {self.lock.site}: {message}", hint=hint))


_SIZES = "sizes of what is built cannot change: undo the change, or build a new fabric under another name"


def _unit(block: int, blocks_per_unit: int) -> int:
    return (block - 1) // blocks_per_unit + 1


def _spine_position(design: Design, plane: int, number: int) -> str:
    return f"{design.name}/p{plane}/s{number}"


def _spine_proposal(design: Design, plane: int, number: int) -> str:
    return design.spine_name.format(site=design.site, fabric=design.name, plane=plane, n=number)


def _in_order(ports: Mapping[str, Port]) -> dict[str, Port]:
    return dict(sorted(ports.items(), key=lambda item: (int(item[1].cage), item[1].sub_port or 0)))


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
