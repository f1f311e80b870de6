"""A leaf with more links to one spine than to another.

Flows spread over links, so the spine with more links fills first and the others idle.

Bad:
    topology: {uplinks: 9, ...}        # over 4 spines

Good:
    topology: {uplinks: 8, ...}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.fabric.model import Device, Role, Tier
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L205", "uneven-uplinks", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        links: dict[str, Counter[str]] = {}
        spines: dict[tuple[str, int], list[str]] = {}
        for device in fabric.switches:
            if device.role is Role.SPINE:
                spines.setdefault(_part(device), []).append(device.name)
        for link in fabric.links:
            if link.tier is Tier.FABRIC:
                links.setdefault(link.a.device, Counter())[link.b.device] += 1
        for leaf, counts in links.items():
            numbers = [counts[spine] for spine in spines.get(_part(fabric.devices[leaf]), ())]
            if numbers and min(numbers) != max(numbers):
                message = f"{leaf}: {min(numbers)} to {max(numbers)} links per spine - expected the same to each"
                yield Finding(message, device=fabric.devices[leaf])


def _part(device: Device) -> tuple[str, int]:
    return device.fabric, device.plane
