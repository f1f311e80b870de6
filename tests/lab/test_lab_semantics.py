"""What a switch refuses at apply: that every subject's rules are asked, in the words of any release."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from semantic_cases import PANELS, SCHEMAS

from intent.lab import rules
from intent.lab.semantics import RULES, judge


def test_the_rules_of_every_subject_are_asked_once():
    subjects = [module.name for module in iter_modules(rules.__path__) if module.name != "candidate"]
    expected = [rule for name in subjects for rule in import_module(f"intent.lab.rules.{name}").RULES]
    assert sorted(rule.__name__ for rule in RULES) == sorted(rule.__name__ for rule in expected)
    assert len(subjects) >= 6


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
