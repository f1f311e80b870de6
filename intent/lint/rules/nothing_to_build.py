"""A document or site that builds nothing.

A document without sites, or a site without fabrics, compiles to no device: most often an `include:` is missing.

Bad:
    sites: {par1: {}}

Good:
    sites:
      par1:
        nodes: [{name: "n{1..4}", type: dgx-b300}]
        fabrics: {east-west: {topology: {leaf: SN5600, spine: SN5600}, attach: {nodes: "n*"}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L101", "nothing-to-build", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    if not context.document.sites:
        yield Finding("the document has no site", ("name",), hint="add sites:, or include: the files that hold them")
    for name, site in context.document.sites.items():
        if not site.fabrics:
            yield Finding(f"site {name} has no fabric", ("sites", name), hint="add fabrics:")
