"""What a switch refuses at apply: system services and accounts."""

from __future__ import annotations

import pytest
from semantic_cases import Bad, Good, names, refused, taken

from intent.lab.rules.services import RULES

BAD: list[Bad] = [
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
]

GOOD: list[Good] = [
    (
        "SN5600",
        {
            "vrf": {"oob": {}},
            "system": {"ntp": {"vrf": "oob"}, "aaa": {"user": {"u": {"role": "nvue-monitor"}}}},
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
