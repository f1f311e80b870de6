"""What differs between two sets of P_Key tables: of two files, or of a file and a live fabric."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from intent.formats.partitions.model import DEFAULT_PKEY, FULL_BIT


@dataclass(frozen=True, slots=True)
class PortDifference:
    """What one port gains and loses, P_Keys with their membership bit.

    Args:
        guid: port GUID.
        gained: keys only the later table holds.
        lost: keys only the earlier one holds.
    """

    guid: int
    gained: tuple[int, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """What one P_Key gains and loses, port GUIDs in order.

    Args:
        pkey: P_Key without the membership bit.
        joined: ports that had no membership and get one.
        left: ports that have none any more.
        changed: ports whose membership is another one.
    """

    pkey: int
    joined: tuple[int, ...]
    left: tuple[int, ...]
    changed: tuple[int, ...]


def difference(before: Mapping[int, Set[int]], after: Mapping[int, Set[int]]) -> tuple[PortDifference, ...]:
    """Ports whose keys differ, by GUID; a port that one side does not have counts as one without keys.

    Args:
        before: P_Keys by port GUID.
        after: P_Keys by port GUID.
    """
    nothing: frozenset[int] = frozenset()
    found = []
    for guid in before.keys() | after.keys():
        old, new = before.get(guid, nothing), after.get(guid, nothing)
        if old is not new and old != new:
            found.append(PortDifference(guid, tuple(sorted(new - old)), tuple(sorted(old - new))))
    found.sort(key=lambda item: item.guid)
    return tuple(found)


def by_pkey(differences: tuple[PortDifference, ...]) -> tuple[KeyDifference, ...]:
    """The same difference seen from the partitions, in order of P_Key.

    Args:
        differences: what ports gain and lose.
    """
    gained: dict[int, set[int]] = {}
    lost: dict[int, set[int]] = {}
    for port in differences:
        for key in port.gained:
            gained.setdefault(key & DEFAULT_PKEY, set()).add(port.guid)
        for key in port.lost:
            lost.setdefault(key & DEFAULT_PKEY, set()).add(port.guid)
    rows = []
    for pkey in sorted(gained.keys() | lost.keys()):
        joins, leaves = gained.get(pkey, set()), lost.get(pkey, set())
        both = joins & leaves
        rows.append(KeyDifference(pkey, tuple(sorted(joins - both)), tuple(sorted(leaves - both)), tuple(sorted(both))))
    return tuple(rows)


def spelled(key: int) -> str:
    """A key of a table as people read it: `0x0012 full`."""
    return f"0x{key & DEFAULT_PKEY:04x} {'full' if key & FULL_BIT else 'limited'}"
