"""One fabric's design with every name resolved: what the builders work from. No document, no lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network

from intent.catalog.hardware import Breakout, NicPort, Switch
from intent.core.span import Span
from intent.fabric.model import Network


@dataclass(frozen=True, slots=True)
class Member:
    """A node that attaches to a fabric.

    Args:
        name: node name.
        group: what is placed together: its rack, or the node itself.
        ordinal: place in the group, from 0.
        ports: its ports in this fabric, card by card.
    """

    name: str
    group: str
    ordinal: int
    ports: tuple[NicPort, ...]


@dataclass(frozen=True, slots=True)
class SwitchUse:
    """A switch model and how its cages are split for one speed.

    Args:
        switch: the model.
        breakout: the split.
        cages: numbers of the cages that may be used so, in order.
    """

    switch: Switch
    breakout: Breakout
    cages: tuple[int, ...]

    @property
    def ports(self) -> int:
        """Logical ports when all cages are used."""
        return len(self.cages) * self.breakout.parts

    def place(self, index: int) -> tuple[int, int | None]:
        """Cage number and part of logical port `index`."""
        cage, part = divmod(index, self.breakout.parts)
        return self.cages[cage], part if self.breakout.parts > 1 else None

    def port_name(self, index: int) -> str:
        """The switch's name of logical port `index`."""
        cage, part = self.place(index)
        return self.switch.port_name(cage, part, self.breakout.parts)

    def beside(self, other: SwitchUse, cages: int) -> SwitchUse:
        """This use, of the cages that are left when `other` takes so many: neither taken nor lost to its splits."""
        taken = set(other.cages[:cages])
        lost = {other.breakout.disabled_by(cage) for cage in taken}
        return replace(self, cages=tuple(cage for cage in self.cages if cage not in taken and cage not in lost))


@dataclass(frozen=True, slots=True)
class ManagerHost:
    """A host that runs a subnet manager.

    Args:
        name: its name.
        ports: ports it has in the fabric.
        address: address under which it is managed.
        model: what runs on it: `ufm` or `opensm`.
        release: its release; empty when the intent names none.
        span: where it is written.
    """

    name: str
    ports: int
    address: str
    model: str
    release: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class InfiniBandDesign:
    """What only a design of InfiniBand has.

    Args:
        generation: `hdr`, `ndr` or `xdr`.
        dragonfly: groups joined to each other instead of a fat tree.
        tiers: 2 or 3 where the intent says so; 0 as size demands.
        core: how core cages are used in a third tier.
        by_rail: spines of a third tier serve one rail of a unit; None where the sizes decide.
        core_name: template of core names.
        managers: hosts of subnet managers that are no nodes of the fabric.
        reserved: node slots kept for them; None for as many as they need.
    """

    generation: str
    dragonfly: bool
    tiers: int
    core: SwitchUse
    by_rail: bool | None
    core_name: str
    managers: tuple[ManagerHost, ...]
    reserved: int | None


@dataclass(frozen=True, slots=True)
class Design:
    """One fabric with every name resolved.

    Args:
        name: name of the fabric.
        site: its site.
        by_rail: one leaf serves one rail (else all cards of a rack).
        rails: rails of the fabric.
        planes: planes; 1 when there is only one.
        host: how leaf cages towards nodes are used.
        uplink: how leaf cages towards spines are used.
        spine: how spine cages are used.
        host_speed_gbps: speed of a node's port.
        uplink_speed_gbps: speed of a leaf-spine link.
        ports_per_rail: ports of one card in one plane.
        group_nodes: nodes of a full group: the trays of a rack, else 1.
        oversubscription: host bandwidth over uplink bandwidth of a leaf.
        uplinks: uplinks of a leaf where the intent names them; 0 when they follow from the oversubscription.
        unit_groups: groups (racks or nodes) in one scalable unit; 0 when as many as a leaf serves.
        leaf_groups: groups one leaf serves; 0 when as many as fit.
        planned_units: units the spine tier is sized for.
        leaf_name: template of leaf names.
        spine_name: template of spine names; empty where it follows from the tiers.
        members: the nodes that attach.
        span: where the fabric is written.
        infiniband: what only InfiniBand has; None for Ethernet.
    """

    name: str
    site: str
    by_rail: bool
    rails: int
    planes: int
    host: SwitchUse
    uplink: SwitchUse
    spine: SwitchUse
    host_speed_gbps: int
    uplink_speed_gbps: int
    ports_per_rail: int
    group_nodes: int
    oversubscription: Fraction
    uplinks: int
    unit_groups: int
    leaf_groups: int
    planned_units: int
    leaf_name: str
    spine_name: str
    members: tuple[Member, ...]
    span: Span | None
    infiniband: InfiniBandDesign | None = None

    @property
    def network(self) -> Network:
        """Kind of network."""
        return Network.INFINIBAND if self.infiniband else Network.ETHERNET


@dataclass(frozen=True, slots=True)
class Pools:
    """Where a site's numbers come from.

    Args:
        loopbacks: loopback addresses of switches.
        hosts: addresses of host ports.
        reserved: parts of `hosts` that are not given out.
        asns: first and last autonomous system number.
        management: management network; None when addresses come by DHCP.
        gateway: its gateway, never given out.
        spans: where each pool is written.
    """

    loopbacks: IPv4Network
    hosts: IPv4Network
    reserved: tuple[IPv4Network, ...]
    asns: tuple[int, int]
    management: IPv4Network | None
    gateway: IPv4Address | None
    spans: Mapping[str, Span | None]
