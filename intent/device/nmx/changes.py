"""What leads from one set of NVLink partitions to another, what of it is done, and the calls for it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from intent.core.errors import IntentError
from intent.core.tree import ABSENT, Difference
from intent.device.compensation import Standing, Write
from intent.device.nmx.model import DEFAULT_NAME, ID_BASED, At, Gpu, Held, Live, Places
from intent.device.undo import pack, unpack

_KIND = "nmx1"


@dataclass(frozen=True, slots=True)
class Change:
    """What changes of one partition.

    Args:
        at: the partition.
        id: NMX-M's identifier; empty where it is to be made.
        exists: before and after.
        leaving: GPUs taken out.
        joining: GPUs put in.
    """

    at: At
    id: str
    exists: tuple[bool, bool]
    leaving: frozenset[str]
    joining: frozenset[str]

    @property
    def inverse(self) -> Change:
        """What undoes it. A partition that is made anew gets another identifier."""
        identifier = "" if self.exists == (True, False) else self.id
        return Change(self.at, identifier, (self.exists[1], self.exists[0]), self.joining, self.leaving)

    def __bool__(self) -> bool:
        return bool(self.exists[0] is not self.exists[1] or self.leaving or self.joining)

    def differences(self) -> list[Difference]:
        """Leaf by leaf, as a plan shows it."""
        root = ("domain", self.at.domain, "partition", self.at.name)
        found = [Difference((*root, "member", place), {}, ABSENT) for place in self.leaving]
        found += [Difference((*root, "member", place), ABSENT, {}) for place in self.joining]
        if not found and self:
            there = self.exists[1]
            found.append(Difference(root, ABSENT if there else {}, {} if there else ABSENT))
        return found


def changes(held: Places, wanted: Places, ids: Mapping[At, str] | None = None) -> tuple[Change, ...]:
    """What leads from what is held to what is wanted.

    GPUs wanted elsewhere leave their domain's default partition, whether the tree speaks of it or not.

    Args:
        held: partitions there are.
        wanted: partitions asked for.
        ids: NMX-M's identifiers of those there are.
    """
    target = dict(wanted)
    for at, places in held.items():
        if at.name == DEFAULT_NAME and at not in target:
            moved = [own for other, own in wanted.items() if other.domain == at.domain]
            target[at] = places.difference(*moved)
    found = []
    for at in sorted({*held, *target}):
        old, new = held.get(at, frozenset()), target.get(at, frozenset())
        change = Change(at, (ids or {}).get(at, ""), (at in held, at in target), old - new, new - old)
        if change:
            found.append(change)
    return tuple(found)


def strangers(planned: Iterable[Change]) -> int:
    """How many GPUs leave partitions known only to NMX-M or beyond what is wanted; those that move on do not count."""
    planned = tuple(planned)
    moved = {(change.at.domain, place) for change in planned for place in change.joining}
    gone = sum(
        1
        for change in planned
        for place in change.leaving
        if change.at.name != DEFAULT_NAME and (change.at.domain, place) not in moved
    )
    return gone + sum(change.exists == (True, False) and not change.leaving for change in planned)


def standing(planned: Sequence[Change], live: Live) -> Standing[Change]:
    """Hold changes against what NMX-M has now. A GPU is in or out: there is no third state."""
    left: list[Change] = []
    done = todo = 0
    for change in planned:
        now = live.find(change.at, change.id)
        places = now.places if now is not None else frozenset()
        still = replace(
            change,
            id=now.id if now is not None else change.id,
            leaving=change.leaving & places,
            joining=change.joining - places,
            exists=change.exists if change.exists[0] is (now is not None) else (now is not None, now is not None),
        )
        if change.exists[1] is False and now is None:
            still = replace(still, leaving=frozenset())
        count = len(change.leaving) + len(change.joining) + (change.exists[0] is not change.exists[1])
        rest = len(still.leaving) + len(still.joining) + (still.exists[0] is not still.exists[1])
        done, todo = done + count - rest, todo + rest
        left += [still] if still else []
    return Standing(tuple(left), done, todo)


def writes(left: Sequence[Change], live: Live) -> tuple[Write, ...]:
    """The calls that carry out what is left: partitions go or shrink first, the default one before all.

    A PUT holds the whole list of members, so a partition that loses and gains is written twice: between the two its
    GPUs are in no partition, never in two.
    """
    order = sorted(left, key=lambda change: (change.at.name != DEFAULT_NAME, change.at))
    return (*_shrinking(order, live), *_growing(order, live))


def _shrinking(order: Sequence[Change], live: Live) -> Iterator[Write]:
    for change in order:
        now = live.find(change.at, change.id)
        if now is None:
            continue
        if change.exists[1] is False:
            yield Write("DELETE", f"/partitions/{now.id}", None, f"partition {change.at.name!r}: remove it")
        elif change.leaving:
            rest = now.places - change.leaving
            words = f"partition {change.at.name!r}: {len(change.leaving)} GPUs leave"
            yield Write("PUT", f"/partitions/{now.id}", {"Members": _members(now, change.at, rest, live)}, words)


def _growing(order: Sequence[Change], live: Live) -> Iterator[Write]:
    for change in order:
        if change.exists[1] is False or not (change.joining or change.exists == (False, True)):
            continue
        now = live.find(change.at, change.id)
        words = f"partition {change.at.name!r}: {len(change.joining)} GPUs join"
        if now is None:
            body = {"Name": change.at.name, "Members": _members(None, change.at, change.joining, live)}
            yield Write("POST", "/partitions", body, words)
        else:
            places = (now.places - change.leaving) | change.joining
            yield Write("PUT", f"/partitions/{now.id}", {"Members": _members(now, change.at, places, live)}, words)


def _members(now: Held | None, at: At, places: frozenset[str], live: Live) -> list[Any]:
    """Members in the kind the partition has; a new one is by place."""
    gpus = [live.gpus.get((at.domain, place)) or Gpu("", at.domain, place) for place in sorted(places)]
    if now is None or now.kind != ID_BASED:
        return [gpu.location() for gpu in gpus]
    nameless = [gpu.place for gpu in gpus if not gpu.id]
    if nameless:
        raise IntentError(f"partition {at.name!r} is kept by identifiers, and GPU {nameless[0]} has none")
    return [gpu.id for gpu in gpus]


# --- handles


def to_handle(planned: Sequence[Change]) -> str:
    """A handle of changes."""
    rows = [[*c.at, c.id, list(c.exists), sorted(c.leaving), sorted(c.joining)] for c in planned]
    return pack(_KIND, rows)


def from_handle(handle: str) -> tuple[Change, ...]:
    """The changes of a handle.

    Raises:
        IntentError: it is none.
    """
    try:
        return tuple(
            Change(At(domain, name), identifier, (exists[0], exists[1]), frozenset(leaving), frozenset(joining))
            for domain, name, identifier, exists, leaving, joining in unpack(_KIND, handle)
        )
    except (TypeError, ValueError, IndexError):
        raise IntentError("what was recorded of the change makes no sense: it cannot be undone from there") from None
