"""What a switch refuses at apply: each rule with a tree that breaks it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from intent.catalog.hardware import Catalog
from intent.catalog.releases import release_schema
from intent.lab.hardware import Panel
from intent.lab.semantics import RULES, judge
from intent.lab.walker import Schema

PANELS = {name: Panel.of(Catalog.load().switch(name)) for name in ("SN5600", "SN4700", "SN4600", "SN5640", "SN2201")}
SCHEMAS = {release: Schema(release_schema(release)) for release in ("5.9", "5.16")}


def split(*cages: int, parts: int = 2) -> dict[str, Any]:
    return {f"swp{cage}": {"type": "swp", "link": {"breakout": {f"{parts}x": {}}}} for cage in cages}


def bgp(neighbor: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    held = {"state": "enabled", "autonomous-system": 65001, "neighbor": neighbor or {}, **more}
    return {"default": {"router": {"bgp": held}}}


def port(**parts: Any) -> dict[str, Any]:
    return {"type": "swp", **parts}


AR = {"router": {"adaptive-routing": {"state": "enabled"}}}
UNNUMBERED = {"type": "unnumbered", "remote-as": 65101}

BAD: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("port_exists", "SN5600", {"interface": {"swp1s0": port()}}, "interface.swp1s0", "needs a breakout of swp1"),
    ("port_exists", "SN5600", {"interface": {**split(1), "swp1s2": port()}}, "interface.swp1s2", "split into 2"),
    ("port_exists", "SN5600", {"interface": {"swp99": port()}}, "interface.swp99", "has no port swp99"),
    (
        "port_exists",
        "SN5600",
        {"interface": {**split(1, parts=8), "swp2": port(description="x")}},
        "interface.swp2",
        "disabled by the breakout of swp1",
    ),
    (
        "port_exists",
        "SN5600",
        {"interface": {**split(1, parts=8), **split(2)}},
        "interface.swp2",
        "disabled by the breakout of swp1",
    ),
    (
        "breakout_allowed",
        "SN5600",
        {"interface": split(2, parts=8)},
        "interface.swp2.link.breakout",
        "does not support breakout 8x",
    ),
    (
        "breakout_allowed",
        "SN4600",
        {"interface": split(2, parts=4)},
        "interface.swp2.link.breakout",
        "does not support breakout 4x",
    ),
    (
        "breakout_allowed",
        "SN5600",
        {"interface": {"bond1": {"type": "bond", "link": {"breakout": {"2x": {}}}}}},
        "interface.bond1.link.breakout",
        "not a front-panel port",
    ),
    (
        "split_port_is_bare",
        "SN5600",
        {"interface": {"swp1": port(link={"breakout": {"2x": {}}}, ipv4={"address": {"10.0.0.0/31": {}}})}},
        "interface.swp1.ipv4",
        "configure its parts",
    ),
    (
        "speed_possible",
        "SN5600",
        {"interface": {**split(1), "swp1s0": port(link={"speed": "800G"})}},
        "interface.swp1s0.link.speed",
        "800G is not one of 400G",
    ),
    ("vrf_defined", "SN5600", {"interface": {"swp1": port(vrf="RED")}}, "interface.swp1.vrf", "vrf RED is not defined"),
    (
        "bgp_has_asn",
        "SN5600",
        {"vrf": {"default": {"router": {"bgp": {"state": "enabled"}}}}},
        "vrf.default.router.bgp",
        "without an autonomous-system",
    ),
    (
        "peer_group_defined",
        "SN5600",
        {"interface": {"swp1": port()}, "vrf": bgp({"swp1": {**UNNUMBERED, "peer-group": "G"}})},
        "vrf.default.router.bgp.neighbor.swp1.peer-group",
        "peer-group G is not defined",
    ),
    (
        "neighbor_has_remote_as",
        "SN5600",
        {"interface": {"swp1": port()}, "vrf": bgp({"swp1": {"type": "unnumbered"}})},
        "vrf.default.router.bgp.neighbor.swp1",
        "no remote-as",
    ),
    (
        "neighbor_on_interface",
        "SN5600",
        {"vrf": bgp({"swp1": UNNUMBERED})},
        "vrf.default.router.bgp.neighbor.swp1",
        "interface swp1 does not exist",
    ),
    (
        "neighbor_on_interface",
        "SN5600",
        {"interface": {"swp1": port(vrf="RED")}, "vrf": {**bgp({"swp1": UNNUMBERED}), "RED": {}}},
        "vrf.default.router.bgp.neighbor.swp1",
        "is in vrf RED",
    ),
    (
        "bfd_profile_defined",
        "SN5600",
        {"interface": {"swp1": port()}, "vrf": bgp({"swp1": {**UNNUMBERED, "bfd": {"profile": "fast"}}})},
        "vrf.default.router.bgp.neighbor.swp1.bfd.profile",
        "BFD profile fast is not defined",
    ),
    (
        "route_map_defined",
        "SN5600",
        {"vrf": bgp(**{"address-family": {"ipv4-unicast": {"redistribute": {"connected": {"route-map": "OUT"}}}}})},
        "vrf.default.router.bgp.address-family.ipv4-unicast.redistribute.connected.route-map",
        "route-map OUT is not defined",
    ),
    (
        "route_map_defined",
        "SN5600",
        {"router": {"policy": {"route-map": {"M": {"rule": {"10": {"match": {"ip-prefix-list": "L"}}}}}}}},
        "router.policy.route-map.M.rule.10.match.ip-prefix-list",
        "prefix-list L is not defined",
    ),
    (
        "qos_profile_defined",
        "SN5600",
        {"interface": {"swp1": port(qos={"remark": {"profile": "edge"}})}},
        "interface.swp1.qos.remark.profile",
        "qos remark profile edge is not defined",
    ),
    (
        "pfc_or_link_pause",
        "SN5600",
        {
            "qos": {"pfc": {"p": {"tx": "enable"}}, "link-pause": {"l": {"tx": "enable"}}},
            "interface": {"swp1": port(qos={"pfc": {"profile": "p"}, "link-pause": {"profile": "l"}})},
        },
        "interface.swp1.qos.link-pause",
        "link-pause and pfc",
    ),
    (
        "pfc_or_link_pause",
        "SN5600",
        {
            "qos": {"roce": {"state": "enabled", "mode": "lossless"}, "link-pause": {"l": {"tx": "enable"}}},
            "interface": {"swp1": port(qos={"link-pause": {"profile": "l"}})},
        },
        "interface.swp1.qos.link-pause",
        "link-pause and pfc",
    ),
    (
        "watchdog_needs_pfc",
        "SN5600",
        {"interface": {"swp1": port(qos={"pfc-watchdog": {"state": "enable"}})}},
        "interface.swp1.qos.pfc-watchdog",
        "needs PFC",
    ),
    (
        "pools_fit",
        "SN5600",
        {"qos": {"traffic-pool": {"default-lossy": {"memory-percent": 60}, "roce-lossless": {"memory-percent": 60}}}},
        "qos.traffic-pool",
        "120, more than 100",
    ),
    (
        "adaptive_routing_possible",
        "SN5600",
        {"interface": {"swp1": port(**AR)}},
        "interface.swp1.router.adaptive-routing",
        "not supported at 800G on Spectrum-4",
    ),
    (
        "adaptive_routing_possible",
        "SN4700",
        {"interface": {"swp1": port(**AR)}},
        "interface.swp1.router.adaptive-routing",
        "Spectrum-3 does not support",
    ),
    (
        "adaptive_routing_possible",
        "SN4700",
        AR,
        "router.adaptive-routing",
        "Spectrum-3 does not support",
    ),
    (
        "adaptive_routing_possible",
        "SN5600",
        {"interface": {"vlan10": {"type": "svi", "vlan": 10, **AR}}, "bridge": {"domain": {"b": {"vlan": {"10": {}}}}}},
        "interface.vlan10.router.adaptive-routing",
        "not supported on svi",
    ),
    (
        "adaptive_routing_possible",
        "SN5600",
        {"interface": {"bond1": {"type": "bond", **AR}}},
        "interface.bond1.router.adaptive-routing",
        "not supported on bond",
    ),
    (
        "adaptive_routing_possible",
        "SN5600",
        {
            "interface": {
                **split(1),
                "swp1s0": port(**AR),
                "bond1": {"type": "bond", "bond": {"member": {"swp1s0": {}}}},
            }
        },
        "interface.swp1s0.router.adaptive-routing",
        "a bond member",
    ),
    (
        "adaptive_routing_possible",
        "SN5600",
        {"interface": {**split(1), "swp1s0": port(vrf="RED", **AR)}, "vrf": {"RED": {}}},
        "interface.swp1s0.router.adaptive-routing",
        "default VRF only",
    ),
    (
        "bond_members_free",
        "SN5600",
        {
            "interface": {
                "bond1": {"type": "bond", "bond": {"member": {"swp1": {}}}},
                "bond2": {"type": "bond", "bond": {"member": {"swp1": {}}}},
            }
        },
        "interface.bond2.bond.member.swp1",
        "already a member of bond1",
    ),
    (
        "bond_members_free",
        "SN5600",
        {"interface": {"bond1": {"type": "bond", "bond": {"member": {"swp1s3": {}}}}}},
        "interface.bond1.bond.member.swp1s3",
        "does not exist",
    ),
    (
        "addresses_unique",
        "SN5600",
        {
            "interface": {
                "swp1": port(ipv4={"address": {"10.0.0.1/31": {}}}),
                "swp2": port(ipv4={"address": {"10.0.0.1/24": {}}}),
            }
        },
        "interface.swp2.ipv4.address[10.0.0.1/24]",
        "already the address of swp1",
    ),
    (
        "svi_vlan_bridged",
        "SN5600",
        {"interface": {"vlan10": {"type": "svi", "vlan": 10}}},
        "interface.vlan10.vlan",
        "vlan 10 is not in a bridge",
    ),
    (
        "multihoming_or_mlag",
        "SN5600",
        {"evpn": {"multihoming": {"state": "enabled"}}, "mlag": {"state": "enabled"}},
        "evpn.multihoming",
        "exclude each other",
    ),
    (
        "trimming_possible",
        "SN5600",
        {
            "system": {"forwarding": {"packet-trim": {"state": "enabled", "service-port": "swp65"}}},
            "interface": {"swp65": port(description="busy")},
        },
        "system.forwarding.packet-trim.service-port",
        "must be free",
    ),
    (
        "trimming_possible",
        "SN4700",
        {"system": {"forwarding": {"packet-trim": {"state": "enabled"}}}},
        "system.forwarding.packet-trim",
        "Spectrum-3 does not support",
    ),
    ("acl_defined", "SN5600", {"interface": {"swp1": port(acl={"A": {}})}}, "interface.swp1.acl.A", "acl A is not"),
    (
        "ntp_vrf_defined",
        "SN5600",
        {"system": {"ntp": {"vrf": "oob"}}},
        "system.ntp.vrf",
        "vrf oob is not defined",
    ),
    (
        "users_have_roles",
        "SN5600",
        {"system": {"aaa": {"user": {"u": {"role": "king"}}}}},
        "system.aaa.user.u.role",
        "role king is not defined",
    ),
    (
        "thresholds_in_order",
        "SN5600",
        {
            "qos": {
                "congestion-control": {
                    "default-global": {"traffic-class": {"3": {"min-threshold": 2000000, "max-threshold": 1500000}}}
                }
            }
        },
        "qos.congestion-control.default-global.traffic-class.3.min-threshold",
        "above max-threshold",
    ),
]


@pytest.mark.parametrize(
    ("rule", "model", "tree", "location", "reason"), BAD, ids=[f"{c[0]}-{i}" for i, c in enumerate(BAD)]
)
def test_a_rule_names_place_and_reason(rule, model, tree, location, reason):
    assert SCHEMAS["5.16"].check(tree) == [], "the schema must let it pass"
    found = judge(tree, PANELS[model])
    assert [item.location for item in found if reason in item.reason] == [location]
    assert rule in {by.__name__ for by in RULES}


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} == {case[0] for case in BAD}


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("SN5600", {"interface": {**split(1), "swp1s0": port(**AR), "swp1s1": port()}, **AR}),
    ("SN5600", {"interface": {**split(1, parts=8), "swp2": {"type": "swp"}, "swp3": port(description="x")}}),
    ("SN5640", {"interface": {"swp1": port(**AR)}}),
    (
        "SN5600",
        {
            "interface": {"swp1": port(), "swp2": port(vrf="RED")},
            "router": {"bfd": {"profile": {"fast": {}}}},
            "vrf": {
                **bgp(
                    {"swp1": {"type": "unnumbered", "peer-group": "G"}},
                    **{"peer-group": {"G": {"remote-as": "external", "bfd": {"profile": "fast"}}}},
                ),
                "RED": {},
            },
        },
    ),
    (
        "SN5600",
        {
            "qos": {"roce": {"state": "enabled", "mode": "lossless"}},
            "interface": {"swp1": port(qos={"pfc-watchdog": {"state": "enable"}})},
        },
    ),
    (
        "SN5600",
        {
            "interface": {
                "swp1": port(ipv4={"address": {"10.0.0.1/31": {}}}),
                "swp2": port(ipv4={"address": {"10.0.0.1/31": {}}}, vrf="RED"),
                "bond1": {"type": "bond", "bond": {"member": {"swp3": {}}}},
            },
            "vrf": {"RED": {}},
        },
    ),
]


@pytest.mark.parametrize(("model", "tree"), GOOD)
def test_what_is_right_passes(model, tree):
    assert SCHEMAS["5.16"].check(tree) == []
    assert judge(tree, PANELS[model]) == []


def test_rules_read_the_words_of_5_9_too():
    tree = {
        "interface": {
            "swp1": {"type": "swp", "ip": {"vrf": "RED"}, "router": {"adaptive-routing": {"enable": "on"}}},
            "swp2": {"type": "swp", "ip": {"address": {"10.0.0.1/31": {}}}},
            "swp3": {"type": "swp", "ip": {"address": {"10.0.0.1/31": {}}}},
        }
    }
    assert SCHEMAS["5.9"].check(tree) == []
    assert {item.location for item in judge(tree, PANELS["SN5600"])} == {
        "interface.swp1.ip.vrf",
        "interface.swp1.router.adaptive-routing",
        "interface.swp3.ip.address[10.0.0.1/31]",
    }
