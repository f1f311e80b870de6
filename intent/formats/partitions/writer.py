"""Writes a partitions.conf OpenSM cannot misread: ASCII, one member per line, membership on each, the default first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv6Address

from intent.core.errors import DiagnosticError
from intent.formats.partitions.model import (
    DEFAULT_PKEY,
    GroupFlags,
    Keyword,
    Member,
    Membership,
    MulticastGroup,
    Partition,
)
from intent.formats.partitions.reader import read

DEFAULT_PARTITION = Partition(
    name="Default",
    pkey=DEFAULT_PKEY,
    ipoib=True,
    members=(
        Member(Keyword.ALL, Membership.LIMITED),
        Member(Keyword.ALL_SWITCHES, Membership.FULL),
        Member(Keyword.SELF, Membership.FULL),
    ),
)
_BREADTH = {keyword: rank for rank, keyword in enumerate(Keyword)}


def write(partitions: Iterable[Partition], *, comment: str = "") -> str:
    """The file, the same for the same partitions in any order of GUIDs and partitions.

    Args:
        partitions: one definition per P_Key; the usual default partition is added when none is given.
        comment: put before everything, each line behind `#`.

    Raises:
        DiagnosticError: the strict reader refuses what was written, so that it cannot leave the program.
    """
    listed = sorted(partitions, key=lambda item: (item.pkey != DEFAULT_PKEY, item.pkey))
    if not listed or listed[0].pkey != DEFAULT_PKEY:
        listed.insert(0, DEFAULT_PARTITION)
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    for partition in listed:
        lines += ["", *_partition(partition)] if lines else _partition(partition)
    text = "\n".join(lines) + "\n"
    reading = read(text.encode("utf-8"))
    if not reading.accepted:
        raise DiagnosticError(reading.diagnostics)
    return text


def _partition(partition: Partition) -> list[str]:
    head = [f"{partition.name}=0x{partition.pkey:04x}"]
    head += ["indx0"] if partition.index0 else []
    head += ["ipoib"] if partition.ipoib else []
    head += _flags(partition.flags)
    if not partition.members:
        return [f"{', '.join(head)} : ;"]
    lines = [f"{', '.join(head)} :", *map(_group, partition.groups)]
    members = _in_order(partition.members)
    lines += [f"    {member.text}={member.membership}," for member in members[:-1]]
    return [*lines, f"    {members[-1].text}={members[-1].membership} ;"]


def _in_order(members: Sequence[Member]) -> list[Member]:
    """Broad before narrow, because the last entry decides; GUIDs in order."""
    by_target = {member.target: member for member in members}
    keywords = [member for member in by_target.values() if isinstance(member.target, Keyword)]
    guids = [member for member in by_target.values() if not isinstance(member.target, Keyword)]
    keywords.sort(key=lambda member: _BREADTH[Keyword(str(member.target))])
    guids.sort(key=lambda member: int(member.target))
    broad = [member for member in keywords if member.target is not Keyword.SELF]
    own = [member for member in keywords if member.target is Keyword.SELF]
    return [*broad, *guids, *own]


def _flags(flags: GroupFlags) -> list[str]:
    """The flags that are said, in the file's words."""
    named = [
        ("rate", flags.rate),
        ("mtu", flags.mtu),
        ("sl", flags.service_level),
        *(("scope", scope) for scope in flags.scopes),
    ]
    words = [f"{name}={value}" for name, value in named if value is not None]
    words += [] if flags.q_key is None else [f"Q_Key=0x{flags.q_key:08x}"]
    words += [] if flags.traffic_class is None else [f"TClass={flags.traffic_class}"]
    words += [] if flags.flow_label is None else [f"FlowLabel=0x{flags.flow_label:05x}"]
    return words


def _group(group: MulticastGroup) -> str:
    return ",".join([f"    mgid={IPv6Address(group.mgid)}", *_flags(group.flags)])
