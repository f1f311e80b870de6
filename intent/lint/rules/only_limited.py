"""A partition in which nobody can talk.

Two limited members of a partition cannot talk to each other; a full member can talk to both.

Bad:
    train: {fabric: quantum, membership: limited}

Good:
    train: {fabric: quantum, membership: full}
    storage: {fabric: quantum, membership: {"*": limited, "sto*": full}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import shares


def rule() -> Rule:
    """The rule."""
    return Rule("L305", "only-limited", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for share in shares(context):
        kinds = {share.membership(node) for node in share.nodes}
        if kinds == {"limited"}:
            yield Finding(
                f"partition {share.label}: all {len(share.nodes)} nodes are limited members, which cannot talk to each "
                "other",
                share.path("membership"),
                hint="make those full members that the others must reach",
            )
