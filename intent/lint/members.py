"""The nodes a site will have, as far as the document and the catalog say; what a selector picks among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from intent.catalog.hardware import Catalog
from intent.core import ranges, selector
from intent.schema.model import Site
from intent.schema.sources import Location

MOST = 200_000
"""Nodes of a document beyond which it is refused and rules stop looking."""


@dataclass(frozen=True, slots=True)
class Member:
    """One node.

    Args:
        name: its name.
        rack: rack it stands in; empty when none is named.
        kind: its type as written.
        path: location of the entry that makes it, below the document.
    """

    name: str
    rack: str
    kind: str
    path: Location


def members(name: str, site: Site, catalog: Catalog) -> tuple[Member, ...]:
    """Every node of the site, in the order written; racks of a type the catalog does not have are left out."""
    return tuple(islice(_members(name, site, catalog), MOST))


def count(site: Site, catalog: Catalog) -> int:
    """How many nodes the site will have, without making them."""
    standing = sum(ranges.count(entry.name) for entry in site.nodes)
    kinds = ((racks, catalog.nodes.get(racks.type)) for racks in site.racks)
    return standing + sum(ranges.count(racks.name) * max(kind.trays, 1) for racks, kind in kinds if kind)


def attached(name: str, site: Site, fabric: str, nodes: tuple[Member, ...]) -> tuple[Member, ...]:
    """The nodes that a fabric's `attach` picks."""
    attach = site.fabrics[fabric].attach
    by_node = selector.parse(attach.nodes) if attach.nodes else None
    by_rack = selector.parse(attach.racks) if attach.racks else None
    return tuple(
        node
        for node in nodes
        if (by_node and by_node.matches(labels(name, node))) or (by_rack and _racked(by_rack, name, node))
    )


def labels(site: str, node: Member) -> dict[str, str]:
    """Labels by which a selector of nodes picks one."""
    return {"name": node.name, "type": node.kind, "role": "node", "site": site} | (
        {"rack": node.rack} if node.rack else {}
    )


def _racked(wanted: selector.Selector, site: str, node: Member) -> bool:
    labels = {"name": node.rack, "rack": node.rack, "type": node.kind, "site": site}
    return bool(node.rack) and wanted.matches(labels)


def _members(name: str, site: Site, catalog: Catalog) -> Iterator[Member]:
    for number, entry in enumerate(site.nodes):
        path: Location = ("sites", name, "nodes", number, "name")
        for node in ranges.expand(entry.name):
            yield Member(node, entry.rack or "", entry.type, path)
    for number, racks in enumerate(site.racks):
        path = ("sites", name, "racks", number, "name")
        kind = catalog.nodes.get(racks.type)
        for rack in ranges.expand(racks.name) if kind else ():
            for tray in range(1, kind.trays + 1 if kind else 0):
                node = site.names.node.format(site=name, rack=rack, n=tray)
                yield Member(node, rack, racks.type, path)
