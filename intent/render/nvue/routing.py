"""The underlay: eBGP on every leaf-spine link, BFD, ECMP, adaptive routing, and what may be announced."""

from __future__ import annotations

from intent.core.tree import Tree
from intent.fabric.model import Role, Tier
from intent.render.artifact import Origin
from intent.render.nvue.facts import Facts, Part

_GROUP = "fabric"
_BFD = "fabric"
_CONNECTED = "fabric-connected"
_OWN_ROUTES = "own-routes"
# Paths BGP may install side by side; the most a release before 5.15 takes (NVUE schema, multipaths.ebgp).
_PATHS = 128


def routing(facts: Facts) -> Part:
    """Routing of a switch."""
    part = Part()
    origin = facts.of_fabric("underlay", "underlay")
    number = facts.of_site("AS number pool", "pools", "asns")
    part.own(
        ("router", "bgp"),
        {
            "state": "enabled",
            "autonomous-system": facts.device.asn,
            "router-id": facts.device.loopback,
        },
        origin,
    )
    part.origins["router", "bgp", "autonomous-system"] = number
    part.origins["router", "bgp", "router-id"] = facts.of_site("loopback pool", "pools", "loopbacks")
    _bfd(facts, part)
    _policy(facts, part, origin)
    part.own(("vrf", "default", "router", "bgp"), _bgp(facts, part), origin)
    _adaptive(facts, part)
    return part


def _bfd(facts: Facts, part: Part) -> None:
    timers = facts.text.underlay.bfd
    profile = {
        "detect-multiplier": timers.multiplier,
        "min-rx-interval": timers.interval_ms,
        "min-tx-interval": timers.interval_ms,
    }
    part.own(
        ("router", "bfd"),
        {"state": "enabled", "profile": {_BFD: profile}},
        facts.of_fabric("BFD timers", "underlay", "bfd"),
    )


def _policy(facts: Facts, part: Part, origin: Origin) -> None:
    pools = facts.site.pools
    allowed: Tree = {str(pools.loopbacks): {"min-prefix-len": 32, "max-prefix-len": 32}}
    if facts.device.role is Role.LEAF:
        allowed[str(pools.hosts)] = {"min-prefix-len": 31, "max-prefix-len": 31}
    rules: Tree = {
        str(10 * number): {"action": "permit", "match": {prefix: lengths}}
        for number, (prefix, lengths) in enumerate(allowed.items(), 1)
    }
    part.own(("router", "policy", "prefix-list", _CONNECTED), {"type": "ipv4", "rule": rules}, origin)
    permit = {"action": {"permit": {}}, "match": {"type": "ipv4", "ip-prefix-list": _CONNECTED}}
    part.own(("router", "policy", "route-map", _CONNECTED), {"rule": {"10": permit}}, origin)
    if facts.device.role is Role.LEAF:
        # A leaf announces its own routes only, so that no path ever goes spine-leaf-spine: such a valley is how
        # lossless traffic gets into a circle of paused buffers.
        own = {"rule": {"10": {"action": "permit", "aspath-exp": "^$"}}}
        part.own(("router", "policy", "as-path-list", _OWN_ROUTES), own, origin)


def _bgp(facts: Facts, part: Part) -> Tree:
    unicast: Tree = {"state": "enabled"}
    if facts.device.role is Role.LEAF:
        unicast["policy"] = {"outbound": {"aspath-list": _OWN_ROUTES}}
    group: Tree = {"bfd": {"profile": _BFD}, "address-family": {"ipv4-unicast": unicast}}
    return {
        "state": "enabled",
        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
        "address-family": {
            "ipv4-unicast": {
                "state": "enabled",
                "multipaths": {"ebgp": _PATHS},
                "redistribute": {"connected": {"state": "enabled", "route-map": _CONNECTED}},
            }
        },
        "peer-group": {_GROUP: group},
        "neighbor": _neighbors(facts, part),
    }


def _neighbors(facts: Facts, part: Part) -> Tree:
    neighbors: Tree = {}
    origin = facts.of_site("AS number of the neighbour", "pools", "asns")
    for port, end, link in facts.fabric.neighbors(facts.device.name):
        if link.tier is Tier.FABRIC:
            # The peer's own number, not `external`, so that a swapped cable is a session that stays down.
            remote = facts.fabric.devices[end.device].asn
            neighbors[port.name] = {"type": "unnumbered", "remote-as": remote, "peer-group": _GROUP}
            part.origins["vrf", "default", "router", "bgp", "neighbor", port.name, "remote-as"] = origin
    return neighbors


def _adaptive(facts: Facts, part: Part) -> None:
    ports = facts.device.ports.values()
    if facts.text.adaptive_routing and any(facts.hardware.asic.routes_adaptively(port.speed_gbps) for port in ports):
        origin = facts.of_fabric("adaptive routing", "adaptive_routing")
        part.own(("router", "adaptive-routing"), {"state": "enabled"}, origin)
    else:
        part.owned.append(("router", "adaptive-routing"))
