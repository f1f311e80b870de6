"""The compiled fabric as values: what exists, how it is wired, what each end is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from intent.core.span import Span


class Network(StrEnum):
    """Kind of network a switch or a link belongs to."""

    ETHERNET = "ethernet"
    INFINIBAND = "infiniband"


class Role(StrEnum):
    """What a device does in its fabric."""

    LEAF = "leaf"
    SPINE = "spine"
    CORE = "core"
    NODE = "node"
    MANAGER = "manager"


class Tier(StrEnum):
    """Between which tiers a link runs."""

    HOST = "host-leaf"
    FABRIC = "leaf-spine"
    CORE = "spine-core"
    GLOBAL = "spine-spine"


@dataclass(frozen=True, slots=True)
class Port:
    """One logical port: a whole cage or one part of a split cage.

    Args:
        name: the device's own name for it (`swp1s0`; a node's interface name).
        cage: number or label of the physical cage (`1`).
        sub_port: index of the part, from 0; None when the cage is not split.
        breakout: into how many parts the cage is split; 1 when whole.
        speed_gbps: speed of this logical port.
        lanes: electrical lanes it uses.
        address: interface address with prefix length (`10.64.0.0/31`); empty when unnumbered.
        number: InfiniBand port number in its node, from 1; 0 on Ethernet.
        hca: RDMA device of a node's port (`mlx5_0`); empty on switches and where none is known.
        guid: port GUID, 16 hexadecimal digits in small letters; empty until it is known.
    """

    name: str
    cage: str
    sub_port: int | None
    breakout: int
    speed_gbps: int
    lanes: int
    address: str = ""
    number: int = 0
    hca: str = ""
    guid: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """A switch, a node, or a host that runs a subnet manager.

    Args:
        name: unique in the site.
        role: leaf, spine, core, node or manager.
        model: catalog name of the hardware.
        site: site it stands in.
        fabric: fabric it belongs to; a node belongs to several and has none here.
        plane: plane number from 1; 0 where there are no planes or for nodes.
        rail: rail number from 1; 0 where it has none.
        unit: scalable unit it belongs to, from 1; 0 for spines that serve them all. In dragonfly+: its group.
        index: number within its kind, from 1.
        release: NOS release the intent names; empty for nodes and InfiniBand switches.
        loopback: address without prefix length; empty for nodes.
        asn: autonomous system number; 0 for nodes.
        management: management address with prefix length; empty when it comes by DHCP.
        ports: every cabled logical port by name, in cage order.
        span: intent line that made it.
        network: kind of network of a switch or a subnet manager's host; Ethernet, without meaning, for nodes, whose
            ports may serve several.
        generation: `hdr`, `ndr` or `xdr` of an InfiniBand switch; empty otherwise.
        guid: node GUID of an InfiniBand switch, 16 hexadecimal digits; empty until it is known.
        group: core group of a core switch, from 1; 0 elsewhere.
    """

    name: str
    role: Role
    model: str
    site: str
    fabric: str = ""
    plane: int = 0
    rail: int = 0
    unit: int = 0
    index: int = 0
    release: str = ""
    loopback: str = ""
    asn: int = 0
    management: str = ""
    ports: Mapping[str, Port] = field(default_factory=dict)
    span: Span | None = None
    network: Network = Network.ETHERNET
    generation: str = ""
    guid: str = ""
    group: int = 0

    @property
    def is_switch(self) -> bool:
        """True for what forwards between its ports."""
        return self.role in (Role.LEAF, Role.SPINE, Role.CORE)

    @property
    def labels(self) -> dict[str, str]:
        """Words by which selectors, waves and `--limit` pick devices."""
        words = {"name": self.name, "role": str(self.role), "model": self.model, "site": self.site}
        words |= {"fabric": self.fabric, "release": self.release, "generation": self.generation}
        words |= {"network": str(self.network)} if self.is_switch else {}
        numbers = {"plane": self.plane, "rail": self.rail, "unit": self.unit, "group": self.group}
        return {k: v for k, v in words.items() if v} | {k: str(v) for k, v in numbers.items() if v}


@dataclass(frozen=True, slots=True, order=True)
class End:
    """One end of a link."""

    device: str
    port: str


@dataclass(frozen=True, slots=True)
class Link:
    """One logical link.

    Args:
        a: lower end: the node (or manager) for a host link, the leaf for a fabric link, the spine for a core link, the
            spine of the lower group for a link between groups.
        b: upper end: the leaf for a host link, the spine for a fabric link, the core for a core link.
        tier: host-leaf, leaf-spine, spine-core or spine-spine.
        speed_gbps: speed of the logical link.
        cable: identifier of the physical cable part in the cabling plan, unique in the site.
        plane: plane it runs in, 0 where there are none.
        rail: rail it serves, 0 where it has none.
        network: kind of network.
    """

    a: End
    b: End
    tier: Tier
    speed_gbps: int
    cable: str
    plane: int = 0
    rail: int = 0
    network: Network = Network.ETHERNET


@dataclass(frozen=True)
class Fabric:
    """Everything a site's document compiles to, before any vendor's words.

    Args:
        site: name of the site.
        devices: by name, switches first, in a stable order.
        links: every logical link in cabling order.
    """

    site: str
    devices: Mapping[str, Device]
    links: tuple[Link, ...]

    @cached_property
    def switches(self) -> tuple[Device, ...]:
        """Every switch, in order."""
        return tuple(device for device in self.devices.values() if device.is_switch)

    @cached_property
    def nodes(self) -> tuple[Device, ...]:
        """Every node, in order."""
        return tuple(device for device in self.devices.values() if device.role is Role.NODE)

    @cached_property
    def managers(self) -> tuple[Device, ...]:
        """Every host that runs a subnet manager, in order."""
        return tuple(device for device in self.devices.values() if device.role is Role.MANAGER)

    @cached_property
    def networks(self) -> frozenset[Network]:
        """Kinds of network it is made of."""
        return frozenset({device.network for device in self.switches} | {link.network for link in self.links})

    def only(self, network: Network, fabric: str = "") -> Fabric:
        """The part of one kind of network: its switches, links and managers, and the nodes with ports in it.

        What renders, judges or draws one kind of network takes this part and never sees the others.

        Args:
            network: which kind.
            fabric: one fabric of that kind; empty for all.

        Returns:
            The part; the fabric itself when there is nothing else in it.
        """
        if not fabric and self.networks <= {network}:
            return self
        devices = self.devices
        links = tuple(
            link
            for link in self.links
            if link.network is network and (not fabric or devices[link.b.device].fabric == fabric)
        )
        used: dict[str, set[str]] = {}
        for link in links:
            for end in (link.a, link.b):
                used.setdefault(end.device, set()).add(end.port)
        kept: dict[str, Device] = {}
        for name, device in devices.items():
            if device.role is not Role.NODE:
                if device.network is network and (not fabric or device.fabric == fabric):
                    kept[name] = device
            elif name in used:
                ports = {key: port for key, port in device.ports.items() if key in used[name]}
                kept[name] = replace(device, ports=ports) if len(ports) < len(device.ports) else device
        return Fabric(self.site, kept, links)

    @cached_property
    def _peers(self) -> dict[End, tuple[End, Link]]:
        peers: dict[End, tuple[End, Link]] = {}
        for link in self.links:
            peers[link.a] = (link.b, link)
            peers[link.b] = (link.a, link)
        return peers

    @cached_property
    def _neighbors(self) -> dict[str, tuple[tuple[Port, End, Link], ...]]:
        """Asked for by every rule and every check of a device."""
        return {}

    def peer(self, device: str, port: str) -> tuple[End, Link] | None:
        """The other end of the link on a port and the link itself; None where nothing is cabled."""
        return self._peers.get(End(device, port))

    def neighbors(self, device: str) -> Iterator[tuple[Port, End, Link]]:
        """Every cabled port of a device with the far end and the link, in cage order."""
        if device not in self._neighbors:
            near = ((port, self._peers.get(End(device, name))) for name, port in self.devices[device].ports.items())
            self._neighbors[device] = tuple((port, *found) for port, found in near if found)
        return iter(self._neighbors[device])
