"""The subnet behind each UFM of a site, as a lab simulates it: topology, host of the manager, roots of routing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from intent.catalog.hardware import Catalog
from intent.core.errors import IntentError
from intent.fabric.model import Device, Fabric, Network, Port
from intent.formats.ib.netdiscover import topology_text
from intent.render.controllers import Controller
from intent.render.ib import node_id, own_guid, port_guid, topology_of
from intent.render.opensm.managed import root_switches
from intent.schema.infiniband import SubnetManager

PLATFORM = "ufm"


@dataclass(frozen=True, slots=True)
class LabSubnet:
    """A subnet for a lab.

    Args:
        ufm: UFM it stands behind.
        topology: its nodes and links as `ibnetdiscover` prints them.
        at: id of the node the subnet manager runs on.
        engine: routing engine asked for.
        roots: GUIDs of the switches it routes from.
    """

    ufm: str
    topology: str
    at: str
    engine: str
    roots: tuple[str, ...]

    @property
    def file(self) -> str:
        """Name of the topology's file beside the wiring."""
        return f"topology-{self.ufm}.net"

    def wiring(self) -> dict[str, object]:
        """As the lab's wiring file has it."""
        return {"ufm": self.ufm, "topology": self.file, "at": self.at, "engine": self.engine, "roots": [*self.roots]}


def lab_subnets(
    site: Fabric, controllers: Iterable[Controller], managers: Mapping[str, SubnetManager], catalog: Catalog
) -> tuple[LabSubnet, ...]:
    """The subnets behind a site's UFMs.

    Args:
        site: the compiled site.
        controllers: what is configured beside switches.
        managers: what is written about the subnet manager of each InfiniBand fabric.
        catalog: the hardware.

    Raises:
        IntentError: a fabric has no port a manager could run on.
    """
    return tuple(
        _subnet(item, site.only(Network.INFINIBAND, item.fabric), managers[item.fabric], catalog)
        for item in controllers
        if item.platform == PLATFORM
    )


def manager_port(part: Fabric, wanted: SubnetManager) -> tuple[Device, Port]:
    """Where a lab's subnet manager runs: on the first host of the intent that has a port, else on the first node.

    Args:
        part: one InfiniBand fabric.
        wanted: what is written about its subnet manager.

    Raises:
        IntentError: nothing but switches has a port.
    """
    named = [part.devices[host.name] for host in wanted.hosts if host.name in part.devices]
    others = [device for device in part.devices.values() if not device.is_switch]
    for device in (*named, *others):
        for port, _, _ in part.neighbors(device.name):
            if not device.is_switch:
                return device, port
    raise IntentError("no host has a port in the fabric, so no subnet manager can run", hint="attach nodes to it")


def manager_guid(part: Fabric, wanted: SubnetManager) -> str:
    """GUID of the port a lab's subnet manager runs on, as the topology has it."""
    device, port = manager_port(part, wanted)
    return port_guid(device, port)


def _subnet(item: Controller, part: Fabric, wanted: SubnetManager, catalog: Catalog) -> LabSubnet:
    device, port = manager_port(part, wanted)
    return LabSubnet(
        ufm=item.name,
        topology=topology_text(topology_of(part, catalog)),
        at=node_id(part, device, port),
        engine=wanted.engine,
        roots=tuple(own_guid(switch) for switch in root_switches(part, wanted)),
    )
