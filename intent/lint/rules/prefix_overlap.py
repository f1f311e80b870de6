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
from typing import TypeAlias

from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location

_Prefix: TypeAlias = tuple[Location, str, IPv4Network]


def rule() -> Rule:
    """The rule."""
    return Rule("L110", "prefix-overlap", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    written = list(enumerate(_prefixes(context)))
    around: list[tuple[int, _Prefix]] = []
    # Two prefixes overlap only when one contains the other, so a walk in order of addresses meets the outer one first.
    for number, prefix in sorted(written, key=lambda item: (item[1][2].network_address, item[1][2].prefixlen)):
        while around and around[-1][1][2].broadcast_address < prefix[2].network_address:
            around.pop()
        if around:
            first, second = sorted((around[-1], (number, prefix)), key=lambda item: item[0])
            yield _finding(first[1], second[1])
        around.append((number, prefix))


def _finding(first: _Prefix, second: _Prefix) -> Finding:
    (before, what_before, one), (after, what_after, other) = first, second
    return Finding(
        f"{what_after} {other} overlaps {what_before} {one}",
        after,
        hint="give each its own prefix",
        related=((before, f"{what_before} {one}"),),
    )


def _prefixes(context: Context) -> Iterator[_Prefix]:
    for name, site in context.document.sites.items():
        base: Location = ("sites", name)
        yield (*base, "pools", "loopbacks"), f"site {name}: pool loopbacks", site.pools.loopbacks
        yield (*base, "pools", "hosts"), f"site {name}: pool hosts", site.pools.hosts
        if site.management:
            yield (*base, "management", "prefix"), f"site {name}: management prefix", site.management.prefix
