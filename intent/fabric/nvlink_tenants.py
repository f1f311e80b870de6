"""Tenants as NVLink partitions: in each rack the trays of a tenant, with the boundary that its P_Keys draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.fabric import nvlink
from intent.fabric.nodes import NodeSpec, Places
from intent.fabric.partitions import SitePartitions, nodes_of
from intent.schema.nvlink import SiteNvlink
from intent.schema.tenants import Tenant


def domains(nodes: Iterable[NodeSpec], site: SiteNvlink | None) -> tuple[nvlink.Domain, ...]:
    """NVLink domains of a site: one for each rack with NVLink switches that may be partitioned.

    Args:
        nodes: every node of the site.
        site: what is written of its NVLink: the racks, and the domain of each; of a rack of which nothing is said,
            chassis and slots are counted from 1.
    """
    written = site or SiteNvlink()
    known, picks = written.domains, selector.parse(written.racks)
    trays: dict[str, dict[str, int]] = {}
    gpus: dict[str, int] = {}
    for node in nodes:
        if node.kind.is_rack and node.kind.nvlink_switch_trays and picks.matches(rack_labels(node)):
            first = known[node.group].first_slot if node.group in known else 1
            trays.setdefault(node.group, {})[node.name] = first + node.ordinal
            gpus[node.group] = node.kind.gpus
    return tuple(
        nvlink.Domain(
            rack,
            nvlink.places(known[rack].chassis if rack in known else number, slots, gpus[rack]),
            written.multicast_groups,
        )
        for number, (rack, slots) in enumerate(trays.items(), 1)
    )


def rack_labels(node: NodeSpec) -> dict[str, str]:
    """Labels by which a selector of racks picks a node's rack."""
    return {"name": node.group, "rack": node.group, "type": node.kind.name}


def nvlink_partitions(
    tenants: Mapping[str, Tenant], site: str, nodes: Sequence[NodeSpec], racks: Sequence[nvlink.Domain], places: Places
) -> tuple[nvlink.Partition, ...]:
    """One partition for each tenant and rack.

    Args:
        tenants: as written.
        site: name of the site.
        nodes: every node of the site.
        racks: its domains.
        places: where things stand.
    """
    homes = {tray: domain for domain in racks for tray in domain.trays}
    found: list[nvlink.Partition] = []
    for name, tenant in tenants.items():
        if tenant.nvlink is None:
            continue
        span = places.span(("tenants", name, "nvlink"))
        held: dict[str, list[str]] = {}
        for node in nodes_of(tenant, site, nodes):
            if node.name in homes:
                held.setdefault(homes[node.name].name, []).extend(homes[node.name].trays[node.name])
        groups = tenant.nvlink.multicast_groups
        found.extend(
            nvlink.Partition(name, domain, tuple(gpus), name, multicast_groups=groups, span=span)
            for domain, gpus in held.items()
        )
    return tuple(found)


def judge(
    racks: Sequence[nvlink.Domain], partitions: Sequence[nvlink.Partition], keys: SitePartitions
) -> tuple[Diagnostic, ...]:
    """What is wrong with NVLink partitions, by themselves and against the P_Keys of the same trays.

    Args:
        racks: the site's domains.
        partitions: from `nvlink_partitions`.
        keys: partitions of the site's InfiniBand fabrics.
    """
    # Places are counted within a rack: with several racks of one chassis number they say nothing across racks.
    found: list[Diagnostic] = []
    held = _keys(keys) if keys.fabrics else None
    for rack in racks:
        own = [item for item in partitions if item.domain == rack.name]
        found += nvlink.check([rack], own, held) if own else ()
    return tuple(found)


def _keys(site: SitePartitions) -> dict[str, nvlink.Keys]:
    own: dict[str, set[nvlink.Key]] = {}
    split: set[str] = set()
    for fabric in site.fabrics.values():
        by_node: dict[str, set[frozenset[nvlink.Key]]] = {}
        for end, held in fabric.keys_of().items():
            by_node.setdefault(end.device, set()).add(frozenset((fabric.fabric, item.key) for item in held))
        for node, kinds in by_node.items():
            own.setdefault(node, set()).update(key for kind in kinds for key in kind)
            if len(kinds) > 1:
                split.add(node)
    return {node: nvlink.Keys(frozenset(held), node in split) for node, held in own.items()}
