"""What leads from one set of partitions to another, what of it is done, and how it is undone. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from intent.core.tree import ABSENT, Difference
from intent.device.compensation import Standing
from intent.device.ufm.keys import tree_key
from intent.device.ufm.partitions import Member, Partition, Partitions

Pair = tuple[Any, Any]  # before and after; None stands for absent


@dataclass(frozen=True, slots=True)
class Change:
    """What changes of one partition.

    Args:
        key: the partition.
        exists: before and after.
        attributes: by name, before and after.
        members: by GUID, before and after.
    """

    key: int
    exists: tuple[bool, bool] = (True, True)
    attributes: Mapping[str, Pair] = field(default_factory=dict)
    members: Mapping[str, tuple[Member | None, Member | None]] = field(default_factory=dict)

    @property
    def inverse(self) -> Change:
        """What undoes it."""
        return Change(
            self.key,
            (self.exists[1], self.exists[0]),
            {name: (after, before) for name, (before, after) in self.attributes.items()},
            {guid: (after, before) for guid, (before, after) in self.members.items()},
        )

    def __bool__(self) -> bool:
        return bool(self.exists[0] is not self.exists[1] or self.attributes or self.members)

    @property
    def removals(self) -> int:
        """How many members, and partitions, it takes away."""
        gone = sum(1 for before, after in self.members.values() if before is not None and after is None)
        return gone + (self.exists == (True, False) and not gone)

    def differences(self) -> list[Difference]:
        """Leaf by leaf, as a plan shows it."""
        root = ("partition", tree_key(self.key))
        found = [Difference((*root, name), _leaf(old), _leaf(new)) for name, (old, new) in self.attributes.items()]
        for guid, (old, new) in self.members.items():
            at = (*root, "member", guid)
            if old is None or new is None or old.membership != new.membership:
                pair = (_leaf(old and old.membership), _leaf(new and new.membership))
                found.append(Difference((*at, "membership"), *pair))
            if old is None or new is None or old.index0 is not new.index0:
                pair = (ABSENT if old is None else old.index0, ABSENT if new is None else new.index0)
                found.append(Difference((*at, "index0"), *pair))
        if not found and self:
            there = self.exists[1]
            found.append(Difference(root, ABSENT if there else {}, {} if there else ABSENT))
        return found


def _leaf(value: Any) -> Any:
    return ABSENT if value is None else value


def changes(live: Partitions, wanted: Partitions) -> tuple[Change, ...]:
    """What leads from live to wanted, in order of keys.

    Only attributes that are asked for are compared.
    """
    found: list[Change] = []
    for key in sorted({*live, *wanted}):
        change = _change(key, live.get(key), wanted.get(key))
        if change:
            found.append(change)
    return tuple(found)


def _change(key: int, old: Partition | None, new: Partition | None) -> Change:
    if old is None or new is None:
        attributes = {name: (value, None) for name, value in old.attributes()} if old else {}
        attributes |= {name: (None, value) for name, value in new.attributes()} if new else {}
        members: dict[str, tuple[Member | None, Member | None]] = {}
        members |= {guid: (kind, None) for guid, kind in old.members.items()} if old else {}
        members |= {guid: (None, kind) for guid, kind in new.members.items()} if new else {}
        return Change(key, (old is not None, new is not None), attributes, members)
    have = dict(old.attributes())
    attributes = {name: (have.get(name), value) for name, value in new.attributes() if have.get(name) != value}
    return Change(key, (True, True), attributes, _members(old.members, new.members))


def _members(old: Mapping[str, Member], new: Mapping[str, Member]) -> dict[str, tuple[Member | None, Member | None]]:
    if old == new:
        return {}
    found: dict[str, tuple[Member | None, Member | None]] = {
        guid: (kind, new.get(guid)) for guid, kind in old.items() if new.get(guid) is not kind
    }
    found |= {guid: (None, kind) for guid, kind in new.items() if guid not in old}
    return dict(sorted(found.items()))


# --- how far it got


def standing(planned: Iterable[Change], live: Partitions, *, force: bool = False) -> Standing[Change]:
    """Hold changes against what UFM has now.

    Args:
        planned: the changes.
        live: what UFM has.
        force: what is neither as before nor as it is to be counts as to be done: we have just written it ourselves.
    """
    left: list[Change] = []
    done = todo = 0
    others: list[str] = []
    for change in planned:
        now = live.get(change.key)
        here = _Count(change, now, force)
        left += [here.left] if here.left else []
        done, todo = done + here.done, todo + here.todo
        others += here.others
    return Standing(tuple(left), done, todo, tuple(others))


class _Count:
    """One change against what there is."""

    def __init__(self, change: Change, now: Partition | None, force: bool) -> None:
        self._force = force
        self.done = self.todo = 0
        self.others: list[str] = []
        self._where = f"partition {tree_key(change.key)}"
        have = dict(now.attributes()) if now else {}
        members = now.members if now else {}
        exists = change.exists
        if change.exists[0] is not change.exists[1]:
            self._take(exists, now is not None, "it exists")
        made, gone = change.exists == (False, True), change.exists == (True, False)
        attributes = {
            name: pair
            for name, pair in change.attributes.items()
            # What a partition is made with is judged once it is there, what one is removed with not at all.
            if not gone and self._take(pair, have.get(name), name, absent=now is None, set_at_once=made)
        }
        kept = {
            guid: pair for guid, pair in change.members.items() if self._take(pair, members.get(guid), f"port {guid}")
        }
        if gone and now is not None:
            strangers = [guid for guid in now.members if guid not in change.members]
            self.others += [f"{self._where}: port {guid} is there too" for guid in strangers]
            kept = {} if strangers else kept
        still = change.exists if change.exists[0] is (now is not None) else (now is not None, now is not None)
        if gone and self.others:
            still = (True, True)
        self.left = replace(change, exists=still, attributes=attributes, members=kept)

    def _take(self, pair: Pair, now: Any, what: str, *, absent: bool = False, set_at_once: bool = False) -> bool:
        """True when it is still to be done."""
        before, after = pair
        if now == after and not (absent and set_at_once):
            self.done += 1
            return False
        # A partition just made holds UFM's own defaults until its attributes are set.
        if now == before or absent or set_at_once or self._force:
            self.todo += 1
            return True
        self.others.append(f"{self._where}: {what} is {_shown(now)}, neither {_shown(before)} nor {_shown(after)}")
        return False


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    return value.words if isinstance(value, Member) else str(value)
