"""The compiled fabric as values: what exists, how it is wired, what each end is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from intent.core.span import Span


class Role(StrEnum):
    """What a device does in its fabric."""

    LEAF = "leaf"
    SPINE = "spine"
    NODE = "node"


class Tier(StrEnum):
    """Between which tiers a link runs."""

    HOST = "host-leaf"
    FABRIC = "leaf-spine"


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
    """

    name: str
    cage: str
    sub_port: int | None
    breakout: int
    speed_gbps: int
    lanes: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """A switch or a node.

    Args:
        name: unique in the site.
        role: leaf, spine or node.
        model: catalog name of the hardware.
        site: site it stands in.
        fabric: fabric it belongs to; a node belongs to several and has none here.
        plane: plane number from 1; 0 where there are no planes or for nodes.
        rail: rail number from 1; 0 where it has none.
        unit: scalable unit it belongs to, from 1; 0 for spines.
        index: number within its kind, from 1.
        release: NOS release the intent names; empty for nodes.
        loopback: address without prefix length; empty for nodes.
        asn: autonomous system number; 0 for nodes.
        management: management address with prefix length; empty when it comes by DHCP.
        ports: every cabled logical port by name, in cage order.
        span: intent line that made it.
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

    @property
    def is_switch(self) -> bool:
        """True for what we configure through its network operating system."""
        return self.role is not Role.NODE

    @property
    def labels(self) -> dict[str, str]:
        """Words by which selectors, waves and `--limit` pick devices."""
        words = {"name": self.name, "role": str(self.role), "model": self.model, "site": self.site}
        words |= {"fabric": self.fabric, "release": self.release}
        numbers = {"plane": self.plane, "rail": self.rail, "unit": self.unit}
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
        a: lower end: the node for a host link, the leaf for a fabric link.
        b: upper end: the leaf for a host link, the spine for a fabric link.
        tier: host-leaf or leaf-spine.
        speed_gbps: speed of the logical link.
        cable: identifier of the physical cable part in the cabling plan, unique in the site.
        plane: plane it runs in, 0 where there are none.
        rail: rail it serves, 0 where it has none.
    """

    a: End
    b: End
    tier: Tier
    speed_gbps: int
    cable: str
    plane: int = 0
    rail: int = 0


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
        return tuple(device for device in self.devices.values() if not device.is_switch)

    @cached_property
    def _peers(self) -> dict[End, tuple[End, Link]]:
        peers: dict[End, tuple[End, Link]] = {}
        for link in self.links:
            peers[link.a] = (link.b, link)
            peers[link.b] = (link.a, link)
        return peers

    def peer(self, device: str, port: str) -> tuple[End, Link] | None:
        """The other end of the link on a port and the link itself; None where nothing is cabled."""
        return self._peers.get(End(device, port))

    def neighbors(self, device: str) -> Iterator[tuple[Port, End, Link]]:
        """Every cabled port of a device with the far end and the link, in cage order."""
        for name, port in self.devices[device].ports.items():
            found = self._peers.get(End(device, name))
            if found:
                yield port, *found
