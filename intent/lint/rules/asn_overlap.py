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

from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L111", "asn-overlap", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    names = list(context.document.sites)
    furthest = ""
    asns = {name: site.pools.asns for name, site in context.document.sites.items()}
    for name in sorted(names, key=lambda item: (asns[item].first, asns[item].last)):
        if furthest and asns[name].first <= asns[furthest].last:
            a, b = sorted((furthest, name), key=names.index)
            yield Finding(
                f"site {b}: AS numbers {asns[b]} overlap those of site {a}, {asns[a]}",
                ("sites", b, "pools", "asns"),
                hint="give each site its own range",
                related=((("sites", a, "pools", "asns"), f"site {a}: {asns[a]}"),),
            )
        if not furthest or asns[name].last > asns[furthest].last:
            furthest = name
