"""A leaf has less capacity to the spines than the intent asks for.

Bad:
    topology: {oversubscription: "1:1", uplinks: 32, ...}      # and 64 host ports per leaf

Good:
    topology: {oversubscription: "2:1", uplinks: 32, ...}
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from intent.core.diagnostic import Severity
from intent.fabric.model import Device, Fabric, Role, Tier
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L210", "oversubscribed", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        site = context.document.sites.get(fabric.site)
        worst: dict[str, tuple[Fraction, Device]] = {}
        for leaf, down, up in _capacity(fabric):
            ratio = Fraction(down, up) if up else Fraction(0)
            if ratio > worst.get(leaf.fabric, (Fraction(0), leaf))[0]:
                worst[leaf.fabric] = (ratio, leaf)
        for key, (ratio, leaf) in worst.items():
            wanted = site.fabrics[key].topology.oversubscription if site and key in site.fabrics else None
            if wanted and ratio > wanted.value:
                message = (
                    f"{leaf.name}: capacity down to up is {ratio.numerator}:{ratio.denominator} - expected {wanted}"
                )
                yield Finding(message, ("sites", fabric.site, "fabrics", key, "topology"))


def _capacity(fabric: Fabric) -> Iterator[tuple[Device, int, int]]:
    down: dict[str, int] = {}
    up: dict[str, int] = {}
    for link in fabric.links:
        if fabric.devices[link.a.device].role is Role.MANAGER:
            continue  # their few packets are no load
        leaf, side = (link.b.device, down) if link.tier is Tier.HOST else (link.a.device, up)
        side[leaf] = side.get(leaf, 0) + link.speed_gbps
    for name, gbps in down.items():
        yield fabric.devices[name], gbps, up.get(name, 0)
