"""What is wrong between lines that are each right: order, repetition, the default partition, groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from intent.core.diagnostic import Severity
from intent.formats.partitions.findings import Findings
from intent.formats.partitions.model import (
    DEFAULT_PKEY,
    FULL_BIT,
    Keyword,
    Member,
    Membership,
    MulticastGroup,
    Partition,
)

_DEFAULT_MTU, _DEFAULT_RATE = 4, 3
_IP_SIGNATURES = (0x401B, 0x601B)
# What each keyword takes in; a GUID may be of any kind.
_NO_KEYWORDS: frozenset[Keyword] = frozenset()
_COVERS: Mapping[Keyword, frozenset[Keyword]] = MappingProxyType(
    {
        Keyword.ALL: frozenset(Keyword) - {Keyword.ALL},
        Keyword.ALL_CAS: frozenset({Keyword.SELF}),
        Keyword.ALL_SWITCHES: _NO_KEYWORDS,
        Keyword.ALL_ROUTERS: _NO_KEYWORDS,
        Keyword.SELF: _NO_KEYWORDS,
    }
)


def check(partitions: Sequence[Partition], found: Findings) -> None:
    """Add findings that need more than one line.

    Args:
        partitions: definitions in the order of the file.
        found: where findings go.
    """
    by_key: dict[int, list[Partition]] = {}
    for partition in partitions:
        by_key.setdefault(partition.pkey, []).append(partition)
        _partition(partition, found)
    for same in by_key.values():
        if len(same) > 1:
            _split(same, found)
        _members(same, found)
    _default(by_key.get(DEFAULT_PKEY, []), partitions, found)
    _index0(partitions, found)


def _partition(partition: Partition, found: Findings) -> None:
    if not partition.members:
        found.add(
            "P053",
            partition.line,
            partition.column,
            f"{partition.label} has no members",
            hint="OpenSM does not make a partition without members",
            severity=Severity.WARNING,
        )
    if partition.default_membership is None and (silent := _first(m for m in partition.members if not m.stated)):
        found.add(
            "P054",
            silent.line,
            silent.column,
            f"{partition.label}: {silent.text} has no membership and becomes limited",
            hint="write =full or =limited behind every member",
            severity=Severity.INFO,
        )
    if both := _first(m for m in partition.members if m.membership is Membership.BOTH):
        found.add(
            "P048",
            both.line,
            both.column,
            f"{partition.label}: {both.text}=both means full unless opensm.conf says allow_both_pkeys TRUE",
            hint="write full, or set allow_both_pkeys on every subnet manager",
            severity=Severity.WARNING,
        )
    flags = partition.flags
    idle = flags.mtu is not None or flags.rate is not None or flags.scopes or flags.q_key is not None
    if idle and not partition.ipoib and not partition.groups:
        found.add(
            "P028",
            partition.line,
            partition.column,
            f"{partition.label}: mtu, rate, scope and Q_Key do nothing without ipoib",
            hint="add ipoib, or remove them",
            severity=Severity.WARNING,
        )
    wide = _first(m for m in partition.members if m.target in (Keyword.ALL, Keyword.ALL_CAS))
    if wide and partition.pkey != DEFAULT_PKEY:
        found.add(
            "P047",
            wide.line,
            wide.column,
            f"{partition.label}: {wide.text} makes every port of the fabric a member",
            hint="list port GUIDs: ports added later join as well",
            severity=Severity.WARNING,
        )
    for group in partition.groups:
        _group(partition, group, found)


def _group(partition: Partition, group: MulticastGroup, found: Findings) -> None:
    """OpenSM makes an IP group only when its P_Key, rate and MTU are those of the partition."""
    if (group.mgid >> 96) & 0xFFFF not in _IP_SIGNATURES:
        return
    wrong = []
    in_group, own = (group.mgid >> 80) & 0xFFFF, partition.pkey | FULL_BIT
    if in_group not in (0, own):
        wrong.append(f"P_Key 0x{in_group:04x} in it - expected 0 or 0x{own:04x}")
        if in_group == partition.pkey:
            wrong[-1] += " (with the membership bit)"
    rate = partition.flags.rate or _DEFAULT_RATE
    if (group.flags.rate or rate) != rate:
        wrong.append(f"rate {group.flags.rate} - expected {rate} as the partition has")
    mtu = partition.flags.mtu or _DEFAULT_MTU
    if (group.flags.mtu or mtu) != mtu:
        wrong.append(f"mtu {group.flags.mtu} - expected {mtu} as the partition has")
    if wrong:
        found.add(
            "P038",
            group.line,
            group.column,
            f"{partition.label}: IP multicast group with {'; '.join(wrong)}",
            hint="OpenSM does not make the group",
        )


def _split(same: Sequence[Partition], found: Findings) -> None:
    first, *others = same
    for other in others:
        found.add(
            "P042",
            other.line,
            other.column,
            f"P_Key 0x{other.pkey:04x} is defined twice ({first.name or 'unnamed'}, {other.name or 'unnamed'})",
            hint="OpenSM merges them under the first name; write one definition",
            severity=Severity.WARNING,
            related=((first.line, first.column, "defined first here"),),
        )


def _members(same: Sequence[Partition], found: Findings) -> None:
    """The last entry that takes a port in decides, so an earlier one with another membership does nothing."""
    listed: dict[int | Keyword, Member] = {}
    for partition in same:
        for member in partition.members:
            before = listed.get(member.target)
            if before is not None:
                _again(partition, before, member, found)
            if isinstance(member.target, Keyword):
                _overridden(partition, listed, member, found)
            listed[member.target] = member


def _again(partition: Partition, before: Member, member: Member, found: Findings) -> None:
    related = ((before.line, before.column, f"{before.text}={before.membership} here"),)
    if before.membership is member.membership:
        found.add(
            "P041",
            member.line,
            member.column,
            f"{partition.label}: {member.text} is listed twice",
            hint="remove one of them",
            severity=Severity.WARNING,
            related=related,
        )
        return
    found.add(
        "P040",
        member.line,
        member.column,
        f"{partition.label}: {member.text} is {before.membership} and {member.membership}",
        hint="keep the one that is meant; OpenSM uses the last and says nothing",
        related=related,
    )


def _overridden(partition: Partition, listed: dict[int | Keyword, Member], member: Member, found: Findings) -> None:
    """A broad entry undoes narrower ones before it; they are forgotten, so that many broad ones cost no more."""
    covered = _COVERS[member.target] if isinstance(member.target, Keyword) else _NO_KEYWORDS
    if member.target not in (Keyword.ALL, Keyword.ALL_CAS):
        return
    inside = [
        before
        for before in listed.values()
        if before.target is not member.target and (not isinstance(before.target, Keyword) or before.target in covered)
    ]
    for before in inside:
        del listed[before.target]
        if before.membership is not member.membership:
            found.add(
                "P043",
                before.line,
                before.column,
                f"{partition.label}: {before.text}={before.membership} is undone by {member.text}={member.membership} "
                "behind it",
                hint=f"write {member.text} first: the last entry decides",
                related=((member.line, member.column, f"{member.text}={member.membership} here"),),
            )


def _default(default: Sequence[Partition], every: Sequence[Partition], found: Findings) -> None:
    if not default:
        if every:
            found.add(
                "P045",
                every[0].line,
                every[0].column,
                "no rule for the default partition (0x7fff)",
                hint="write Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ; - OpenSM assumes "
                "ALL=limited, SELF=full",
                severity=Severity.WARNING,
            )
        return
    members = [member for partition in default for member in partition.members]
    last: dict[int | Keyword, Membership] = {}
    manager: Membership | None = Membership.FULL
    decides: Member | None = None
    for member in members:
        last[member.target] = member.membership
        if member.target in (Keyword.SELF, Keyword.ALL, Keyword.ALL_CAS):
            manager, decides = member.membership, member
    if manager is Membership.LIMITED and decides is not None:
        by_guid = any(isinstance(target, int) and kind is not Membership.LIMITED for target, kind in last.items())
        found.add(
            "P044",
            decides.line,
            decides.column,
            f"{decides.text}={decides.membership} makes the subnet manager's own port limited in the default partition"
            + (", unless one of the GUIDs is its port" if by_guid else ""),
            hint="add SELF=full behind it: limited ports cannot talk to a limited subnet manager",
            severity=Severity.WARNING if by_guid else Severity.ERROR,
        )
    wide = _first(
        m for m in members if m.target in (Keyword.ALL, Keyword.ALL_CAS) and last[m.target] is not Membership.LIMITED
    )
    if wide is not None:
        found.add(
            "P046",
            wide.line,
            wide.column,
            f"{wide.text}={wide.membership} makes every port a full member of the default partition",
            hint="make them limited: tenants reach each other through it, and a subnet manager that dropped this file "
            "cannot be told from one that read it",
            severity=Severity.WARNING,
        )


def _index0(partitions: Iterable[Partition], found: Findings) -> None:
    """One P_Key can be at index 0 of a port's table; OpenSM keeps the last."""
    owner: dict[int | Keyword, tuple[Partition, Member]] = {}
    for partition in partitions:
        if not partition.index0:
            continue
        for member in partition.members:
            before = owner.get(member.target)
            if before is not None and before[0].pkey != partition.pkey:
                found.add(
                    "P049",
                    member.line,
                    member.column,
                    f"{member.text}: index 0 is claimed by {before[0].label} and {partition.label}",
                    hint="give indx0 to one of them; OpenSM keeps the last and says nothing",
                    related=((before[1].line, before[1].column, f"{before[0].label} here"),),
                )
            owner[member.target] = (partition, member)


def _first(members: Iterable[Member]) -> Member | None:
    return next(iter(members), None)
