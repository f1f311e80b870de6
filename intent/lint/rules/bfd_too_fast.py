"""BFD on unnumbered links is not offloaded to the chip, so faster than 3x900ms it fails under load.

Sessions between link-local addresses run on the switch's processor up to release 5.16.

Bad:
    underlay: {links: unnumbered, bfd: 3x300ms}

Good:
    underlay: {links: unnumbered, bfd: 3x900ms}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.core.units import BfdTimers
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L116", "bfd-too-fast", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    slowest = BfdTimers(3, 900)
    for name, site in context.document.sites.items():
        for key, fabric in site.fabrics.items():
            timers = fabric.underlay.bfd
            if timers.detection_ms < slowest.detection_ms:
                message = f"fabric {key}: BFD {timers} on unnumbered links - expected {slowest} or slower"
                yield Finding(message, ("sites", name, "fabrics", key, "underlay", "bfd"))
