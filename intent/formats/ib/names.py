"""Reader and writer of node name maps: `0x<node GUID> "<name>"`, one a line.

infiniband-diags and OpenSM's log show these names (`--node-name-map`, `/etc/opensm/ib-node-name-map`); without them an
unmanaged switch is only its chip's description.

Source: infiniband-diags 44, man page of ibnetdiscover, section NODE NAME MAP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.formats.ib.findings import CONTRADICTION, SYNTAX, Findings, shown, too_large

_LINE = re.compile(r'0x([0-9a-fA-F]{1,16})\s+"([^"]{1,63})"\s*(?:#.*)?', re.ASCII)


def read_names(text: str, name: str) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """Read a node name map.

    Args:
        text: its content.
        name: its name, for findings.

    Returns:
        Name by GUID (16 digits), empty when anything is wrong, and what is wrong.
    """
    refused = too_large(text, name)
    if refused:
        return {}, refused
    findings = Findings(name)
    names: dict[str, str] = {}
    places: dict[str, Span] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if findings.full:
            break
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if not match or not match[2].isprintable():
            findings.add(SYNTAX, findings.span(number), f'expected 0xGUID "name", got {shown(stripped)}')
            continue
        guid, span = match[1].lower().rjust(16, "0"), findings.span(number)
        first = places.setdefault(guid, span)
        if first is not span:
            related = ((first, "the first stands here"),)
            findings.add(CONTRADICTION, span, f"0x{guid} has two names", related=related)
        names[guid] = match[2]
    found = findings.all()
    return ({} if found else names), found


def names_text(names: Mapping[str, str]) -> str:
    """A node name map; byte-identical for equal input.

    Args:
        names: name by GUID, 16 digits.
    """
    return "".join(f'0x{guid} "{name}"\n' for guid, name in names.items())
