"""A reserved prefix that lies in no pool reserves nothing.

Bad:
    pools: {hosts: 10.64.0.0/12, reserved: [10.46.0.0/20]}

Good:
    pools: {hosts: 10.64.0.0/12, reserved: [10.64.0.0/20]}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L112", "reserved-outside", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        pools = [site.pools.loopbacks, site.pools.hosts, *([site.management.prefix] if site.management else [])]
        for number, reserved in enumerate(site.pools.reserved):
            if not any(reserved.overlaps(pool) for pool in pools):
                path = ("sites", name, "pools", "reserved", number)
                hint = "the pools are " + ", ".join(str(pool) for pool in pools)
                yield Finding(f"site {name}: reserved prefix {reserved} lies in no pool", path, hint=hint)
