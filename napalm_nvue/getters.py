"""What NAPALM's getters read, in NAPALM's records. Absent objects (404) are empty answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from napalm.base.exceptions import ConnectionClosedException

from intent.core.tree import get
from intent.device.errors import NotFound
from intent.device.nvue.session import NvueSession
from intent.device.nvue.state_readers import read_bgp, read_links, read_lldp
from napalm_nvue.errors import napalm_errors

_ADMIN_ROLES = frozenset({"system-admin", "nvue-admin"})


class Getters:
    """Mixed into the driver; needs nothing but its session."""

    nvue: NvueSession | None

    def _opened(self) -> NvueSession:
        if self.nvue is None:
            raise ConnectionClosedException("the driver is not open")
        return self.nvue

    def get_facts(self) -> Any:
        """Release, model, name, uptime and interfaces."""
        session = self._opened()
        with napalm_errors():
            facts = session.facts(session.deadline())
            names = sorted(self._read("/interface", "/*/type"), key=_natural)
        return {
            "uptime": float(facts.uptime_s if facts.uptime_s is not None else -1),
            "vendor": "NVIDIA",
            "model": facts.model,
            "hostname": facts.hostname,
            "fqdn": facts.hostname,
            "os_version": facts.release,
            "serial_number": facts.serial,
            "interface_list": names,
        }

    def get_interfaces(self) -> Any:
        """State, speed in Mbit/s, MTU and address of every interface with a link."""
        session = self._opened()
        with napalm_errors():
            links = read_links(session, session.deadline())
            more = self._read("/interface", "/*/link/mac-address", "/*/description")
        return {
            name: {
                "is_up": link.oper == "up",
                "is_enabled": link.admin == "up",
                "description": str(_at(more, name, "description") or ""),
                "last_flapped": -1.0,
                "mtu": link.mtu or 0,
                "speed": (link.speed_gbps or 0.0) * 1000.0,
                "mac_address": str(_at(more, name, "link", "mac-address") or ""),
            }
            for name, link in links.items()
        }

    def get_interfaces_counters(self) -> Any:
        """Counters of every interface; NVUE does not tell unicast from the rest, so those stand at -1."""
        with napalm_errors():
            body = self._read("/interface", "/*/link/stats")
        result = {}
        for name in body:
            stats = _mapping(_at(body, name, "link", "stats"))
            if not stats:
                continue
            counters = {
                f"{way}_{kind}_packets": -1 for way in ("tx", "rx") for kind in ("unicast", "multicast", "broadcast")
            }
            for way, side in (("tx", "out"), ("rx", "in")):
                for ours, theirs in (("errors", "errors"), ("discards", "drops"), ("octets", "bytes")):
                    counters[f"{way}_{ours}"] = _integer(stats.get(f"{side}-{theirs}"))
            result[name] = counters
        return result

    def get_interfaces_ip(self) -> Any:
        """Addresses by interface and family, from `ipv4`, `ipv6` (5.15) or `ip`."""
        with napalm_errors():
            body = self._read("/interface", *(f"/*/{family}/address" for family in ("ipv4", "ipv6", "ip")))
        result: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
        for name in body:
            for family in ("ipv4", "ipv6", "ip"):
                for text in _mapping(_at(body, name, family, "address")):
                    address, _, length = text.partition("/")
                    if length.isdigit():
                        kind = "ipv6" if ":" in address else "ipv4"
                        result.setdefault(name, {}).setdefault(kind, {})[address] = {"prefix_length": int(length)}
        return result

    def get_lldp_neighbors(self) -> Any:
        """Neighbours by local port."""
        session = self._opened()
        with napalm_errors():
            found = read_lldp(session, session.deadline())
        return {
            port: [{"hostname": item.system, "port": item.remote_port} for item in neighbors]
            for port, neighbors in found.items()
        }

    def get_lldp_neighbors_detail(self, interface: str = "") -> Any:
        """Neighbours by local port, with what they say about themselves."""
        with napalm_errors():
            body = self._read("/interface", "/*/lldp/neighbor")
        result: dict[str, list[dict[str, Any]]] = {}
        for port in body:
            if interface and port != interface:
                continue
            for name, item in _mapping(_at(body, port, "lldp", "neighbor")).items():
                chassis, remote = _mapping(_at(item, "chassis")), _mapping(_at(item, "port"))
                capabilities = sorted(
                    word.removeprefix("is-")
                    for word, value in _mapping(chassis.get("capability")).items()
                    if value in (True, "on", "enabled", "true")
                )
                result.setdefault(port, []).append(
                    {
                        "parent_interface": "",
                        "remote_port": str(remote.get("name") or ""),
                        "remote_chassis_id": str(chassis.get("chassis-id") or ""),
                        "remote_port_description": str(remote.get("description") or ""),
                        "remote_system_name": str(chassis.get("system-name") or name),
                        "remote_system_description": str(chassis.get("system-description") or ""),
                        "remote_system_capab": capabilities,
                        "remote_system_enable_capab": capabilities,
                    }
                )
        return result

    def get_bgp_neighbors(self) -> Any:
        """Peers by VRF, `global` for the default one; unnumbered peers are keyed by interface."""
        session = self._opened()
        with napalm_errors():
            sessions = read_bgp(session, session.deadline())
            top = self._read("/vrf", "/*/router/bgp/router-id", "/*/router/bgp/autonomous-system")
            body = self._read("/vrf", "/*/router/bgp/neighbor")
        result: dict[str, dict[str, Any]] = {"global": {"router_id": "", "peers": {}}}
        for item in sessions:
            held = _mapping(_at(body, item.vrf, "router", "bgp", "neighbor", item.neighbor))
            own = _mapping(_at(top, item.vrf, "router", "bgp"))
            vrf = result.setdefault("global" if item.vrf == "default" else item.vrf, {"router_id": "", "peers": {}})
            vrf["router_id"] = str(own.get("router-id") or "")
            up = item.state == "established"
            vrf["peers"][item.neighbor] = {
                "is_enabled": "admin" not in item.reason.lower(),
                "uptime": _integer(held.get("uptime")) if up else -1,
                "remote_as": item.remote_asn or 0,
                "description": str(held.get("description") or ""),
                "remote_id": str(held.get("remote-router-id") or ""),
                "local_as": _integer(held.get("local-as") or own.get("autonomous-system"), 0),
                "is_up": up,
                "address_family": {
                    name.removesuffix("-unicast"): _prefixes(_mapping(family))
                    for name, family in _mapping(held.get("address-family")).items()
                },
            }
        return result

    def get_environment(self) -> Any:
        """Fans, power supplies, temperatures, processor and memory."""
        with napalm_errors():
            fans = self._read("/platform/environment/fan")
            supplies = self._read("/platform/environment/psu")
            sensors = self._read("/platform/environment/temperature")
            processor = self._read("/system/cpu")
            memory = self._read("/system/memory")
        physical = _mapping(memory.get("physical")) or memory
        return {
            "fans": {name: {"status": _healthy(item)} for name, item in fans.items()},
            "power": {
                name: {
                    "status": _healthy(item),
                    "output": _number(_at(item, "power")),
                    "capacity": _number(_at(item, "capacity")),
                }
                for name, item in supplies.items()
            },
            "temperature": {name: _temperature(_mapping(item)) for name, item in sensors.items()},
            "cpu": {0: {"%usage": _number(processor.get("utilization"))}} if processor else {},
            "memory": {
                "available_ram": _integer(physical.get("total"), 0),
                "used_ram": _integer(physical.get("used"), 0),
            },
        }

    def get_vlans(self) -> Any:
        """VLANs of every bridge with their ports."""
        with napalm_errors():
            domains = self._read("/bridge/domain", "/*/vlan")
            ports = self._read("/interface", "/*/bridge/domain")
        result: dict[str, dict[str, Any]] = {}
        for domain, body in domains.items():
            for vlan in _mapping(_at(body, "vlan")):
                members = [
                    port for port in ports if vlan in _mapping(_at(ports, port, "bridge", "domain", domain, "vlan"))
                ]
                entry = result.setdefault(vlan, {"name": f"vlan{vlan}", "interfaces": []})
                entry["interfaces"] = sorted({*entry["interfaces"], *members}, key=_natural)
        return result

    def get_mac_address_table(self) -> Any:
        """Learnt and static addresses of every bridge."""
        result: list[dict[str, Any]] = []
        with napalm_errors():
            for domain in self._read("/bridge/domain", "/*/type"):
                for item in self._read(f"/bridge/domain/{domain}/mac-table").values():
                    entry = _mapping(item)
                    result.append(
                        {
                            "mac": str(entry.get("mac") or ""),
                            "interface": str(entry.get("interface") or ""),
                            "vlan": _integer(entry.get("vlan"), 0),
                            "static": entry.get("entry-type") in ("static", "permanent"),
                            "active": True,
                            "moves": -1,
                            "last_move": -1.0,
                        }
                    )
        return result

    def get_network_instances(self, name: str = "") -> Any:
        """VRFs with their interfaces."""
        with napalm_errors():
            vrfs = self._read("/vrf", "/*/table")
            ports = self._read("/interface", "/*/vrf", "/*/ip/vrf")
        members: dict[str, dict[str, Any]] = {}
        for port in sorted(ports, key=_natural):
            vrf = _at(ports, port, "vrf") or _at(ports, port, "ip", "vrf")
            if isinstance(vrf, str):
                members.setdefault(vrf, {})[port] = {}
        return {
            vrf: {
                "name": vrf,
                "type": "DEFAULT_INSTANCE" if vrf == "default" else "L3VRF",
                "state": {"route_distinguisher": ""},
                "interfaces": {"interface": members.get(vrf, {})},
            }
            for vrf in vrfs
            if not name or vrf == name
        }

    def get_ntp_servers(self) -> Any:
        """Configured servers, from `system.ntp` (5.15) or `service.ntp.<vrf>`."""
        tree = self._applied()
        found: dict[str, dict[str, Any]] = {name: {} for name in _mapping(get(tree, ("system", "ntp", "server"), None))}
        for held in _mapping(get(tree, ("service", "ntp"), None)).values():
            found.update({name: {} for name in _mapping(_at(held, "server"))})
        return found

    def get_users(self) -> Any:
        """Configured accounts. Passwords are not shown, not even hashed."""
        users = _mapping(get(self._applied(), ("system", "aaa", "user"), None))
        return {
            name: {
                "level": 15 if _at(user, "role") in _ADMIN_ROLES else 1,
                "password": "",
                "sshkeys": [
                    " ".join(str(_at(key, part)) for part in ("type", "key") if _at(key, part))
                    for key in _mapping(_at(user, "ssh", "authorized-key")).values()
                ],
            }
            for name, user in users.items()
        }

    def _applied(self) -> Mapping[str, Any]:
        with napalm_errors():
            return self._opened().applied(self._opened().deadline())

    def _read(self, path: str, *include: str) -> Mapping[str, Any]:
        try:
            return _mapping(self._opened().read(path, self._opened().deadline(), include=include))
        except NotFound:
            return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _integer(value: Any, default: int = -1) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    text = str(value).strip() if isinstance(value, str) else ""
    return int(text) if text.isdigit() else default


def _number(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return float(str(value).split()[0].rstrip("%"))
    except (ValueError, IndexError):
        return -1.0


def _healthy(item: Any) -> bool:
    return str(_at(item, "state") or "").lower() in ("ok", "good", "up")


def _temperature(item: Mapping[str, Any]) -> dict[str, Any]:
    now, limit, critical = (_number(item.get(key)) for key in ("current", "max", "crit"))
    return {
        "is_alert": not _healthy(item) or (limit > 0 and now >= limit),
        "is_critical": critical > 0 and now >= critical,
        "temperature": now,
    }


def _prefixes(family: Mapping[str, Any]) -> dict[str, int]:
    received = _integer(family.get("rx-prefix"))
    return {
        "sent_prefixes": _integer(family.get("tx-prefix")),
        "accepted_prefixes": received,
        "received_prefixes": received,
    }


def _natural(name: str) -> tuple[Any, ...]:
    """Order in which people number: swp2 before swp10."""
    parts: list[tuple[int, int, str]] = []
    word, digits = "", ""
    for letter in name:
        if letter.isdigit():
            digits += letter
            continue
        if digits:
            parts.append((0, int(digits), ""))
            digits = ""
        word = letter
        parts.append((1, 0, word))
    if digits:
        parts.append((0, int(digits), ""))
    return tuple(parts)
