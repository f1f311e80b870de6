"""What the chip and its tables can do: adaptive routing, packet trimming, multihoming. Source: user guide, Equal Cost
Multipath, Packet Trimming and EVPN Multihoming.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from intent.lab.dialect import is_on, switched_on
from intent.lab.facts import cage_of, mapping, vrf_of
from intent.lab.rules.candidate import Candidate, Invalid, Rule, only_type


def adaptive_routing_possible(it: Candidate) -> Iterator[Invalid]:
    """Adaptive routing: on routed front-panel ports of the default VRF, on a chip and at a speed that can."""
    asic = it.panel.model.asic
    if switched_on(mapping(it.tree, "router", "adaptive-routing")) and not asic.adaptive_routing:
        yield Invalid(("router", "adaptive-routing"), f"{asic.name} does not support adaptive routing")
    members = {member for _, member in it.bond_members()}
    for name, interface in it.interfaces.items():
        if not switched_on(mapping(interface, "router", "adaptive-routing")):
            continue
        reason = _no_adaptive_routing(it, name, interface, members)
        if reason:
            yield Invalid(("interface", name, "router", "adaptive-routing"), reason)


def _no_adaptive_routing(it: Candidate, name: str, interface: Any, members: set[str]) -> str:
    asic = it.panel.model.asic
    if not asic.adaptive_routing:
        return f"{asic.name} does not support adaptive routing"
    if cage_of(name) is None:
        return f"adaptive routing is not supported on {mapping(interface).get('type', 'this kind of interface')} {name}"
    if name in members:
        return f"adaptive routing is not supported on {name}, a bond member"
    if mapping(interface, "bridge"):
        return f"adaptive routing is not supported on {name}, a bridge port"
    if vrf_of(interface) != "default":
        return f"adaptive routing is supported in the default VRF only, {name} is in {vrf_of(interface)}"
    speeds = it.layout.speeds.get(name)
    speed = it.facts.ports[name].speed_gbps or (speeds[0] if speeds else 0)
    if not asic.routes_adaptively(speed):
        return f"adaptive routing is not supported at {speed}G on {asic.name}"
    return ""


def trimming_possible(it: Candidate) -> Iterator[Invalid]:
    """Packet trimming needs a chip that can, no VXLAN, and a service port without other configuration."""
    trim = mapping(it.tree, "system", "forwarding", "packet-trim")
    if not switched_on(trim):
        return
    base = ("system", "forwarding", "packet-trim")
    if not it.panel.model.asic.packet_trim:
        yield Invalid(base, f"{it.panel.model.asic.name} does not support packet trimming")
    if switched_on(mapping(it.tree, "nve", "vxlan")):
        yield Invalid(base, "packet trimming and VXLAN exclude each other")
    port = trim.get("service-port")
    if isinstance(port, str) and not only_type(it.interfaces.get(port)):
        yield Invalid((*base, "service-port"), f"service port {port} must be free of other configuration")


def multihoming_or_mlag(it: Candidate) -> Iterator[Invalid]:
    """EVPN multihoming and MLAG exclude each other."""
    multihoming = mapping(it.tree, "evpn", "multihoming")
    if switched_on(multihoming) and switched_on(mapping(it.tree, "mlag")):
        yield Invalid(("evpn", "multihoming"), "EVPN multihoming and MLAG exclude each other")


def multihoming_possible(it: Candidate) -> Iterator[Invalid]:
    """EVPN multihoming needs ARP and ND suppression; a segment is named in one way only."""
    if switched_on(mapping(it.tree, "evpn", "multihoming")):
        vxlan = mapping(it.tree, "nve", "vxlan")
        if "arp-nd-suppress" in vxlan and not is_on(vxlan["arp-nd-suppress"]):
            yield Invalid(("nve", "vxlan", "arp-nd-suppress"), "EVPN multihoming needs ARP and ND suppression")
    for name, interface in it.interfaces.items():
        segment = mapping(interface, "evpn", "multihoming", "segment")
        if "identifier" in segment and "local-id" in segment:
            path = ("interface", name, "evpn", "multihoming", "segment", "identifier")
            yield Invalid(path, f"{name} has both an identifier and a local-id")


RULES: tuple[Rule, ...] = (
    adaptive_routing_possible,
    multihoming_or_mlag,
    multihoming_possible,
    trimming_possible,
)
