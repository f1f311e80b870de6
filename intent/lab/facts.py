"""What matters of an applied tree to the rest of the lab, in small records.

Trees are kept compressed; links, LLDP and BGP of a switch depend on what its neighbours applied, so each switch
keeps this extract of its applied tree in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from intent.lab.dialect import is_on, switched_on

API_PORT = 8765
TOKEN_S = 3600.0
_ANYWHERE = {"0.0.0.0", "::", "any"}  # noqa: S104 - words of a configuration, nothing is bound here

_SPEED = re.compile(r"(\d+)G")
_SUB_PORT = re.compile(r"swp(\d+)s(\d+)")
_CAGE = re.compile(r"swp(\d+)")


@dataclass(frozen=True, slots=True)
class Port:
    """An interface as configured.

    Args:
        kind: `swp`, `bond`, `svi`, `loopback`, `eth`, …
        up: administratively up.
        speed_gbps: forced speed; 0 when not set.
        fec: forward error correction asked for; empty when not set.
        mtu: as configured; 0 when not set.
        vrf: VRF it is in.
        addresses: IPv4 and IPv6 addresses with prefix length.
    """

    kind: str
    up: bool
    speed_gbps: int
    fec: str
    mtu: int
    vrf: str
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A BGP neighbour as configured, its peer group folded in.

    Args:
        remote_as: a number as text, `external`, `internal` or empty.
        enabled: not shut down.
        multihop: may be more than one hop away.
    """

    remote_as: str
    enabled: bool
    multihop: bool


@dataclass(frozen=True, slots=True)
class Bgp:
    """BGP in one VRF.

    Args:
        asn: autonomous system number; 0 when not set.
        router_id: empty when not set.
        enabled: BGP runs in the VRF.
        connected: connected routes are redistributed to IPv4 unicast.
        networks: prefixes of network statements.
        neighbors: by key: interface name or address.
    """

    asn: int
    router_id: str
    enabled: bool
    connected: bool
    networks: tuple[str, ...]
    neighbors: Mapping[str, Neighbor]


@dataclass(frozen=True, slots=True)
class Facts:
    """Extract of an applied tree.

    Args:
        hostname: name LLDP sends.
        ports: interfaces by name.
        splits: number of parts by cage; 0 for a disabled cage.
        members: bond of each front-panel port that is in one.
        bgp: by VRF.
        lldp: LLDP runs.
        api: the REST API runs where it did, and eth0 is not shut.
        token_s: seconds a token is good for; 0 for no tokens.
        compresses: answers are compressed for who takes that.
        auto_save: an apply also writes the startup configuration.
    """

    hostname: str = "cumulus"
    ports: Mapping[str, Port] = field(default_factory=dict)
    splits: Mapping[int, int] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    bgp: Mapping[str, Bgp] = field(default_factory=dict)
    lldp: bool = True
    api: bool = True
    auto_save: bool = True
    token_s: float = TOKEN_S
    compresses: bool = False


def mapping(value: Any, *path: str) -> dict[str, Any]:
    """The mapping at a path, an empty one where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def cage_of(port: str) -> tuple[int, int | None] | None:
    """Cage and part of a front-panel port: `swp3s1` is (3, 1), `swp3` is (3, None), `bond1` is None."""
    match = _SUB_PORT.fullmatch(port)
    if match:
        return int(match[1]), int(match[2])
    match = _CAGE.fullmatch(port)
    return (int(match[1]), None) if match else None


def parts_of(interface: Any) -> int | None:
    """Into how many parts an interface's `link.breakout` splits it; 0 when disabled, None when not split."""
    words = mapping(interface, "link", "breakout")
    for word in words:
        if word == "disabled":
            return 0
        if word.endswith("x") and word != "1x":
            return int(word[:-1])
    return None


def addresses_of(interface: Any) -> Iterator[str]:
    """Addresses of an interface in any dialect."""
    for family in ("ipv4", "ipv6", "ip"):
        for address in mapping(interface, family, "address"):
            if address != "dhcp":
                yield address


def vrf_of(interface: Any) -> str:
    """VRF of an interface in any dialect."""
    if not isinstance(interface, dict):
        return "default"
    named = interface.get("vrf") or mapping(interface, "ip").get("vrf")
    return named if isinstance(named, str) else "default"


