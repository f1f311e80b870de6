"""The file that says which switches and hosts a lab has and how they are wired."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.lab.nmx.spec import Domain, Nmx
from intent.lab.subnet import spec as subnets
from intent.lab.subnet.spec import Subnet
from intent.lab.ufm.spec import FabricPort, Ufm

MAX_BYTES = 256 * 1024 * 1024

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,252}")
_MAC = re.compile(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch of the lab.

    Args:
        name: name, also its host name on day 0.
        model: hardware model, a key of the catalog.
        release: release it runs (`5.16.4`).
        mac: base MAC address; empty lets the lab number it.
        serial: serial number; empty lets the lab number it.
        address: management address in the design, with or without prefix length; empty means DHCP.
        factory: the factory password is still set.
    """

    name: str
    model: str
    release: str
    mac: str = ""
    serial: str = ""
    address: str = ""
    factory: bool = False


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port of a host.

    Args:
        name: name as the host's LLDP sends it.
        mac: MAC address; sent by LLDP when the name is empty.
    """

    name: str
    mac: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """A host: its ports are up at whatever speed the switch side runs."""

    name: str
    ports: tuple[HostPort, ...]


@dataclass(frozen=True, slots=True, order=True)
class End:
    """One end of a cable."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True)
class Link:
    """A cable between two ends."""

    a: End
    b: End


