"""One key for two partitions of a fabric.

Ports of both would be one partition. The top bit is a port's membership: 0x8001 and 0x0001 are one key.

Bad:
    a: {fabric: quantum, pkey: 0x8001}
    b: {fabric: quantum, pkey: 0x0001}

Good:
    a: {fabric: quantum, pkey: 0x8001}
    b: {fabric: quantum, pkey: auto}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import Share, shares


def rule() -> Rule:
    """The rule."""
    return Rule("L304", "partition-key-twice", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str, int], Share] = {}
    for share in shares(context):
        key = share.text.pkey
        if key.auto:
            continue
        other = first.setdefault((share.holding.site, share.text.fabric, key.number), share)
        if other is not share:
            yield Finding(
                f"partition {share.label}: key {key} of fabric {share.text.fabric} is that of {other.label}",
                share.path("pkey"),
                hint="take another key, or auto",
                related=((other.path("pkey"), "taken here first"),),
            )
