"""One NVLink domain in two sites.

A domain is one rack, and a rack stands in one site: two of them would take its GPUs from each other.

Bad:
    par1: {nvlink: {domains: {ibg01: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}}
    lon1: {nvlink: {domains: {gpu01: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}}

Good:
    par1: {nvlink: {domains: {ibg01: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}}
    lon1: {nvlink: {domains: {gpu01: 5d7e9f10-1b2c-4d3e-8f40-a1b2c3d4e5f6}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L314", "nvlink-domain-twice", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    first: dict[str, tuple[str, str, Location]] = {}
    for name, site in context.document.sites.items():
        for rack, domain in (site.nvlink.domains if site.nvlink else {}).items():
            path: Location = ("sites", name, "nvlink", "domains", rack)
            other, twin, place = first.setdefault(domain.uuid, (name, rack, path))
            if other != name:
                yield Finding(
                    f"NVLink domain {domain.uuid} of {name}/{rack} is that of {other}/{twin} too",
                    path,
                    hint="a domain is one rack: NMX-M shows the identifier of each",
                    related=((place, f"given to {other}/{twin} here"),),
                )
