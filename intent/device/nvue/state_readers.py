"""Operational state of a switch as vendor-neutral records: narrow reads, tolerant of absence, strict about nonsense.

What a device does not have (404) is an empty part. What cannot be understood raises, so that the part is
reported as a problem and never as healthy. Paths and field names: Cumulus Linux user guides 5.9 to 5.18.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from intent.device.deadline import Deadline
from intent.device.errors import NotFound, ProtocolError
from intent.device.nvue.session import NvueSession
from intent.device.observation import BgpSession, LinkState, LldpNeighbor, RoceState, SystemState

_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*([MGT])", re.IGNORECASE)
_GIGABIT = {"M": 0.001, "G": 1.0, "T": 1000.0}
_AGE = re.compile(r"(?:(\d+)\s*d(?:ays?)?,?\s*)?(\d+):(\d+):(\d+)")
_NUMBER = re.compile(r"-?\d+")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB)?", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 10**6, "gb": 10**9, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def read_system(session: NvueSession, deadline: Deadline) -> SystemState:
    """Name, release, model and uptime."""
    facts = session.facts(deadline)
    return SystemState(facts.hostname, facts.release, facts.model, facts.uptime_s)


LINK_KEYS = tuple(f"/*/link/{key}" for key in ("admin-status", "oper-status", "state", "speed", "mtu"))
LLDP_KEYS = ("/*/lldp/neighbor",)


def read_interfaces(session: NvueSession, deadline: Deadline, *include: str) -> Mapping[str, Any]:
    """State of every interface, as the device answers; empty when it has none."""
    return _read(session, deadline, "/interface", *include)


def read_links(session: NvueSession, deadline: Deadline) -> dict[str, LinkState]:
    """State of every interface that has a link. A state the device does not report is `unknown`."""
    return links_from(read_interfaces(session, deadline, *LINK_KEYS))


def links_from(body: Mapping[str, Any]) -> dict[str, LinkState]:
    """Links out of what `read_interfaces` answered."""
    result: dict[str, LinkState] = {}
    for name, interface in body.items():
        link = _mapping(interface, name).get("link")
        if link is None:
            continue
        result[name] = _link(name, _mapping(link, f"{name}.link"))
    return result


def read_lldp(session: NvueSession, deadline: Deadline) -> dict[str, tuple[LldpNeighbor, ...]]:
    """Neighbours by local port, the youngest first; ports without one are absent."""
    return lldp_from(read_interfaces(session, deadline, *LLDP_KEYS))


def lldp_from(body: Mapping[str, Any]) -> dict[str, tuple[LldpNeighbor, ...]]:
    """Neighbours out of what `read_interfaces` answered."""
    result: dict[str, tuple[LldpNeighbor, ...]] = {}
    for port, interface in body.items():
        lldp = _mapping(_mapping(interface, port).get("lldp") or {}, f"{port}.lldp")
        neighbors = _mapping(lldp.get("neighbor") or {}, f"{port}.lldp.neighbor")
        found = [_neighbor(port, name, _mapping(item, f"{port}.{name}")) for name, item in neighbors.items()]
        if found:
            result[port] = tuple(sorted(found, key=lambda item: (item.age_s is None, item.age_s or 0, item.system)))
    return result


def read_bgp(session: NvueSession, deadline: Deadline) -> tuple[BgpSession, ...]:
    """Every BGP neighbour of every VRF. A neighbour without a state is `unknown`."""
    body = _read(session, deadline, "/vrf", "/*/router/bgp/neighbor")
    result: list[BgpSession] = []
    for vrf, held in body.items():
        router = _mapping(_mapping(held, vrf).get("router") or {}, f"{vrf}.router")
        bgp = _mapping(router.get("bgp") or {}, f"{vrf}.router.bgp")
        neighbors = _mapping(bgp.get("neighbor") or {}, f"{vrf}.router.bgp.neighbor")
        result += [_session(vrf, key, _mapping(item, f"{vrf}.{key}")) for key, item in neighbors.items()]
    return tuple(sorted(result, key=lambda item: (item.vrf, item.neighbor)))


def read_roce(session: NvueSession, deadline: Deadline) -> RoceState:
    """RoCE as in force; an empty mode when it is off."""
    try:
        body = _mapping(session.read("/qos/roce", deadline), "/qos/roce")
    except NotFound:
        return RoceState("")
    switched = body.get("state", body.get("enable", "enabled"))
    if switched in ("disabled", "off", "no") or not body:
        return RoceState("")
    mode = body.get("mode")
    if not isinstance(mode, str) or not mode:
        raise ProtocolError("/qos/roce: RoCE is on and names no mode")
    pfc = _mapping(body.get("pfc") or {}, "/qos/roce: pfc")
    marking = _mapping(body.get("congestion-control") or {}, "/qos/roce: congestion-control")
    trust = _mapping(body.get("trust") or {}, "/qos/roce: trust")
    return RoceState(
        mode=mode,
        pfc_priorities=_numbers(pfc.get("pfc-priority")),
        ecn_traffic_classes=_numbers(marking.get("enabled-tc")),
        ecn_min_bytes=_bytes(marking.get("min-threshold")),
        ecn_max_bytes=_bytes(marking.get("max-threshold")),
        trust=_words(trust.get("trust-mode")),
        exceptions=_keys(body.get("exception", body.get("exceptions"))),
    )


Reader = Callable[[NvueSession, Deadline], Any]
READERS: Mapping[str, Reader] = {
    "system": read_system,
    "links": read_links,
    "lldp": read_lldp,
    "bgp": read_bgp,
    "roce": read_roce,
}


# --- records


def _link(name: str, link: Mapping[str, Any]) -> LinkState:
    state = link.get("state")
    # Before 5.11 only `state: {up: {}}`, which is the operational state.
    keyed = next(iter(state), "") if isinstance(state, Mapping) else (state if isinstance(state, str) else "")
    oper = link.get("oper-status") or keyed
    admin = link.get("admin-status") or (keyed if keyed == "up" else "")
    mtu = link.get("mtu")
    return LinkState(name, _updown(admin), _updown(oper), _gbps(link.get("speed")), _integer(mtu))


def _updown(value: Any) -> str:
    text = value.strip().lower() if isinstance(value, str) else ""
    return text if text in ("up", "down") else "unknown"


def _neighbor(port: str, name: str, body: Mapping[str, Any]) -> LldpNeighbor:
    remote = _mapping(body.get("port") or {}, f"{port}.{name}.port")
    chassis = _mapping(body.get("chassis") or {}, f"{port}.{name}.chassis")
    system = chassis.get("system-name") or name
    remote_port = remote.get("name")
    if not isinstance(remote_port, str) or not remote_port:
        raise ProtocolError(f"LLDP neighbour {name!r} on {port} names no port")
    return LldpNeighbor(port, str(system), remote_port, str(remote.get("type") or ""), _seconds(body.get("age")))


def _session(vrf: str, key: str, body: Mapping[str, Any]) -> BgpSession:
    state = body.get("session-state") or body.get("state")
    families = _mapping(body.get("address-family") or {}, f"{vrf}.{key}.address-family")
    unicast = _mapping(families.get("ipv4-unicast") or {}, f"{vrf}.{key}.ipv4-unicast")
    reason = str(body.get("last-reset-reason") or body.get("reason") or "")
    text = state.strip().lower() if isinstance(state, str) and state.strip() else "unknown"
    return BgpSession(
        vrf=vrf,
        neighbor=key,
        state=text,
        remote_asn=_integer(body.get("remote-as")),
        prefixes_received=_integer(unicast.get("rx-prefix")),
        reason="" if text == "established" or reason.lower() in ("none", "n/a") else reason,
    )


# --- values


def _read(session: NvueSession, deadline: Deadline, path: str, *include: str) -> Mapping[str, Any]:
    try:
        return _mapping(session.read(path, deadline, include=include), path)
    except NotFound:
        return {}


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProtocolError(f"{what}: expected an object, got {type(value).__name__}")
    return value


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else None


def _gbps(value: Any) -> float | None:
    """`400G`, `100M`, or a bare number of megabits."""
    number = _integer(value)
    if number is not None:
        return number / 1000
    match = _SPEED.match(value) if isinstance(value, str) else None
    return float(match[1]) * _GIGABIT[match[2].upper()] if match else None


def _seconds(value: Any) -> int | None:
    """`35`, `0:12:07` or `1 day, 3:04:05`."""
    number = _integer(value)
    if number is not None or not isinstance(value, str):
        return number
    match = _AGE.search(value)
    if not match:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _bytes(value: Any) -> int | None:
    """A number of bytes, or the text of the command line (`146.48 KB`)."""
    number = _integer(value)
    if number is not None or not isinstance(value, str):
        return number
    match = _SIZE.fullmatch(value.strip())
    return round(float(match[1]) * _UNITS[(match[2] or "").lower()]) if match else None


def _numbers(value: Any) -> tuple[int, ...]:
    """`3`, `0,3`, `[0, 3]` or a map with such keys."""
    if value is None:
        return ()
    if isinstance(value, str):
        parts: list[Any] = [part for part in value.split(",") if part not in {"", "-"}]
    else:
        parts = list(value) if isinstance(value, Mapping | list) else [value]
    numbers = [_integer(part) for part in parts]
    if any(number is None for number in numbers):
        raise ProtocolError(f"/qos/roce: {str(value)[:60]!r} is no list of numbers")
    return tuple(sorted(number for number in numbers if number is not None))


def _words(value: Any) -> str:
    if isinstance(value, Mapping | list):
        return ",".join(sorted(str(item) for item in value))
    return str(value or "").replace(" ", "")


def _keys(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping | list):
        return tuple(sorted(str(item) for item in value))
    return (str(value),) if value else ()
