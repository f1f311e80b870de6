"""Gives the ports of a compiled fabric the GUIDs that files tell; what no file tells stays unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.fabric.model import Device, End, Fabric, Network, Port, Role, Tier
from intent.formats.guids import GuidEntry, GuidFile

_MOST_FINDINGS = 50


@dataclass(frozen=True, slots=True)
class Learnt:
    """A fabric whose ports know their GUIDs.

    Args:
        fabric: the devices and links, GUIDs filled in.
        places: where the GUID of a port is told.
        diagnostics: entries that mean no port.
    """

    fabric: Fabric
    places: Mapping[End, Span]
    diagnostics: tuple[Diagnostic, ...]


def learn(fabric: Fabric, files: Mapping[str, GuidFile], serves: Mapping[str, Sequence[str]]) -> Learnt:
    """Fill in GUIDs.

    Args:
        fabric: as built.
        files: what is told, by file.
        serves: for each file the names of the InfiniBand fabrics it is about.

    Returns:
        The fabric; unchanged where an entry is wrong, for a GUID at the wrong port opens a partition to a stranger.
    """
    taker = _Taker(fabric)
    for name, file in files.items():
        known = _known(fabric, frozenset(serves[name]))
        for entry in file.entries:
            taker.take(entry, known, serves[name])
    if taker.diagnostics:
        return Learnt(fabric, {}, tuple(taker.diagnostics[:_MOST_FINDINGS]))
    devices = {name: _with(device, taker.ports.get(name, {})) for name, device in fabric.devices.items()}
    devices |= {name: replace(devices[name], guid=guid) for name, guid in taker.switches.items()}
    return Learnt(Fabric(fabric.site, devices, fabric.links), taker.places, ())


@dataclass(frozen=True, slots=True)
class _Place:
    """A cabled port of a node."""

    fabric: str
    port: Port
    rail: int


def _known(fabric: Fabric, names: frozenset[str]) -> dict[str, list[_Place]]:
    found: dict[str, list[_Place]] = {}
    for link in fabric.links:
        owner = fabric.devices[link.b.device].fabric
        if link.tier is Tier.HOST and link.network is Network.INFINIBAND and owner in names:
            port = fabric.devices[link.a.device].ports[link.a.port]
            found.setdefault(link.a.device, []).append(_Place(owner, port, link.rail))
    return found


def _is(place: _Place, entry: GuidEntry) -> bool:
    if entry.rail and place.rail != entry.rail:
        return False
    port = place.port
    names = {port.name, port.hca, f"{port.hca}/{port.number or 1}"} if port.hca else {port.name}
    return not entry.port or entry.port in names or (bool(port.number) and entry.port == str(port.number))


class _Taker:
    """Takes entries one by one."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self.ports: dict[str, dict[str, str]] = {}
        self.switches: dict[str, str] = {}
        self.places: dict[End, Span] = {}
        self.diagnostics: list[Diagnostic] = []

    def take(self, entry: GuidEntry, known: Mapping[str, list[_Place]], fabrics: Sequence[str]) -> None:
        device = self._fabric.devices.get(entry.device)
        if device is None:
            near = get_close_matches(entry.device, [*known], 1)
            hint = f"did you mean {near[0]}?" if near else "is the file of another site?"
            self._refuse(entry, f"no device {entry.device} in this site", hint)
        elif device.is_switch and not entry.port and not entry.rail:
            self._switch(entry, device, fabrics)
        else:
            self._port(entry, [place for place in known.get(entry.device, ()) if _is(place, entry)], known, fabrics)

    def _switch(self, entry: GuidEntry, device: Device, fabrics: Sequence[str]) -> None:
        if device.fabric not in fabrics:
            self._refuse(entry, f"{device.name} is a switch of fabric {device.fabric}, the file is of {fabrics[0]}")
        elif device.guid and device.guid != entry.guid:
            self._refuse(entry, f"{device.name} has GUID 0x{device.guid}, here 0x{entry.guid}")
        else:
            self.switches[device.name] = entry.guid

    def _port(
        self, entry: GuidEntry, places: Sequence[_Place], known: Mapping[str, list[_Place]], fabrics: Sequence[str]
    ) -> None:
        if len(places) != 1:
            self._refuse(entry, *_unclear(entry, places, known.get(entry.device, ()), fabrics))
            return
        end = End(entry.device, places[0].port.name)
        other = places[0].port.guid or self.ports.get(end.device, {}).get(end.port, "")
        if other and other != entry.guid:
            first = self.places.get(end)
            related = ((first, "the first stands here"),) if first else ()
            message = f"{end.device} {end.port} has two GUIDs: 0x{other} and 0x{entry.guid}"
            self.diagnostics.append(Diagnostic("G004", message, entry.span, related=related))
            return
        self.ports.setdefault(end.device, {})[end.port] = entry.guid
        self.places[end] = entry.span

    def _refuse(self, entry: GuidEntry, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic("G004", message, entry.span, hint=hint))


def _unclear(
    entry: GuidEntry, places: Sequence[_Place], all_ports: Sequence[_Place], fabrics: Sequence[str]
) -> tuple[str, str]:
    where = " and ".join(fabrics)
    if not all_ports:
        return f"{entry.device} has no port in {where}", "it is not attached there: take the row out, or attach it"
    names = ", ".join(dict.fromkeys(place.port.hca or place.port.name for place in all_ports))
    if not places:
        return f"{entry.words}: no such port in {where}", f"ports of {entry.device} there: {names}"
    return f"{entry.words} may be any of {len(places)} ports", f"say which: {names}"


def _with(device: Device, guids: Mapping[str, str]) -> Device:
    if not guids:
        return device
    ports = {name: replace(port, guid=guids.get(name, port.guid)) for name, port in device.ports.items()}
    return replace(device, ports=ports)


def unlearnt(fabric: Fabric, name: str) -> Iterator[End]:
    """Ports of nodes in a fabric whose GUID nobody told yet, in cabling order.

    Args:
        fabric: the compiled fabric.
        name: an InfiniBand fabric of it.
    """
    for link in fabric.links:
        if link.tier is not Tier.HOST or link.network is not Network.INFINIBAND:
            continue
        device = fabric.devices[link.a.device]
        mine = device.role is Role.NODE and fabric.devices[link.b.device].fabric == name
        if mine and not device.ports[link.a.port].guid:
            yield link.a
