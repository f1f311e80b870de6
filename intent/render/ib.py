"""Topology files of an InfiniBand fabric: what is compiled, in the forms the field's tools take.

A GUID that nobody told yet is a placeholder in the topology file, which is for simulators and for people; in what a
subnet manager obeys (`topoconfig.conf`) there are no placeholders: it is made only when every GUID is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from intent.catalog.hardware import Catalog
from intent.core.errors import IntentError
from intent.fabric.model import Device, End, Fabric, Link, Network, Port, Tier
from intent.formats.ib.names import names_text
from intent.formats.ib.ndt import NdtLink, ndt_text
from intent.formats.ib.netdiscover import topology_text
from intent.formats.ib.topoconfig import StaticLink, topoconfig_text
from intent.formats.ib.topology import Cable, Node, NodeKind, Topology

TOPOLOGY = "topology.net"
SWITCHES_NDT = "switch-to-switch.ndt"
HOSTS_NDT = "switch-to-host.ndt"
TOPOCONFIG = "topoconfig.conf"
NAMES = "ib-node-name-map"
FILES = (TOPOLOGY, SWITCHES_NDT, HOSTS_NDT, TOPOCONFIG, NAMES)
"""Names of the files, as written and as the tools call them."""

# Speed of one lane in Gb/s → word of the diagnostics for it.
_SPEED_WORDS: Mapping[int, str] = MappingProxyType({25: "EDR", 50: "HDR", 100: "NDR", 200: "XDR"})
# Locally administered, so no vendor's GUID begins so.
_PLACEHOLDER = "02"


@dataclass(frozen=True, slots=True)
class TopologyFiles:
    """Topology files of one fabric.

    Args:
        fabric: its name.
        files: text by file name.
        notes: what was left out, and why.
    """

    fabric: str
    files: Mapping[str, str]
    notes: tuple[str, ...]


def topology_files(fabric: Fabric, catalog: Catalog) -> tuple[TopologyFiles, ...]:
    """The files of every InfiniBand fabric of a site; byte-identical for equal input.

    Args:
        fabric: the site as compiled.
        catalog: the hardware.
    """
    names = dict.fromkeys(device.fabric for device in fabric.switches if device.network is Network.INFINIBAND)
    return tuple(_files(name, fabric.only(Network.INFINIBAND, name), catalog) for name in names)


def _files(name: str, fabric: Fabric, catalog: Catalog) -> TopologyFiles:
    made = topology_of(fabric, catalog)
    unknown = sum(1 for node in made.nodes if node.guid.startswith(_PLACEHOLDER))
    header = [f"Fabric {name} of site {fabric.site}, as compiled. {len(made.nodes)} nodes, {len(fabric.links)} links."]
    if unknown:
        header.append(
            f"{unknown} nodes have placeholders for GUIDs, which begin with {_PLACEHOLDER}: nobody told theirs."
        )
    if any(chips > 1 for chips in _chips(fabric, catalog)):
        header.append("One chip stands for all planes of a switch.")
    files = {
        TOPOLOGY: topology_text(made, tuple(header)),
        SWITCHES_NDT: ndt_text(_ndt(link, fabric) for link in fabric.links if link.tier is not Tier.HOST),
        HOSTS_NDT: ndt_text(_ndt(link, fabric) for link in fabric.links if link.tier is Tier.HOST),
    }
    notes: list[str] = []
    if unknown:
        notes.append(f"{name}: {TOPOCONFIG} left out - {unknown} GUIDs are not known, and it must name every link")
    elif any(chips > 1 for chips in _chips(fabric, catalog)):
        notes.append(f"{name}: {TOPOCONFIG} left out - its switches have several chips, each with GUIDs of its own")
    else:
        files[TOPOCONFIG] = topoconfig_text(_static(fabric))
    names = {switch.guid: switch.name for switch in fabric.switches if switch.guid}
    if names:
        files[NAMES] = names_text(names)
    else:
        notes.append(f"{name}: {NAMES} left out - no GUID of a switch is known")
    return TopologyFiles(name, files, tuple(notes))


def _chips(fabric: Fabric, catalog: Catalog) -> Iterator[int]:
    for model in {device.model for device in fabric.switches}:
        own = catalog.switch(model).infiniband
        yield own.chips if own else 1


def topology_of(fabric: Fabric, catalog: Catalog) -> Topology:
    """The fabric as nodes with GUIDs; where none is known, a placeholder that never changes.

    Args:
        fabric: one InfiniBand fabric (`Fabric.only`).
        catalog: the hardware.
    """
    nodes: list[Node] = []
    for device in fabric.devices.values():
        if device.is_switch:
            nodes.append(_switch(device, fabric, catalog))
        else:
            nodes.extend(_adapters(device, fabric))
    return Topology(tuple(nodes))


def _switch(device: Device, fabric: Fabric, catalog: Catalog) -> Node:
    model = catalog.switch(device.model)
    own = model.infiniband
    if own is None:
        raise IntentError(f"{device.name}: {device.model} is no InfiniBand switch")
    base = model.breakouts[0].parts
    parts = max([base, *(port.breakout for port in device.ports.values())])
    cables = (_cable(port, far, link, fabric) for port, far, link in fabric.neighbors(device.name))
    return Node(
        kind=NodeKind.SWITCH,
        id=node_id(fabric, device, next(iter(device.ports.values()))) if device.ports else f"S-{own_guid(device)}",
        ports=own.chip_ports + len(model.cages) * (parts - base),
        guid=own_guid(device),
        description=own.description.format(name=device.name),
        cables=tuple(cables),
    )


def _adapters(device: Device, fabric: Fabric) -> Iterator[Node]:
    """The adapters of a host: ports of one RDMA device are one node."""
    found: dict[str, list[Cable]] = {}
    first: dict[str, Port] = {}
    for port, far, link in fabric.neighbors(device.name):
        key = port.hca or port.name
        first.setdefault(key, port)
        found.setdefault(key, []).append(_cable(port, far, link, fabric))
    for key, cables in found.items():
        port = first[key]
        yield Node(
            kind=NodeKind.ADAPTER,
            id=node_id(fabric, device, port),
            ports=max(cable.port for cable in cables),
            guid=_adapter_guid(device, port),
            description=f"{device.name} {key}",
            cables=tuple(cables),
        )


def node_id(fabric: Fabric, device: Device, port: Port) -> str:
    """Id of the node a port belongs to, as the topology file has it: `S-…` of a switch, `H-…` of an adapter.

    Args:
        fabric: the fabric.
        device: the device.
        port: one of its ports.
    """
    if device.name not in fabric.devices:
        raise IntentError(f"no device {device.name!r} in the fabric")
    return f"S-{own_guid(device)}" if device.is_switch else f"H-{_adapter_guid(device, port)}"


def _cable(port: Port, far: End, link: Link, fabric: Fabric) -> Cable:
    peer = fabric.devices[far.device]
    peer_port = peer.ports[far.port]
    mine = fabric.devices[link.a.device if link.b == far else link.b.device]
    return Cable(
        port=port.number,
        peer=node_id(fabric, peer, peer_port),
        peer_port=peer_port.number,
        guid="" if mine.is_switch else port_guid(mine, port),
        peer_guid="" if peer.is_switch else port_guid(peer, peer_port),
        rate=f"{port.lanes}x{_SPEED_WORDS[port.speed_gbps // port.lanes]}",
    )


def own_guid(device: Device) -> str:
    """Node GUID of a switch, or its placeholder."""
    return device.guid or placeholder(device.name)


def _adapter_guid(device: Device, port: Port) -> str:
    """Node GUID of an adapter. Cards with one port have the same number for the node and its port (mlx5)."""
    return port.guid or placeholder(f"{device.name}/{port.hca or port.name}")


def port_guid(device: Device, port: Port) -> str:
    """Port GUID of an adapter, or its placeholder."""
    return port.guid or f"{int(placeholder(f'{device.name}/{port.hca or port.name}'), 16) + port.number:016x}"


def placeholder(name: str) -> str:
    """What stands for a GUID nobody told: 16 digits that follow from the name and that no vendor gives.

    Args:
        name: of the switch, or of the node and its RDMA device (`gpu01-01/mlx5_0`).
    """
    return _PLACEHOLDER + sha256(name.encode()).hexdigest()[:12] + "00"


def _ndt(link: Link, fabric: Fabric) -> NdtLink:
    return NdtLink(_ndt_end(link.a, fabric), _ndt_end(link.b, fabric))


def _ndt_end(end: End, fabric: Fabric) -> tuple[str, str]:
    device = fabric.devices[end.device]
    port = device.ports[end.port]
    return end.device, f"Port {port.number}" if device.is_switch else f"{end.device} {port.hca or port.name}"


def _static(fabric: Fabric) -> Iterator[StaticLink]:
    for link in fabric.links:
        yield StaticLink(_static_end(link.a, fabric), _static_end(link.b, fabric))


def _static_end(end: End, fabric: Fabric) -> tuple[str, int]:
    device = fabric.devices[end.device]
    port = device.ports[end.port]
    return (own_guid(device) if device.is_switch else _adapter_guid(device, port)), port.number
