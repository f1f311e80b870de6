"""The subnets of a site as a lab simulates them: topology, hosts of the managers, roots of routing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from intent.catalog.hardware import Catalog
from intent.core.errors import IntentError
from intent.fabric.model import Device, Fabric, Network, Port
from intent.formats.ib.netdiscover import topology_text
from intent.render.controllers import Controller
from intent.render.ib import node_id, own_guid, port_guid, topology_of
from intent.render.opensm.managed import root_switches
from intent.schema.infiniband import SubnetManager

UFM, OPENSM = "ufm", "opensm"
# A UFM does not say the priorities of its nodes' managers; a lab takes the highest for the first.
_HIGHEST = 15


@dataclass(frozen=True, slots=True)
class LabManager:
    """A host that runs one of a subnet's managers.

    Args:
        name: of the host.
        guid: GUID of its port, as the topology has it.
        at: id of its node in the topology.
        priority: of its subnet manager.
    """

    name: str
    guid: str
    at: str
    priority: int


@dataclass(frozen=True, slots=True)
class LabSubnet:
    """A subnet for a lab.

    Args:
        fabric: its fabric.
        ufm: UFM it stands behind; empty where hosts run OpenSM.
        topology: its nodes and links as `ibnetdiscover` prints them.
        managers: hosts of its managers.
        engine: routing engine asked for.
        roots: GUIDs of the switches it routes from.
        switches: id in the topology and numbers of ports, by name.
    """

    fabric: str
    ufm: str
    topology: str
    managers: tuple[LabManager, ...]
    engine: str
    roots: tuple[str, ...]
    switches: Mapping[str, tuple[str, Mapping[str, int]]]

    @property
    def file(self) -> str:
        """Name of the topology's file beside the wiring."""
        return f"topology-{self.ufm or self.fabric}.net"

    def wiring(self) -> dict[str, object]:
        """As the lab's wiring file has it."""
        return {
            **({"ufm": self.ufm} if self.ufm else {"fabric": self.fabric}),
            "topology": self.file,
            "managers": [
                {"name": one.name, "at": one.at, "priority": one.priority, "guid": one.guid} for one in self.managers
            ],
            "engine": self.engine,
            "roots": [*self.roots],
            "switches": [{"name": name, "node": node, "ports": ports} for name, (node, ports) in self.switches.items()],
        }


def lab_subnets(
    site: Fabric,
    controllers: Iterable[Controller],
    managers: Mapping[str, SubnetManager],
    catalog: Catalog,
    configured: Iterable[str],
) -> tuple[LabSubnet, ...]:
    """The subnets of a site's UFMs, and of its hosts of OpenSM.

    Args:
        site: the compiled site.
        controllers: what is configured beside switches.
        managers: what is written about the subnet manager of each InfiniBand fabric.
        catalog: the hardware.
        configured: names of what has artefacts; a host without has a port nobody told the GUID of.

    Raises:
        IntentError: a fabric has no port a manager could run on.
    """
    found = [*controllers]
    ufms = {item.fabric: item.name for item in found if item.platform == UFM}
    able = set(configured)
    hosted = [item.fabric for item in found if item.platform == OPENSM and item.name in able]
    return tuple(
        _subnet(name, ufms.get(name, ""), site.only(Network.INFINIBAND, name), managers[name], catalog)
        for name in dict.fromkeys([*ufms, *hosted])
    )


def lab_managers(part: Fabric, wanted: SubnetManager) -> tuple[LabManager, ...]:
    """Where a lab's subnet managers run: on the hosts of the intent that have a port, else on the first node.

    Args:
        part: one InfiniBand fabric.
        wanted: what is written about its subnet manager.

    Raises:
        IntentError: nothing but switches has a port.
    """
    priorities = wanted.priorities()
    named = [part.devices[host.name] for host in wanted.hosts if host.name in part.devices]
    places = [*_places(part, named)] or [*_places(part, part.devices.values())][:1]
    if not places:
        raise IntentError("no host has a port in the fabric, so no subnet manager can run", hint="attach nodes to it")
    return tuple(
        LabManager(
            device.name,
            port_guid(device, port),
            node_id(part, device, port),
            priorities[device.name] if wanted.by == OPENSM else _HIGHEST - number,
        )
        for number, (device, port) in enumerate(places[: _HIGHEST + 1])
    )


def _places(part: Fabric, devices: Iterable[Device]) -> Iterator[tuple[Device, Port]]:
    """The first cabled port of each device but switches."""
    for device in devices:
        cabled = {port.name for port, _, _ in part.neighbors(device.name)}
        port = next((port for port in device.ports.values() if port.name in cabled), None)
        if port is not None and not device.is_switch:
            yield device, port


def _subnet(fabric: str, ufm: str, part: Fabric, wanted: SubnetManager, catalog: Catalog) -> LabSubnet:
    return LabSubnet(
        fabric=fabric,
        ufm=ufm,
        topology=topology_text(topology_of(part, catalog)),
        managers=lab_managers(part, wanted),
        engine=wanted.engine,
        roots=tuple(own_guid(switch) for switch in root_switches(part, wanted)),
        switches={
            switch.name: (f"S-{own_guid(switch)}", {port.name: port.number for port in switch.ports.values()})
            for switch in part.switches
        },
    )
