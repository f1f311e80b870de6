"""Two pools of addresses overlap.

Loopbacks, host links and management would get the same addresses; two sites would, too.

Bad:
    pools: {loopbacks: 10.64.0.0/18, hosts: 10.64.0.0/12}

Good:
    pools: {loopbacks: 10.255.0.0/18, hosts: 10.64.0.0/12}
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L110", "prefix-overlap", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for (before, what_before, one), (after, what_after, other) in combinations(_prefixes(context), 2):
        if one.overlaps(other):
            yield Finding(
                f"{what_after} {other} overlaps {what_before} {one}",
                after,
                hint="give each its own prefix",
                related=((before, f"{what_before} {one}"),),
            )


def _prefixes(context: Context) -> Iterator[tuple[Location, str, IPv4Network]]:
    for name, site in context.document.sites.items():
        base: Location = ("sites", name)
        yield (*base, "pools", "loopbacks"), f"site {name}: pool loopbacks", site.pools.loopbacks
        yield (*base, "pools", "hosts"), f"site {name}: pool hosts", site.pools.hosts
        if site.management:
            yield (*base, "management", "prefix"), f"site {name}: management prefix", site.management.prefix
