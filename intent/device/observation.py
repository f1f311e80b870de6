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
class Observation:
    """Everything read from one device at one time. A part that could not be read is in `problems`, and its field None.

    Args:
        device: name in the fabric.
        taken_at: UTC, ISO 8601.
        problems: part (`system`, `links`, `lldp`, `bgp`, `roce`, or `device` when nothing answered) → why, in words.
    """

    device: str
    taken_at: str
    system: SystemState | None = None
    links: Mapping[str, LinkState] | None = None
    lldp: Mapping[str, tuple[LldpNeighbor, ...]] | None = None
    bgp: tuple[BgpSession, ...] | None = None
    roce: RoceState | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
