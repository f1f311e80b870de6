"""EVPN as a switch reports it: the VNIs that what is applied makes. Field names: user guide, EVPN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from intent.lab.dialect import switched_on
from intent.lab.facts import mapping
from intent.lab.trees import Json


def evpn_state(tree: Mapping[str, Any]) -> Json:
    """What `/evpn` shows beside its configuration: each VNI; nothing while EVPN or VXLAN is off.

    Distinguishers and route targets are made by the routing daemon in a way no source tells, and are left out.

    Args:
        tree: applied tree.
    """
    vxlan = mapping(tree, "nve", "vxlan")
    source = mapping(vxlan, "source").get("address")
    if not switched_on(mapping(tree, "evpn")) or not switched_on(vxlan) or not isinstance(source, str):
        return {}
    known = {vni: {"bgp-info": {"type": kind, "local-vtep": source, "in-kernel": "on"}} for vni, kind in _vnis(tree)}
    return {"vni": known} if known else {}


def _vnis(tree: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for domain in mapping(tree, "bridge", "domain").values():
        for vlan in mapping(domain, "vlan").values():
            for vni in mapping(vlan, "vni"):
                yield vni, "L2"
    for vrf in mapping(tree, "vrf").values():
        for vni in mapping(vrf, "evpn", "vni"):
            yield vni, "L3"
