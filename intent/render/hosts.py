"""Fabric → what each node's rail interfaces need, as plain data for a playbook."""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from intent.core.errors import IntentError
from intent.core.tree import Path
from intent.fabric.model import Device, Fabric, Link, Network
from intent.formats.imex import NAME
from intent.render.artifact import Artifact, Origin
from intent.render.imex import Imex, imex_facts

# Linux takes at most 15 characters; of these only such go into a file name and a systemd match unharmed.
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,14}")
_Group = tuple[str, int, int]

PLATFORM = "host"
"""Key of the actor that configures nodes."""


@dataclass(frozen=True, slots=True)
class HostDefaults:
    """Facts about rail interfaces that no intent says.

    Args:
        mtu_bytes: MTU of a rail interface.
        first_table: number of the first routing table used.
    """

    mtu_bytes: int
    first_table: int


@dataclass(frozen=True, slots=True)
class Route:
    """A destination prefix and the leaf's address that leads there."""

    destination: str
    gateway: str


@dataclass(frozen=True, slots=True)
class RailInterface:
    """One rail interface of a node.

    Args:
        name: interface name on the node.
        fabric: fabric it is in.
        plane: plane number, 0 without planes.
        rail: rail number, 0 without rails.
        address: address with prefix length.
        gateway: address of the leaf's end of the /31.
        mtu_bytes: MTU.
        table: routing table for what this interface's address sends: answers leave where they are expected, whatever
            the main table says.
        routes: hosts of the same plane and rail on any leaf, in the main table.
    """

    name: str
    fabric: str
    plane: int
    rail: int
    address: str
    gateway: str
    mtu_bytes: int
    table: int
    routes: tuple[Route, ...]


def host_defaults() -> HostDefaults:
    """Source: `intent/catalog/data/hosts.toml`."""
    text = (files("intent") / "catalog" / "data" / "hosts.toml").read_text(encoding="utf-8")
    return HostDefaults(**tomllib.loads(text)["rails"])


def host_rails(fabric: Fabric, defaults: HostDefaults) -> dict[str, tuple[RailInterface, ...]]:
    """The rail interfaces of every node, in port order. A node without routed ports has none.

    Raises:
        IntentError: an interface name Linux does not take, or ends of a link that share no subnet.
    """
    fabric = fabric.only(Network.ETHERNET)
    prefixes = _prefixes(fabric)
    return {node.name: _rails(fabric, node, defaults, prefixes) for node in fabric.nodes}


def host_data(fabric: Fabric, defaults: HostDefaults, imex: Imex | None = None) -> dict[str, dict[str, Any]]:
    """`host_rails` as plain data, one document per node: what `playbooks/rails.yml` takes.

    Args:
        fabric: the compiled site.
        defaults: facts about rail interfaces.
        imex: IMEX of the trays; a tray in one of its domains has `imex` beside its `rails`.
    """
    rails = host_rails(fabric, defaults)
    shared = imex.by_tray if imex is not None else {}
    path = imex_facts().path if shared else ""
    found: dict[str, dict[str, Any]] = {}
    for node in (device.name for device in fabric.nodes if device.name in rails or device.name in shared):
        found[node] = {"node": node, "rails": [_plain(rail) for rail in rails.get(node, ())]}
        if node in shared:
            found[node]["imex"] = {"path": path, "addresses": list(shared[node].addresses)}
    return found


def host_artifacts(fabric: Fabric, defaults: HostDefaults, imex: Imex | None = None) -> dict[str, Artifact]:
    """What each node must hold, with the line of the intent behind it; arguments as for `host_data`."""
    shared = imex.by_tray if imex is not None else {}
    found: dict[str, Artifact] = {}
    for name, body in host_data(fabric, defaults, imex).items():
        node = fabric.devices[name]
        origins: dict[Path, Origin] = {(): Origin(node.span, "rails of the node")}
        if name in shared:
            own = shared[name]
            origin = Origin(own.span, f"NVLink partition {own.partition} of rack {own.rack}")
            origins["imex",] = origins["files", NAME] = origin
        found[name] = Artifact(
            device=name,
            platform=PLATFORM,
            release="",
            model=node.model,
            body=body,
            owned=(("files",),),
            origins=origins,
        )
    return found


def _plain(rail: RailInterface) -> dict[str, Any]:
    return {**asdict(rail), "routes": [asdict(route) for route in rail.routes]}


def _group(fabric: Fabric, link: Link) -> _Group:
    return fabric.devices[link.b.device].fabric, link.plane, link.rail


def _prefixes(fabric: Fabric) -> Mapping[_Group, tuple[str, ...]]:
    """For each plane and rail the fewest prefixes that cover exactly its host links."""
    networks: dict[_Group, list[ipaddress.IPv4Network | ipaddress.IPv6Network]] = defaultdict(list)
    for link in fabric.links:
        near, far = fabric.devices[link.a.device], fabric.devices[link.b.device]
        if near.is_switch or not near.ports[link.a.port].address:
            continue
        own = ipaddress.ip_interface(near.ports[link.a.port].address)
        other = fabric.devices[far.name].ports[link.b.port].address
        if not other or ipaddress.ip_interface(other).network != own.network or ipaddress.ip_interface(other) == own:
            ends = f"{link.a.device} {link.a.port} ({own}) and {link.b.device} {link.b.port} ({other or 'none'})"
            raise IntentError(f"link {link.cable}: {ends} - expected two addresses of one subnet")
        networks[_group(fabric, link)].append(own.network)
    return {
        group: tuple(
            str(network)
            for version in (4, 6)
            for network in ipaddress.collapse_addresses([n for n in members if n.version == version])  # type: ignore[type-var]
        )
        for group, members in networks.items()
    }


def _rails(
    fabric: Fabric, node: Device, defaults: HostDefaults, prefixes: Mapping[_Group, tuple[str, ...]]
) -> tuple[RailInterface, ...]:
    rails: list[RailInterface] = []
    for number, (port, far, link) in enumerate(fabric.neighbors(node.name)):
        if not port.address:
            continue
        if not _INTERFACE.fullmatch(port.name):
            raise IntentError(
                f"{node.name}: interface name {port.name!r} - expected up to 15 letters, digits, '-', '_'"
            )
        gateway = str(ipaddress.ip_interface(fabric.devices[far.device].ports[far.port].address).ip)
        group = _group(fabric, link)
        own = str(ipaddress.ip_interface(port.address).network)
        rails.append(
            RailInterface(
                name=port.name,
                fabric=group[0],
                plane=link.plane,
                rail=link.rail,
                address=port.address,
                gateway=gateway,
                mtu_bytes=defaults.mtu_bytes,
                table=defaults.first_table + number,
                routes=tuple(Route(prefix, gateway) for prefix in prefixes[group] if prefix != own),
            )
        )
    return tuple(rails)
