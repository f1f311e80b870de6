"""The document: what `intent.yaml` and the files it includes may say."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from intent.schema.fabrics import Addressing, Attach, Cables, Fabric, Leaf, Topology, Underlay, Unit
from intent.schema.markers import Later, Short
from intent.schema.nvlink import SiteNvlink
from intent.schema.policy import (
    Changes,
    Ecn,
    MaxUnavailable,
    QosData,
    QosPools,
    QosProfile,
    QosWatchdog,
    Strategy,
)
from intent.schema.record import Record
from intent.schema.secret import SecretRef
from intent.schema.tenants import ALL_KEYS, Keys, Tenant
from intent.schema.types import (
    Address,
    AsnRange,
    CoreName,
    Glob,
    Host,
    LeafName,
    Name,
    NameRange,
    Network,
    NodeName,
    NumberRange,
    Pointer,
    RawTree,
    Release,
    Selector,
    SpineName,
    Text,
    Timezone,
)

__all__ = [
    "Addressing", "Attach", "Cables", "Changes", "Document", "Ecn", "Fabric", "Leaf", "Manage", "Management",
    "MaxUnavailable", "Names", "NicOverride", "Nodes", "NumberRange", "Pools", "QosData", "QosPools", "QosProfile",
    "QosWatchdog", "Racks", "ReleaseSet", "Releases", "SecretRef", "Services", "Site", "Strategy", "Syslog", "Topology",
    "Underlay", "Unit", "User",
]  # fmt: skip

_TENANTS = "separation of tenants"
_KUBERNETES = "Kubernetes clusters"


class Pools(Record):
    """What may be allocated in a site."""

    later: ClassVar[Mapping[str, str]] = {"vnis": "EVPN overlays", "vlans": "VLANs"}
    loopbacks: Network = Field(
        default=ipaddress.IPv4Network("10.255.0.0/18"), description="Loopbacks of switches, one address each."
    )
    hosts: Network = Field(
        default=ipaddress.IPv4Network("10.64.0.0/12"), description="Addresses of host ports, a /31 each."
    )
    reserved: tuple[Network, ...] = Field(default=(), description="Prefixes inside the pools that are never allocated.")
    pkeys: Keys = Field(
        default=ALL_KEYS,
        description="Partition keys that `auto` may take; keep out of it what other programs give out.",
    )
    asns: AsnRange = Field(
        default=NumberRange(4_200_100_000, 4_200_199_999), description="AS numbers, one per leaf and one per spine."
    )


class Management(Record):
    """The management network of the switches."""

    prefix: Network = Field(description="Prefix of the management network.")
    gateway: Address = Field(description="Its router.")
    address: Literal["auto", "dhcp"] = Field(
        default="auto", description="auto: allocated and kept in the lock; dhcp: a DHCP server gives it."
    )


class Names(Record):
    """Templates of names; fields in braces, `{n:02}` is a number of two digits. Left out, the program's own."""

    leaf: LeafName | None = Field(default=None, description="Fields: site, fabric, plane, rail, unit, n.")
    spine: SpineName | None = Field(default=None, description="Fields: site, fabric, plane, unit, rail, n.")
    core: CoreName | None = Field(default=None, description="Third tier. Fields: site, fabric, group, n.")
    node: NodeName = Field(default="{rack}-{n:02}", description="Nodes of racks. Fields: site, rack, n.")


class ReleaseSet(Record):
    """Releases of the software on devices."""

    later: ClassVar[Mapping[str, str]] = {"nvos": "NVLink switches"}
    cumulus: Release | None = Field(default=None, description="Release of Cumulus Linux, such as 5.16.4.")
    ufm: Release | None = Field(default=None, description="Release of NVIDIA UFM, such as 6.23.1.")
    opensm: Release | None = Field(default=None, description="Release of OpenSM, such as 3.3.23.")


