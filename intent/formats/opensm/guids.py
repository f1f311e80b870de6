"""Lists of GUIDs, one a line, as root_guid_file and its like take them."""

from __future__ import annotations

import re

from intent.core.diagnostic import Diagnostic
from intent.formats.partitions.findings import Findings

_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")


def read_guid_list(data: bytes, file: str = "root_guid.conf") -> tuple[tuple[int, ...], tuple[Diagnostic, ...]]:
    """The GUIDs of a file and everything wrong with it.

    OpenSM stops at the first line it cannot read and routes without the list; what it does read it does not check.

    Args:
        data: the file as it lies on disk.
        file: its name, for the places of findings.
    """
    found = Findings(file)
    seen: dict[int, int] = {}
    for number, raw in enumerate(data.decode("latin-1").split("\n"), start=1):
        text = raw.strip(" \t")
        if not text or text.startswith("#"):
            continue
        if not _GUID.fullmatch(text):
            shown = repr(text[:40])
            found.add("O020", number, 1, f"{shown} - expected one GUID, 0x and up to 16 digits", hint="one GUID a line")
            continue
        guid = int(text, 16)
        before = seen.setdefault(guid, number)
        if guid == 0:
            found.add("O021", number, 1, "GUID 0 is nobody's", hint="remove the line")
        elif before != number:
            found.add(
                "O022",
                number,
                1,
                f"{text} stands here a second time",
                hint="remove one of them",
                related=((before, 1, "first"),),
            )
    return tuple(guid for guid in seen if guid), found.all()
