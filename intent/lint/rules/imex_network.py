"""IMEX over a network that has no addresses.

`imex` names where the trays reach each other over IP: `management`, whose addresses stand in inventory/nodes.csv, or
an Ethernet fabric of the site. Ports of an InfiniBand fabric have none that the intent knows.

Bad:
    nvlink: {imex: quantum}           # kind: infiniband

Good:
    nvlink: {imex: management}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.schema.nvlink import MANAGEMENT


def rule() -> Rule:
    """The rule."""
    return Rule("L315", "imex-network", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        if site.nvlink is None or site.nvlink.imex is None or site.nvlink.imex.network == MANAGEMENT:
            continue
        network = site.nvlink.imex.network
        known = [MANAGEMENT, *(key for key, fabric in site.fabrics.items() if fabric.kind == "ethernet")]
        if network not in known:
            kind = "is an InfiniBand fabric" if network in site.fabrics else "is no fabric of the site"
            message = f"nvlink.imex: {network} {kind} - expected one of {', '.join(known)}"
            hint = "the network must give the trays IP addresses"
            yield Finding(message, ("sites", name, "nvlink", "imex"), hint=hint)
