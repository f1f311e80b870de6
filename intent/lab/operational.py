"""Operational state as the API shows it, built only for what is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from intent.catalog.source import read
from intent.core.tree import Path
from intent.lab import trees as lab_trees
from intent.lab.facts import cage_of, mapping
from intent.lab.links import DEFAULT_MTU, Links
from intent.lab.machine import Machine
from intent.lab.overlay import evpn_state
from intent.lab.roce import port_counters, port_status, roce_state, watched
from intent.lab.routing import Routing
from intent.lab.trees import MISSING, Json
from intent.lab.world import World


class Operational:
    """Answers operational reads. Kept from call to call; links and sessions are judged anew when anything changed.

    Args:
        world: the lab.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.links = Links(world)
        self.routing = Routing(world, self.links)
        self._epoch = -1
        self._lossless: Mapping[str, Any] = read("qos")["profile"]["roce-lossless"]
        self._sections: dict[str, Callable[[Machine, Path, frozenset[str] | None], Json]] = {
            "interface": self._interfaces,
            "system": self._system,
            "platform": self._platform,
            "vrf": self._vrfs,
            "qos": self._qos,
            "bridge": self._bridge,
            "evpn": lambda machine, _, __: evpn_state(machine.applied),
        }

    def read(self, machine: Machine, path: Path, wanted: frozenset[str] | None) -> Any:
        """The operational value at a path, `MISSING` where there is none.

        Args:
            machine: the switch.
            path: keys from the root.
            wanted: what will be looked at below each interface or VRF (`intent.lab.views.looked_at`); None for all.
        """
        if self._epoch != self.world.tools.epoch.number:
            self._epoch = self.world.tools.epoch.number
            self.routing = Routing(self.world, self.links)
        whole: Json = {}
        for section in path[:1] or tuple(dict.fromkeys((*machine.applied, *self._sections))):
            base = mapping(machine.applied, section)
            build = self._sections.get(section)
            state = build(machine, path[1:], wanted) if build else {}
            laid = _laid(base, state)
            if laid:
                whole[section] = laid
        return lab_trees.at(whole, path)

    # Interfaces

    def _interfaces(self, machine: Machine, path: Path, wanted: frozenset[str] | None) -> Json:
        panel = machine.layout.speeds
        names = [path[0]] if path else list(dict.fromkeys((*machine.facts.ports, *panel, "eth0", "lo")))
        needed = frozenset(path[1:2]) or wanted
        shown = {}
        for name in names:
            # A port that is split vanishes: only its parts are ports.
            if name in panel or (cage_of(name) is None and (name in machine.facts.ports or name in ("eth0", "lo"))):
                shown[name] = self._interface(machine, name, needed, path[2:])
        return shown

    def _interface(self, machine: Machine, name: str, needed: frozenset[str] | None, rest: Path) -> Json:
        held = machine.facts.ports.get(name)
        kind = held.kind if held else "swp" if name.startswith("swp") else "eth" if name == "eth0" else "loopback"
        shown: Json = {"type": kind}
        bond = machine.facts.members.get(name)
        if bond is not None:
            shown["parent"] = bond
        if needed is None or "link" in needed:
            shown["link"] = self._link(machine, name)
        if needed is None or "lldp" in needed:
            neighbor = self.links.neighbor(machine, name)
            if neighbor is not None:
                shown["lldp"] = {"neighbor": {neighbor[0]: neighbor[1]}}
        if needed is not None and name in machine.layout.speeds:
            qos = self._port_qos(machine, name, needed, rest)
            if qos:
                shown["qos"] = qos
        return shown

    def _port_qos(self, machine: Machine, name: str, needed: frozenset[str], rest: Path) -> Json:
        if "qos.roce" in needed or ("qos" in needed and rest[:1] == ("roce",)):
            state = self._roce(machine)
            return {} if state is None else {"roce": {"status": port_status(state), "counters": port_counters()}}
        if "qos" in needed and rest[:1] == ("pfc-watchdog",):
            classes = watched(machine.applied, name, self._roce(machine))
            return {"pfc-watchdog": {"status": classes}} if classes else {}
        return {}

    def _link(self, machine: Machine, name: str) -> Json:
        link = self.links.of(machine, name)
        held = machine.facts.ports.get(name)
        if link is not None:
            admin, up, speed = link.admin, link.up, link.speed_gbps
        else:
            admin = held.up if held else name in ("eth0", "lo")
            up, speed = admin and (held is None or self.links.up(machine, name)), 1 if name == "eth0" else 0
        shown: Json = {"state": {"up" if up else "down": {}}, "mtu": (held.mtu if held else 0) or DEFAULT_MTU}
        if machine.dialect.oper_status:
            shown["admin-status"] = "up" if admin else "down"
            shown["oper-status"] = "up" if up else "down"
        if up and speed:
            shown["speed"] = f"{speed}G"
        shown["protodown"] = "disabled"
        shown["mac-address"] = machine.spec.mac
        shown["stats"] = {
            **{f"{way}-{what}": 0 for way in ("in", "out") for what in ("bytes", "pkts", "errors", "drops")},
            "carrier-transitions": int(up),
            "carrier-up-count": int(up),
            "carrier-down-count": 0,
        }
        return shown

    # System

    def _system(self, machine: Machine, path: Path, _: frozenset[str] | None) -> Json:
        release, dialect = machine.spec.release, machine.dialect
        now = self.world.agenda.clock()
        shown: Json = {
            "hostname": machine.facts.hostname,
            "uptime": max(0, int(now - machine.booted_at)),
            "build": f"Cumulus Linux {release}",
            "platform": machine.spec.model,
            "health": {"status": "OK", "issues": {}},
            "reboot": {"reason": {"reason": "Unknown", "gentime": "", "user": ""}, "required": "no"},
        }
        if dialect.product_release:
            shown["product-release"] = release
        if dialect.version_object:
            shown["version"] = {"product-release": release, "image": f"cumulus-linux-{release}-mlx-amd64"}
        return {key: value for key, value in shown.items() if not path or key == path[0]}

    def _platform(self, machine: Machine, _: Path, __: frozenset[str] | None) -> Json:
        spec = machine.spec
        device = {"model": spec.model, "serial-number": spec.serial, "base-mac": spec.mac, "type": "switch"}
        return {
            "product-name": spec.model,
            "asic-model": machine.panel.model.asic.name,
            "manufacturer": "NVIDIA",
            "serial-number": spec.serial,
            "system-mac": spec.mac,
            "hardware": {**device, "component": {"device": device}},
            "environment": {
                "fan": {f"FAN{number}": {"state": "ok"} for number in range(1, 5)},
                "psu": {f"PSU{number}": {"state": "ok"} for number in (1, 2)},
            },
            "inventory": {
                "SWITCH": {"hardware-version": "lab", "model": spec.model, "serial": spec.serial, "state": "ok"}
            },
        }

    # Routing

    def _vrfs(self, machine: Machine, path: Path, wanted: frozenset[str] | None) -> Json:
        names = path[:1] or tuple(dict.fromkeys((*machine.facts.bgp, "default")))
        needed = frozenset(path[1:2]) or wanted
        shown: Json = {}
        for vrf in names:
            if vrf not in machine.facts.bgp and vrf != "default" and vrf not in mapping(machine.applied, "vrf"):
                continue
            shown[vrf] = {}
            if needed is None or "router" in needed:
                shown[vrf] = {"router": self._router(machine, vrf, path[2:])}
        return shown

    def _router(self, machine: Machine, vrf: str, rest: Path) -> Json:
        shown: Json = {}
        bgp = machine.facts.bgp.get(vrf)
        if bgp is not None and rest[:1] in ((), ("bgp",)):
            neighbors = {
                key: self._neighbor(machine, vrf, key)
                for key in bgp.neighbors
                if len(rest) < 3 or rest[1] != "neighbor" or rest[2] == key
            }
            shown["bgp"] = {"autonomous-system": bgp.asn, "router-id": bgp.router_id, "neighbor": neighbors}
        if rest[:1] == ("rib",):
            shown["rib"] = {"ipv4": {"route": self._routes(machine, vrf)}}
        return shown

    def _neighbor(self, machine: Machine, vrf: str, key: str) -> Json:
        session = self.routing.session(machine, vrf, key)
        shown: Json = {
            "session-state": session.state,
            "connections-dropped": 0,
            "local-as": machine.facts.bgp[vrf].asn,
            "last-reset-reason": session.reason,
            "last-reset-code": session.code,
            "message-stats": {"open-sent": int(session.up), "open-rcvd": int(session.up)},
        }
        if session.up:
            shown["remote-as"] = session.peer_asn
            shown["remote-router-id"] = session.peer_router_id
            shown["remote-hostname"] = self.world.machines[session.peer].facts.hostname
            counts = {
                "rx-prefix": self.routing.received(machine, session),
                "tx-prefix": self.routing.sent(machine, vrf, session),
            }
            shown["address-family"] = {"ipv4-unicast": counts}
        return shown

    def _routes(self, machine: Machine, vrf: str) -> Json:
        flags: Json = {"fib-selected": {}, "installed": {}, "offloaded": {}, "selected": {}}
        shown: Json = {}
        for prefix in self.routing.connected(machine, vrf):
            entry = {"protocol": "connected", "distance": 0, "metric": 0, "flags": flags, "flags-string": "*Sio"}
            shown[prefix] = {"route-entry": {"1": entry}}
        for prefix, (_, through) in self.routing.routes(machine, vrf).items():
            entry = {
                "protocol": "bgp",
                "distance": 20,
                "metric": 0,
                "flags": flags,
                "flags-string": "*Sio",
                "via": {key: {"interface": key, "type": "interface"} for key in through},
            }
            shown[prefix] = {"route-entry": {"1": entry}}
        return shown

    # Quality of service, bridge

    def _roce(self, machine: Machine) -> Json | None:
        return roce_state(machine.applied, machine.panel, self._lossless, self.world.read_back_step)

    def _qos(self, machine: Machine, path: Path, _: frozenset[str] | None) -> Json:
        state = self._roce(machine) if not path or path[0] == "roce" else None
        return {} if state is None else {"roce": state}

    def _bridge(self, machine: Machine, path: Path, _: frozenset[str] | None) -> Json:
        domains = mapping(machine.applied, "bridge", "domain")
        if path[2:3] != ("mac-table",):
            return {}
        return {"domain": {name: {"mac-table": {}} for name in domains}}


def _laid(base: Json, state: Json) -> Json:
    """State laid on configuration; a port's `link.state` is one of up and down, so state replaces it."""
    result = dict(base)
    for key, value in state.items():
        present = result.get(key)
        if isinstance(value, dict) and isinstance(present, dict) and key != "state":
            result[key] = _laid(present, value)
        else:
            result[key] = value
    return result


__all__ = ["MISSING", "Operational"]
