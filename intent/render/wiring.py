"""The fabric as a lab's wiring: switches, hosts and cables, nothing of their configuration."""

from __future__ import annotations

from typing import Any

from intent.fabric.model import End, Fabric


def lab_wiring(fabric: Fabric) -> dict[str, Any]:
    """The wiring document of a lab that stands in for a site.

    Args:
        fabric: the site as compiled.

    Returns:
        `switches`, `hosts` and `links`, as the lab's wiring file has them.
    """
    return {
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


def _end(end: End) -> dict[str, str]:
    return {"device": end.device, "port": end.port}
