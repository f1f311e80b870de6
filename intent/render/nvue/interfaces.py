"""Front-panel ports and the loopback."""

from __future__ import annotations

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
    part.owned.extend(_front_panel(facts))
    part.tree["interface"] |= _splits(facts, part)
    rules = _Rules.of(facts)
    for port, end, link in facts.fabric.neighbors(facts.device.name):
        part.tree["interface"][port.name] = rules.port(port, end, link, part.origins)
    return part


def _front_panel(facts: Facts) -> list[Path]:
    most = max(breakout.parts for breakout in facts.hardware.breakouts)
    paths: list[Path] = []
    for cage in facts.hardware.fabric_cages:
        paths.append(("interface", facts.hardware.port_name(cage.number)))
        if most > 1:
            paths.extend(("interface", facts.hardware.port_name(cage.number, part, most)) for part in range(most))
    return paths


def _splits(facts: Facts, part: Part) -> Tree:
    cages = {port.cage: port for port in facts.device.ports.values() if port.breakout > 1}
    splits: Tree = {}
    origin = facts.of_fabric("split of the cage", "topology", "link")
    for cage, port in cages.items():
        name = facts.hardware.port_name(int(cage))
        splits[name] = {"type": "swp", "link": {"breakout": {f"{port.breakout}x": {}}}}
        part.origins["interface", name] = origin
    return splits


class _Rules:
    """Settings that hold for every port of one switch, decided once."""

    __slots__ = ("adaptive", "adaptive_tiers", "address", "attach", "forced", "link", "watchdog", "watchdog_origin")

    def __init__(self, facts: Facts) -> None:
        wants, chip = facts.text.adaptive_routing, facts.hardware.asic
        speeds = {port.speed_gbps for port in facts.device.ports.values()}
        self.adaptive_tiers = {speed for speed in speeds if wants and chip.routes_adaptively(speed)}
        self.adaptive = facts.of_fabric("adaptive routing on leaf-spine ports", "adaptive_routing")
        self.watchdog = facts.qos is not None and bool(facts.qos.pfc_priorities)
        self.watchdog_origin = facts.of_fabric("PFC watchdog of the QoS profile", "qos")
        self.attach = facts.of_fabric("host port", "attach")
        self.link = facts.of_fabric("link of the topology", "topology")
        self.address = facts.of_site("host pool", "pools", "hosts")
        self.forced = frozenset(facts.hardware.forced_speeds_gbps)

    @classmethod
    def of(cls, facts: Facts) -> _Rules:
        """The rules of a switch."""
        return cls(facts)

    def port(self, port: Port, end: End, link: Link, origins: dict[Path, Origin]) -> Tree:
        """One cabled port."""
        at = ("interface", port.name)
        negotiate = "disabled" if port.speed_gbps in self.forced else "enabled"
        tree: Tree = {
            "type": "swp",
            "description": f"{end.device} {end.port}",
            "link": {
                "mtu": SWITCH_MTU_BYTES,
                "speed": f"{port.speed_gbps}G",
                "auto-negotiate": negotiate,
                "state": {"up": {}},
            },
        }
        origins[at] = self.attach if link.tier is Tier.HOST else self.link
        if port.address:
            tree["ipv4"] = {"address": {port.address: {}}}
            origins[*at, "ipv4"] = self.address
        if link.tier is Tier.FABRIC and port.speed_gbps in self.adaptive_tiers:
            tree["router"] = {"adaptive-routing": {"state": "enabled"}}
            origins[*at, "router"] = self.adaptive
        if self.watchdog:
            tree["qos"] = {"pfc-watchdog": {"state": "enable"}}
            origins[*at, "qos"] = self.watchdog_origin
        return tree
