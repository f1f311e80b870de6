"""Lanes of service levels at InfiniBand switches as OpenSM (`opensm-sl2vl.dump`) writes them."""

from __future__ import annotations

import re

from intent.core.errors import IntentError

SERVICE_LEVELS = 16
_HEAD = re.compile(r"(Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16}),")
_ROW = re.compile(r"(\d{1,3})\s+(\d{1,3})\s*:((?:\s+\d{1,2}){16})\s*$")
_IDLE = re.compile(r"\s*$|#")

LaneTables = dict[int, dict[tuple[int, int], tuple[int, ...]]]
"""Switch GUID → (port a packet comes in by, port it leaves by) → lane of each service level."""


def read_lane_dump(text: str, file: str = "opensm-sl2vl.dump") -> LaneTables:
    """Read a dump; end nodes are in it too, and are passed over.

    Args:
        text: the dump.
        file: its name, for messages.

    Raises:
        IntentError: a line is neither head nor row, a switch or a pair of ports comes twice, or no switch comes at all.
    """
    found: LaneTables = {}
    current: dict[tuple[int, int], tuple[int, ...]] | None = None
    seen: set[int] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.match(line):
            guid = int(head[2], 16)
            if guid in seen:
                raise IntentError(f"{file}:{number}: node 0x{guid:016x} comes twice", hint="dump the tables again")
            seen.add(guid)
            current = {}
            if head[1] == "Switch":
                found[guid] = current
        elif row := _ROW.match(line):
            pair = int(row[1]), int(row[2])
            if current is None or pair in current:
                what = "a row before any node" if current is None else f"ports {pair[0]} and {pair[1]} come twice"
                raise IntentError(f"{file}:{number}: {what}", hint="dump the tables again")
            current[pair] = tuple(int(word) for word in row[3].split())
        elif not _IDLE.match(line):
            raise IntentError(
                f"{file}:{number}: not a line of a dump of lanes: {line[:60]!r}",
                hint="expected OpenSM's opensm-sl2vl.dump, written with log_flags 0x40 set",
            )
    if not found:
        raise IntentError(f"{file}: holds no switch", hint="OpenSM writes it with log_flags 0x40 set")
    return found
