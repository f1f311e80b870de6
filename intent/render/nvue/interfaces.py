"""Front-panel ports and the loopback."""

from __future__ import annotations

from intent.catalog.hardware import Switch
from intent.core.tree import Path, Tree
from intent.fabric.model import End, Link, Port, Tier
from intent.fabric.policy import SWITCH_MTU_BYTES
from intent.render.artifact import Origin
from intent.render.nvue.facts import Facts, Part, keys


def interfaces(facts: Facts) -> Part:
    """Loopback, split cages and cabled ports of a switch.

    Every front cage of the fabric and each of its parts is ours, cabled or not, so that what was cabled once and is
    no more goes away.
    """
    part = Part()
    origin = facts.of_site("loopback pool", "pools", "loopbacks")
    loopback: Tree = {"type": "loopback", "ipv4": {"address": keys([f"{facts.device.loopback}/32"])}}
    part.own(("interface", "lo"), loopback, origin)
    part.owned.extend(facts.panel)
    part.tree["interface"] |= _splits(facts, part)
    rules = _Rules(facts)
    for port, end, link in facts.fabric.neighbors(facts.device.name):
        part.tree["interface"][port.name] = rules.port(port, end, link, part.origins)
    return part


def front_panel(hardware: Switch) -> tuple[Path, ...]:
    """Every port the fabric cages of a model can have, whole or split."""
    most = max(breakout.parts for breakout in hardware.breakouts)
    paths: list[Path] = []
    for cage in hardware.fabric_cages:
        paths.append(("interface", hardware.port_name(cage.number)))
        if most > 1:
            paths.extend(("interface", hardware.port_name(cage.number, part, most)) for part in range(most))
    return tuple(paths)


def _splits(facts: Facts, part: Part) -> Tree:
    cages = {port.cage: port.breakout for port in facts.device.ports.values() if port.breakout > 1}
    forms: dict[int, Tree] = {
        parts: {"type": "swp", "link": {"breakout": {f"{parts}x": {}}}} for parts in set(cages.values())
    }
    splits: Tree = {}
    origin = facts.of_fabric("split of the cage", "topology", "link")
    for cage, parts in cages.items():
        name = facts.hardware.port_name(int(cage))
        splits[name] = forms[parts]
        part.origins["interface", name] = origin
    return splits


class _Rules:
    """Settings that hold for every port of one switch, decided once.

    Ports share the mappings that are equal in all of them: a rendered tree is a value, nobody changes it in place.
    """

    __slots__ = ("_adaptive", "_address", "_attach", "_link", "_links", "_qos", "_qos_origin", "_routers")

    def __init__(self, facts: Facts) -> None:
        chip = facts.hardware.asic
        speeds = {port.speed_gbps for port in facts.device.ports.values()}
        forced = frozenset(facts.hardware.forced_speeds_gbps)
        self._links: dict[int, Tree] = {
            speed: {
                "mtu": SWITCH_MTU_BYTES,
                "speed": f"{speed}G",
                "auto-negotiate": "disabled" if speed in forced else "enabled",
                "state": {"up": {}},
            }
            for speed in speeds
        }
        adaptive = {"adaptive-routing": {"state": "enabled"}}
        wanted = facts.text.adaptive_routing
        self._routers: dict[int, Tree] = {s: adaptive for s in speeds if wanted and chip.routes_adaptively(s)}
        self._qos: Tree = {"pfc-watchdog": {"state": "enable"}} if facts.qos and facts.qos.pfc_priorities else {}
        self._adaptive = facts.of_fabric("adaptive routing on leaf-spine ports", "adaptive_routing")
        self._qos_origin = facts.of_fabric("PFC watchdog of the QoS profile", "qos")
        self._attach = facts.of_fabric("host port", "attach")
        self._link = facts.of_fabric("link of the topology", "topology")
        self._address = facts.of_site("host pool", "pools", "hosts")

    def port(self, port: Port, end: End, link: Link, origins: dict[Path, Origin]) -> Tree:
        """One cabled port."""
        at = ("interface", port.name)
        host = link.tier is Tier.HOST
        tree: Tree = {
            "type": "swp",
            "description": f"{end.device} {end.port}",
            "link": self._links[port.speed_gbps],
        }
        origins[at] = self._attach if host else self._link
        if port.address:
            tree["ipv4"] = {"address": {port.address: {}}}
            origins["interface", port.name, "ipv4"] = self._address
        if not host and port.speed_gbps in self._routers:
            tree["router"] = self._routers[port.speed_gbps]
            origins["interface", port.name, "router"] = self._adaptive
        if self._qos:
            tree["qos"] = self._qos
            origins["interface", port.name, "qos"] = self._qos_origin
        return tree
