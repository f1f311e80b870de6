"""A release older than the switch model.

Bad:
    releases: {cumulus: 5.9.1}         # and a switch that came with 5.15

Good:
    releases: {cumulus: 5.16.4}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.catalog.releases import numbers
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L212", "release-too-old", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        said: set[tuple[str, str]] = set()
        for device in fabric.switches:
            switch = context.catalog.switches.get(device.model)
            case = (device.model, device.release)
            if switch is None or not switch.first_release or not device.release or case in said:
                continue
            said.add(case)
            if numbers(device.release) < numbers(switch.first_release):
                message = (
                    f"{device.name}: Cumulus Linux {device.release} does not run on {switch.name} - "
                    f"expected {switch.first_release} or later"
                )
                yield Finding(message, ("sites", fabric.site, "releases", "cumulus"))
