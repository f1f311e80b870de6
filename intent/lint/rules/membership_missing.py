"""A node of a tenant that no selector of the membership picks.

It would silently be no member of the partition.

Bad:
    nodes: "ibg* sto*"
    partitions: {data: {fabric: quantum, membership: {"sto*": full}}}

Good:
    partitions: {data: {fabric: quantum, membership: {"sto*": full, "*": limited}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import shares


def rule() -> Rule:
    """The rule."""
    return Rule("L310", "membership-missing", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for share in shares(context):
        without = [node.name for node in share.nodes if not share.membership(node)]
        if without:
            more = f" and {len(without) - 1} more" if len(without) > 1 else ""
            yield Finding(
                f"partition {share.label}: no membership fits node {without[0]}{more}",
                share.path("membership"),
                hint='say what the others are: "*": full',
            )
