"""Builds a site: sizes, slots, wiring and numbers, in that order, everything new through the allocator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

from intent.catalog.hardware import Catalog, NicPort
from intent.core import selector
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.fabric import pools as pool
from intent.fabric.clos import LeafSplit, PortPlan, spine_count, split_leaf
from intent.fabric.design import Design, Pools, SwitchUse
from intent.fabric.growth import Growth, LeafCables, compare
from intent.fabric.lock import Allocator, Lock
from intent.fabric.model import Device, End, Fabric, Link, Port, Role, Tier
from intent.fabric.placement import Block, Slot, block_of, place, units_of
from intent.fabric.resolve import NodeSpec, Places, Resolver
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
class _Leaf:
    """A leaf before it gets its ports."""

    name: str
    plane: int
    rail: int
    block: int


@dataclass(slots=True)
class _Parts:
    """Ports and links as they are made, by device."""

    ports: dict[str, dict[str, Port]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)

    def connect(self, a: End, a_port: Port, b: End, b_port: Port, tier: Tier, plane: int, rail: int) -> None:
        self.ports.setdefault(a.device, {})[a.port] = a_port
        self.ports.setdefault(b.device, {})[b.port] = b_port
        # A cable is named by its lower end, which never moves.
        self.links.append(Link(a, b, tier, a_port.speed_gbps, f"{a.device}/{a.port}", plane, rail))


def build_site(name: str, site: Site, catalog: Catalog, places: Places, lock: Lock) -> Built:
    """Compile one site.

    Args:
        name: its name.
        site: what is written about it.
        catalog: the hardware.
        places: where things stand in the files.
        lock: allocations as committed.

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
    diagnostics = (*resolver.diagnostics, *builder.diagnostics)
    after = builder.allocator.result()
    if has_errors(diagnostics):
        return Built(None, lock, compare(lock, lock, {}), diagnostics)
    fabric = Fabric(name, builder.devices(nodes), tuple(builder.parts.links))
    after = _with_wiring(after, fabric)
    return Built(fabric, after, compare(lock, after, builder.cables), diagnostics)


