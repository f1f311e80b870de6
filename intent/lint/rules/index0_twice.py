"""Two keys for index 0 of one port.

A table has one index 0; the key that is written last takes it from the other.

Bad:
    train: {fabric: quantum, index0: true}
    data: {fabric: quantum, index0: true}

Good:
    train: {fabric: quantum, index0: true}
    data: {fabric: quantum}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import Share, shares


def rule() -> Rule:
    """The rule."""
    return Rule("L306", "index0-twice", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str, str], Share] = {}
    told: set[tuple[str, str]] = set()
    for share in shares(context):
        for node in share.nodes if share.text.index0 else ():
            other = first.setdefault((share.holding.site, share.text.fabric, node.name), share)
            if other is not share and (other.label, share.label) not in told:
                told.add((other.label, share.label))
                yield Finding(
                    f"partition {share.label}: index 0 of the ports of {node.name} is taken by {other.label}",
                    share.path("index0"),
                    hint="say index0 for one of the two",
                    related=((other.path("index0"), "taken here first"),),
                )
