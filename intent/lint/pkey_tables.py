"""How many partition keys a port must hold, and how many it can, as far as the catalog has a figure with a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from intent.core import ranges
from intent.core.errors import IntentError
from intent.fabric.model import End, Fabric, Network, Tier
from intent.fabric.partitions import Partition
from intent.lint.rule import Context
from intent.schema.sources import Location


@dataclass(frozen=True, slots=True)
class Table:
    """The partition table of one port.

    Args:
        end: the port.
        model: card or switch whose port it is.
        held: partitions of tenants in it; the default one comes on top.
        size: entries it has; 0 when no figure is known.
        fabric: place of the fabric in the document.
        switch: the port is one of a switch, which holds the keys of the node behind it.
    """

    end: End
    model: str
    held: tuple[Partition, ...]
    size: int
    fabric: Location
    switch: bool


def tables(context: Context) -> Iterator[Table]:
    """Tables of the ports of nodes in partitions, and of the switch ports they are plugged into.

    Source: InfiniBand Architecture Specification, volume 1, 10.9 and 14.2.5.7: a switch that enforces partitions at a
    port holds the keys of what is behind it in a table of that port.
    """
    by_site = {fabric.site: fabric for fabric in context.fabrics}
    for site in context.partitions:
        compiled = by_site[site.site]
        for fabric in site.fabrics.values():
            held = fabric.keys_of()
            place: Location = ("sites", site.site, "fabrics", fabric.fabric)
            cards = _Cards(context, site.site, fabric.fabric)
            behind = _behind(compiled, fabric.fabric)
            for end, partitions in held.items():
                model, size = cards(compiled.devices[end.device].model, end.device)
                yield Table(end, model, tuple(partitions), size, place, switch=False)
                if end in behind:
                    own = behind[end]
                    switch = compiled.devices[own.device].model
                    yield Table(own, switch, tuple(partitions), _of_switch(context, switch), place, switch=True)


def _behind(fabric: Fabric, name: str) -> Mapping[End, End]:
    """The switch port of each node port of a fabric."""
    links = (link for link in fabric.links if link.tier is Tier.HOST and link.network is Network.INFINIBAND)
    return {link.a: link.b for link in links if fabric.devices[link.b.device].fabric == name}


def _of_switch(context: Context, model: str) -> int:
    try:
        own = context.catalog.switch(model).infiniband
    except IntentError:
        return 0
    return own.pkeys if own is not None else 0


class _Cards:
    """Card that a node has in a fabric, and the size of its table."""

    def __init__(self, context: Context, site: str, fabric: str) -> None:
        self._catalog = context.catalog
        text = context.document.sites[site]
        self._group = text.fabrics[fabric].attach.nics
        self._other: dict[str, str] = {}
        for entry in text.nodes:
            own = entry.nics.get(self._group)
            if own is not None and own.model is not None:
                self._other |= dict.fromkeys(ranges.expand(entry.name), own.model)
        self._known: dict[tuple[str, str], tuple[str, int]] = {}

    def __call__(self, model: str, node: str) -> tuple[str, int]:
        other = self._other.get(node, "")
        if (model, other) not in self._known:
            self._known[model, other] = self._look(model, other)
        return self._known[model, other]

    def _look(self, model: str, other: str) -> tuple[str, int]:
        try:
            nic = self._catalog.nic(other or self._catalog.node(model).group(self._group).model)
        except IntentError:
            return other or model, 0
        return nic.name, nic.pkeys