class Releases(ReleaseSet):
    """Releases of a site; a key that is no product is a selector of switches with releases of their own."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[Selector, ReleaseSet] = Field(init=False)

    cumulus: Release = Field(default="5.16.4", description="Release of Cumulus Linux, such as 5.16.4.")

    @property
    def selected(self) -> dict[str, ReleaseSet]:
        """Releases by selector, as written; the narrowest selector wins over the general value."""
        return dict(self.__pydantic_extra__ or {})


class User(Record):
    """An account on the switches."""

    hashed_password: SecretRef = Field(description="Reference to the crypt hash of the password.")
    role: Literal["system-admin", "nvue-admin", "nvue-monitor"] = Field(
        default="system-admin", description="What the account may do."
    )


class Syslog(Record):
    """A receiver of log messages."""

    host: Host = Field(description="Address or name.")
    vrf: Name = Field(default="mgmt", description="VRF in which it is reached.")
    port: int = Field(default=514, ge=1, le=65535, description="UDP port.")


class Services(Record):
    """Services every switch uses; reached through the management VRF."""

    later: ClassVar[Mapping[str, str]] = {
        "snmp": "SNMP", "tacacs": "TACACS+", "radius": "RADIUS", "telemetry": "streaming telemetry",
    }  # fmt: skip
    ntp: tuple[Host, ...] = Field(default=(), description="Time servers.")
    dns: tuple[Host, ...] = Field(default=(), description="Name servers.")
    syslog: tuple[Annotated[Syslog, Short("host")], ...] = Field(default=(), description="Receivers of log messages.")


class Manage(Record):
    """What of a device is ours."""

    except_: tuple[Pointer, ...] = Field(
        default=(), alias="except", description="Subtrees we neither compare nor change."
    )
    replace: bool = Field(default=False, description="The whole device is ours: what we do not write goes.")


class NicOverride(Record):
    """What differs from the node type for one group of NICs."""

    later: ClassVar[Mapping[str, str]] = {"lag": "link aggregation to hosts"}
    model: Name | None = Field(default=None, description="Model of the NIC.")
    ports: Text | None = Field(default=None, description="Ports per NIC and their speed, such as 2x400G.")
    interfaces: tuple[Text, ...] = Field(
        default=(), description="Interface names in the node's operating system, in rail order."
    )


class Nodes(Record):
    """Nodes that stand on their own."""

    name: NameRange = Field(description="Name or range of names such as b300-{001..064}.")
    type: Name = Field(description="Node type of the catalog.")
    rack: Name | None = Field(default=None, description="Rack they stand in.")
    nics: dict[Name, NicOverride] = Field(default={}, description="Differences from the node type, by group of NICs.")


class Racks(Record):
    """Racks full of nodes of one type."""

    later: ClassVar[Mapping[str, str]] = {
        "nics": "NICs of a rack's nodes that differ from the type",
        "nodes": "racks of servers",
    }
    name: NameRange = Field(description="Name or range of names such as gpu{01..08}.")
    type: Annotated[Name, Later({"servers": "racks of servers"})] = Field(description="Rack type of the catalog.")


class Site(Record):
    """One place with its own allocations and lock."""

    later: ClassVar[Mapping[str, str]] = {
        "inventory": "inventory of what exists", "cabling": "cabling as built",
        "storage": "storage", "slurm": "Slurm", "kubernetes": _KUBERNETES, "tenants": _TENANTS,
    }  # fmt: skip
    region: Text | None = Field(default=None, description="Region the site belongs to.")
    timezone: Timezone = Field(default="Etc/UTC", description="Time zone of the switches.")
    pools: Pools = Field(default=Pools(), description="What may be allocated.")
    management: Management | None = Field(default=None, description="Management network; left out, switches use DHCP.")
    names: Names = Field(default=Names(), description="Templates of names.")
    releases: Releases = Field(default=Releases(), description="Software releases, general and by selector.")
    users: dict[Name, User] = Field(default={}, description="Accounts on the switches.")
    services: Services = Field(default=Services(), description="NTP, DNS, syslog.")
    manage: Manage = Field(default=Manage(), description="What of a device is ours.")
    nodes: tuple[Nodes, ...] = Field(default=(), description="Nodes that stand on their own.")
    racks: tuple[Racks, ...] = Field(default=(), description="Racks of nodes.")
    fabrics: dict[Name, Fabric] = Field(default={}, description="Networks of the site.")
    nvlink: SiteNvlink | None = Field(default=None, description="NVLink domains of the racks, and their NMX-M.")
    overrides: dict[Selector, RawTree] = Field(
        default={}, description="Raw NVUE trees by selector of switches, merged last, checked by the release's schema."
    )
    changes: Changes | None = Field(default=None, description="Policy of changes here; left out, the document's.")


class Document(Record):
    """A whole intent."""

    later: ClassVar[Mapping[str, str]] = {"secrets": "secret back ends"}
    version: Literal[1] = Field(description="Version of the language.")
    name: Name = Field(description="Name of the intent.")
    include: tuple[Glob, ...] = Field(
        default=(), description="Further files, by name or pattern, relative to this one."
    )
    qos: dict[Name, QosProfile] = Field(default={}, description="RoCE profiles beside the built-in roce-lossless.")
    changes: Changes = Field(
        default=Changes(), description="Policy of changes for every site that has none of its own."
    )
    sites: dict[Name, Site] = Field(default={}, description="Sites by name.")
    tenants: dict[Name, Tenant] = Field(default={}, description="Tenants by name: whose nodes are kept apart.")
