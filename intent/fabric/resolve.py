"""From what a person wrote to designs: names looked up in the catalog, selections resolved, speeds settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from intent.catalog.hardware import Catalog, Layout, NicGroup, NicPort, NodeType, Switch, UnknownName, custom_group
from intent.core import ranges, selector
from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.span import Span
from intent.fabric.design import Design, Member, Pools, SwitchUse
from intent.schema.fabrics import Fabric as FabricText
from intent.schema.model import NicOverride, Site

Path = tuple[str | int, ...]


class Places(Protocol):
    """Where each value of the document stands."""

    def span(self, path: Path) -> Span | None:
        """The place of a value, or of the nearest value around it."""


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node of the site, from `nodes` or from a rack.

    Args:
        name: its name.
        kind: its hardware.
        rack: rack it stands in; empty when none is named.
        group: what is placed together with it: its rack of a rack type, else itself.
        ordinal: place in that group, from 0.
        overrides: what differs from the type, by NIC group.
        span: where it is written.
    """

    name: str
    kind: NodeType
    rack: str
    group: str
    ordinal: int
    overrides: Mapping[str, NicOverride]
    span: Span | None

    @property
    def labels(self) -> dict[str, str]:
        """Labels by which selectors pick it."""
        return {"name": self.name, "type": self.kind.name, "role": "node"} | ({"rack": self.rack} if self.rack else {})


