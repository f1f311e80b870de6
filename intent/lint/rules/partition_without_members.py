"""A partition of a fabric the tenant's nodes are not attached to.

Nothing is built of it, or only a part: nodes without a port there are no members.

Bad:
    quantum: {kind: infiniband, attach: {racks: "ibg*"}, ...}
    tenants: {physics: {nodes: "gpu01", partitions: {train: {fabric: quantum}}}}

Good:
    tenants: {physics: {nodes: "ibg01", partitions: {train: {fabric: quantum}}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import shares


def rule() -> Rule:
    """The rule."""
    return Rule("L309", "partition-without-members", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for share in shares(context):
        if not share.nodes:
            yield Finding(
                f"partition {share.label}: none of the {len(share.holding.nodes)} nodes of the tenant in "
                f"{share.holding.site} has a port in fabric {share.text.fabric}",
                share.path("fabric"),
                hint="name the fabric they are attached to, or attach them",
            )
