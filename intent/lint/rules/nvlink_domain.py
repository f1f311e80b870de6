"""A rack whose NVLink domain nobody names.

A tenant asks for NVLink partitions and NMX-M cannot be told of them: the GPUs of the rack stay in one partition.

Bad:
    tenants: {physics: {nodes: "ibg01-{01..09}", nvlink: {partition: auto}, ...}}

Good:
    nvlink: {address: 10.1.0.30, domains: {ibg01: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.racks import partitioned_racks
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import holdings


def rule() -> Rule:
    """The rule."""
    return Rule("L312", "nvlink-domain", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for holding in holdings(context):
        if context.document.tenants[holding.tenant].nvlink is None:
            continue
        site = context.document.sites[holding.site]
        known = site.nvlink.domains if site.nvlink else {}
        racks = dict.fromkeys(
            node.rack for node in holding.nodes if context.catalog.nodes[node.kind].nvlink_switch_trays
        )
        picked = partitioned_racks(context, holding.site)
        left_out = [rack for rack in racks if rack not in picked]
        if left_out:
            more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
            yield Finding(
                f"tenant {holding.tenant}: nvlink.racks leaves out rack {left_out[0]}{more}, so that it has no NVLink "
                "partition there",
                ("tenants", holding.tenant, "nvlink"),
                hint=f"widen sites.{holding.site}.nvlink.racks",
            )
        missing = [rack for rack in racks if rack in picked and rack not in known]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            yield Finding(
                f"tenant {holding.tenant}: the NVLink domain of rack {missing[0]}{more} is not known, so that it is "
                "not rendered",
                ("tenants", holding.tenant, "nvlink"),
                hint=f"name it under sites.{holding.site}.nvlink.domains; NMX-M shows the identifier",
            )
