"""What a switch refuses at apply: what the chip and its tables can do."""

from __future__ import annotations

import pytest
from semantic_cases import AR, Bad, Good, names, port, refused, split, taken

from intent.lab.rules.forwarding import RULES

BAD: list[Bad] = [
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
        "multihoming_or_mlag",
        "SN5600",
        {"evpn": {"multihoming": {"state": "enabled"}}, "mlag": {"state": "enabled"}},
        "evpn.multihoming",
        "exclude each other",
    ),
    (
        "multihoming_possible",
        "SN5600",
        {"evpn": {"multihoming": {"state": "enabled"}}, "nve": {"vxlan": {"arp-nd-suppress": "disabled"}}},
        "nve.vxlan.arp-nd-suppress",
        "needs ARP and ND suppression",
    ),
    (
        "multihoming_possible",
        "SN5600",
        {
            "interface": {
                "bond1": {
                    "type": "bond",
                    "evpn": {
                        "multihoming": {"segment": {"identifier": "00:11:22:33:44:55:66:77:88:99", "local-id": 1}}
                    },
                }
            }
        },
        "interface.bond1.evpn.multihoming.segment.identifier",
        "both an identifier and a local-id",
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
]

GOOD: list[Good] = [
    ("SN5600", {"interface": {**split(1), "swp1s0": port(**AR), "swp1s1": port()}, **AR}),
    ("SN5640", {"interface": {"swp1": port(**AR)}}),
    (
        "SN5600",
        {
            "evpn": {"multihoming": {"state": "enabled"}},
            "nve": {"vxlan": {"state": "enabled", "arp-nd-suppress": "enabled"}},
            "bridge": {"domain": {"b": {"type": "vlan-aware"}}},
            "interface": {"bond1": {"type": "bond", "evpn": {"multihoming": {"segment": {"local-id": 1}}}}},
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
