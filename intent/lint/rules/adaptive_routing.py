"""Adaptive routing where the switch cannot do it.

The chip must have it, and Spectrum-4 does it on links below 800G only: split the ports and say `link: 400G`.

Bad:
    topology: {link: 800G, leaf: SN5600, spine: SN5600, ...}
    adaptive_routing: true

Good:
    topology: {link: 400G, leaf: SN5600, spine: SN5600, ...}
    adaptive_routing: true
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.model import Device, End, Fabric, Tier
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L204", "adaptive-routing", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        site = context.document.sites.get(fabric.site)
        wanted = {key for key, text in site.fabrics.items() if text.adaptive_routing} if site else set()
        said: set[tuple[str, str, int]] = set()
        for device, speed in _fabric_ports(fabric):
            switch = context.catalog.switches.get(device.model)
            case = (device.fabric, device.model, speed)
            if device.fabric not in wanted or switch is None or case in said:
                continue
            said.add(case)
            if not switch.asic.routes_adaptively(speed):
                limit = switch.asic.adaptive_routing_max_gbps
                can = f"up to {limit}G" if switch.asic.adaptive_routing else "not at all"
                yield Finding(
                    f"fabric {device.fabric}: adaptive routing on {speed}G links of {device.model} - "
                    f"{switch.asic.name} does it {can}",
                    ("sites", fabric.site, "fabrics", device.fabric, "adaptive_routing"),
                    hint="set topology.link to a lower speed" if limit else "take another switch, or switch it off",
                )


def _fabric_ports(fabric: Fabric) -> Iterator[tuple[Device, int]]:
    for link in fabric.links:
        if link.tier is Tier.FABRIC:
            for end in (link.a, link.b):
                yield fabric.devices[end.device], _speed(fabric, end)


def _speed(fabric: Fabric, end: End) -> int:
    port = fabric.devices[end.device].ports.get(end.port)
    return port.speed_gbps if port else 0
