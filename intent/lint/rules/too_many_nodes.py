"""More nodes than any site has: a range with a digit too many.

Bad:
    nodes: [{name: "n{1..90000}", type: dgx-b300}, {name: "m{1..90000}", type: dgx-b300}, {name: "o{1..90000}", ...}]

Good:
    nodes: [{name: "n{1..900}", type: dgx-b300}]
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.members import MOST, count
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L119", "too-many-nodes", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    total = 0
    for name, site in context.document.sites.items():
        total += count(site, context.catalog)
        if total > MOST:
            hint = "look for a range with a digit too many"
            yield Finding(f"site {name}: {total} nodes so far - expected at most {MOST}", ("sites", name), hint=hint)
            return
