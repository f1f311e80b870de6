"""Reads a partitions.conf strictly: what OpenSM would drop, guess, cut or match by prefix is a finding with its place.

Behaviour of OpenSM 3.3.23 was established by running it; where a hint says what it does, a test shows it doing so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import DiagnosticError
from intent.formats.partitions.checks import check
from intent.formats.partitions.findings import Findings
from intent.formats.partitions.flags import HEADER_FLAGS
from intent.formats.partitions.header import Header, read_header
from intent.formats.partitions.lines import Segment, physical_lines, segments
from intent.formats.partitions.members import read_group, read_member
from intent.formats.partitions.model import Member, Membership, MulticastGroup, Partition
from intent.formats.partitions.words import hexadecimal, words

# The line nearly every line of a large file is; read without the general machinery.
_PLAIN_MEMBER = re.compile(
    r"([ \t]{0,64})0x(?=0*[1-9a-fA-F])([0-9a-fA-F]{1,16})"
    r"[ \t]{0,8}=[ \t]{0,8}(full|limited|both)[ \t]{0,8},?[ \t]{0,64}"
)
_MEMBERSHIPS = {item.value: item for item in Membership}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says and what is wrong with it.

    Args:
        partitions: definitions that could be read.
        diagnostics: findings in order of place.
    """

    partitions: tuple[Partition, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def accepted(self) -> bool:
        """OpenSM reads the same as we do: no finding is an error."""
        return not has_errors(self.diagnostics)


@dataclass(slots=True)
class _Open:
    """A partition whose `;` has not come yet."""

    header: Header
    members: list[Member] = field(default_factory=list)
    groups: list[MulticastGroup] = field(default_factory=list)


def read(data: bytes, file: str = "partitions.conf") -> Reading:
    """Read a file and say everything that is wrong with it.

    Args:
        data: the file as it lies on disk.
        file: its name, for the places of findings.
    """
    found = Findings(file)
    partitions = _parse(data, found)
    check(partitions, found)
    return Reading(partitions, found.all())


def read_strict(data: bytes, file: str = "partitions.conf") -> tuple[Partition, ...]:
    """Read a file that must be right.

    Args:
        data: the file as it lies on disk.
        file: its name, for the places of findings.

    Raises:
        DiagnosticError: OpenSM would not read it as written.
    """
    reading = read(data, file)
    if not reading.accepted:
        raise DiagnosticError(reading.diagnostics)
    return reading.partitions


def _parse(data: bytes, found: Findings) -> tuple[Partition, ...]:
    done: list[Partition] = []
    current: _Open | None = None
    seen = False
    for number, line in enumerate(physical_lines(data, found), 1):
        if current is not None and (match := _PLAIN_MEMBER.fullmatch(line)):
            lead, digits, membership = match.groups()
            current.members.append(Member(int(digits, 16), _MEMBERSHIPS[membership], number, len(lead) + 1))
            continue
        for segment in segments(line, number, found):
            seen = True
            current = _segment(segment, current, done, found)
    if current is not None:
        _close(current, done)
        found.add(
            "P013",
            current.header.line,
            current.header.column,
            f"the last partition ({current.header.name or 'without a name'}) has no `;` at its end",
            hint="end it with `;`: whatever is appended to the file becomes a part of it",
            severity=Severity.WARNING,
        )
    if not seen:
        found.add(
            "P006",
            1,
            1,
            "the file defines no partition",
            hint="write at least the default one; given an empty file OpenSM makes every port a full member of the "
            "default partition",
        )
    return tuple(done)


def _segment(segment: Segment, current: _Open | None, done: list[Partition], found: Findings) -> _Open | None:
    """Read one piece of a line; the partition that is open behind it."""
    if not segment.text.strip():
        found.add(
            "P012",
            segment.line,
            segment.column,
            "a `;` with nothing before it on its line" if current else "a `;` that ends nothing",
            hint="put it behind the last member, on the same line; OpenSM reads on in what was left in its buffer, "
            "finds no partition and drops the whole file",
        )
        if current:
            _close(current, done)
        return None
    text, column = segment.text, segment.column
    if current is None:
        current, text, column = _begin(segment, found)
        if current is None:
            return None
    current = _list(text, column, segment, current, done, found)
    if segment.ended:
        _close(current, done)
        return None
    return current


def _begin(segment: Segment, found: Findings) -> tuple[_Open | None, str, int]:
    head, colon, rest = segment.text.partition(":")
    if not colon:
        found.add(
            "P010",
            segment.line,
            segment.column + len(head) - len(head.lstrip(" \t")),
            f"no partition is defined here: `:` is missing on this line ({_short(head)})",
            hint="write name=0x…, flags and `:` on one line; OpenSM drops the whole file and makes every port a full "
            "member of the default partition",
        )
        return None, "", 0
    return _Open(read_header(head, segment.line, segment.column, found)), rest, segment.column + len(head) + 1


def _list(text: str, column: int, segment: Segment, current: _Open, done: list[Partition], found: Findings) -> _Open:
    """Read members up to the end of a piece; the open partition, another one where a `;` was missing."""
    rest: tuple[str, int] | None = (text, column)
    while rest is not None:
        text, column = rest
        colon = _members(text, column, segment, current, found)
        if colon is None:
            break
        head, _, behind = text[colon:].partition(":")
        rest = (behind, column + colon + len(head) + 1)
        current = _colon(head, behind, segment.line, column + colon, current, done, found)
    return current


def _members(text: str, column: int, segment: Segment, current: _Open, found: Findings) -> int | None:
    """Read members up to one with a `:` in it; where in the text that one begins, None at the end."""
    for word in words(text, segment.line, column):
        offset = word.column - column
        if word.name == "mgid":
            group = read_group(text[offset:], segment.line, word.column, segment.ended, found)
            if group is not None:
                current.groups.append(group)
            return None
        if ":" in word.name or ":" in (word.value or ""):
            return offset
        member = read_member(word, current.header.flags.default_membership, found)
        if member is not None:
            current.members.append(member)
    return None


def _colon(
    head: str, behind: str, line: int, column: int, current: _Open, done: list[Partition], found: Findings
) -> _Open:
    """A `:` where members stand: a flag in the wrong place, or the next definition after a missing `;`."""
    owner = current.header.name or "the partition"
    if head.partition("=")[0].strip() in HEADER_FLAGS:
        found.add(
            "P015",
            line,
            column,
            f"{_short(head)} is a flag behind the `:` of {owner}",
            hint="write flags before the `:`; OpenSM drops the whole file and makes every port a full member of the "
            "default partition (its own manual has this mistake)",
        )
        return current
    found.add(
        "P011",
        line,
        column,
        f"a `:` in the member list of {owner}: {_short(head + ':' + behind)}",
        hint="end the partition before with `;`; OpenSM drops the whole file, or takes a name that begins like ALL or "
        "SELF for a member",
    )
    if hexadecimal(head.partition(",")[0].partition("=")[2].strip()) is None:
        return current
    _close(current, done)
    return _Open(read_header(head, line, column, found))


def _close(current: _Open, done: list[Partition]) -> None:
    header = current.header
    if header.pkey is None:
        return
    done.append(
        Partition(
            name=header.name,
            pkey=header.pkey,
            members=tuple(current.members),
            ipoib=header.flags.ipoib,
            index0=header.flags.index0,
            flags=header.flags.group_flags(),
            default_membership=header.flags.default_membership,
            groups=tuple(current.groups),
            line=header.line,
            column=header.column,
        )
    )


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 50 else f"{flat[:50]}…"
