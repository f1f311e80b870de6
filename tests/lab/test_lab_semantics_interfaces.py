"""What a switch refuses at apply: interfaces of any kind."""

from __future__ import annotations

import pytest
from semantic_cases import Bad, Good, names, port, refused, taken

from intent.lab.rules.interfaces import RULES

BAD: list[Bad] = [
    ("vrf_defined", "SN5600", {"interface": {"swp1": port(vrf="RED")}}, "interface.swp1.vrf", "vrf RED is not defined"),
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
    ("acl_defined", "SN5600", {"interface": {"swp1": port(acl={"A": {}})}}, "interface.swp1.acl.A", "acl A is not"),
]

GOOD: list[Good] = [
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


@pytest.mark.parametrize("case", BAD, ids=names(BAD))
def test_a_rule_names_place_and_reason(case):
    refused(case, RULES)


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} == {case[0] for case in BAD}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_right_passes(case):
    taken(case)
