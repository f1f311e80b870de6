"""The P_Key table each port gets: what OpenSM makes of a file on a fabric it knows.

Rules, established by reading tables back from OpenSM 3.3.23: in the default partition every port starts limited and the
subnet manager's port full; entries are applied in order and the last one decides; a GUID nobody has is skipped; a P_Key
defined twice is one partition; `both` is full where allow_both_pkeys is off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from intent.formats.partitions.model import DEFAULT_PKEY, FULL_BIT, Keyword, Member, Membership, Partition

_LIMITED, _FULL = 1, 2
_BITS = {Membership.LIMITED: _LIMITED, Membership.FULL: _FULL, Membership.BOTH: _LIMITED | _FULL}


class PortKind(StrEnum):
    """Kinds of end port."""

    ADAPTER = "adapter"
    SWITCH = "switch"
    ROUTER = "router"


_KIND_OF = {
    Keyword.ALL_CAS: PortKind.ADAPTER,
    Keyword.ALL_SWITCHES: PortKind.SWITCH,
    Keyword.ALL_ROUTERS: PortKind.ROUTER,
}


@dataclass(frozen=True, slots=True)
class EndPort:
    """A port with a P_Key table of its own: of an adapter or a router, or port 0 of a switch.

    Args:
        guid: port GUID.
        kind: whose port it is.
        capacity: entries its table holds; None when not known.
        node_guid: GUID of its node; zero when not known.
    """

    guid: int
    kind: PortKind = PortKind.ADAPTER
    capacity: int | None = None
    node_guid: int = 0


@dataclass(frozen=True, slots=True)
class PkeyTable:
    """P_Keys of one port, each with its membership bit.

    Args:
        keys: the keys.
        index0: the key at index 0 of a freshly written table.
    """

    keys: frozenset[int]
    index0: int


def pkey_tables(
    partitions: Iterable[Partition], ports: Sequence[EndPort], *, manager: int, allow_both: bool = False
) -> dict[int, PkeyTable]:
    """The table of every port.

    Args:
        partitions: an accepted file, in its order.
        ports: every end port of the fabric.
        manager: GUID of the subnet manager's port.
        allow_both: `allow_both_pkeys` of opensm.conf.

    Returns:
        Tables by port GUID.
    """
    known = {port.guid: port.kind for port in ports}
    groups = {kind: [port.guid for port in ports if port.kind is kind] for kind in PortKind}
    joined: dict[int, dict[int, int]] = {DEFAULT_PKEY: dict.fromkeys(known, _LIMITED)}
    if manager in known:
        joined[DEFAULT_PKEY][manager] = _FULL
    first: dict[int, int] = {}
    for partition in partitions:
        members = joined.setdefault(partition.pkey, {})
        for member in partition.members:
            bits = _bits(member, allow_both)
            for guid in _targets(member, known, groups, manager):
                members[guid] = bits
                if partition.index0:
                    first[guid] = partition.pkey | (FULL_BIT if bits == _FULL else 0)
                elif first.get(guid, 0) & ~FULL_BIT == partition.pkey:
                    first.pop(guid, None)
    keys: dict[int, list[int]] = {guid: [] for guid in known}
    for pkey, members in joined.items():
        for guid, bits in members.items():
            if bits & _LIMITED:
                keys[guid].append(pkey)
            if bits & _FULL:
                keys[guid].append(pkey | FULL_BIT)
    return {guid: PkeyTable(frozenset(held), first.get(guid, _usual(held, allow_both))) for guid, held in keys.items()}


def canaries(tables: Mapping[int, PkeyTable]) -> tuple[int, ...]:
    """Ports that prove the file was read: limited in the default partition, so they must not hold 0xffff.

    Where there is none, a subnet manager that dropped the file looks like one that read it, and the verdict is unknown.

    Args:
        tables: tables by port GUID, as compiled.
    """
    full, limited = DEFAULT_PKEY | FULL_BIT, DEFAULT_PKEY
    return tuple(sorted(guid for guid, table in tables.items() if limited in table.keys and full not in table.keys))


def _bits(member: Member, allow_both: bool) -> int:
    if member.membership is Membership.BOTH and not allow_both:
        return _FULL
    return _BITS[member.membership]


def _targets(
    member: Member, known: Mapping[int, PortKind], groups: Mapping[PortKind, list[int]], manager: int
) -> Iterator[int]:
    target = member.target
    if target is Keyword.ALL:
        yield from known
    elif target is Keyword.SELF:
        if manager in known:
            yield manager
    elif isinstance(target, Keyword):
        yield from groups[_KIND_OF[target]]
    elif target in known:
        yield target


def _usual(keys: Iterable[int], allow_both: bool) -> int:
    """Index 0 without indx0: the default key; with allow_both_pkeys only a full one, else nothing."""
    held = set(keys)
    if DEFAULT_PKEY | FULL_BIT in held:
        return DEFAULT_PKEY | FULL_BIT
    return 0 if allow_both else DEFAULT_PKEY
