"""The definition before the `:`: name, P_Key and flags, all on one physical line."""

from __future__ import annotations

from dataclasses import dataclass

from intent.core.diagnostic import Severity
from intent.formats.partitions.findings import Findings
from intent.formats.partitions.flags import FlagSet, read_header_flag
from intent.formats.partitions.model import DEFAULT_PKEY
from intent.formats.partitions.words import Word, hexadecimal, words

_NAME_BYTES = 31  # `char name[32]` in osm_partition.h; a longer one is cut and loses its end


@dataclass(frozen=True, slots=True)
class Header:
    """A partition's definition; pkey is None where it could not be read."""

    name: str
    pkey: int | None
    flags: FlagSet
    line: int
    column: int


def read_header(text: str, line: int, column: int, found: Findings) -> Header:
    """Read a definition.

    Args:
        text: what stands before the `:`.
        line: its line number.
        column: column of its first byte.
        found: where findings go.
    """
    first, *rest = words(text, line, column)
    flags = FlagSet()
    for word in rest:
        read_header_flag(word, flags, found)
    name, given = first.name, first.value
    if given is None and name[:1].isdigit():
        name, given = "", first.name
    if len(name) > _NAME_BYTES:
        found.add(
            "P029",
            line,
            first.column,
            f"name of {len(name)} characters - expected at most {_NAME_BYTES}",
            hint="shorten it; OpenSM cuts it without ending it, and its log shows what lies behind",
            severity=Severity.WARNING,
        )
    return Header(name, _pkey(first, name, given, found), flags, line, first.column)


def _pkey(first: Word, name: str, given: str | None, found: Findings) -> int | None:
    label = name or "partition"
    if not given:
        found.add(
            "P020",
            first.line,
            first.column,
            f"{label}: no P_Key - expected {name or 'name'}=0x0001 to 0x7fff",
            hint="write the P_Key; OpenSM takes one by the partition's place in the file, or by what it held under "
            "that name before",
        )
        return None
    value = hexadecimal(given)
    shown = given if len(given) <= 40 else f"{given[:40]}…"
    if value is None and given.isdigit():
        found.add(
            "P021",
            first.line,
            first.column,
            f"{label}: P_Key {shown} is not hexadecimal",
            hint=f"write 0x{given:0>4.4}; OpenSM reads it as "
            + (f"octal or decimal and makes 0x{_as_c(given) & 0x7FFF:04x}" if len(given) < 20 else "another number"),
        )
        return None
    if value is None:
        found.add(
            "P022",
            first.line,
            first.column,
            f"{label}: P_Key {shown} is not a number",
            hint="write 0x0001 to 0x7fff; OpenSM drops the whole file and makes every port a full member of the "
            "default partition",
        )
        return None
    if not 1 <= value <= DEFAULT_PKEY:
        hint = "the membership bit is not part of a P_Key here; OpenSM cuts the number and says nothing"
        if value == 0:
            hint = "OpenSM takes 0 for 'choose one'"
        elif value & DEFAULT_PKEY:
            hint += f" (it would make 0x{value & DEFAULT_PKEY:04x})"
        found.add("P023", first.line, first.column, f"{label}: P_Key {shown} - expected 0x0001 to 0x7fff", hint=hint)
        return None
    return value


def _as_c(digits: str) -> int:
    """What strtoul(…, 0) makes of decimal digits: octal behind a zero, up to the first digit that is none."""
    if not digits.startswith("0"):
        return int(digits)
    octal = ""
    for digit in digits:
        if digit > "7":
            break
        octal += digit
    return int(octal, 8)
