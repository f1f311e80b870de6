"""What a switch refuses at apply although the schema lets it pass.

The rules stand in `intent.lab.rules`, one small function each, by subject. Sources: NVIDIA Cumulus Linux 5.16 user
guide and its release notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.lab.facts import extract
from intent.lab.hardware import Panel
from intent.lab.rules import bgp, forwarding, interfaces, ports, qos, services
from intent.lab.rules.candidate import Candidate, Invalid, Rule

RULES: tuple[Rule, ...] = (
    *ports.RULES,
    *interfaces.RULES,
    *bgp.RULES,
    *qos.RULES,
    *forwarding.RULES,
    *services.RULES,
)


def judge(tree: Mapping[str, Any], panel: Panel) -> list[Invalid]:
    """Every reason to refuse a tree, in order of the rules; empty when it may be applied."""
    facts = extract(tree)
    candidate = Candidate(tree, facts, panel, panel.layout(facts.splits))
    return [found for rule in RULES for found in rule(candidate)]