def extract(tree: Mapping[str, Any]) -> Facts:
    """The facts of a tree whose ranges are written out."""
    interfaces = mapping(tree, "interface")
    splits = {}
    for name, interface in interfaces.items():
        parts, place = parts_of(interface), cage_of(name)
        if parts is not None and place is not None:
            splits[place[0]] = parts
    system = mapping(tree, "system")
    hostname = system.get("hostname")
    lldp = mapping(system, "lldp")
    auto_save = mapping(system, "config", "auto-save")
    api = mapping(system, "api")
    minutes = api.get("token-expiration")
    eth0 = mapping(interfaces, "eth0", "link", "state")
    vrfs = mapping(tree, "vrf")
    return Facts(
        hostname=hostname if isinstance(hostname, str) else "cumulus",
        ports={intern(name): _port(interface) for name, interface in interfaces.items()},
        splits=splits,
        members={
            intern(port): intern(bond) for bond, held in interfaces.items() for port in mapping(held, "bond", "member")
        },
        bgp={name: bgp for name in vrfs if (bgp := _bgp(tree, name)) is not None},
        lldp=switched_on(lldp, default=True) if lldp else True,
        api=(not api or _listens(api, mapping(interfaces, "eth0"))) and "down" not in eth0,
        auto_save=switched_on(auto_save, default=True) if auto_save else True,
        token_s=60.0 * minutes if isinstance(minutes, int) else TOKEN_S,
        compresses=api.get("compression") == "gzip",
    )


def _listens(api: Mapping[str, Any], eth0: Mapping[str, Any]) -> bool:
    """The API runs, at its usual port, and at an address of eth0 as far as those are known."""
    if not switched_on(api, default=True) or api.get("port", API_PORT) != API_PORT:
        return False
    wanted = set(mapping(api, "listening-address"))
    own = {address.partition("/")[0] for address in addresses_of(eth0)}
    if not wanted or wanted & _ANYWHERE:
        return True
    return bool(wanted & own) if own else wanted != {"localhost"}


def _port(interface: Any) -> Port:
    link = mapping(interface, "link")
    kind = interface.get("type") if isinstance(interface, dict) else None
    speed = _SPEED.fullmatch(str(link.get("speed", "")))
    mtu = link.get("mtu")
    return Port(
        kind=intern(str(kind or "swp")),
        up="down" not in mapping(link, "state"),
        speed_gbps=int(speed[1]) if speed else 0,
        fec=intern(str(link.get("fec", ""))),
        mtu=mtu if isinstance(mtu, int) else 0,
        vrf=intern(vrf_of(interface)),
        addresses=tuple(addresses_of(interface)),
    )


def _bgp(tree: Mapping[str, Any], vrf: str) -> Bgp | None:
    held = mapping(tree, "vrf", vrf, "router", "bgp")
    if not held:
        return None
    top = mapping(tree, "router", "bgp")
    unicast = mapping(held, "address-family", "ipv4-unicast")
    groups = mapping(held, "peer-group")
    asn = held.get("autonomous-system", top.get("autonomous-system", 0))
    router_id = held.get("router-id", top.get("router-id", ""))
    running = switched_on(top) if top else True
    return Bgp(
        asn=asn if isinstance(asn, int) else 0,
        router_id=router_id if isinstance(router_id, str) else "",
        enabled=switched_on(held, default=True) and running,
        connected=switched_on(mapping(unicast, "redistribute", "connected")),
        networks=tuple(mapping(unicast, "network")),
        neighbors={intern(key): _neighbor(value, groups) for key, value in mapping(held, "neighbor").items()},
    )


def _neighbor(value: Any, groups: Mapping[str, Any]) -> Neighbor:
    own = mapping(value)
    group = mapping(groups.get(own.get("peer-group", "")))
    remote = own.get("remote-as", group.get("remote-as", ""))
    shut = own.get("shutdown", group.get("shutdown"))
    multihop = own.get("multihop-ttl", group.get("multihop-ttl", 0))
    return Neighbor(
        remote_as=intern(str(remote)),
        enabled=switched_on(own, default=True) and not is_on(shut),
        multihop=isinstance(multihop, int) and multihop > 1,
    )
