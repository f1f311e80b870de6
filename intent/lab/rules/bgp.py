"""BGP and routing policy. Source: user guide, Border Gateway Protocol."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from intent.core.tree import Path
from intent.lab.facts import mapping
from intent.lab.rules.candidate import Candidate, Invalid, Rule


def bgp_has_asn(it: Candidate) -> Iterator[Invalid]:
    """BGP needs an autonomous system number."""
    for vrf, bgp in it.facts.bgp.items():
        if bgp.enabled and not bgp.asn:
            yield Invalid(("vrf", vrf, "router", "bgp"), "BGP is enabled without an autonomous-system")


def bgp_has_router_id(it: Candidate) -> Iterator[Invalid]:
    """BGP needs a router id, its own or the global one. Source: user guide, NVUE API, "Troubleshoot"."""
    for vrf, bgp in it.facts.bgp.items():
        if bgp.enabled and not bgp.router_id:
            yield Invalid(("vrf", vrf, "router", "bgp"), "BGP requires router-id to be set globally or in the VRF")


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


RULES: tuple[Rule, ...] = (
    bgp_has_asn,
    bgp_has_router_id,
    peer_group_defined,
    neighbor_has_remote_as,
    neighbor_on_interface,
    bfd_profile_defined,
    route_map_defined,
)
