"""A partition of a fabric that none of the tenant's nodes is attached to.

Nothing is built of it.

Bad:
    quantum: {kind: infiniband, attach: {racks: "ibg*"}, ...}
    tenants: {physics: {nodes: "gpu01", partitions: {train: {fabric: quantum}}}}

Good:
    tenants: {physics: {nodes: "ibg01", partitions: {train: {fabric: quantum}}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import holdings, infiniband, shares

_HINT = "name the fabric they are attached to, or attach them"


def rule() -> Rule:
    """The rule."""
    return Rule("L309", "partition-without-members", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    found: set[tuple[str, str]] = set()
    for share in shares(context):
        found.add((share.holding.tenant, share.name))
        if not share.nodes:
            yield Finding(
                f"partition {share.label}: none of the {len(share.holding.nodes)} nodes of the tenant in "
                f"{share.holding.site} has a port in fabric {share.text.fabric}",
                share.path("fabric"),
                hint=_HINT,
            )
    sites: dict[str, list[str]] = {}
    for holding in holdings(context):
        sites.setdefault(holding.tenant, []).append(holding.site)
    known = {key for site in context.document.sites.values() for key in site.fabrics if infiniband(site, key)}
    for tenant, names in sites.items():
        for name, partition in context.document.tenants[tenant].partitions.items():
            if partition.fabric in known and (tenant, name) not in found:
                yield Finding(
                    f"partition {tenant}-{name}: fabric {partition.fabric} is of another site than the tenant's nodes "
                    f"({', '.join(names)})",
                    ("tenants", tenant, "partitions", name, "fabric"),
                    hint=_HINT,
                )
