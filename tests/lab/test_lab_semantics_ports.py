"""What a switch refuses at apply: front-panel ports."""

from __future__ import annotations

import pytest
from semantic_cases import AR, Bad, Good, names, port, refused, split, taken

from intent.lab.rules.ports import RULES

BAD: list[Bad] = [
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
]

GOOD: list[Good] = [
    ("SN5600", {"interface": {**split(1), "swp1s0": port(**AR), "swp1s1": port()}, **AR}),
    ("SN5600", {"interface": {**split(1, parts=8), "swp2": {"type": "swp"}, "swp3": port(description="x")}}),
]


@pytest.mark.parametrize("case", BAD, ids=names(BAD))
def test_a_rule_names_place_and_reason(case):
    refused(case, RULES)


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} == {case[0] for case in BAD}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_right_passes(case):
    taken(case)
