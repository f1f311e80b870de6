"""An interface address that no device would take, or two ends of a link that do not meet.

Both addresses of a /31 (IPv6: /127) are usable; a /32 belongs on a loopback only; the network and the broadcast address
of a /30 or shorter belong on no interface; the two ends of a link are different addresses of one subnet, or both have
none.

Bad:
    # leaf swp1: 10.64.0.0/31, node rail1: 10.64.0.2/31

Good:
    # leaf swp1: 10.64.0.0/31, node rail1: 10.64.0.1/31
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import TypeAlias

from intent.fabric.model import Fabric, Link, Port
from intent.lint.rule import Context, Finding, Rule

_Interface: TypeAlias = IPv4Interface | IPv6Interface


def rule() -> Rule:
    """The rule."""
    return Rule("L203", "interface-address", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        for device in fabric.devices.values():
            for port in device.ports.values():
                problem = _problem(port.address) if port.address else ""
                if problem:
                    yield Finding(f"{device.name} {port.name}: {port.address} {problem}", device=device)
        for link in fabric.links:
            yield from _ends(fabric, link)


def _problem(text: str) -> str:
    try:
        interface = ip_interface(text)
    except ValueError:
        return "is no address with a prefix length"
    network = interface.network
    if "/" not in text:
        return "has no prefix length"
    if network.num_addresses == 1:
        return f"has the length /{network.prefixlen}, which belongs on loopbacks only"
    if network.num_addresses > 2 and interface.ip == network.network_address:
        return f"is the network address of {network}"
    if network.num_addresses > 2 and interface.version == 4 and interface.ip == network.broadcast_address:
        return f"is the broadcast address of {network}"
    return ""


def _ends(fabric: Fabric, link: Link) -> Iterator[Finding]:
    device = fabric.devices[link.a.device]
    a, b = _port(fabric, link.a.device, link.a.port), _port(fabric, link.b.device, link.b.port)
    if a is None or b is None or not (a.address or b.address):
        return
    left, right = f"{link.a.device} {a.name}", f"{link.b.device} {b.name}"
    if not (a.address and b.address):
        bare, full = (left, right) if b.address else (right, left)
        yield Finding(f"link {left} - {right}: {full} has an address and {bare} has none", device=device)
        return
    one, other = _interface(a), _interface(b)
    if one is None or other is None:
        return
    if one.network != other.network:
        message = f"link {left} - {right}: {one} and {other} are not in one subnet"
        yield Finding(message, device=device)
    elif one.ip == other.ip:
        yield Finding(f"link {left} - {right}: both ends are {one.ip}", device=device)


def _port(fabric: Fabric, device: str, port: str) -> Port | None:
    return fabric.devices[device].ports.get(port)


def _interface(port: Port) -> _Interface | None:
    try:
        return ip_interface(port.address)
    except ValueError:
        return None
