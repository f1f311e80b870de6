"""The AS numbers of two sites overlap.

Two switches with one AS number refuse each other's routes.

Bad:
    a: {pools: {asns: 4200100000-4200199999, ...}, ...}
    b: {pools: {asns: 4200150000-4200159999, ...}, ...}

Good:
    b: {pools: {asns: 4200200000-4200299999, ...}, ...}
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L111", "asn-overlap", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for (a, one), (b, other) in combinations(context.document.sites.items(), 2):
        left, right = one.pools.asns, other.pools.asns
        if left.first <= right.last and right.first <= left.last:
            yield Finding(
                f"site {b}: AS numbers {right} overlap those of site {a}, {left}",
                ("sites", b, "pools", "asns"),
                hint="give each site its own range",
                related=((("sites", a, "pools", "asns"), f"site {a}: {left}"),),
            )
