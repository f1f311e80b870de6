"""Interfaces of any kind: VRFs, bonds, addresses, SVIs, access lists."""

from __future__ import annotations

from collections.abc import Iterator

from intent.lab.facts import addresses_of, cage_of, mapping, vrf_of
from intent.lab.rules.candidate import Candidate, Invalid, Rule


def vrf_defined(it: Candidate) -> Iterator[Invalid]:
    """An interface may only join a VRF that exists."""
    known = {"default", "mgmt", *mapping(it.tree, "vrf")}
    for name, interface in it.interfaces.items():
        vrf = vrf_of(interface)
        if vrf not in known:
            path = ("interface", name, "vrf") if "vrf" in mapping(interface) else ("interface", name, "ip", "vrf")
            yield Invalid(path, f"vrf {vrf} is not defined")


def bond_members_free(it: Candidate) -> Iterator[Invalid]:
    """A bond's members exist, are in one bond only and hold neither address nor bridge of their own."""
    owner: dict[str, str] = {}
    for bond, member in it.bond_members():
        path = ("interface", bond, "bond", "member", member)
        interface = it.interfaces.get(member)
        if cage_of(member) is not None and member not in it.layout.speeds:
            yield Invalid(path, f"interface {member} does not exist")
        if owner.setdefault(member, bond) != bond:
            yield Invalid(path, f"{member} is already a member of {owner[member]}")
        if any(addresses_of(interface)) or mapping(interface, "bridge"):
            yield Invalid(path, f"{member} has an address or a bridge of its own")


def addresses_unique(it: Candidate) -> Iterator[Invalid]:
    """An address stands once in a VRF."""
    seen: dict[tuple[str, str], str] = {}
    for name, interface in it.interfaces.items():
        for family in ("ipv4", "ipv6", "ip"):
            for address in mapping(interface, family, "address"):
                key = (vrf_of(interface), address.split("/")[0].lower())
                first = seen.setdefault(key, name)
                if first != name:
                    path = ("interface", name, family, "address", address)
                    yield Invalid(path, f"{address} is already the address of {first}")


def svi_vlan_bridged(it: Candidate) -> Iterator[Invalid]:
    """The VLAN of an SVI must be in the bridge."""
    known = {vlan for domain in mapping(it.tree, "bridge", "domain").values() for vlan in mapping(domain, "vlan")}
    for name, interface in it.interfaces.items():
        vlan = mapping(interface).get("vlan")
        if mapping(interface).get("type") == "svi" and isinstance(vlan, int) and str(vlan) not in known:
            yield Invalid(("interface", name, "vlan"), f"vlan {vlan} is not in a bridge domain")


def acl_defined(it: Candidate) -> Iterator[Invalid]:
    """An access list on a port must be defined."""
    known = mapping(it.tree, "acl")
    for name, interface in it.interfaces.items():
        for acl in mapping(interface, "acl"):
            if acl not in known:
                yield Invalid(("interface", name, "acl", acl), f"acl {acl} is not defined")


RULES: tuple[Rule, ...] = (
    vrf_defined,
    bond_members_free,
    addresses_unique,
    svi_vlan_bridged,
    acl_defined,
)
