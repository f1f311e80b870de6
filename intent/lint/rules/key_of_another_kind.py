"""A key that means nothing in this kind of fabric.

Addresses, BFD, QoS profiles and adaptive routing of switches belong to Ethernet; generations, GUIDs and subnet managers
to InfiniBand, where routing, service levels and adaptive routing are the subnet manager's.

Bad:
    kind: infiniband
    qos: roce-lossless

Good:
    kind: infiniband
    subnet_manager: {by: ufm, routing: ar_updn, ...}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from intent.lint.rule import Context, Finding, Rule
from intent.schema.fabrics import Fabric
from intent.schema.sources import Location

_MANAGER = "under subnet_manager: routing, qos, congestion_control"
_OF_ETHERNET: Mapping[str, str] = MappingProxyType(
    {
        "addressing": "ports have GUIDs and get their LIDs from the subnet manager",
        "underlay": "the subnet manager routes and finds dead links",
        "adaptive_routing": "an engine ar_* routes adaptively: subnet_manager: {routing: ar_updn}",
        "qos": f"links are lossless by credits; classes of traffic stand {_MANAGER}",
    }
)
_OF_INFINIBAND: Mapping[str, str] = MappingProxyType(
    {
        "generation": "the speed of a link is that of the ports, or topology.link",
        "guids": "Ethernet ports have addresses",
        "subnet_manager": "Ethernet switches manage themselves",
    }
)
_TOPOLOGY_OF_INFINIBAND: Mapping[str, str] = MappingProxyType(
    {
        "core": "an Ethernet fabric has two tiers",
        "spine_group": "an Ethernet fabric has two tiers",
    }
)


def rule() -> Rule:
    """The rule."""
    return Rule("L120", "key-of-another-kind", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        for key, fabric in site.fabrics.items():
            for path, hint in _strange(fabric):
                message = f"fabric {key}: {'.'.join(map(str, path))} - of no use with kind: {fabric.kind}"
                yield Finding(message, ("sites", name, "fabrics", key, *path), hint=f"take it out: {hint}")


def _strange(fabric: Fabric) -> Iterator[tuple[Location, str]]:
    ethernet = fabric.kind == "ethernet"
    for key, hint in (_OF_INFINIBAND if ethernet else _OF_ETHERNET).items():
        if key in fabric.model_fields_set:
            yield (key,), hint
    topology, unit = fabric.topology, fabric.topology.unit
    for key, hint in _TOPOLOGY_OF_INFINIBAND.items() if ethernet else ():
        if key in topology.model_fields_set:
            yield ("topology", key), hint
    if ethernet and unit and "reserved" in unit.model_fields_set:
        yield ("topology", "unit", "reserved"), "no subnet manager needs a port"
