"""What a switch refuses at apply: BGP and routing policy."""

from __future__ import annotations

import pytest
from semantic_cases import UNNUMBERED, Bad, Good, bgp, names, port, refused, taken

from intent.lab.rules.bgp import RULES

BAD: list[Bad] = [
    (
        "bgp_has_asn",
        "SN5600",
        {"vrf": {"default": {"router": {"bgp": {"state": "enabled"}}}}},
        "vrf.default.router.bgp",
        "without an autonomous-system",
    ),
    (
        "bgp_has_router_id",
        "SN5600",
        {"vrf": {"default": {"router": {"bgp": {"state": "enabled", "autonomous-system": 65001}}}}},
        "vrf.default.router.bgp",
        "requires router-id",
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
]

GOOD: list[Good] = [
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
            "router": {"bgp": {"autonomous-system": 65001, "router-id": "10.0.0.1"}},
            "vrf": {"default": {"router": {"bgp": {"state": "enabled"}}}},
        },
    ),
]


@pytest.mark.parametrize("case", BAD, ids=names(BAD))
def test_a_rule_names_place_and_reason(case):
    refused(case, RULES)


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} == {case[0] for case in BAD}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_right_passes(case):
    taken(case)
