"""What a switch refuses at apply: quality of service."""

from __future__ import annotations

import pytest
from semantic_cases import Bad, Good, names, port, refused, taken

from intent.lab.rules.qos import RULES

BAD: list[Bad] = [
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

GOOD: list[Good] = [
    (
        "SN5600",
        {
            "qos": {"roce": {"state": "enabled", "mode": "lossless"}},
            "interface": {"swp1": port(qos={"pfc-watchdog": {"state": "enable"}})},
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