class Resolver:
    """Resolves one site; findings are collected in `diagnostics`.

    Args:
        name: name of the site.
        site: the site as written.
        catalog: the hardware.
        places: where things stand.
    """

    def __init__(self, name: str, site: Site, catalog: Catalog, places: Places) -> None:
        self.name = name
        self.site = site
        self.catalog = catalog
        self.places = places
        self.diagnostics: list[Diagnostic] = []

    def pools(self) -> Pools:
        """The site's pools with their places."""
        pools, base = self.site.pools, ("sites", self.name)
        management = self.site.management
        static = management is not None and management.address == "auto"
        return Pools(
            loopbacks=pools.loopbacks,
            hosts=pools.hosts,
            reserved=pools.reserved,
            asns=(pools.asns.first, pools.asns.last),
            management=management.prefix if management and static else None,
            gateway=management.gateway if management and static else None,
            spans={key: self.places.span((*base, "pools", key)) for key in ("loopbacks", "hosts", "asns")}
            | {"management": self.places.span((*base, "management", "prefix"))},
        )

    def nodes(self) -> tuple[NodeSpec, ...]:
        """Every node of the site, in the order written."""
        return (*self._standing(), *self._racked())

    def _standing(self) -> Iterator[NodeSpec]:
        for number, entry in enumerate(self.site.nodes):
            span = self._span("nodes", number, "type")
            kind = self._node_type(entry.type, span, rack=False)
            if kind is None:
                continue
            for name in ranges.expand(entry.name):
                yield NodeSpec(name, kind, entry.rack or "", name, 0, entry.nics, self._span("nodes", number))

    def _racked(self) -> Iterator[NodeSpec]:
        for number, entry in enumerate(self.site.racks):
            span = self._span("racks", number, "type")
            kind = self._node_type(entry.type, span, rack=True)
            if kind is None:
                continue
            for rack in ranges.expand(entry.name):
                for tray in range(kind.trays):
                    name = self.site.names.node.format(site=self.name, rack=rack, n=tray + 1)
                    yield NodeSpec(name, kind, rack, rack, tray, {}, self._span("racks", number))

    def _node_type(self, name: str, span: Span | None, *, rack: bool) -> NodeType | None:
        try:
            kind = self.catalog.node(name)
        except UnknownName as error:
            self._report("F001", error.message, span, error.hint)
            return None
        if kind.is_rack is not rack:
            word, other = ("racks", "nodes") if kind.is_rack else ("nodes", "racks")
            self._report("F001", f"type {name} - expected under {word}, found under {other}", span)
            return None
        return kind

    def design(self, name: str, fabric: FabricText, nodes: Sequence[NodeSpec]) -> Design | None:
        """The design of one fabric; None when something in it cannot be resolved."""
        topology = fabric.topology
        at = ("fabrics", name, "topology")
        members = self._members(name, fabric, nodes)
        leaf = self._switch(topology.leaf.model, self._span(*at, "leaf"))
        spine = self._switch(topology.spine, self._span(*at, "spine"))
        if not members or leaf is None or spine is None:
            return None
        first = members[0].ports
        host_speed = first[0].speed_gbps
        uplink_speed = topology.link.gbps if topology.link else host_speed
        host = self._use(leaf, host_speed, self._span(*at, "leaf"))
        uplink = self._use(leaf, uplink_speed, self._span(*at, "link"))
        top = self._use(spine, uplink_speed, self._span(*at, "spine"))
        if host is None or uplink is None or top is None:
            return None
        per_card = sum(1 for port in first if port.nic == first[0].nic)
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
            oversubscription=Fraction(topology.oversubscription.down, topology.oversubscription.up),
            uplinks=topology.uplinks or 0,
            unit_groups=self._unit_groups(name, fabric, members),
            leaf_groups=topology.leaf.racks or 0,
            planned_units=topology.unit.planned if topology.unit else 1,
            leaf_name=self.site.names.leaf or _leaf_name(fabric),
            spine_name=self.site.names.spine
            or ("{fabric}-p{plane}-s{n:02}" if topology.planes > 1 else "{fabric}-s{n:02}"),
            members=members,
            span=self._span(*at),
        )

    def _members(self, name: str, fabric: FabricText, nodes: Sequence[NodeSpec]) -> tuple[Member, ...]:
        chosen = list(self._attached(fabric, nodes))
        span = self._span("fabrics", name, "attach")
        if not chosen:
            self._report("F002", f"fabric {name}: no node is attached", span, "check the names under attach")
            return ()
        members = []
        for node in chosen:
            ports = self._ports(name, fabric, node)
            if ports:
                members.append(Member(node.name, node.group, node.ordinal, ports))
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

    def _attached(self, fabric: FabricText, nodes: Sequence[NodeSpec]) -> Iterator[NodeSpec]:
        by_node = selector.parse(fabric.attach.nodes) if fabric.attach.nodes else None
        by_rack = selector.parse(fabric.attach.racks) if fabric.attach.racks else None
        for node in nodes:
            rack = {"name": node.rack, "rack": node.rack, "type": node.kind.name, "site": self.name}
            labels = node.labels | {"site": self.name}
            if (by_node and by_node.matches(labels)) or (by_rack and node.rack and by_rack.matches(rack)):
                yield node

    def _ports(self, fabric: str, text: FabricText, node: NodeSpec) -> tuple[NicPort, ...]:
        span, planes = node.span, text.topology.planes
        override = node.overrides.get(text.attach.nics)
        try:
            group = self._group(node, text.attach.nics, override)
            layout = _layout(group, override, planes, text.topology.link.gbps if text.topology.link else 0)
            if layout.ports % planes:
                raise IntentError(
                    f"{node.kind.name} {group.name}: {layout.name} gives {layout.ports} ports per card - "
                    f"expected a multiple of {planes} planes"
                )
            ports = group.ports("ethernet", layout.name)
        except IntentError as error:
            self._report("F002", f"fabric {fabric}: {error.message}", span, error.hint)
            return ()
        names = override.interfaces if override else ()
        if names and len(names) != len(ports):
            self._report(
                "F002", f"node {node.name}: interfaces - expected {len(ports)} names, found {len(names)}", span
            )
            return ()
        return tuple(_named(port, names[i]) for i, port in enumerate(ports)) if names else ports

    def _group(self, node: NodeSpec, name: str, override: NicOverride | None) -> NicGroup:
        if override and override.model and name not in node.kind.groups:
            return custom_group(name, self.catalog.nic(override.model), 1, override.ports or "")
        return node.kind.group(name)

    def _unit_groups(self, name: str, fabric: FabricText, members: Sequence[Member]) -> int:
        unit = fabric.topology.unit
        size = max(member.ordinal for member in members) + 1
        span = self._span("fabrics", name, "topology", "unit")
        if unit and unit.racks is not None:
            if size == 1 and all(member.group == member.name for member in members):
                self._report("F002", f"fabric {name}: unit in racks - its nodes stand in no racks", span)
            return unit.racks
        if unit is None or unit.nodes is None:
            return 0
        if unit.nodes % size:
            self._report(
                "F002", f"fabric {name}: unit of {unit.nodes} nodes - not a whole number of {size}-node racks", span
            )
        return max(1, unit.nodes // size)

    def _switch(self, name: str, span: Span | None) -> Switch | None:
        try:
            return self.catalog.switch(name)
        except UnknownName as error:
            self._report("F001", error.message, span, error.hint)
            return None

    def _use(self, switch: Switch, speed_gbps: int, span: Span | None) -> SwitchUse | None:
        breakout = switch.breakout_for(speed_gbps)
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

    def _span(self, *path: str | int) -> Span | None:
        return self.places.span(("sites", self.name, *path))

    def _report(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, message, span, hint=hint))


def _layout(group: NicGroup, override: NicOverride | None, planes: int, link_gbps: int) -> Layout:
    """The layout the intent names, else the one whose ports match planes and link speed, else the default."""
    if override and override.ports:
        return group.layout("ethernet", override.ports)
    fitting = [item for item in group.layouts if item.kind == "ethernet" and item.ports == planes]
    for layout in fitting:
        if layout.speed_gbps == link_gbps or not link_gbps:
            return layout
    return fitting[0] if fitting else group.layout("ethernet")


def _named(port: NicPort, name: str) -> NicPort:
    return NicPort(
        name, port.nic, port.part, port.cage, port.sub_port, port.breakout, port.speed_gbps, port.lanes, port.rail
    )


def _leaf_name(fabric: FabricText) -> str:
    plane = "-p{plane}" if fabric.topology.planes > 1 else ""
    rail = "-r{rail}" if fabric.topology.attach_by == "rail" else ""
    return "{fabric}" + plane + rail + "-l{n:02}"
