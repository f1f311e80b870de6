"""A NIC that does not meet the leaf of its rail.

With `attach_by: rail` NIC k of every node is on a leaf of rail k, so that traffic within a rail crosses one switch.

Bad:
    # NIC 3 of a node on a leaf of rail 4

Good:
    # NIC 3 of a node on a leaf of rail 3
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.model import Tier
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L207", "rail-crossing", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        for link in fabric.links:
            leaf = fabric.devices[link.b.device]
            if link.tier is Tier.HOST and leaf.rail and link.rail != leaf.rail:
                message = f"{link.a.device} {link.a.port} of rail {link.rail} is on {leaf.name} of rail {leaf.rail}"
                yield Finding(message, device=leaf)
