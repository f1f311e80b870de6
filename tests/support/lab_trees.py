"""Wirings and trees for tests of the lab."""

from __future__ import annotations

from typing import Any

from intent.lab.wiring import End, Host, HostPort, Link, Switch, Wiring


def pair(release: str = "5.16.4", model: str = "SN5600", *, factory: bool = False) -> Wiring:
    """A leaf and a spine with two cables, and a host with two ports on the leaf."""
    return Wiring(
        (Switch("leaf1", model, release, factory=factory), Switch("spine1", model, release, factory=factory)),
        (Host("node1", (HostPort("eth0", "02:00:00:00:00:01"), HostPort("eth1", "02:00:00:00:00:02"))),),
        (
            Link(End("leaf1", "swp1s0"), End("spine1", "swp1s0")),
            Link(End("leaf1", "swp1s1"), End("spine1", "swp2s0")),
            Link(End("node1", "eth0"), End("leaf1", "swp3s0")),
            Link(End("node1", "eth1"), End("leaf1", "swp3s1")),
        ),
    )


def fabric_tree(
    asn: int, ports: dict[str, Any], *, lo: str = "", addresses: dict[str, str] | None = None
) -> dict[str, Any]:
    """A switch of the fabric in the dialect of 5.15 and later.

    Args:
        asn: its number.
        ports: BGP ports with the peer's number (None for a port without BGP).
        lo: loopback address with prefix length.
        addresses: address with prefix length by port.
    """
    interfaces: dict[str, Any] = {}
    for port in (*ports, *(addresses or {})):
        cage = port.split("s", 2)[0] + "s" + port.split("s", 2)[1]
        interfaces[cage] = {"type": "swp", "link": {"breakout": {"2x": {}}}}
    for port in (*ports, *(addresses or {})):
        interfaces[port] = {"type": "swp", "link": {"state": {"up": {}}, "mtu": 9216}}
    for port, address in (addresses or {}).items():
        interfaces[port]["ipv4"] = {"address": {address: {}}}
    if lo:
        interfaces["lo"] = {"type": "loopback", "ipv4": {"address": {lo: {}}}}
    neighbors = {port: {"type": "unnumbered", "remote-as": peer} for port, peer in ports.items() if peer is not None}
    bgp = {
        "state": "enabled",
        "address-family": {"ipv4-unicast": {"state": "enabled", "redistribute": {"connected": {"state": "enabled"}}}},
        "neighbor": neighbors,
    }
    return {
        "interface": interfaces,
        "router": {"bgp": {"state": "enabled", "autonomous-system": asn, "router-id": (lo or "10.0.0.9/32")[:-3]}},
        "vrf": {"default": {"router": {"bgp": bgp}}},
        "qos": {"roce": {"state": "enabled", "mode": "lossless"}},
    }


def wide_tree(ports: int, asn: int) -> dict[str, Any]:
    """A switch with many ports in two parts each: half of them towards spines, half towards hosts."""
    cages = range(1, ports // 2 + 1)
    interfaces: dict[str, Any] = {f"swp{cage}": {"type": "swp", "link": {"breakout": {"2x": {}}}} for cage in cages}
    neighbors = {}
    for cage in cages:
        for part in (0, 1):
            name = f"swp{cage}s{part}"
            interfaces[name] = {
                "type": "swp",
                "description": f"peer of {name}",
                "link": {"mtu": 9216, "speed": "400G", "auto-negotiate": "enabled", "state": {"up": {}}},
                "qos": {"pfc-watchdog": {"state": "enable"}},
            }
            if cage % 2:
                interfaces[name]["router"] = {"adaptive-routing": {"state": "enabled"}}
                neighbors[name] = {"type": "unnumbered", "remote-as": 65000 + cage, "description": "spine"}
            else:
                octets = f"10.{asn % 200}.{cage}.{part * 2}"
                interfaces[name]["ipv4"] = {"address": {f"{octets}/31": {}}}
    bgp = {"state": "enabled", "neighbor": neighbors}
    return {
        "interface": interfaces,
        "router": {
            "adaptive-routing": {"state": "enabled"},
            "bgp": {"state": "enabled", "autonomous-system": asn, "router-id": "10.255.0.1"},
        },
        "vrf": {"default": {"router": {"bgp": bgp}}},
        "qos": {"roce": {"state": "enabled", "mode": "lossless"}},
    }
