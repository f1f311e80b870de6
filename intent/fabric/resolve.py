"""From what a person wrote to designs: names looked up in the catalog, selections resolved, speeds settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from ipaddress import IPv4Network

from intent.catalog.hardware import Catalog, Layout, NicGroup, NicPort, Switch, UnknownName, custom_group
from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.span import Span
from intent.fabric.design import Design, InfiniBandDesign, ManagerHost, Member, Pools, SwitchUse
from intent.fabric.nodes import NodeReader, NodeSpec, Places
from intent.schema.fabrics import Fabric as FabricText
from intent.schema.model import NicOverride, Site

# Source: IANA IPv4 special-purpose address registry; what no interface may be given.
_SPECIAL = (
    (IPv4Network("0.0.0.0/8"), "unspecified"),
    (IPv4Network("127.0.0.0/8"), "loop-back"),
    (IPv4Network("169.254.0.0/16"), "link-local"),
    (IPv4Network("224.0.0.0/4"), "multicast"),
    (IPv4Network("240.0.0.0/4"), "reserved"),
)


class Resolver(NodeReader):
    """Resolves one site; findings are collected in `diagnostics`.

    Args:
        name: name of the site.
        site: the site as written.
        catalog: the hardware.
        places: where things stand.
    """

    def __init__(self, name: str, site: Site, catalog: Catalog, places: Places) -> None:
        super().__init__(name, site, catalog, places)
        self._attachments: dict[tuple[str, str], str] = {}
        self._chosen_ports: dict[tuple[str, str, int], tuple[NicPort, ...]] = {}

    def pools(self) -> Pools:
        """The site's pools with their places."""
        pools, base = self.site.pools, ("sites", self.name)
        management = self.site.management
        self._check_unicast("pool loopbacks", pools.loopbacks, "pools", "loopbacks")
        self._check_unicast("pool hosts", pools.hosts, "pools", "hosts")
        if management:
            self._check_unicast("management network", management.prefix, "management", "prefix")
        static = management is not None and management.address == "auto"
        return Pools(
            loopbacks=pools.loopbacks,
            hosts=pools.hosts,
            reserved=pools.reserved,
            asns=(pools.asns.first, pools.asns.last),
            management=management.prefix if management and static else None,
            gateway=management.gateway if management and static else None,
            spans={key: self.places.span((*base, "pools", key)) for key in ("loopbacks", "hosts", "asns")}
            | {
                "management": self.places.span((*base, "management", "prefix")),
                "names": self.places.span((*base, "names")),
            },
        )

    def _check_unicast(self, what: str, network: IPv4Network, *path: str) -> None:
        for special, word in _SPECIAL:
            if network.overlaps(special):
                message = f"{what} {network} - holds {word} addresses ({special})"
                self._report("F012", message, self._span(*path), "take private addresses such as 10.64.0.0/12")
                return

    def design(self, name: str, fabric: FabricText, nodes: Sequence[NodeSpec]) -> Design | None:
        """The design of one fabric; None when something in it cannot be resolved."""
        topology = fabric.topology
        at = ("fabrics", name, "topology")
        if not self._fitting(name, fabric):
            return None
        chosen = list(self._attached(fabric, nodes))
        members = self._members(name, fabric, chosen)
        leaf = self._switch(fabric, topology.leaf.model, self._span(*at, "leaf"))
        spine = self._switch(fabric, topology.spine, self._span(*at, "spine"))
        core = self._switch(fabric, topology.core, self._span(*at, "core")) if topology.core else spine
        if not members or leaf is None or spine is None or core is None:
            return None
        first = members[0].ports
        host_speed = first[0].speed_gbps
        uplink_speed = topology.link.gbps if topology.link else host_speed
        host = self._use(leaf, host_speed, self._span(*at, "leaf"))
        uplink = self._use(leaf, uplink_speed, self._span(*at, "link"))
        top = self._use(spine, uplink_speed, self._span(*at, "spine"))
        highest = self._use(core, uplink_speed, self._span(*at, "core")) if topology.core else top
        if host is None or uplink is None or top is None or highest is None:
            return None
        per_card = sum(1 for port in first if port.nic == first[0].nic)
        attached = {node.name for node in chosen}
        return Design(
            name=name,
            site=self.name,
            by_rail=topology.attach_by == "rail",
            rails=len({port.nic for port in first}),
            planes=topology.planes,
            host=host,
            uplink=uplink,
            spine=top,
            host_speed_gbps=host_speed,
            uplink_speed_gbps=uplink_speed,
            ports_per_rail=per_card // topology.planes,
            group_nodes=_group_nodes(chosen),
            oversubscription=Fraction(topology.oversubscription.down, topology.oversubscription.up),
            uplinks=topology.uplinks or 0,
            unit_groups=self._unit_groups(name, fabric, _group_nodes(chosen)),
            leaf_groups=topology.leaf.racks or 0,
            planned_units=topology.unit.planned if topology.unit else 1,
            leaf_name=self.site.names.leaf or _leaf_name(fabric),
            spine_name=self.site.names.spine or _spine_name(fabric),
            members=members,
            span=self._span(*at),
            infiniband=self._infiniband(name, fabric, highest, attached) if fabric.kind == "infiniband" else None,
        )

    def _fitting(self, name: str, fabric: FabricText) -> bool:
        """Whether what is written belongs to the kind of fabric as far as it must be known to build it."""
        topology = fabric.topology
        if fabric.kind == "infiniband" and fabric.generation is None:
            span = self._span("fabrics", name, "kind")
            self._report("F016", f"fabric {name}: generation is missing", span, "write hdr, ndr or xdr")
            return False
        if fabric.kind == "infiniband" and topology.planes > 1:
            message = f"fabric {name}: {topology.planes} planes - an InfiniBand fabric has one"
            hint = "planes of XDR are inside the switch; for several networks write several fabrics"
            self._report("F016", message, self._span("fabrics", name, "topology", "planes"), hint)
            return False
        if fabric.kind == "ethernet" and topology.design == "dragonfly-plus":
            message = f"fabric {name}: design dragonfly-plus - an InfiniBand topology"
            hint = "write kind: infiniband, or design: fat-tree"
            self._report("F016", message, self._span("fabrics", name, "topology", "design"), hint)
            return False
        return True

    def _infiniband(self, name: str, fabric: FabricText, core: SwitchUse, attached: Set[str]) -> InfiniBandDesign:
        topology, manager = fabric.topology, fabric.subnet_manager
        release = self.site.releases.ufm if manager.by == "ufm" else self.site.releases.opensm
        hosts = tuple(
            ManagerHost(
                host.name,
                host.ports,
                host.address,
                manager.by,
                release or "",
                self._span("fabrics", name, "subnet_manager", "hosts", number),
            )
            for number, host in enumerate(manager.hosts)
            if host.name not in attached
        )
        return InfiniBandDesign(
            generation=str(fabric.generation),
            dragonfly=topology.design == "dragonfly-plus",
            tiers=3 if topology.core else 2 if topology.design == "leaf-spine" else 0,
            core=core,
            by_rail=topology.spine_group == "rail" if topology.spine_group else None,
            core_name=self.site.names.core or "{fabric}-g{group}-c{n:02}",
            managers=hosts,
            reserved=topology.unit.reserved if topology.unit else None,
        )

    def _members(self, name: str, fabric: FabricText, chosen: Sequence[NodeSpec]) -> tuple[Member, ...]:
        span = self._span("fabrics", name, "attach")
        if not chosen:
            self._report("F002", f"fabric {name}: no node is attached", span, self._what_exists())
            return ()
        self._attach_once(name, fabric.attach.nics, chosen, span)
        members = [
            Member(node.name, node.group, node.ordinal, ports)
            for node in chosen
            if (ports := self._ports(name, fabric, node))
        ]
        shapes = {(len(m.ports), m.ports[0].speed_gbps, len({p.nic for p in m.ports})) for m in members}
        if len(shapes) > 1:
            self._report(
                "F002",
                f"fabric {name}: attached nodes differ in number or speed of their {fabric.attach.nics} ports",
                span,
                "attach nodes of one kind, or give each kind a fabric",
            )
            return ()
        return tuple(members)

    def _what_exists(self) -> str:
        nodes = ", ".join(entry.name for entry in self.site.nodes) or "none"
        racks = ", ".join(entry.name for entry in self.site.racks) or "none"
        return f"nodes: {nodes}; racks: {racks}"

    def _attach_once(self, fabric: str, nics: str, chosen: Sequence[NodeSpec], span: Span | None) -> None:
        clashes: dict[str, list[str]] = {}
        for node in chosen:
            first = self._attachments.setdefault((node.name, nics), fabric)
            if first != fabric:
                clashes.setdefault(first, []).append(node.name)
        for first, names in clashes.items():
            place = self._span("fabrics", first, "attach")
            self.diagnostics.append(
                Diagnostic(
                    "F008",
                    f"fabric {fabric}: the {nics} ports of {len(names)} nodes are attached already by fabric {first}: "
                    f"{names[0]}" + (" …" if len(names) > 1 else ""),
                    span,
                    hint="a port has one cable: attach other nodes or other NICs",
                    related=((place, f"fabric {first} attaches them here"),) if place else (),
                )
            )

    def _attached(self, fabric: FabricText, nodes: Sequence[NodeSpec]) -> Iterator[NodeSpec]:
        by_node = selector.parse(fabric.attach.nodes) if fabric.attach.nodes else None
        by_rack = selector.parse(fabric.attach.racks) if fabric.attach.racks else None
        for node in nodes:
            rack = {"name": node.rack, "rack": node.rack, "type": node.kind.name, "site": self.name}
            labels = node.labels | {"site": self.name}
            if (by_node and by_node.matches(labels)) or (by_rack and node.rack and by_rack.matches(rack)):
                yield node

    def _ports(self, fabric: str, text: FabricText, node: NodeSpec) -> tuple[NicPort, ...]:
        override = node.overrides.get(text.attach.nics)
        # All nodes of one entry have the same ports: settled, and reported, once.
        key = (fabric, node.kind.name, id(override))
        if key not in self._chosen_ports:
            self._chosen_ports[key] = self._settle_ports(fabric, text, node, override)
        return self._chosen_ports[key]

    def _settle_ports(
        self, fabric: str, text: FabricText, node: NodeSpec, override: NicOverride | None
    ) -> tuple[NicPort, ...]:
        span, planes = node.span, text.topology.planes
        try:
            group = self._group(node, text.attach.nics, override)
            layout = _layout(group, override, text)
            if layout.ports % planes:
                raise IntentError(
                    f"{node.kind.name} {group.name}: {layout.name} gives {layout.ports} ports per card - "
                    f"expected a multiple of {planes} planes"
                )
            ports = group.ports(text.kind, layout.name)
        except IntentError as error:
            self._report("F002", f"fabric {fabric}: {error.message}", span, error.hint)
            return ()
        names = override.interfaces if override else ()
        if names and len(set(names)) != len(ports):
            found = f"{len(names)}, of which {len(set(names))} differ"
            message = f"node {node.name}: interfaces - expected {len(ports)} names, found {found}"
            self._report("F002", message, span, f"one name for each port of {group.name}, card by card")
            return ()
        return tuple(_named(port, names[i]) for i, port in enumerate(ports)) if names else ports

    def _group(self, node: NodeSpec, name: str, override: NicOverride | None) -> NicGroup:
        if override and override.model and name not in node.kind.groups:
            return custom_group(name, self.catalog.nic(override.model), 1, override.ports or "")
        return node.kind.group(name)

    def _unit_groups(self, name: str, fabric: FabricText, size: int) -> int:
        unit = fabric.topology.unit
        span = self._span("fabrics", name, "topology", "unit")
        if unit and unit.racks is not None:
            if size == 1:
                self._report("F002", f"fabric {name}: unit in racks - its nodes stand in no racks", span)
            return unit.racks
        if unit is None or unit.nodes is None:
            return 0
        if unit.nodes % size:
            self._report(
                "F002", f"fabric {name}: unit of {unit.nodes} nodes - not a whole number of {size}-node racks", span
            )
        return max(1, unit.nodes // size)

    def _switch(self, fabric: FabricText, name: str, span: Span | None) -> Switch | None:
        try:
            switch = self.catalog.switch(name)
        except UnknownName as error:
            self._report("F001", error.message, span, error.hint)
            return None
        if switch.kind != fabric.kind:
            known = {item.name for item in self.catalog.switches.values() if item.kind == fabric.kind}
            hint = f"switches of kind {fabric.kind}: {', '.join(sorted(known))}"
            self._report(
                "F001", f"{switch.name} is a switch of kind {switch.kind} - expected {fabric.kind}", span, hint
            )
            return None
        return switch

    def _use(self, switch: Switch, speed_gbps: int, span: Span | None) -> SwitchUse | None:
        # One kind of cage per use, so not `breakout_for`, which counts whole cages of another kind along.
        fitting = [way for way in switch.breakouts if speed_gbps in way.speeds_gbps]
        breakout = max(fitting, key=lambda way: (len(switch.usable_cages(way)) * way.parts, -way.parts), default=None)
        if breakout is None:
            offered = sorted({speed for way in switch.breakouts for speed in way.speeds_gbps}, reverse=True)
            self._report(
                "F002",
                f"{switch.name} has no port of {speed_gbps}G",
                span,
                "its ports are " + ", ".join(f"{speed}G" for speed in offered),
            )
            return None
        return SwitchUse(switch, breakout, switch.usable_cages(breakout))


def _layout(group: NicGroup, override: NicOverride | None, fabric: FabricText) -> Layout:
    """The layout the intent names, else the default among those that serve the planes best.

    A port per plane of the link's speed comes first, then any whole number per plane of that speed, then a port per
    plane of another speed. InfiniBand has ports of its generation's speed, nothing else.
    """
    kind, planes = fabric.kind, fabric.topology.planes
    link_gbps = fabric.topology.link.gbps if fabric.topology.link else 0
    if override and override.ports:
        return group.layout(kind, override.ports)
    if fabric.generation and kind == "infiniband":
        return group.layout(kind, f"1x{fabric.generation.upper()}")
    usable = [item for item in group.layouts if item.kind == kind and item.ports % planes == 0]
    single = [item for item in usable if item.ports == planes]
    fast = [item for item in usable if item.speed_gbps == link_gbps]
    for choice in ([item for item in fast if item in single], fast, single):
        if choice:
            return choice[0]
    return group.layout(kind)


def _group_nodes(nodes: Sequence[NodeSpec]) -> int:
    """Nodes of the largest full group, attached or not: a rack whose other half comes later keeps its ports."""
    return max((node.kind.trays or 1 for node in nodes), default=1)


def _named(port: NicPort, name: str) -> NicPort:
    return replace(port, name=name)


def _spine_name(fabric: FabricText) -> str:
    if fabric.kind == "infiniband":
        return ""  # follows from the tiers
    return "{fabric}-p{plane}-s{n:02}" if fabric.topology.planes > 1 else "{fabric}-s{n:02}"


def _leaf_name(fabric: FabricText) -> str:
    plane = "-p{plane}" if fabric.topology.planes > 1 else ""
    rail = "-r{rail}" if fabric.topology.attach_by == "rail" else ""
    return "{fabric}" + plane + rail + "-l{n:02}"
