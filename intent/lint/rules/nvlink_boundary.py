"""Trays of one rack that InfiniBand keeps apart and NVLink does not.

The GPUs of a rack share one NVLink domain. A partition of the fabric keeps trays apart only where the NVLink partition
has the same boundary.

Bad:
    tenants: {physics: {nodes: "ibg01-{01..09}", partitions: {train: {fabric: quantum}}}}

Good:
    tenants: {physics: {nodes: "ibg01-{01..09}", partitions: {train: {fabric: quantum}}, nvlink: {partition: auto}}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from intent.lint.members import attached, members
from intent.lint.racks import partitioned_racks
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import Holding, holdings, infiniband


def rule() -> Rule:
    """The rule."""
    return Rule("L308", "nvlink-boundary", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for holding in holdings(context):
        tenant = context.document.tenants[holding.tenant]
        parted = any(
            infiniband(context.document.sites[holding.site], item.fabric) for item in tenant.partitions.values()
        )
        shared = list(_shared_racks(context, holding))
        own = partitioned_racks(context, holding.site) if tenant.nvlink is not None else frozenset()
        open_ = [item for item in shared if item[0] not in own]
        if parted and open_:
            yield _shares_memory(holding, open_, left_out=tenant.nvlink is not None)
        closed = [rack for rack, _, _ in shared if rack in own]
        if closed and not parted and _attached(context, holding):
            yield Finding(
                f"tenant {holding.tenant} has NVLink partitions in rack {closed[0]} and no partition of the "
                "InfiniBand fabric its trays are attached to",
                holding.path,
                hint="say partitions: {train: {fabric: …}}",
            )


def _shares_memory(holding: Holding, racks: Sequence[tuple[str, int, int]], *, left_out: bool) -> Finding:
    rack, mine, trays = racks[0]
    more = f" and parts of {len(racks) - 1} more" if len(racks) > 1 else ""
    return Finding(
        f"tenant {holding.tenant} has {mine} of {trays} trays of rack {rack}{more} and no NVLink partition"
        f"{', for nvlink.racks leaves the rack out' if left_out else ''}: its GPUs share memory with those of the "
        "other trays",
        holding.path,
        hint=f"{'widen nvlink.racks' if left_out else 'say nvlink: {partition: auto}'}, or take whole racks",
    )


def _shared_racks(context: Context, holding: Holding) -> Iterator[tuple[str, int, int]]:
    """Racks of one NVLink domain that are not wholly the tenant's."""
    site = context.document.sites[holding.site]
    mine = Counter(node.rack for node in holding.nodes)
    trays = Counter(
        node.rack
        for node in members(holding.site, site, context.catalog)
        if node.rack in mine and context.catalog.nodes[node.kind].nvlink_switch_trays
    )
    return ((rack, mine[rack], count) for rack, count in trays.items() if mine[rack] < count)


def _attached(context: Context, holding: Holding) -> bool:
    site = context.document.sites[holding.site]
    return any(infiniband(site, key) and attached(holding.site, site, key, holding.nodes) for key in site.fabrics)
