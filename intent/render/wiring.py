"""The fabric as a lab's wiring: switches, hosts and cables, nothing of their configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from intent.fabric.model import End, Fabric, Network, Tier
from intent.render.controllers import Controller
from intent.schema.nvlink import SiteNvlink

# A lab runs this where the intent names no release.
_UFM_RELEASE = "6.23.1"


def lab_wiring(
    fabric: Fabric, controllers: Iterable[Controller] = (), nvlink: SiteNvlink | None = None
) -> dict[str, Any]:
    """The wiring document of a lab that stands in for a site.

    Args:
        fabric: the site as compiled.
        controllers: what is configured beside switches.
        nvlink: NVLink domains of the site.

    Returns:
        `switches`, `hosts`, `links`, `ufm` and `nmx`, as the lab's wiring file has them.
    """
    others: dict[str, list[dict[str, Any]]] = {"ufm": [], "nmx": []}
    for item in controllers:
        if item.platform == "ufm":
            others["ufm"].append(_ufm(item, fabric))
        elif item.platform == "nmx" and nvlink and nvlink.domains:
            others["nmx"].append(_nmx(item, nvlink))
    fabric = fabric.only(Network.ETHERNET)
    document: dict[str, Any] = {
        "switches": [
            {
                "name": device.name,
                "model": device.model,
                "release": device.release if device.release.count(".") > 1 else f"{device.release}.0",
                "address": device.management,
            }
            for device in fabric.switches
        ],
        "hosts": [{"name": node.name, "ports": [{"name": port} for port in node.ports]} for node in fabric.nodes],
        "links": [{"a": _end(link.a), "b": _end(link.b)} for link in fabric.links],
    }
    return document | {key: found for key, found in others.items() if found}


def _nmx(controller: Controller, nvlink: SiteNvlink) -> dict[str, Any]:
    """An NMX-M with the site's domains, all GPUs of each in its default partition."""
    domains = [{"uuid": domain.uuid, "chassis": domain.chassis} for domain in nvlink.domains.values()]
    return {"name": controller.name, "address": controller.address, "domains": domains}


def _ufm(controller: Controller, fabric: Fabric) -> dict[str, Any]:
    """A UFM with the ports of its fabric whose GUIDs are known; with none it takes any."""
    return {
        "name": controller.name,
        "version": controller.release or _UFM_RELEASE,
        "address": controller.address,
        "default_membership": "full" if controller.default_full else "limited",
        "ports": [*_ports(controller.fabric, fabric)],
        **({"routing": controller.engine} if controller.engine else {}),
    }


def _ports(name: str, fabric: Fabric) -> Iterator[Mapping[str, str]]:
    for link in fabric.links:
        port = fabric.devices[link.a.device].ports[link.a.port]
        if link.tier is Tier.HOST and port.guid and fabric.devices[link.b.device].fabric == name:
            yield {"guid": port.guid, "host": link.a.device, "name": f"{port.hca or port.name}/{port.number or 1}"}


def _end(end: End) -> dict[str, str]:
    return {"device": end.device, "port": end.port}
