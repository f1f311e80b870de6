"""Racks with NVLink switches, as far as the document and the catalog say."""

from __future__ import annotations

from intent.core import ranges, selector
from intent.lint.rule import Context


def nvlink_racks(context: Context, site: str) -> tuple[str, ...]:
    """Every rack of a site whose type has NVLink switches, in the order written."""
    return tuple(name for name, _ in _racks(context, site))


def partitioned_racks(context: Context, site: str) -> frozenset[str]:
    """Those of them that `nvlink.racks` picks: all where nothing is said."""
    wanted = context.document.sites[site].nvlink
    racks = _racks(context, site)
    if wanted is None:
        return frozenset(name for name, _ in racks)
    picks = selector.parse(wanted.racks)
    return frozenset(name for name, kind in racks if picks.matches({"name": name, "rack": name, "type": kind}))


def _racks(context: Context, site: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for racks in context.document.sites[site].racks:
        kind = context.catalog.nodes.get(racks.type)
        if kind is not None and kind.nvlink_switch_trays:
            found += [(name, kind.name) for name in ranges.expand(racks.name)]
    return found