@dataclass(frozen=True, slots=True)
class Wiring:
    """All devices and cables of a lab."""

    switches: tuple[Switch, ...]
    hosts: tuple[Host, ...] = ()
    links: tuple[Link, ...] = ()
    ufm: tuple[Ufm, ...] = ()
    nmx: tuple[Nmx, ...] = ()
    subnet: tuple[Subnet, ...] = ()


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, where: str, what: str, hint: str = "") -> IntentError:
        return IntentError(f"wiring file {self.source}: {where}: {what}", hint=hint)

    def object(self, value: Any, where: str, known: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(where, f"an object is needed, {type(value).__name__} given")
        for key in value:
            if key not in known:
                raise self.fail(where, f"unknown key {key[:60]!r}", f"known: {', '.join(known)}")
        for key in required:
            if key not in value:
                raise self.fail(where, f"key {key!r} is missing")
        return value

    def items(self, value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.fail(where, f"a list is needed, {type(value).__name__} given")
        return value

    def text(self, holder: Mapping[str, Any], key: str, where: str, pattern: re.Pattern[str] | None = None) -> str:
        value = holder.get(key, "")
        if not isinstance(value, str):
            raise self.fail(f"{where}.{key}", f"text is needed, {type(value).__name__} given")
        if value and pattern and not pattern.fullmatch(value):
            raise self.fail(f"{where}.{key}", f"{value[:60]!r} is not valid")
        return value

    def name(self, holder: Mapping[str, Any], key: str, where: str) -> str:
        value = self.text(holder, key, where, _NAME)
        if not value:
            raise self.fail(f"{where}.{key}", "must not be empty")
        return value


def several(read: _Reader, value: Any, where: str, one: Callable[[_Reader, Any, str], Any]) -> tuple[Any, ...]:
    """A list of what `one` reads."""
    return tuple(one(read, item, f"{where}[{at}]") for at, item in enumerate(read.items(value, where)))


def _switch(read: _Reader, value: Any, where: str) -> Switch:
    known = ("name", "model", "release", "mac", "serial", "address", "factory")
    held = read.object(value, where, known, ("name", "model", "release"))
    factory = held.get("factory", False)
    if not isinstance(factory, bool):
        raise read.fail(f"{where}.factory", "true or false is needed")
    return Switch(
        name=read.name(held, "name", where),
        model=read.name(held, "model", where),
        release=read.name(held, "release", where),
        mac=read.text(held, "mac", where, _MAC).lower(),
        serial=read.text(held, "serial", where),
        address=read.text(held, "address", where),
        factory=factory,
    )


def _host(read: _Reader, value: Any, where: str) -> Host:
    held = read.object(value, where, ("name", "ports"), ("name", "ports"))
    ports = []
    for at, item in enumerate(read.items(held["ports"], f"{where}.ports")):
        place = f"{where}.ports[{at}]"
        port = read.object(item, place, ("name", "mac"), ("name",))
        ports.append(HostPort(read.name(port, "name", place), read.text(port, "mac", place, _MAC).lower()))
    return Host(read.name(held, "name", where), tuple(ports))


def _link(read: _Reader, value: Any, where: str) -> Link:
    held = read.object(value, where, ("a", "b"), ("a", "b"))
    ends = []
    for side in ("a", "b"):
        place = f"{where}.{side}"
        end = read.object(held[side], place, ("device", "port"), ("device", "port"))
        ends.append(End(read.name(end, "device", place), read.name(end, "port", place)))
    return Link(ends[0], ends[1])


_GUID = re.compile(r"(0x)?[0-9a-fA-F]{16}")
_UFM_VERSION = re.compile(r"\d+\.\d+(\.\d+)?(-\d+)?")


def _ufm(read: _Reader, value: Any, where: str) -> Ufm:
    known = ("name", "version", "address", "default_membership", "authentication", "ports", "routing")
    held = read.object(value, where, known, ("name", "version"))
    ports = []
    for at, item in enumerate(read.items(held.get("ports", []), f"{where}.ports")):
        place = f"{where}.ports[{at}]"
        port = read.object(item, place, ("guid", "host", "name"), ("guid",))
        guid = read.text(port, "guid", place, _GUID).lower().removeprefix("0x")
        ports.append(FabricPort(guid, read.text(port, "host", place), read.text(port, "name", place)))
    chosen = {}
    for key, values in (("default_membership", ("limited", "full")), ("authentication", ("basic", "token"))):
        chosen[key] = read.text(held, key, where) or values[0]
        if chosen[key] not in values:
            raise read.fail(f"{where}.{key}", f"must be {' or '.join(values)}")
    return Ufm(
        name=read.name(held, "name", where),
        version=read.text(held, "version", where, _UFM_VERSION),
        address=read.text(held, "address", where),
        default_membership=chosen["default_membership"],
        authentication=chosen["authentication"],
        ports=tuple(ports),
        routing=read.text(held, "routing", where, _ENGINE) or "ar_updn",
    )


_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NMX_VERSION = re.compile(r"\d+(\.\d+){1,3}")


def _nmx(read: _Reader, value: Any, where: str) -> Nmx:
    held = read.object(value, where, ("name", "version", "address", "default_kind", "domains"), ("name", "domains"))
    domains = []
    for at, item in enumerate(read.items(held["domains"], f"{where}.domains")):
        place = f"{where}.domains[{at}]"
        body = read.object(item, place, ("uuid", "trays", "gpus", "chassis"), ("uuid",))
        counts = {key: body[key] for key in ("trays", "gpus", "chassis") if key in body}
        for key, number in counts.items():
            if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 1000:
                raise read.fail(f"{place}.{key}", "a number from 1 to 999 is needed")
        domains.append(Domain(read.text(body, "uuid", place, _UUID).lower(), **counts))
    kind = read.text(held, "default_kind", where) or "ID_BASED"
    if kind not in ("ID_BASED", "LOCATION_BASED"):
        raise read.fail(f"{where}.default_kind", "must be ID_BASED or LOCATION_BASED")
    version = read.text(held, "version", where, _NMX_VERSION) or "85.1.1000"
    return Nmx(read.name(held, "name", where), version, read.text(held, "address", where), kind, tuple(domains))


_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ENGINE = re.compile(r"[A-Za-z0-9_-]{1,32}")


def _manager(read: _Reader, value: Any, where: str) -> subnets.Manager:
    held = read.object(value, where, ("name", "at", "priority", "guid"), ("name",))
    name = read.text(held, "name", where, _NODE_ID)
    priority = held.get("priority", 15)
    if not name:
        raise read.fail(f"{where}.name", "must not be empty")
    if not isinstance(priority, int) or isinstance(priority, bool) or not 0 <= priority <= 15:
        raise read.fail(f"{where}.priority", "a number from 0 to 15 is needed")
    guid = read.text(held, "guid", where, _GUID).lower().removeprefix("0x")
    return subnets.Manager(name, read.text(held, "at", where, _NODE_ID), priority, guid)


def _subnet_switch(read: _Reader, value: Any, where: str) -> subnets.Switch:
    held = read.object(value, where, ("name", "node", "ports"), ("name", "node"))
    ports = held.get("ports", {})
    if not isinstance(ports, dict) or not all(
        isinstance(number, int) and not isinstance(number, bool) and 0 < number < 1024 for number in ports.values()
    ):
        raise read.fail(f"{where}.ports", "port numbers by name are needed")
    return subnets.Switch(read.name(held, "name", where), read.text(held, "node", where, _NODE_ID), ports)


def _subnet(read: _Reader, value: Any, where: str) -> Subnet:
    known = ("ufm", "fabric", "topology", "managers", "engine", "roots", "switches")
    held = read.object(value, where, known, ("topology", "managers"))
    topology = read.text(held, "topology", where)
    if not topology or "\0" in topology:
        raise read.fail(f"{where}.topology", "a file is needed")
    roots = read.items(held.get("roots", []), f"{where}.roots")
    for root in roots:
        if not isinstance(root, str) or not _GUID.fullmatch(root):
            raise read.fail(f"{where}.roots", f"{str(root)[:60]!r} is no GUID")
    managers = several(read, held["managers"], f"{where}.managers", _manager)
    if not managers:
        raise read.fail(f"{where}.managers", "at least one is needed")
    ufm, fabric = (read.text(held, key, where, _NODE_ID) for key in ("ufm", "fabric"))
    if not ufm and not fabric:
        raise read.fail(where, "ufm or fabric is needed")
    return Subnet(
        name=ufm or fabric,
        topology=Path(topology),
        managers=managers,
        ufm=ufm,
        switches=several(read, held.get("switches", []), f"{where}.switches", _subnet_switch),
        engine=read.text(held, "engine", where, _ENGINE) or "minhop",
        roots=tuple(root.lower().removeprefix("0x") for root in roots),
    )


def _controllers(document: Any) -> bool:
    return isinstance(document, dict) and any(document.get(key) for key in ("ufm", "nmx", "subnet"))


def parse(document: Any, source: str) -> Wiring:
    """Read a wiring document strictly.

    Args:
        document: the decoded JSON.
        source: name for messages.

    Raises:
        IntentError: a key is unknown, missing or of the wrong type, a name stands twice, a cable ends nowhere or
            a port holds two cables.
    """
    read = _Reader(source)
    known = ("switches", "hosts", "links", "ufm", "nmx", "subnet")
    held = read.object(document, "top level", known, ("switches",) if not _controllers(document) else ())

    wiring = Wiring(
        several(read, held.get("switches", []), "switches", _switch),
        several(read, held.get("hosts", []), "hosts", _host),
        several(read, held.get("links", []), "links", _link),
        several(read, held.get("ufm", []), "ufm", _ufm),
        several(read, held.get("nmx", []), "nmx", _nmx),
        several(read, held.get("subnet", []), "subnet", _subnet),
    )
    if not (wiring.switches or wiring.ufm or wiring.nmx or wiring.subnet):
        raise read.fail("switches", "a lab needs at least one switch")
    _consistent(read, wiring)
    return wiring


def _consistent(read: _Reader, wiring: Wiring) -> None:
    seen: set[str] = set()
    named = [switch.name for switch in wiring.switches]
    named += [host.name for host in wiring.hosts] + [ufm.name for ufm in wiring.ufm]
    named += [nmx.name for nmx in wiring.nmx]
    for name in named:
        if name in seen:
            raise read.fail("switches and hosts", f"the name {name!r} stands twice")
        seen.add(name)
    ports = {host.name: {port.name for port in host.ports} for host in wiring.hosts}
    _managed_once(read, wiring)
    taken: dict[End, int] = {}
    for at, link in enumerate(wiring.links):
        for end in (link.a, link.b):
            where = f"links[{at}]"
            if end.device not in seen:
                raise read.fail(where, f"no device is called {end.device!r}")
            if end.device in ports and end.port not in ports[end.device]:
                raise read.fail(where, f"host {end.device} has no port {end.port!r}")
            if end in taken:
                raise read.fail(where, f"port {end} already holds the cable of links[{taken[end]}]")
            taken[end] = at


def _managed_once(read: _Reader, wiring: Wiring) -> None:
    """A UFM has one subnet behind it, a host runs one manager."""
    names = [subnet.name for subnet in wiring.subnet]
    pairs = [f"{host.name} of {subnet.name}" for subnet in wiring.subnet for host in subnet.managers]
    hosted = [host.name for subnet in wiring.subnet if not subnet.ufm for host in subnet.managers]
    for subnet in wiring.subnet:
        if subnet.ufm and subnet.ufm not in {ufm.name for ufm in wiring.ufm}:
            raise read.fail("subnet", f"no UFM is called {subnet.ufm!r}")
    for what, found in (("subnet", names), ("manager", pairs), ("manager", hosted)):
        twice = next((name for name, count in Counter(found).items() if count > 1), None)
        if twice is not None:
            raise read.fail("subnet", f"{what} {twice!r} stands twice")
    taken = {ufm.name for ufm in wiring.ufm} | {nmx.name for nmx in wiring.nmx}
    clash = next((name for name in hosted if name in taken), None)
    if clash is not None:
        raise read.fail("subnet", f"manager {clash!r} has the name of a controller")


def load(path: Path) -> Wiring:
    """Read a wiring file; a topology it names lies beside it unless its path is absolute.

    Raises:
        IntentError: the file cannot be read or is not a valid wiring.
    """
    try:
        document = json.loads(read_regular(path, MAX_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise IntentError(f"wiring file {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise IntentError(f"wiring file {path}: not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise IntentError(f"wiring file {path}: not valid JSON: {error}") from None
    wiring = parse(document, str(path))
    found = tuple(replace(each, topology=path.parent / each.topology) for each in wiring.subnet)
    return replace(wiring, subnet=found)


def factory_fresh(wiring: Wiring) -> Wiring:
    """The same lab with every switch as it leaves the factory."""
    return replace(wiring, switches=tuple(replace(switch, factory=True) for switch in wiring.switches))
