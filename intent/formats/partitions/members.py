"""The list behind the `:`: port GUIDs, keywords and multicast groups."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address

from intent.formats.partitions.findings import Findings
from intent.formats.partitions.flags import HEADER_FLAGS, FlagSet, read_group_flag, read_membership
from intent.formats.partitions.model import Keyword, Member, Membership, MulticastGroup
from intent.formats.partitions.words import Word, words

_GUID = re.compile(r"0[xX]([0-9a-fA-F]+)")
_BARE_GUID = re.compile(r"(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,16}")
_RANGE = re.compile(r".*\[[^\]]*\]")
_KEYWORDS = {keyword.value: keyword for keyword in Keyword}
_DROPS = "OpenSM drops the whole file and makes every port a full member of the default partition"
_MULTICAST = 0xFF << 120


def read_member(word: Word, default: Membership | None, found: Findings) -> Member | None:
    """One member, or None after a finding.

    Args:
        word: the entry.
        default: the partition's default membership; None means limited.
        found: where findings go.
    """
    if not word.name:
        if word.value is not None:
            found.add(
                "P014",
                word.line,
                word.column,
                f"={word.value} has no member",
                hint="write the port GUID; OpenSM leaves the entry out and says nothing",
            )
        return None
    target = _target(word, found)
    if word.value is None:
        membership: Membership | None = default or Membership.LIMITED
    else:
        membership = read_membership(
            word, found, "P033", "the port becomes limited, or full if it is a beginning of full"
        )
    if target is None or membership is None:
        return None
    return Member(target, membership, word.line, word.column, stated=word.value is not None)


def read_group(text: str, line: int, column: int, ended: bool, found: Findings) -> MulticastGroup | None:
    """An `mgid=…` with its flags, up to the end of its line; None after a finding.

    Args:
        text: from `mgid` on.
        line: its line number.
        column: column of its first byte.
        ended: a `;` follows on the line.
        found: where findings go.
    """
    first, *rest = words(text, line, column)
    if ended:
        found.add(
            "P037",
            line,
            column,
            "a `;` stands on the line of an mgid",
            hint=f"put a member and the `;` on a later line; behind an mgid OpenSM misreads what follows, and {_DROPS}",
        )
    flags = FlagSet()
    for word in rest:
        read_group_flag(word, flags, found)
    try:
        mgid = int(IPv6Address(first.value or ""))
    except AddressValueError:
        mgid = 0
    if mgid & _MULTICAST != _MULTICAST or "%" in (first.value or ""):
        found.add(
            "P036",
            line,
            column,
            f"{first.text} is not a multicast GID",
            hint="write ff12:… as an IPv6 address; OpenSM logs a line and does not make the group",
        )
        return None
    return MulticastGroup(mgid, flags.group_flags(), line, column)


def _target(word: Word, found: Findings) -> int | Keyword | None:
    name = word.name
    keyword = _KEYWORDS.get(name)
    if keyword is not None:
        return keyword
    match = _GUID.fullmatch(name)
    if match:
        guid = int(match[1][:32], 16)
        if len(match[1]) <= 16 and guid:
            return guid
        found.add(
            "P032",
            word.line,
            word.column,
            f"port GUID {word.text} - expected 1 to 16 hexadecimal digits, not zero",
            hint=_DROPS if len(match[1]) <= 16 else "OpenSM cuts the number to all ones and leaves the port out",
        )
        return None
    _explain(word, found)
    return None


def _explain(word: Word, found: Findings) -> None:
    """Say why a word is no member."""
    name = word.name
    code, hint = "P030", f"members are 0x… port GUIDs and {', '.join(_KEYWORDS)}; {_DROPS}"
    if name in HEADER_FLAGS:
        code, hint = "P015", f"{name} is a flag: write it before the `:`; here {_DROPS}"
    elif name.isdigit():
        code, hint = "P031", "write 0x and hexadecimal digits; OpenSM reads it as decimal or octal: another port"
    elif _BARE_GUID.fullmatch(name):
        code, hint = "P031", f"write 0x{name.lower()}; OpenSM reads it as decimal, and {_DROPS}"
    elif name.upper() in _KEYWORDS:
        hint = f"write {name.upper()}; {_DROPS}"
    elif wide := next((key for key in _KEYWORDS if key.startswith(name)), ""):
        hint = f"write {wide} if it is meant; OpenSM takes any beginning of a keyword for the keyword, A alone for ALL"
    elif "NONE".startswith(name):
        hint = "leave the list empty; OpenSM skips the entry and says nothing"
    elif _RANGE.fullmatch(name):
        hint = f"OpenSM knows no ranges: write one port GUID per line; {_DROPS}"
    elif " " in name or "\t" in name:
        hint = f"a comma is missing between members; {_DROPS}"
    else:
        hint = f"host names are not members: write port GUIDs (0x…); {_DROPS}"
    found.add(code, word.line, word.column, f"{word.text} is not a member", hint=hint)
