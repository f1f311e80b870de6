"""Physical lines. OpenSM reads with fgets into 4,096 bytes and cuts at `#` and `;`, so bytes and line ends decide.

The text is handled as Latin-1: one character is one byte, and columns are columns of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from intent.formats.partitions.findings import Findings

LINE_BYTES = 4093  # osm_prtn_config.c reads sizeof(line) - 2 characters at most, the line end among them
_MARKS = {"\xef\xbb\xbf": "UTF-8", "\xff\xfe": "UTF-16", "\xfe\xff": "UTF-16"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_ASCII = re.compile(r"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a line without comment, up to a `;` or the line's end.

    Args:
        text: the piece, without the `;`.
        line: line number, from 1.
        column: column of its first byte, from 1.
        ended: a `;` follows.
    """

    text: str
    line: int
    column: int
    ended: bool


def physical_lines(data: bytes, found: Findings) -> list[str]:
    """Cut a file into lines and note what no line may hold anywhere."""
    text = data.decode("latin-1")
    for mark, encoding in _MARKS.items():
        if text.startswith(mark):
            found.add(
                "P002",
                1,
                1,
                f"the file starts with a byte order mark ({encoding})",
                hint="save it as plain ASCII without a mark; before a comment OpenSM takes the mark for a partition "
                "and drops the whole file",
            )
            text = text.removeprefix(mark)
            break
    if "\r" in text:
        text = _without_returns(text, found)
    return text.split("\n")


def _without_returns(text: str, found: Findings) -> str:
    count = text.count("\r")
    before = text[: text.index("\r")]
    line = before.count("\n") + 1
    found.add(
        "P001",
        line,
        len(before) - before.rfind("\n"),
        f"carriage return at a line end ({count} in the file)",
        hint="convert to Unix line ends (dos2unix); OpenSM drops the whole file and makes every port a full member "
        "of the default partition",
    )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def segments(line: str, number: int, found: Findings) -> Iterator[Segment]:
    """The pieces of one line, comments left out; notes what is wrong with the line as such."""
    if len(line) > LINE_BYTES:
        found.add(
            "P005",
            number,
            LINE_BYTES + 1,
            f"line of {len(line)} bytes - expected at most {LINE_BYTES}",
            hint="write one GUID per line; OpenSM cuts longer lines, comments too, reads the rest as a new line "
            "and drops the whole file",
        )
    content, _, _ = line[:LINE_BYTES].partition("#")
    bad = _CONTROL.search(line)
    if bad:
        found.add(
            "P003",
            number,
            bad.start() + 1,
            f"control character 0x{ord(bad[0]):02x}",
            hint="remove it; OpenSM takes it for a part of the word beside it, and for the end of the line if it is 0",
        )
    odd = _NOT_ASCII.search(content)
    if odd:
        found.add(
            "P004",
            number,
            odd.start() + 1,
            f"byte 0x{ord(odd[0]):02x} is not ASCII",
            hint="write ASCII outside comments; a no-break space beside a membership silently makes it limited",
        )
    if bad or odd:
        content = _NOT_ASCII.sub(" ", _CONTROL.sub(" ", content))
    start = 0
    while start <= len(content):
        end = content.find(";", start)
        if end < 0:
            if content[start:].strip():
                yield Segment(content[start:], number, start + 1, ended=False)
            return
        yield Segment(content[start:end], number, start + 1, ended=True)
        start = end + 1
