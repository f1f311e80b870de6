"""Which port has which GUID: a strict reader of CSV files of GUIDs.

The first row names the columns: `device` (or `node`), `guid`, and `port` or `rail` where a device has several ports. A
row without port and rail is of a switch. A port is named as the fabric names it, by its RDMA device (`mlx5_0`,
`mlx5_0/1`), or by its number. Spreadsheets damage GUIDs (`2.45E+18`): whatever is not sixteen hexadecimal digits is an
error.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.formats.ib.netdiscover import read_topology
from intent.formats.ib.topology import Node, NodeKind

LARGEST_CHARACTERS = 32 * 1024 * 1024
"""A longer file is refused unread: 100,000 GUIDs have 5 MiB."""

_MOST_FINDINGS = 50
_GUID = re.compile(r"(?:0[xX])?([0-9a-fA-F]{16})")
_PARTED = re.compile(r"(?:[0-9a-fA-F]{4}:){3}[0-9a-fA-F]{4}|(?:[0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}")
_DISCOVERED = re.compile(r"^(?:caguid=|switchguid=|# Topology file:)", re.MULTILINE)
_SWITCH_NAME = re.compile(r"MF0;([A-Za-z0-9._-]+):[^/]*/U(\d+)")
_COLUMNS = {"device": "device", "node": "device", "host": "device", "port": "port", "rail": "rail", "guid": "guid"}
_EXPECTED = "expected device, port (or rail), guid"


@dataclass(frozen=True, slots=True)
class GuidEntry:
    """One port and its GUID.

    Args:
        device: name of the node or switch.
        port: name of the port; empty when the rail says it, or for a switch.
        rail: rail of the port, from 1; 0 when its name says it.
        guid: sixteen hexadecimal digits in small letters.
        span: where it stands.
    """

    device: str
    port: str
    rail: int
    guid: str
    span: Span

    @property
    def words(self) -> str:
        """The port, for people."""
        which = self.port or (f"rail {self.rail}" if self.rail else "")
        return f"{self.device} {which}".rstrip()


@dataclass(frozen=True, slots=True)
class GuidFile:
    """What a file says.

    Args:
        name: the file.
        entries: rows that are right; none of them counts when a row is wrong.
        diagnostics: what is wrong, each with its line.
    """

    name: str
    entries: tuple[GuidEntry, ...]
    diagnostics: tuple[Diagnostic, ...]


def guid_digits(text: str) -> str | None:
    """The sixteen digits of a GUID in small letters; None for anything else, for zero and for all ones.

    Args:
        text: with or without `0x`, or in groups apart by colons.
    """
    bare = text.replace(":", "") if _PARTED.fullmatch(text) else text
    match = _GUID.fullmatch(bare)
    digits = match[1].lower() if match else ""
    return digits if digits and set(digits) not in ({"0"}, {"f"}) else None


def read_guids(text: str, name: str) -> GuidFile:
    """Read a file of GUIDs: a CSV, or the output of ibnetdiscover.

    Args:
        text: its content.
        name: its name, for places.
    """
    return read_discovered(text, name) if _DISCOVERED.search(text, 0, 100_000) else read_csv(text, name)


def read_csv(text: str, name: str) -> GuidFile:
    """Read a CSV file of GUIDs. Whatever the text holds, the answer is entries or findings, never an exception.

    Args:
        text: its content.
        name: its name, for places.
    """
    if len(text) > LARGEST_CHARACTERS:
        return _refused(name, 1, f"{len(text)} characters - expected at most {LARGEST_CHARACTERS}")
    if "\0" in text:
        return _refused(name, text[: text.index("\0")].count("\n") + 1, "a zero byte: this is no text")
    entries: list[GuidEntry] = []
    found: list[Diagnostic] = []
    for item in _rows(text, name):
        if isinstance(item, GuidEntry):
            entries.append(item)
        else:
            found.append(item)
            if len(found) >= _MOST_FINDINGS:
                break
    if not entries and not found:
        return _refused(name, 1, "no GUID in it", "one row per port under the line device,port,guid")
    found.extend(_doubles(entries))
    return GuidFile(name, tuple(entries), tuple(found[:_MOST_FINDINGS]))


def read_discovered(text: str, name: str) -> GuidFile:
    """Read what ibnetdiscover wrote of a running fabric: `Ca 1 "H-…" # "host0001 mlx5_0"` and the ports below it.

    A node description is the host's name and its RDMA device; a switch's is `MF0;NAME:MODEL/U1`. Descriptions that
    name no host (a switch without a management module, a card nobody named) are left out and told once. A file that is
    truncated or contradicts itself is refused as a whole.

    Args:
        text: its content.
        name: its name, for places.
    """
    reading = read_topology(text, name)
    if reading.diagnostics:
        return GuidFile(name, (), reading.diagnostics)
    entries: list[GuidEntry] = []
    nameless: list[Node] = []
    for node in reading.topology.nodes:
        span = node.span or Span(name, 1)
        chip = _SWITCH_NAME.fullmatch(node.description) if node.kind is NodeKind.SWITCH else None
        host = _host(node.description) if node.kind is NodeKind.ADAPTER else None
        if chip and node.guid:
            # A switch of several chips has a stanza for each; its name stands for the first.
            entries += [GuidEntry(chip[1], "", 0, node.guid, span)] if chip[2] == "1" else []
        elif host:
            entries += [
                GuidEntry(host[0], _port(host[1], cable.port), 0, cable.guid, cable.span or span)
                for cable in node.cables
                if cable.guid
            ]
        else:
            nameless.append(node)
    if not entries:
        return _refused(name, 1, "no host in it", "expected what ibnetdiscover prints, with host names in it")
    found = list(_doubles(entries))
    if nameless:
        shown = _shown(nameless[0].description)
        message = f"{len(nameless)} nodes have no host name in their description, the first {shown}: left out"
        hint = "give them names, or a CSV"
        found.append(Diagnostic("G006", message, nameless[0].span, Severity.WARNING, hint=hint))
    return GuidFile(name, tuple(entries), tuple(found[:_MOST_FINDINGS]))


def _port(hca: str, number: int) -> str:
    return hca if number == 1 else f"{hca}/{number}"


def _host(description: str) -> tuple[str, str] | None:
    """Host and RDMA device of a node description; None when it names none."""
    words = description.split()
    return (words[0], words[1]) if len(words) == 2 and all(_WORD.fullmatch(word) for word in words) else None


def doubles(files: Iterable[GuidFile]) -> tuple[Diagnostic, ...]:
    """GUIDs that stand in more than one file: a port is in one fabric.

    Args:
        files: different files, each without doubles of its own.
    """
    first: dict[str, GuidEntry] = {}
    found: list[Diagnostic] = []
    for file in files:
        for entry in file.entries:
            other = first.setdefault(entry.guid, entry)
            if other.span.file != entry.span.file and len(found) < _MOST_FINDINGS:
                found.append(_twice(entry, other))
    return tuple(found)


def _rows(text: str, name: str) -> Iterator[GuidEntry | Diagnostic]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    try:
        for row in reader:
            line = reader.line_num
            if not row or row[0].lstrip().startswith("#"):
                continue
            if columns:
                yield _entry(row, columns, line, name)
                continue
            columns = [_COLUMNS.get(cell.strip().lower(), "") for cell in row]
            message = _head(row, columns)
            if message:
                yield _problem(name, line, message, "the first row names the columns: device,port,guid")
                return
    except csv.Error as error:
        yield _problem(name, reader.line_num or 1, f"not CSV: {error}")


def _head(row: list[str], columns: list[str]) -> str:
    shown = ", ".join(ascii(cell.strip()[:40]) for cell in row[:8])
    if "" in columns:
        return f"columns {shown} - {_EXPECTED}"
    for column in ("device", "guid", "port", "rail"):
        count = columns.count(column)
        if count > 1 or (not count and column in ("device", "guid")):
            return f"column {column} stands {count} times in {shown} - {_EXPECTED}"
    return ""


def _entry(row: list[str], columns: list[str], line: int, name: str) -> GuidEntry | Diagnostic:
    if len(row) != len(columns):
        return _problem(name, line, f"{len(row)} columns - expected {len(columns)}")
    cells = {column: cell.strip() for column, cell in zip(columns, row, strict=True)}
    device, port, rail = cells["device"], cells.get("port", ""), cells.get("rail", "")
    if not _WORD.fullmatch(device):
        return _problem(name, line, f"device {_shown(device)} - expected a name")
    if port and not _WORD.fullmatch(port):
        return _problem(name, line, f"{device}: port {_shown(port)} - expected a name such as mlx5_0")
    if rail and not (rail.isascii() and rail.isdigit() and 1 <= int(rail[:6]) <= 999):
        return _problem(name, line, f"{device}: rail {_shown(rail)} - expected a number from 1")
    guid = guid_digits(cells["guid"])
    if guid is None:
        hint = "a spreadsheet may have made a number of it: keep the column as text" if "E+" in cells["guid"] else ""
        message = f"{device} {port or rail}: GUID {_shown(cells['guid'])} - expected sixteen hexadecimal digits"
        return _problem(name, line, message.replace(" : ", ": "), hint)
    return GuidEntry(device, port, int(rail) if rail else 0, guid, Span(name, line))


def _doubles(entries: list[GuidEntry]) -> Iterator[Diagnostic]:
    by_guid: dict[str, GuidEntry] = {}
    by_port: dict[tuple[str, str, int], GuidEntry] = {}
    for entry in entries:
        other = by_guid.setdefault(entry.guid, entry)
        if other is not entry:
            yield _twice(entry, other)
            continue
        other = by_port.setdefault((entry.device, entry.port, entry.rail), entry)
        if other is not entry:
            message = f"{entry.words} has two GUIDs: 0x{other.guid} and 0x{entry.guid}"
            related = ((other.span, "the first stands here"),)
            yield Diagnostic("G002", message, entry.span, hint="keep the one the port has now", related=related)


def _twice(entry: GuidEntry, other: GuidEntry) -> Diagnostic:
    return Diagnostic(
        "G003",
        f"GUID 0x{entry.guid} of {entry.words} is that of {other.words} too",
        entry.span,
        hint="a GUID belongs to one port, and a port to one fabric",
        related=((other.span, f"given to {other.words} here"),),
    )


def _shown(text: str) -> str:
    return ascii(text[:60])


def _problem(name: str, line: int, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic("G001", message, Span(name, line), hint=hint)


def _refused(name: str, line: int, message: str, hint: str = "") -> GuidFile:
    return GuidFile(name, (), (_problem(name, line, message, hint),))
