"""Partitions of a UFM → the partitions.conf of the OpenSM behind it.

Members stand one to a line and partitions are named after their keys, so nothing that came over REST is text in the
file but GUIDs, which are sixteen hexadecimal digits, and numbers. MTU and rate of IPoIB groups are left out: ports of
the simulator know one MTU only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

DEFAULT = 0x7FFF


@dataclass(frozen=True, slots=True)
class Rule:
    """One partition.

    Args:
        ipoib: it has an IPoIB group.
        level: service level.
        members: membership and index 0 by GUID of 16 digits.
    """

    ipoib: bool = False
    level: int = 0
    members: Mapping[str, tuple[str, bool]] = field(default_factory=dict)


def text_of(rules: Mapping[int, Rule], default_membership: str, managers: Sequence[str] = ()) -> bytes:
    """The file.

    Args:
        rules: partitions by key, without the membership bit.
        default_membership: `full` or `limited`: what adapters are in the default partition.
        managers: GUIDs of ports that are full members of it whichever of them is the master's.
    """
    everybody = [f"ALL={default_membership}", "ALL_SWITCHES=full", *(f"0x{guid}=full" for guid in managers)]
    lines = [f"management=0x7fff, ipoib : {', '.join(everybody)}, SELF=full ;"]
    for key, rule in sorted(rules.items()):
        if key != DEFAULT:
            lines += _rule(key, rule)
    return ("\n".join(lines) + "\n").encode("ascii")


def _rule(key: int, rule: Rule) -> Iterator[str]:
    """One definition for each kind of index: what OpenSM reads twice under one key is one partition to it."""
    flags = [*(["ipoib"] if rule.ipoib else []), *([f"sl={rule.level}"] if rule.level else [])]
    for first, more in ((False, []), (True, ["indx0"])):
        members = sorted((guid, kind) for guid, (kind, index0) in rule.members.items() if index0 is first)
        if not members and (first or any(index0 for _, index0 in rule.members.values())):
            continue
        head = ", ".join([f"p{key:04x}=0x{key:04x}", *more, *flags])
        if not members:
            yield f"{head} : ;"
            continue
        yield f"{head} :"
        yield from (f"    0x{guid}={kind}," for guid, kind in members[:-1])
        yield f"    0x{members[-1][0]}={members[-1][1]} ;"
