"""Nodes that are full members of the default partition.

Every node reaches every other one there, whatever the tenants' partitions say. And no port can prove that the subnet
manager read its partitions: where the file is dropped every port becomes a full member, and here they all are.

Bad:
    subnet_manager: {default_membership: full}
    tenants: {physics: {nodes: "ibg*", partitions: {train: {fabric: quantum}}}}

Good:
    subnet_manager: {default_membership: limited}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import infiniband, shares


def rule() -> Rule:
    """The rule."""
    return Rule("L307", "default-full", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    kept_apart = {(share.holding.site, share.text.fabric) for share in shares(context)}
    for name, site in context.document.sites.items():
        for key, fabric in site.fabrics.items():
            full = infiniband(site, key) and fabric.subnet_manager.default_membership == "full"
            if full and (name, key) in kept_apart:
                yield Finding(
                    f"fabric {key}: nodes are full members of the default partition, so that tenants reach each other "
                    "and a lost partition file goes unseen",
                    ("sites", name, "fabrics", key, "subnet_manager", "default_membership"),
                    hint="default_membership: limited",
                )
