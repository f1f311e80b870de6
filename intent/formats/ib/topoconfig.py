"""Reader and writer of `topoconfig.conf`: the links that UFM's subnet manager accepts, by GUID.

One link a line, `srcGUID,srcPort,dstGUID,dstPort,Any,Active`. A link that is not listed is invisible to the subnet
manager, and a wrong GUID makes it malfunction: nothing is written for a GUID that nobody told.

Source: NVIDIA UFM Enterprise user manual, static topology; UFM SDK, pull request 115.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.formats.ib.findings import CONTRADICTION, SYNTAX, Findings, shown, too_large

_GUID = re.compile(r"0x([0-9a-fA-F]{16})", re.ASCII)
_PORT = re.compile(r"\d{1,3}", re.ASCII)
_EXPECTED = "expected srcGUID,srcPort,dstGUID,dstPort,Any,Active"


@dataclass(frozen=True, slots=True)
class StaticLink:
    """One link.

    Args:
        source: node GUID, 16 digits, and port of one end.
        target: node GUID and port of the other.
        span: where it stands; None for one that was made.
    """

    source: tuple[str, int]
    target: tuple[str, int]
    span: Span | None = None


def read_topoconfig(text: str, name: str) -> tuple[tuple[StaticLink, ...], tuple[Diagnostic, ...]]:
    """Read a topoconfig file.

    Args:
        text: its content.
        name: its name, for findings.

    Returns:
        The links, none when anything is wrong, and what is wrong.
    """
    refused = too_large(text, name)
    if refused:
        return (), refused
    findings = Findings(name)
    links: list[StaticLink] = []
    taken: dict[tuple[str, int], Span] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if findings.full:
            break
        if not line.strip() or line.startswith("#"):
            continue
        span = findings.span(number)
        link = _link(line.strip(), span, findings)
        for end in (link.source, link.target) if link else ():
            first = taken.setdefault(end, span)
            if first is not span or (link and link.source == link.target):
                related = ((first, "the first stands here"),)
                findings.add(CONTRADICTION, span, f"0x{end[0]} port {end[1]}: two links in one port", related=related)
        links += [link] if link else []
    found = findings.all()
    return (() if found else tuple(links)), found


def _link(line: str, span: Span, findings: Findings) -> StaticLink | None:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 6:
        findings.add(SYNTAX, span, f"{_EXPECTED}, got {shown(line)}")
        return None
    guids = [_GUID.fullmatch(cells[place]) for place in (0, 2)]
    ports = [_PORT.fullmatch(cells[place]) for place in (1, 3)]
    wrong = next(
        (cell for cell, match in zip(cells, (guids[0], ports[0], guids[1], ports[1]), strict=False) if not match), ""
    )
    if wrong or not all((*guids, *ports)) or cells[4:] != ["Any", "Active"]:
        column = line.find(wrong or cells[4]) + 1
        findings.add(
            SYNTAX, findings.span(span.line, column), f"{_EXPECTED}, got {shown(wrong or ','.join(cells[4:]))}"
        )
        return None
    low, high = (match[1].lower() if match else "" for match in guids)
    return StaticLink((low, int(cells[1])), (high, int(cells[3])), span)


def topoconfig_text(links: Iterable[StaticLink]) -> str:
    """The links as the subnet manager takes them; byte-identical for equal input."""
    rows = [f"0x{link.source[0]},{link.source[1]},0x{link.target[0]},{link.target[1]},Any,Active" for link in links]
    return "\n".join(rows) + ("\n" if rows else "")
