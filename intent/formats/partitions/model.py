"""What a partitions.conf says, as records. P_Keys are kept without the membership bit, GUIDs as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_PKEY = 0x7FFF
FULL_BIT = 0x8000


class Membership(StrEnum):
    """How a port belongs to a partition. Two limited members of one partition cannot talk to each other."""

    FULL = "full"
    LIMITED = "limited"
    BOTH = "both"


class Keyword(StrEnum):
    """Members named by what they are. SELF is the port of the subnet manager."""

    ALL = "ALL"
    ALL_CAS = "ALL_CAS"
    ALL_SWITCHES = "ALL_SWITCHES"
    ALL_ROUTERS = "ALL_ROUTERS"
    SELF = "SELF"


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a member list.

    Args:
        target: a port GUID or a keyword.
        membership: how it belongs; the partition's default where the file says nothing.
        line: where it was written, from 1; 0 when it was not read from a file.
        column: column in bytes, from 1.
        stated: the membership stands in the file.
    """

    target: int | Keyword
    membership: Membership
    line: int = 0
    column: int = 0
    stated: bool = True

    @property
    def text(self) -> str:
        """The target as the file writes it."""
        return self.target.value if isinstance(self.target, Keyword) else f"0x{self.target:016x}"


@dataclass(frozen=True, slots=True)
class GroupFlags:
    """Properties of a multicast group, in the codes of the InfiniBand specification; None means not said.

    Args:
        mtu: MTU code (4 is 2048 bytes).
        rate: rate code (3 is 10 Gb/s).
        service_level: SL, 0 to 15.
        scopes: multicast scopes; one group is made for each.
        q_key: Q_Key.
        traffic_class: TClass.
        flow_label: FlowLabel.
    """

    mtu: int | None = None
    rate: int | None = None
    service_level: int | None = None
    scopes: tuple[int, ...] = ()
    q_key: int | None = None
    traffic_class: int | None = None
    flow_label: int | None = None


@dataclass(frozen=True, slots=True)
class MulticastGroup:
    """A multicast group made with the partition.

    Args:
        mgid: the group's GID as a number of 128 bits.
        flags: what differs from the partition's own flags.
        line: where it was written, from 1; 0 when it was not read from a file.
        column: column in bytes, from 1.
    """

    mgid: int
    flags: GroupFlags = GroupFlags()
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """One definition of a partition; a file may define one P_Key in several.

    Args:
        name: its name, for logs only; may be empty.
        pkey: P_Key without the membership bit, 1 to 0x7fff.
        members: who belongs, in the order that decides.
        ipoib: make the IPoIB broadcast group.
        index0: put this P_Key at index 0 of the tables of its members.
        flags: properties of the broadcast group, and of other groups unless they say otherwise.
        default_membership: membership of members without one; None when the file does not say (limited).
        groups: further multicast groups.
        line: where it was written, from 1; 0 when it was not read from a file.
        column: column in bytes, from 1.
    """

    name: str
    pkey: int
    members: tuple[Member, ...] = ()
    ipoib: bool = False
    index0: bool = False
    flags: GroupFlags = GroupFlags()
    default_membership: Membership | None = None
    groups: tuple[MulticastGroup, ...] = ()
    line: int = 0
    column: int = 0

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.name} (0x{self.pkey:04x})" if self.name else f"0x{self.pkey:04x}"


def without_places(partition: Partition) -> Partition:
    """The same partition with everything that only tells how and where it was written taken out."""
    return Partition(
        name=partition.name,
        pkey=partition.pkey,
        members=tuple(Member(member.target, member.membership) for member in partition.members),
        ipoib=partition.ipoib,
        index0=partition.index0,
        flags=partition.flags,
        groups=tuple(MulticastGroup(group.mgid, group.flags) for group in partition.groups),
    )
