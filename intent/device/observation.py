"""What is read from a live device to judge it, in vendor-neutral records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SystemState:
    """Release, model and name a device reports."""

    hostname: str
    release: str
    model: str
    uptime_s: int | None = None


@dataclass(frozen=True, slots=True)
class LinkState:
    """A port: admin and operational state (`up`, `down`), speed and MTU as read; None when not reported."""

    name: str
    admin: str
    oper: str
    speed_gbps: float | None = None
    mtu: int | None = None


@dataclass(frozen=True, slots=True)
class LldpNeighbor:
    """One neighbour seen on a port, as it names itself.

    Args:
        port: local port.
        system: system name the neighbour sends.
        remote_port: port identifier it sends.
        remote_port_type: kind of the identifier (`ifname`, `mac`, …); empty when not reported.
        age_s: seconds since it was learnt; None when not reported.
    """

    port: str
    system: str
    remote_port: str
    remote_port_type: str = ""
    age_s: int | None = None


@dataclass(frozen=True, slots=True)
class BgpSession:
    """One BGP neighbour as the device reports it.

    Args:
        vrf: VRF it is in.
        neighbor: its key: interface name when unnumbered, else address.
        state: `established`, `idle`, `active`, `connect`, `opensent`, `openconfirm`.
        remote_asn: number the device was told or learnt; None when not reported.
        prefixes_received: IPv4 unicast prefixes; None when not reported.
        reason: last reset or failure reason, empty when none.
    """

    vrf: str
    neighbor: str
    state: str
    remote_asn: int | None = None
    prefixes_received: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RoceState:
    """RoCE as in force.

    Args:
        mode: `lossless`, `lossy`, …; empty when RoCE is off.
        pfc_priorities: switch priorities with PFC.
        ecn_traffic_classes: traffic classes that mark.
        ecn_min_bytes: marking starts here; None when not reported.
        ecn_max_bytes: marking is at its full probability here; None when not reported.
        trust: `pcp`, `dscp`, `pcp,dscp`; empty when not reported.
        exceptions: ports whose settings differ from the profile.
    """

    mode: str
    pfc_priorities: tuple[int, ...] = ()
    ecn_traffic_classes: tuple[int, ...] = ()
    ecn_min_bytes: int | None = None
    ecn_max_bytes: int | None = None
    trust: str = ""
    exceptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IbPort:
    """One port of an InfiniBand subnet, as its subnet manager's host sees it.

    Args:
        guid: GUID of the port for an adapter, of the node for a switch; 16 hexadecimal digits.
        number: port number in its node.
        description: what the node calls itself.
        state: `active`, `armed`, `initialize`, `down`.
        physical: `linkup`, `polling`, `disabled`, …
        lanes: lanes in use; None while the link is down.
        speed_gbps: speed of the link by lanes and signalling, as sold (`4x HDR` is 200); None while it is down.
        lid: local identifier; None while none is given.
        peer: the same GUID of the other end; empty while there is none.
        peer_number: its port number.
    """

    guid: str
    number: int
    description: str = ""
    state: str = ""
    physical: str = ""
    lanes: int | None = None
    speed_gbps: int | None = None
    lid: int | None = None
    peer: str = ""
    peer_number: int = 0


@dataclass(frozen=True, slots=True)
class PortErrors:
    """Error counters of a port.

    Args:
        guid: GUID as in `IbPort`.
        number: port number in its node.
        counters: value by the counter's name (`SymbolErrorCounter`); zeros may be left out.
    """

    guid: str
    number: int
    counters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SmState:
    """One subnet manager of a subnet.

    Args:
        guid: GUID of its port.
        state: `master`, `standby`, `discovering`, `not-active`.
        priority: its priority.
        lid: local identifier of its port.
    """

    guid: str
    state: str
    priority: int
    lid: int


@dataclass(frozen=True, slots=True)
class NvlinkPartition:
    """One NVLink partition as its manager has it.

    Args:
        domain: identifier of its domain; empty for one without members, of which nobody can tell.
        name: its name.
        gpus: places of its members, `chassis.slot.host.gpu`.
        default: it is the default partition of the domain, which holds what no other has.
    """

    domain: str
    name: str
    gpus: tuple[str, ...] = ()
    default: bool = False


@dataclass(frozen=True, slots=True)
class NvlinkState:
    """NVLink domains as their manager has them.

    Args:
        gpus: places of the GPUs of each domain, by its identifier.
        partitions: in the manager's order.
    """

    gpus: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    partitions: tuple[NvlinkPartition, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """What a controller's own test of its fabric came to.

    Args:
        name: the test, in the controller's words.
        found: what it found wrong, line by line.
        why: why it came to nothing; empty when it came to an end that is understood.
    """

    name: str
    found: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything read from one device at one time. A part that could not be read is in `problems`, and its field None.

    Args:
        device: name in the fabric.
        taken_at: UTC, ISO 8601.
        ib_ports: InfiniBand ports of the whole subnet by `guid/number`.
        ib_errors: error counters of ports, by the same; only ports that have any.
        pkeys: P_Key table of each end port by its GUID, from index 0; zeros are holes.
        sm: subnet managers of the subnet.
        lids: local identifier of each end port by its GUID.
        routing: the routing engine that made the present paths.
        unhealthy: ports the subnet manager set aside, as `guid/number`.
        own_checks: tests the subnet's controller ran itself, by name.
        nvlink: NVLink domains and their partitions.
        problems: part (a field's name, or `device` when nothing answered) → why, in words.
    """

    device: str
    taken_at: str
    system: SystemState | None = None
    links: Mapping[str, LinkState] | None = None
    lldp: Mapping[str, tuple[LldpNeighbor, ...]] | None = None
    bgp: tuple[BgpSession, ...] | None = None
    roce: RoceState | None = None
    ib_ports: Mapping[str, IbPort] | None = None
    ib_errors: Mapping[str, PortErrors] | None = None
    pkeys: Mapping[str, tuple[int, ...]] | None = None
    sm: tuple[SmState, ...] | None = None
    lids: Mapping[str, int] | None = None
    routing: str | None = None
    unhealthy: tuple[str, ...] | None = None
    own_checks: Mapping[str, OwnCheck] | None = None
    nvlink: NvlinkState | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
