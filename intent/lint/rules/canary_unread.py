"""A fabric with tenants whose UFM has no host in the intent.

UFM's REST API shows no tables of ports, so nobody can be asked whether a port that is to be limited holds 0xffff: the
proof that the fabric did not fall open. The verdict stays unknown after every change. Which settings of the subnet
manager its REST API does not take either is told as M018.

Bad:
    subnet_manager: {by: ufm, vip: 10.1.0.20}

Good:
    subnet_manager: {by: ufm, vip: 10.1.0.20, hosts: [{name: ufm1, address: 10.1.0.21}]}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import infiniband, shares


def rule() -> Rule:
    """The rule."""
    return Rule("L320", "canary-unread", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    kept_apart = {(share.holding.site, share.text.fabric) for share in shares(context)}
    for name, site in context.document.sites.items():
        for key, fabric in site.fabrics.items():
            manager = fabric.subnet_manager
            if infiniband(site, key) and manager.by == "ufm" and not manager.hosts and (name, key) in kept_apart:
                yield Finding(
                    f"fabric {key}: UFM has no host here that could be asked for the keys of ports, so that a lost "
                    "partition file goes unseen",
                    ("sites", name, "fabrics", key, "subnet_manager"),
                    hint="name its hosts under subnet_manager.hosts; they are reached by ssh",
                )
