"""What a switch refuses at apply although the schema lets it pass: one small function per rule.

Sources: NVIDIA Cumulus Linux 5.16 user guide (Switch Port Attributes, Equal Cost Multipath, Quality of Service, RDMA
over Converged Ethernet, BGP, EVPN Multihoming, Packet Trimming) and its release notes.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from intent.core.tree import Path, dotted
from intent.lab.dialect import switched_on
from intent.lab.facts import Facts, addresses_of, cage_of, extract, mapping, parts_of, vrf_of
from intent.lab.hardware import Layout, Panel


@dataclass(frozen=True, slots=True)
class Invalid:
    """One reason to refuse an apply.

    Args:
        path: where in the tree.
        reason: what is wrong there.
    """

    path: Path
    reason: str

    @property
    def location(self) -> str:
        """Dotted path, as NVUE gives it."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tree about to be applied: ranges written out, with its facts and the panel it must fit."""

    tree: Mapping[str, Any]
    facts: Facts
    panel: Panel
    layout: Layout

    @property
    def interfaces(self) -> dict[str, Any]:
        """Configured interfaces."""
        return mapping(self.tree, "interface")

    def bgp(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """BGP of every VRF."""
        for vrf, held in mapping(self.tree, "vrf").items():
            bgp = mapping(held, "router", "bgp")
            if bgp:
                yield vrf, bgp


def judge(tree: Mapping[str, Any], panel: Panel) -> list[Invalid]:
    """Every reason to refuse a tree, in order of the rules; empty when it may be applied."""
    facts = extract(tree)
    candidate = Candidate(tree, facts, panel, panel.layout(facts.splits))
    return [found for rule in RULES for found in rule(candidate)]


def breakout_allowed(it: Candidate) -> Iterator[Invalid]:
    """A split must be one the cage can do, and stands on the cage, not on a part of it."""
    for name, interface in it.interfaces.items():
        parts, place = parts_of(interface), cage_of(name)
        if parts is None:
            continue
        path = ("interface", name, "link", "breakout")
        if place is None or place[1] is not None:
            yield Invalid(path, f"{name} is not a front-panel port that can be split")
        elif place[0] not in it.panel.cages:
            continue
        elif parts and it.panel.way(place[0], parts) is None:
            yield Invalid(path, f"{it.panel.model.name} port {name} does not support breakout {parts}x")


def port_exists(it: Candidate) -> Iterator[Invalid]:
    """A front-panel port must exist: on the panel, with its breakout, not lost to a neighbour's split."""
    lost = it.layout.lost
    for name, interface in it.interfaces.items():
        place = cage_of(name)
        if place is None:
            continue
        cage, part = place
        path = ("interface", name)
        if cage not in it.panel.cages:
            yield Invalid(path, f"{it.panel.model.name} has no port swp{cage}")
        elif cage in lost and not _only_type(interface):
            yield Invalid(path, f"{name} is disabled by the breakout of swp{lost[cage]}")
        elif part is not None:
            parts = it.facts.splits.get(cage)
            if parts is None:
                yield Invalid(path, f"{name} needs a breakout of swp{cage}, which has none")
            elif part >= parts:
                yield Invalid(path, f"{name} does not exist: swp{cage} is split into {parts}")


def _only_type(interface: Any) -> bool:
    return set(mapping(interface)) <= {"type"}


def split_port_is_bare(it: Candidate) -> Iterator[Invalid]:
    """A port that is split carries no traffic of its own: no address, no bridge, no routing."""
    for name, interface in it.interfaces.items():
        place = cage_of(name)
        if place is None or place[1] is not None or it.facts.splits.get(place[0]) is None:
            continue
        for key in mapping(interface):
            if key in ("ip", "ipv4", "ipv6", "bridge", "router", "evpn", "vrf"):
                yield Invalid(("interface", name, key), f"{name} is split; configure its parts instead")


def speed_possible(it: Candidate) -> Iterator[Invalid]:
    """A forced speed must be one the port can run at."""
    for name, port in it.facts.ports.items():
        speeds = it.layout.speeds.get(name)
        if speeds and port.speed_gbps and port.speed_gbps not in speeds:
            text = ", ".join(f"{speed}G" for speed in speeds)
            yield Invalid(("interface", name, "link", "speed"), f"{port.speed_gbps}G is not one of {text}")


def vrf_defined(it: Candidate) -> Iterator[Invalid]:
    """An interface may only join a VRF that exists."""
    known = {"default", "mgmt", *mapping(it.tree, "vrf")}
    for name, interface in it.interfaces.items():
        vrf = vrf_of(interface)
        if vrf not in known:
            path = ("interface", name, "vrf") if "vrf" in mapping(interface) else ("interface", name, "ip", "vrf")
            yield Invalid(path, f"vrf {vrf} is not defined")


def bgp_has_asn(it: Candidate) -> Iterator[Invalid]:
    """BGP needs an autonomous system number."""
    for vrf, bgp in it.facts.bgp.items():
        if bgp.enabled and not bgp.asn:
            yield Invalid(("vrf", vrf, "router", "bgp"), "BGP is enabled without an autonomous-system")


def peer_group_defined(it: Candidate) -> Iterator[Invalid]:
    """A neighbour's peer group must be defined in its VRF."""
    for vrf, bgp in it.bgp():
        for key, neighbor in mapping(bgp, "neighbor").items():
            group = mapping(neighbor).get("peer-group")
            if group is not None and group not in mapping(bgp, "peer-group"):
                path = ("vrf", vrf, "router", "bgp", "neighbor", key, "peer-group")
                yield Invalid(path, f"peer-group {group} is not defined")


def neighbor_has_remote_as(it: Candidate) -> Iterator[Invalid]:
    """A neighbour needs a remote-as, its own or its peer group's."""
    for vrf, bgp in it.facts.bgp.items():
        for key, neighbor in bgp.neighbors.items():
            if not neighbor.remote_as:
                yield Invalid(("vrf", vrf, "router", "bgp", "neighbor", key), f"neighbor {key} has no remote-as")


def neighbor_on_interface(it: Candidate) -> Iterator[Invalid]:
    """An unnumbered neighbour's interface must be configured and in the neighbour's VRF."""
    for vrf, bgp in it.facts.bgp.items():
        for key in bgp.neighbors:
            path = ("vrf", vrf, "router", "bgp", "neighbor", key)
            if _is_address(key):
                continue
            port = it.facts.ports.get(key)
            if port is None:
                yield Invalid(path, f"interface {key} does not exist")
            elif port.vrf != vrf:
                yield Invalid(path, f"interface {key} is in vrf {port.vrf}, not {vrf}")


def _is_address(key: str) -> bool:
    try:
        ipaddress.ip_address(key)
    except ValueError:
        return False
    return True


def bfd_profile_defined(it: Candidate) -> Iterator[Invalid]:
    """The BFD profile a neighbour or peer group names must be defined."""
    known = mapping(it.tree, "router", "bfd", "profile")
    for vrf, bgp in it.bgp():
        for kind in ("neighbor", "peer-group"):
            for key, held in mapping(bgp, kind).items():
                profile = mapping(held, "bfd").get("profile")
                if profile is not None and profile not in known:
                    path = ("vrf", vrf, "router", "bgp", kind, key, "bfd", "profile")
                    yield Invalid(path, f"BFD profile {profile} is not defined")


def route_map_defined(it: Candidate) -> Iterator[Invalid]:
    """A route map that redistribution or a neighbour's policy names must be defined, and its prefix lists too."""
    maps = mapping(it.tree, "router", "policy", "route-map")
    for vrf, bgp in it.bgp():
        base = ("vrf", vrf, "router", "bgp")
        for path, name in _route_maps(bgp, base):
            if name not in maps:
                yield Invalid(path, f"route-map {name} is not defined")
    lists = mapping(it.tree, "router", "policy", "prefix-list")
    for name, held in maps.items():
        for number, rule in mapping(held, "rule").items():
            for key in ("ip-prefix-list", "ipv6-prefix-list"):
                wanted = mapping(rule, "match").get(key)
                if wanted is not None and wanted not in lists:
                    path = ("router", "policy", "route-map", name, "rule", number, "match", key)
                    yield Invalid(path, f"prefix-list {wanted} is not defined")


def _route_maps(bgp: dict[str, Any], base: Path) -> Iterator[tuple[Path, str]]:
    for family, held in mapping(bgp, "address-family").items():
        for protocol, redistribute in mapping(held, "redistribute").items():
            name = mapping(redistribute).get("route-map")
            if isinstance(name, str):
                yield (*base, "address-family", family, "redistribute", protocol, "route-map"), name
    for kind in ("neighbor", "peer-group"):
        for key, peer in mapping(bgp, kind).items():
            for family, held in mapping(peer, "address-family").items():
                for side, policy in mapping(held, "policy").items():
                    name = mapping(policy).get("route-map")
                    if isinstance(name, str):
                        yield (*base, kind, key, "address-family", family, "policy", side, "route-map"), name


# Profiles that need no definition: the global default, and the two that `lossy-multi-tc` and packet trimming bring.
_BUILT_IN_PROFILES = {"default-global", "lossy-multi-tc-host-group", "lossy-multi-tc-network-group"}


def qos_profile_defined(it: Candidate) -> Iterator[Invalid]:
    """A QoS profile named on a port must be defined."""
    for name, interface in it.interfaces.items():
        for kind, held in mapping(interface, "qos").items():
            profile = mapping(held).get("profile")
            if profile is None or profile in _BUILT_IN_PROFILES:
                continue
            if profile not in mapping(it.tree, "qos", kind):
                yield Invalid(
                    ("interface", name, "qos", kind, "profile"), f"qos {kind} profile {profile} is not defined"
                )


def pfc_or_link_pause(it: Candidate) -> Iterator[Invalid]:
    """Priority flow control and link pause exclude each other on a port."""
    everywhere = bool(mapping(it.tree, "qos", "pfc", "default-global")) or _lossless(it)
    pauses = bool(mapping(it.tree, "qos", "link-pause", "default-global"))
    if everywhere and pauses:
        yield Invalid(("qos", "link-pause", "default-global"), "link-pause and pfc are both set on every port")
    for name, interface in it.interfaces.items():
        qos = mapping(interface, "qos")
        if mapping(qos, "link-pause") and (mapping(qos, "pfc") or everywhere):
            yield Invalid(("interface", name, "qos", "link-pause"), f"link-pause and pfc are both set on {name}")


def _lossless(it: Candidate) -> bool:
    roce = mapping(it.tree, "qos", "roce")
    return switched_on(roce) and str(roce.get("mode", "lossless")).startswith("lossless")


def watchdog_needs_pfc(it: Candidate) -> Iterator[Invalid]:
    """The PFC watchdog runs on front-panel ports with PFC."""
    everywhere = bool(mapping(it.tree, "qos", "pfc", "default-global")) or _lossless(it)
    for name, interface in it.interfaces.items():
        qos = mapping(interface, "qos")
        if not switched_on(mapping(qos, "pfc-watchdog")):
            continue
        path = ("interface", name, "qos", "pfc-watchdog")
        if cage_of(name) is None:
            yield Invalid(path, f"{name} is not a front-panel port")
        elif not everywhere and not mapping(qos, "pfc"):
            yield Invalid(path, f"pfc-watchdog on {name} needs PFC")


def pools_fit(it: Candidate) -> Iterator[Invalid]:
    """The shares of the traffic pools may not exceed the buffer."""
    shares = [mapping(pool).get("memory-percent", 0) for pool in mapping(it.tree, "qos", "traffic-pool").values()]
    total = sum(share for share in shares if isinstance(share, int))
    if total > 100:
        yield Invalid(("qos", "traffic-pool"), f"memory-percent of all pools is {total}, more than 100")


def adaptive_routing_possible(it: Candidate) -> Iterator[Invalid]:
    """Adaptive routing: on routed front-panel ports of the default VRF, on a chip and at a speed that can."""
    asic = it.panel.model.asic
    if switched_on(mapping(it.tree, "router", "adaptive-routing")) and not asic.adaptive_routing:
        yield Invalid(("router", "adaptive-routing"), f"{asic.name} does not support adaptive routing")
    members = {member for _, member in _bond_members(it)}
    for name, interface in it.interfaces.items():
        if not switched_on(mapping(interface, "router", "adaptive-routing")):
            continue
        reason = _no_adaptive_routing(it, name, interface, members)
        if reason:
            yield Invalid(("interface", name, "router", "adaptive-routing"), reason)


def _no_adaptive_routing(it: Candidate, name: str, interface: Any, members: set[str]) -> str:
    asic = it.panel.model.asic
    if not asic.adaptive_routing:
        return f"{asic.name} does not support adaptive routing"
    if cage_of(name) is None:
        return f"adaptive routing is not supported on {mapping(interface).get('type', 'this kind of interface')} {name}"
    if name in members:
        return f"adaptive routing is not supported on {name}, a bond member"
    if mapping(interface, "bridge"):
        return f"adaptive routing is not supported on {name}, a bridge port"
    if vrf_of(interface) != "default":
        return f"adaptive routing is supported in the default VRF only, {name} is in {vrf_of(interface)}"
    speeds = it.layout.speeds.get(name)
    speed = it.facts.ports[name].speed_gbps or (speeds[0] if speeds else 0)
    if not asic.routes_adaptively(speed):
        return f"adaptive routing is not supported at {speed}G on {asic.name}"
    return ""


def _bond_members(it: Candidate) -> Iterator[tuple[str, str]]:
    for name, interface in it.interfaces.items():
        for member in mapping(interface, "bond", "member"):
            yield name, member


def bond_members_free(it: Candidate) -> Iterator[Invalid]:
    """A bond's members exist, are in one bond only and hold neither address nor bridge of their own."""
    owner: dict[str, str] = {}
    for bond, member in _bond_members(it):
        path = ("interface", bond, "bond", "member", member)
        interface = it.interfaces.get(member)
        if cage_of(member) is not None and member not in it.layout.speeds:
            yield Invalid(path, f"interface {member} does not exist")
        if owner.setdefault(member, bond) != bond:
            yield Invalid(path, f"{member} is already a member of {owner[member]}")
        if any(addresses_of(interface)) or mapping(interface, "bridge"):
            yield Invalid(path, f"{member} has an address or a bridge of its own")


def addresses_unique(it: Candidate) -> Iterator[Invalid]:
    """An address stands once in a VRF."""
    seen: dict[tuple[str, str], str] = {}
    for name, interface in it.interfaces.items():
        for family in ("ipv4", "ipv6", "ip"):
            for address in mapping(interface, family, "address"):
                key = (vrf_of(interface), address.split("/")[0].lower())
                first = seen.setdefault(key, name)
                if first != name:
                    path = ("interface", name, family, "address", address)
                    yield Invalid(path, f"{address} is already the address of {first}")


def svi_vlan_bridged(it: Candidate) -> Iterator[Invalid]:
    """The VLAN of an SVI must be in the bridge."""
    known = {vlan for domain in mapping(it.tree, "bridge", "domain").values() for vlan in mapping(domain, "vlan")}
    for name, interface in it.interfaces.items():
        vlan = mapping(interface).get("vlan")
        if mapping(interface).get("type") == "svi" and isinstance(vlan, int) and str(vlan) not in known:
            yield Invalid(("interface", name, "vlan"), f"vlan {vlan} is not in a bridge domain")


def multihoming_or_mlag(it: Candidate) -> Iterator[Invalid]:
    """EVPN multihoming and MLAG exclude each other."""
    multihoming = mapping(it.tree, "evpn", "multihoming")
    if switched_on(multihoming) and switched_on(mapping(it.tree, "mlag")):
        yield Invalid(("evpn", "multihoming"), "EVPN multihoming and MLAG exclude each other")


def trimming_possible(it: Candidate) -> Iterator[Invalid]:
    """Packet trimming needs a chip that can, no VXLAN, and a service port without other configuration."""
    trim = mapping(it.tree, "system", "forwarding", "packet-trim")
    if not switched_on(trim):
        return
    base = ("system", "forwarding", "packet-trim")
    if not it.panel.model.asic.packet_trim:
        yield Invalid(base, f"{it.panel.model.asic.name} does not support packet trimming")
    if switched_on(mapping(it.tree, "nve", "vxlan")):
        yield Invalid(base, "packet trimming and VXLAN exclude each other")
    port = trim.get("service-port")
    if isinstance(port, str) and not _only_type(it.interfaces.get(port)):
        yield Invalid((*base, "service-port"), f"service port {port} must be free of other configuration")


def acl_defined(it: Candidate) -> Iterator[Invalid]:
    """An access list on a port must be defined."""
    known = mapping(it.tree, "acl")
    for name, interface in it.interfaces.items():
        for acl in mapping(interface, "acl"):
            if acl not in known:
                yield Invalid(("interface", name, "acl", acl), f"acl {acl} is not defined")


def ntp_vrf_defined(it: Candidate) -> Iterator[Invalid]:
    """System services run in VRFs that exist."""
    known = {"default", "mgmt", *mapping(it.tree, "vrf")}
    for service in ("ntp", "dns", "syslog"):
        held = mapping(it.tree, "system", service)
        places = [((), held), *((("server", key), mapping(value)) for key, value in mapping(held, "server").items())]
        for path, node in places:
            vrf = node.get("vrf")
            if isinstance(vrf, str) and vrf not in known:
                yield Invalid(("system", service, *path, "vrf"), f"vrf {vrf} is not defined")


def users_have_roles(it: Candidate) -> Iterator[Invalid]:
    """A user's role is built in or defined."""
    known = {"system-admin", "nvue-admin", "nvue-monitor", *mapping(it.tree, "system", "aaa", "role")}
    for name, user in mapping(it.tree, "system", "aaa", "user").items():
        role = mapping(user).get("role")
        if isinstance(role, str) and role not in known:
            yield Invalid(("system", "aaa", "user", name, "role"), f"role {role} is not defined")


def thresholds_in_order(it: Candidate) -> Iterator[Invalid]:
    """Marking starts at or below the size at which it is certain."""
    for profile, held in mapping(it.tree, "qos", "congestion-control").items():
        for traffic_class, values in mapping(held, "traffic-class").items():
            low, high = (mapping(values).get(f"{side}-threshold") for side in ("min", "max"))
            if isinstance(low, int) and isinstance(high, int) and low > high:
                path = ("qos", "congestion-control", profile, "traffic-class", traffic_class, "min-threshold")
                yield Invalid(path, f"min-threshold {low} is above max-threshold {high}")


RULES: tuple[Callable[[Candidate], Iterator[Invalid]], ...] = (
    breakout_allowed,
    port_exists,
    split_port_is_bare,
    speed_possible,
    vrf_defined,
    bgp_has_asn,
    peer_group_defined,
    neighbor_has_remote_as,
    neighbor_on_interface,
    bfd_profile_defined,
    route_map_defined,
    qos_profile_defined,
    pfc_or_link_pause,
    watchdog_needs_pfc,
    pools_fit,
    adaptive_routing_possible,
    bond_members_free,
    addresses_unique,
    svi_vlan_bridged,
    multihoming_or_mlag,
    trimming_possible,
    acl_defined,
    ntp_vrf_defined,
    users_have_roles,
    thresholds_in_order,
)
