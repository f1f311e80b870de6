"""Flags before the `:` and after an `mgid`. OpenSM matches beginnings and silently skips what it does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

from intent.formats.partitions.codes import MTU_BYTES, RATE_GBPS, explain
from intent.formats.partitions.findings import Findings
from intent.formats.partitions.model import GroupFlags, Membership
from intent.formats.partitions.words import Word, number


@dataclass(frozen=True, slots=True)
class _Numeric:
    """A flag with a number.

    Args:
        attribute: field of GroupFlags.
        accepts: whether a number is right.
        expected: what is right, for messages.
        wrong: what OpenSM does with anything else.
    """

    attribute: str
    accepts: Callable[[int], bool]
    expected: str
    wrong: str


NUMERIC: Mapping[str, _Numeric] = MappingProxyType(
    {
        "mtu": _Numeric(
            "mtu",
            MTU_BYTES.__contains__,
            f"a code: {explain(MTU_BYTES, 'bytes')}",
            "the multicast group is not created",
        ),
        "rate": _Numeric(
            "rate",
            RATE_GBPS.__contains__,
            f"a code: {explain(RATE_GBPS, 'Gb/s')}",
            "the multicast group is not created, or with another rate",
        ),
        "sl": _Numeric("service_level", range(16).__contains__, "0 to 15", "the flag is skipped"),
        "scope": _Numeric("scopes", range(1, 16).__contains__, "1 to 15", "the flag is skipped"),
        "Q_Key": _Numeric("q_key", range(1, 2**32).__contains__, "1 to 0xffffffff", "zero or a cut number is used"),
        "TClass": _Numeric("traffic_class", range(1, 256).__contains__, "1 to 255", "zero or a cut number is used"),
        "FlowLabel": _Numeric("flow_label", range(2**20).__contains__, "0 to 0xfffff", "the flag is skipped"),
    }
)
_PLAIN = ("ipoib", "indx0", "defmember")
HEADER_FLAGS = (*_PLAIN, *NUMERIC)


@dataclass(slots=True)
class FlagSet:
    """Flags read so far."""

    ipoib: bool = False
    index0: bool = False
    default_membership: Membership | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    scopes: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def group_flags(self) -> GroupFlags:
        """The numeric flags as a record."""
        return GroupFlags(**self.numbers, scopes=tuple(dict.fromkeys(self.scopes)))


def read_header_flag(word: Word, flags: FlagSet, found: Findings) -> None:
    """One flag of a partition's definition."""
    if not _once(word, flags, found):
        return
    if word.name in NUMERIC:
        _numeric(word, flags, found)
    elif word.name == "defmember":
        flags.default_membership = read_membership(word, found, "P026", "the flag is skipped or read by its prefix")
    elif word.name in _PLAIN:
        if word.value is not None:
            found.add(
                "P025",
                word.line,
                word.column,
                f"{word.name}={word.value} - expected no value",
                hint=f"write {word.name} alone",
            )
        flags.ipoib |= word.name == "ipoib"
        flags.index0 |= word.name == "indx0"
    else:
        _unknown(word, HEADER_FLAGS, found)


def read_group_flag(word: Word, flags: FlagSet, found: Findings) -> None:
    """One flag of a multicast group."""
    if not _once(word, flags, found):
        return
    if word.name in NUMERIC:
        _numeric(word, flags, found)
    elif word.name.startswith("0x"):
        found.add(
            "P037",
            word.line,
            word.column,
            f"{word.text} stands on the line of an mgid",
            hint="members go on lines of their own; OpenSM takes the rest of an mgid's line for its flags and "
            "silently leaves these ports out",
        )
    else:
        _unknown(word, tuple(NUMERIC), found)


def read_membership(word: Word, found: Findings, code: str, wrong: str) -> Membership | None:
    """The membership a word gives, or None after a finding.

    Args:
        word: `target=membership`.
        found: where findings go.
        code: code of the finding.
        wrong: what OpenSM does with a wrong value.
    """
    value = word.value or ""
    if value in ("full", "limited", "both"):
        return Membership(value)
    if not value:
        found.add(
            code if code != "P033" else "P034",
            word.line,
            word.column,
            f"{word.name}= has no value - expected full, limited or both",
            hint="write the membership; OpenSM reads nothing as full",
        )
        return None
    hint = f"OpenSM says nothing: {wrong}"
    if " " in value or "\t" in value:
        hint = f"a comma is missing; {hint}"
    elif close := get_close_matches(value.lower(), list(Membership), 1, 0.5):
        hint = f"did you mean {close[0]}? {hint}"
    shown = value if len(value) <= 40 else f"{value[:40]}…"
    found.add(code, word.line, word.column, f"{word.name}={shown} - expected full, limited or both", hint=hint)
    return None


def _once(word: Word, flags: FlagSet, found: Findings) -> bool:
    if not word.name:
        found.add(
            "P014",
            word.line,
            word.column,
            "a flag is missing between commas" if word.value is None else f"={word.value} has no name",
            hint="remove the comma, or write the flag; OpenSM takes an empty name for mtu",
        )
        return False
    if word.name in flags.seen and word.name != "scope":
        found.add("P027", word.line, word.column, f"{word.name} is given twice", hint="keep one; OpenSM uses the last")
    flags.seen.add(word.name)
    return True


def _numeric(word: Word, flags: FlagSet, found: Findings) -> None:
    rule = NUMERIC[word.name]
    value = number(word.value or "")
    if value is None or not rule.accepts(value):
        given = word.text if word.value is not None else f"{word.name} without a value"
        found.add(
            "P025",
            word.line,
            word.column,
            f"{given} - expected {rule.expected}",
            hint=f"with anything else {rule.wrong}, while the P_Keys are set and the subnet comes up",
        )
    elif word.name == "scope":
        flags.scopes.append(value)
    else:
        flags.numbers[rule.attribute] = value


def _unknown(word: Word, known: tuple[str, ...], found: Findings) -> None:
    whole = next((name for name in known if name.startswith(word.name)), "")
    close = get_close_matches(word.name, known, 1, 0.6)
    if whole:
        hint = f"write {whole} in full; OpenSM takes any beginning of a name for the first flag that fits"
    elif close:
        hint = f"did you mean {close[0]}? OpenSM leaves out what it does not know and says nothing"
    else:
        hint = f"flags are {', '.join(known)}; OpenSM leaves out what it does not know and says nothing"
    found.add("P024", word.line, word.column, f"unknown flag {word.text}", hint=hint)
