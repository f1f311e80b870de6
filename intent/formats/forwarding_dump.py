"""Forwarding tables of InfiniBand switches as OpenSM (`opensm-lfts.dump`), `ibroute` and `dump_lfts` write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from intent.core.errors import IntentError

_HEAD = re.compile(r"Unicast lids \[\S+\] of switch .*?guid 0x([0-9a-fA-F]{1,16})\b")
_ROW = re.compile(r"0x([0-9a-fA-F]{4})\s+(\d{3})\b(?:.*?portguid 0x([0-9a-fA-F]{1,16}))?")
_IDLE = re.compile(r"\s*$|\s*Lid\s+Out|\s*Port\s+Info|\d+ (valid )?lids dumped|#|0x[0-9a-fA-F]{4} (UNREACHABLE|\?\?\?)")


@dataclass(frozen=True, slots=True)
class ForwardingDump:
    """What a dump says.

    Args:
        tables: switch GUID → LID → output port.
        owners: LID → port GUID, where the dump names it.
    """

    tables: dict[int, dict[int, int]]
    owners: dict[int, int]


def read_forwarding_dump(text: str, file: str = "opensm-lfts.dump") -> ForwardingDump:
    """Read a dump.

    Args:
        text: the dump.
        file: its name, for messages.

    Raises:
        IntentError: a line is neither head nor row, a switch or a LID comes twice, or no switch comes at all.
    """
    tables: dict[int, dict[int, int]] = {}
    owners: dict[int, int] = {}
    current: dict[int, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.match(line):
            guid = int(head[1], 16)
            if guid in tables:
                raise IntentError(f"{file}:{number}: switch 0x{guid:016x} comes twice", hint="dump the tables again")
            current = tables.setdefault(guid, {})
        elif row := _ROW.match(line):
            lid = int(row[1], 16)
            if current is None or lid in current:
                what = "a row before any switch" if current is None else f"LID 0x{lid:04x} comes twice"
                raise IntentError(f"{file}:{number}: {what}", hint="dump the tables again")
            current[lid] = int(row[2])
            if row[3]:
                owners[lid] = int(row[3], 16)
        elif not _IDLE.match(line):
            raise IntentError(
                f"{file}:{number}: not a line of a forwarding dump: {line[:60]!r}",
                hint="expected the output of dump_lfts, ibroute or OpenSM's opensm-lfts.dump",
            )
    if not tables:
        raise IntentError(f"{file}: holds no switch", hint="OpenSM writes it with log_flags 0x40 set")
    return ForwardingDump(tables, owners)