class _Builder:
    """Adds fabrics to a site one after the other."""

    def __init__(self, site: Site, pools: Pools, lock: Lock) -> None:
        self.site = site
        self.pools = pools
        self.lock = lock
        self.allocator = Allocator(lock)
        self.parts = _Parts()
        self.switches: list[Device] = []
        self.diagnostics: list[Diagnostic] = []
        self.cables: dict[str, LeafCables] = {}
        self._loopbacks = pool.loopbacks(pools)
        self._asns = pool.asns(pools)
        self._management = pool.management(pools)
        self._prefixes: dict[int, Iterator[str]] = {}

    def add(self, design: Design) -> None:
        """Build one fabric of the site."""
        split = split_leaf(
            len(design.host.cages),
            PortPlan(design.host.breakout.parts, design.host_speed_gbps),
            PortPlan(design.uplink.breakout.parts, design.uplink_speed_gbps),
            design.oversubscription,
            design.uplinks,
        )
        if split is None:
            self._error(design, f"{design.host.switch.name} has no room for host ports and {design.uplinks} uplinks")
            return
        block = block_of(design, split)
        if isinstance(block, Diagnostic):
            self.diagnostics.append(block)
            return
        try:
            slots = place(design, block, self.allocator)
        except ValueError as error:
            self._error(
                design, str(error), "sizes of what is built cannot change; start a new fabric, or undo the change"
            )
            return
        blocks = sorted({slot.block for slot in slots.values()})
        leaves = [leaf for plane in range(1, design.planes + 1) for leaf in _leaves(design, blocks, plane)]
        spines = self._spines(design, block, split, len(leaves) // design.planes)
        if spines is None:
            return
        self._add_leaves(design, leaves, units_of(design, block))
        self._add_spines(design, spines)
        self._connect_hosts(design, leaves, block, slots)
        for plane in range(1, design.planes + 1):
            self._connect_spines(design, [leaf for leaf in leaves if leaf.plane == plane], split, spines, plane)

    def _spines(self, design: Design, block: Block, split: LeafSplit, leaves: int) -> int | None:
        per_block = design.rails if design.by_rail else 1
        planned = design.planned_units * units_of(design, block) * per_block
        count = spine_count(max(leaves, planned), split.uplinks, design.spine.ports)
        if count is None:
            most = design.spine.ports // per_block * block.groups * block.group_nodes
            self._error(
                design,
                f"{max(leaves, planned)} leaves per plane do not fit two tiers of {design.spine.switch.name}",
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

    def _add_leaves(self, design: Design, leaves: Sequence[_Leaf], blocks_per_unit: int) -> None:
        for leaf in leaves:
            device = Device(
                name=leaf.name,
                role=Role.LEAF,
                model=design.host.switch.name,
                site=design.site,
                fabric=design.name,
                plane=leaf.plane if design.planes > 1 else 0,
                rail=leaf.rail,
                unit=(leaf.block - 1) // blocks_per_unit + 1,
                index=leaf.block,
                span=design.span,
            )
            prefixes = self._prefixes.setdefault(design.host.ports, pool.host_prefixes(self.pools, design.host.ports))
            self._take("host-prefix", leaf.name, prefixes, "hosts")
            self._add_switch(device)

    def _add_spines(self, design: Design, count: int) -> None:
        for plane in range(1, design.planes + 1):
            for number in range(1, count + 1):
                self._add_switch(
                    Device(
                        name=_spine_name(design, plane, number),
                        role=Role.SPINE,
                        model=design.spine.switch.name,
                        site=design.site,
                        fabric=design.name,
                        plane=plane if design.planes > 1 else 0,
                        index=number,
                        span=design.span,
                    )
                )

    def _add_switch(self, device: Device) -> None:
        name = device.name
        loopback = self._take("loopback", name, self._loopbacks, "loopbacks")
        asn = self._take("asn", name, self._asns, "asns")
        management = self._take("management", name, self._management, "management") if self.pools.management else ""
        device = replace(device, loopback=loopback, asn=int(asn or 0), management=management)
        self.switches.append(replace(device, release=self._release(device)))

    def _release(self, device: Device) -> str:
        releases = self.site.releases
        special = {text: item.cumulus for text, item in releases.selected.items() if item.cumulus}
        chosen = selector.best(special, device.labels) if special else None
        return str(special[chosen] if chosen else releases.cumulus)

    def _take(self, kind: str, owner: str, candidates: Iterator[str], where: str) -> str:
        value = self.allocator.take(kind, owner, candidates)
        if value is None and not any(d.code == "F005" and where in d.message for d in self.diagnostics):
            released = len(self.lock.released.get(kind, {}))
            hint = "enlarge the pool" + (
                f"; {released} released values wait for `intent lock prune`" if released else ""
            )
            message = f"pool {where} is exhausted at {owner}"
            self.diagnostics.append(Diagnostic("F005", message, self.pools.spans.get(where), hint=hint))
        return value or ""

    def _connect_hosts(self, design: Design, leaves: Sequence[_Leaf], block: Block, slots: Mapping[str, Slot]) -> None:
        by_place = {(leaf.plane, leaf.rail, leaf.block): leaf for leaf in leaves}
        rails = sorted({port.nic for port in design.members[0].ports})
        for member in design.members:
            slot = slots[member.group]
            first = (slot.ordinal * block.group_nodes + member.ordinal) * block.ports_per_node
            for port in member.ports:
                rail, plane = rails.index(port.nic) + 1, (port.part - 1) % design.planes + 1
                offset = (port.part - 1) // design.planes + (
                    0 if design.by_rail else (rail - 1) * design.ports_per_rail
                )
                leaf = by_place[plane, rail if design.by_rail else 0, slot.block]
                self._connect_host(design, leaf, first + offset, member.name, replace(port, rail=rail))

    def _connect_host(self, design: Design, leaf: _Leaf, index: int, node: str, nic: NicPort) -> None:
        prefix = self.allocator.take("host-prefix", leaf.name, ())
        low, high = pool.host_pair(prefix, index) if prefix else ("", "")
        cage, part = design.host.place(index)
        parts = design.host.breakout.parts
        name = design.host.switch.port_name(cage, part, parts)
        speed = design.host_speed_gbps
        mine = Port(nic.name, nic.cage, nic.sub_port, nic.breakout, nic.speed_gbps, nic.lanes, high)
        theirs = Port(name, str(cage), part, parts, speed, design.host.breakout.lanes, low)
        plane = leaf.plane if design.planes > 1 else 0
        self.parts.connect(End(node, nic.name), mine, End(leaf.name, name), theirs, Tier.HOST, plane, nic.rail)

    def _connect_spines(
        self, design: Design, leaves: Sequence[_Leaf], split: LeafSplit, spines: int, plane: int
    ) -> None:
        before = self._known_wiring(leaves)
        after = wire([leaf.name for leaf in leaves], spines, split.uplinks, design.spine.ports, before)
        cables = LeafCables(
            group=f"{design.name}/p{plane}",
            ports=tuple(_port_name(design.uplink, index, split.host_cages) for index in range(split.uplinks)),
            spine_name=partial(_spine_name, design, plane),
            spine_port=partial(_port_name, design.spine),
        )
        for leaf in leaves:
            self.allocator.keep("uplinks", leaf.name, encode(after[leaf.name]))
            self.cables[leaf.name] = cables
            for index, spot in enumerate(after[leaf.name]):
                self._connect_spine(design, leaf, index, split.host_cages, spot, plane)

    def _known_wiring(self, leaves: Sequence[_Leaf]) -> Wiring:
        held = self.lock.held.get("uplinks", {})
        known: dict[str, tuple[Spot, ...]] = {}
        for leaf in leaves:
            try:
                known[leaf.name] = decode(held.get(leaf.name, ""))
            except ValueError as error:
                self.diagnostics.append(Diagnostic("A001", f"lock: uplinks of {leaf.name}: {error}"))
        return known

    def _connect_spine(self, design: Design, leaf: _Leaf, index: int, host_cages: int, spot: Spot, plane: int) -> None:
        up, top = design.uplink, design.spine
        cage, part = up.place(index, host_cages)
        spine_cage, spine_part = top.place(spot.port)
        mine_name = up.switch.port_name(cage, part, up.breakout.parts)
        their_name = top.switch.port_name(spine_cage, spine_part, top.breakout.parts)
        speed = design.uplink_speed_gbps
        mine = Port(mine_name, str(cage), part, up.breakout.parts, speed, up.breakout.lanes)
        theirs = Port(their_name, str(spine_cage), spine_part, top.breakout.parts, speed, top.breakout.lanes)
        spine = _spine_name(design, plane, spot.spine)
        shown = plane if design.planes > 1 else 0
        self.parts.connect(
            End(leaf.name, mine_name), mine, End(spine, their_name), theirs, Tier.FABRIC, shown, leaf.rail
        )

    def devices(self, nodes: Sequence[NodeSpec]) -> dict[str, Device]:
        """Every device with its ports in cage order, switches first."""
        result = {d.name: replace(d, ports=_in_order(self.parts.ports.get(d.name, {}))) for d in self.switches}
        for number, node in enumerate(nodes, 1):
            ports = self.parts.ports.get(node.name, {})
            if ports:
                result[node.name] = Device(
                    node.name, Role.NODE, node.kind.name, self.lock.site, index=number, ports=ports, span=node.span
                )
        return result

    def _error(self, design: Design, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic("F004", f"fabric {design.name}: {message}", design.span, hint=hint))


def _leaves(design: Design, blocks: Sequence[int], plane: int) -> Iterator[_Leaf]:
    for block in blocks:
        for rail in range(1, design.rails + 1) if design.by_rail else (0,):
            name = design.leaf_name.format(
                site=design.site, fabric=design.name, plane=plane, rail=rail, unit=block, n=block
            )
            yield _Leaf(name, plane, rail, block)


def _port_name(use: SwitchUse, index: int, first_cage: int = 0) -> str:
    cage, part = use.place(index, first_cage)
    return use.switch.port_name(cage, part, use.breakout.parts)


def _spine_name(design: Design, plane: int, number: int) -> str:
    return design.spine_name.format(site=design.site, fabric=design.name, plane=plane, n=number)


def _in_order(ports: Mapping[str, Port]) -> dict[str, Port]:
    return dict(sorted(ports.items(), key=lambda item: (int(item[1].cage), item[1].sub_port or 0)))


def _with_wiring(lock: Lock, fabric: Fabric) -> Lock:
    """The lock with a digest of each switch's ports, far ends and addresses: what makes a device count as changed."""
    digests: dict[str, str] = {}
    for device in fabric.switches:
        facts = [f"{device.loopback} {device.asn} {device.management}"]
        facts += [
            f"{port.name} {port.speed_gbps} {port.address} {end.device} {end.port}"
            for port, end, _ in fabric.neighbors(device.name)
        ]
        digests[device.name] = sha256("\n".join(facts).encode()).hexdigest()[:16]
    return Lock(lock.site, {**lock.held, "wiring": digests}, {k: v for k, v in lock.released.items() if k != "wiring"})
