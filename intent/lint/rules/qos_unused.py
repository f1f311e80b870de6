"""A QoS profile that no fabric uses.

Bad:
    qos: {roce-v2: {watchdog: {poll: 100ms}}}
    # and every fabric says: qos: roce-lossless

Good:
    qos: {roce-v2: {watchdog: {poll: 100ms}}}
    # and a fabric says: qos: {"*": roce-lossless, "plane=1": roce-v2}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L105", "qos-unused", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    fabrics = [fabric for site in context.document.sites.values() for fabric in site.fabrics.values()]
    used = {profile for fabric in fabrics for profile in fabric.qos.values()}
    for name in context.document.qos:
        if name not in used:
            yield Finding(f"QoS profile {name!r} is used by no fabric", ("qos", name), hint="use it, or delete it")
