"""Edits single options of an opensm.conf that is somebody else's; every other byte of it stays as it was."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<name>[^\s#]+)(?P<value>[^#\r]*?)(?P<rest>[ \t]*(?:#[^\r]*)?\r?)$")


def read_options(text: str, wanted: Collection[str]) -> dict[str, str]:
    """Values of single options as the manager sees them, the last line of each deciding.

    Args:
        text: the file.
        wanted: names of options; one that is not in the file is left out.
    """
    found: dict[str, str] = {}
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match and match["name"] in wanted:
            value = match["value"].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[match["name"]] = value[1:-1] if quoted else value
    return found


def edit_options(text: str, values: Mapping[str, str], gone: Collection[str] = ()) -> str:
    """The file with single options changed, added at its end, or taken away.

    An option that stands there twice is changed in both places: the last line decides, and none shall mislead.

    Args:
        text: the file.
        values: value by option.
        gone: options to take away.
    """
    lines: list[str] = []
    found: set[str] = set()
    for line in text.split("\n"):
        match = _LINE.match(line)
        name = match["name"] if match else ""
        if match and name in values:
            found.add(name)
            lines.append(f"{match['indent']}{name} {values[name]}{match['rest']}")
        elif name not in gone:
            lines.append(line)
    kept = "\n".join(lines)
    added = {name: value for name, value in values.items() if name not in found}
    if not added:
        return kept
    end = "\r\n" if lines[0].endswith("\r") else "\n"
    whole = kept if not kept or kept.endswith("\n") else f"{kept}{end}"
    return whole + "".join(f"{name} {value}{end}" for name, value in added.items())
