"""Reader and writer of NDT files: the list of cables that UFM's topology comparison takes.

One cable a line, `#StartDevice,StartPort,EndDevice,EndPort,LinkType`. A port of a switch is `Port 21`, of a director
`Blade 16_Port 2/20`; a port of a host is its name and the device, `node01 mlx5_0`.

Source: UFM NDT plugin, its test files and the message it answers each of the bad ones with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.formats.ib.findings import CONTRADICTION, SYNTAX, Findings, shown, too_large

COLUMNS = ("#StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")
_SWITCH_PORT = re.compile(r"Port \d{1,3}(/\d{1,3}){0,3}|Blade \d{1,3}_Port \d{1,3}/\d{1,3}", re.ASCII)
_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
_HEADER = ",".join(COLUMNS)


@dataclass(frozen=True, slots=True)
class NdtLink:
    """One cable.

    Args:
        start: device and port of one end.
        end: device and port of the other.
        kind: `Data` in all known files.
        span: where it stands; None for one that was made.
    """

    start: tuple[str, str]
    end: tuple[str, str]
    kind: str = "Data"
    span: Span | None = None


def read_ndt(text: str, name: str) -> tuple[tuple[NdtLink, ...], tuple[Diagnostic, ...]]:
    """Read an NDT file.

    Args:
        text: its content.
        name: its name, for findings.

    Returns:
        The cables, none when anything is wrong, and what is wrong.
    """
    refused = too_large(text, name)
    if refused:
        return (), refused
    findings = Findings(name)
    lines = text.removeprefix("\ufeff").split("\n")
    if [cell.strip() for cell in lines[0].rstrip("\r").split(",")] != list(COLUMNS):
        findings.add(SYNTAX, findings.span(1), f"expected the header {_HEADER}, got {shown(lines[0].rstrip())}")
        return (), findings.all()
    links: list[NdtLink] = []
    taken: dict[tuple[str, str], Span] = {}
    for number, line in enumerate(lines[1:], 2):
        if findings.full:
            break
        if line.strip():
            link = _link(line.rstrip("\r"), findings.span(number), findings)
            if link:
                links.append(link)
                _once(link, taken, findings)
    found = findings.all()
    return (() if found else tuple(links)), found


def _link(line: str, span: Span, findings: Findings) -> NdtLink | None:
    cells = line.split(",")
    if len(cells) != len(COLUMNS):
        findings.add(SYNTAX, span, f"expected {len(COLUMNS)} columns, got {len(cells)}: {shown(line)}")
        return None
    columns = [sum(len(cell) + 1 for cell in cells[:place]) + 1 for place in range(len(cells))]
    start, start_port, end, end_port, kind = (cell.strip() for cell in cells)
    for place, device, port in ((0, start, start_port), (2, end, end_port)):
        if not _DEVICE.fullmatch(device):
            where = findings.span(span.line, columns[place])
            findings.add(SYNTAX, where, f"expected the name of a device, got {shown(device)}")
            return None
        if not (_SWITCH_PORT.fullmatch(port) or _host_port(port, device)):
            where = findings.span(span.line, columns[place + 1])
            message = f"expected a port such as 'Port 21' or '{device} mlx5_0', got {shown(port)}"
            findings.add(SYNTAX, where, message)
            return None
    return NdtLink((start, start_port), (end, end_port), kind, span)


def _host_port(port: str, device: str) -> bool:
    host, _, name = port.partition(" ")
    return host == device and _DEVICE.fullmatch(name) is not None


def _once(link: NdtLink, taken: dict[tuple[str, str], Span], findings: Findings) -> None:
    span = link.span or findings.span(1)
    if link.start == link.end:
        findings.add(CONTRADICTION, span, f"{' '.join(link.start)} is plugged into itself")
        return
    for end in (link.start, link.end):
        first = taken.setdefault(end, span)
        if first is not span:
            related = ((first, "the first stands here"),)
            findings.add(CONTRADICTION, span, f"{end[0]}, {end[1]}: two cables in one port", related=related)


def ndt_text(links: Iterable[NdtLink]) -> str:
    """The cables as UFM takes them: LF only, byte-identical for equal input."""
    rows = [f"{','.join((*link.start, *link.end))},{link.kind}" for link in links]
    return "\n".join([_HEADER, *rows]) + "\n"
