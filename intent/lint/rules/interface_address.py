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

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from socket import AF_INET, inet_pton
from typing import TypeAlias

from intent.fabric.model import End, Fabric, Link
from intent.lint.rule import Context, Finding, Rule

_Interface: TypeAlias = IPv4Interface | IPv6Interface
_PAIR = "/31"


def rule() -> Rule:
    """The rule."""
    return Rule("L203", "interface-address", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        interfaces: dict[End, _Interface] = {}
        right = {end for link in fabric.links if _is_pair(fabric, link) for end in (link.a, link.b)}
        for device in fabric.devices.values():
            for port in device.ports.values():
                if not port.address or End(device.name, port.name) in right:
                    continue
                interface = _interface(port.address)
                problem = _problem(port.address, interface) if interface else "is no address with a prefix length"
                if problem:
                    yield Finding(f"{device.name} {port.name}: {port.address} {problem}", device=device)
                if interface:
                    interfaces[End(device.name, port.name)] = interface
        for link in fabric.links:
            if link.a in right:
                continue
            yield from _ends(fabric, link, interfaces)


def _is_pair(fabric: Fabric, link: Link) -> bool:
    """True for the two addresses of one IPv4 /31, as nearly all links have them: nothing more is to be asked of it."""
    ports = (fabric.devices[end.device].ports.get(end.port) for end in (link.a, link.b))
    one, other = (port.address if port else "" for port in ports)
    if not (one.endswith(_PAIR) and other.endswith(_PAIR)):
        return False
    try:
        left, right = (inet_pton(AF_INET, text.removesuffix(_PAIR)) for text in (one, other))
    except OSError:
        return False
    return int.from_bytes(left) ^ int.from_bytes(right) == 1


def _interface(text: str) -> _Interface | None:
    try:
        return ip_interface(text)
    except ValueError:
        return None


def _problem(text: str, interface: _Interface) -> str:
    if "/" not in text:
        return "has no prefix length"
    network = interface.network
    host_bits = network.max_prefixlen - network.prefixlen
    if host_bits == 0:
        return f"has the length /{network.prefixlen}, which belongs on loopbacks only"
    if host_bits > 1 and interface.ip == network.network_address:
        return f"is the network address of {network}"
    if host_bits > 1 and interface.version == 4 and interface.ip == network.broadcast_address:
        return f"is the broadcast address of {network}"
    return ""


def _ends(fabric: Fabric, link: Link, interfaces: Mapping[End, _Interface]) -> Iterator[Finding]:
    one, other = interfaces.get(link.a), interfaces.get(link.b)
    if one and other and one.network == other.network and one.ip != other.ip:
        return
    device = fabric.devices[link.a.device]
    a, b = device.ports.get(link.a.port), fabric.devices[link.b.device].ports.get(link.b.port)
    if a is None or b is None or not (a.address or b.address):
        return
    left, right = f"{link.a.device} {a.name}", f"{link.b.device} {b.name}"
    if not (a.address and b.address):
        bare, full = (left, right) if b.address else (right, left)
        yield Finding(f"link {left} - {right}: {full} has an address and {bare} has none", device=device)
    elif one and other and one.network != other.network:
        yield Finding(f"link {left} - {right}: {one} and {other} are not in one subnet", device=device)
    elif one and other:
        yield Finding(f"link {left} - {right}: both ends are {one.ip}", device=device)
