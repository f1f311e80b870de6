"""Tenants against the sites they have nodes in, as far as the document and the catalog say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent.core import selector
from intent.lint.members import Member, attached, labels, members
from intent.lint.rule import Context
from intent.schema.model import Site
from intent.schema.sources import Location
from intent.schema.tenants import Partition


@dataclass(frozen=True, slots=True)
class Holding:
    """What a tenant has in one site.

    Args:
        tenant: its name.
        site: name of the site.
        nodes: its nodes there.
    """

    tenant: str
    site: str
    nodes: tuple[Member, ...]

    @property
    def path(self) -> Location:
        """Where the tenant's nodes are written."""
        return ("tenants", self.tenant, "nodes")


@dataclass(frozen=True, slots=True)
class Share:
    """One partition of a tenant in one site.

    Args:
        holding: the tenant's nodes in the site.
        name: name of the partition.
        text: as written.
        nodes: nodes of the tenant that the fabric attaches.
    """

    holding: Holding
    name: str
    text: Partition
    nodes: tuple[Member, ...]

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.holding.tenant}-{self.name}"

    def path(self, *more: str) -> Location:
        """Where it is written, or something in it."""
        return ("tenants", self.holding.tenant, "partitions", self.name, *more)

    def membership(self, node: Member) -> str:
        """Membership of a node: full, limited, or empty when no selector picks it."""
        chosen = selector.best(self.text.membership, labels(self.holding.site, node))
        return self.text.membership[chosen] if chosen else ""


def holdings(context: Context) -> Iterator[Holding]:
    """What each tenant has in each site; nothing where it has no node."""
    wanted = {name: selector.parse(tenant.nodes) for name, tenant in context.document.tenants.items()}
    for name, site in context.document.sites.items() if wanted else ():
        nodes = members(name, site, context.catalog)
        for tenant, picks in wanted.items():
            mine = tuple(node for node in nodes if picks.matches(labels(name, node)))
            if mine:
                yield Holding(tenant, name, mine)


def shares(context: Context) -> Iterator[Share]:
    """Every partition in every site whose fabrics it names, where the tenant has nodes."""
    for holding in holdings(context):
        site = context.document.sites[holding.site]
        for name, text in context.document.tenants[holding.tenant].partitions.items():
            if infiniband(site, text.fabric):
                yield Share(holding, name, text, attached(holding.site, site, text.fabric, holding.nodes))


def infiniband(site: Site, fabric: str) -> bool:
    """Whether a site has an InfiniBand fabric of a name."""
    return fabric in site.fabrics and site.fabrics[fabric].kind == "infiniband"
