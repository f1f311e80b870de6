"""Differences of two trees, kept as the part of each tree that differs.

A first build of a switch differs in every leaf, more than a thousand: one record each costs milliseconds to make, to
write and to read. The two parts share their branches with the trees they were taken from, and two changes are the same
when their parts are; the records are made when somebody goes through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

from intent.core.tree import ABSENT, Difference, Path, Tree, digest, get, leaves, put

# Path, before, after: what a `Difference` holds.
Row: TypeAlias = tuple[Path, Any, Any]


class Differences(Sequence[Difference]):
    """What leads from one tree to another, leaf by leaf, sorted by path.

    Args:
        before: the part of the left tree that is not in the right one, no empty mapping in it but as a leaf.
        after: the part of the right tree that is not in the left one, likewise.
    """

    __slots__ = ("_count", "_digest", "_rows", "after", "before", "masked")

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self.before = before
        self.after = after
        self.masked = False  # True once somebody saw to it that no secret stands in it
        self._rows: tuple[Row, ...] | None = None
        self._count = -1
        self._digest = ""

    @classmethod
    def between(cls, before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
        """Law: `tuple(Differences.between(a, b)) == tuple(difference(a, b))`. Shares branches with both."""
        return cls(*_parts(before, after))

    @classmethod
    def of(cls, records: Iterable[Difference]) -> Differences | None:
        """The same differences; None where two parts of trees cannot say them.

        A path that ends inside another, an empty path, or a value that is itself a tree have no place in a part.
        """
        before: Tree = {}
        after: Tree = {}
        held = sorted(records, key=lambda item: item.path)
        for item in held:
            if not item.path:
                return None
            for side, value in ((before, item.before), (after, item.after)):
                if value is not ABSENT:
                    put(side, item.path, value)
        found = cls(before, after)
        return found if list(found) == held else None

    def removed(self) -> list[Difference]:
        """Those whose leaf is gone afterwards, in no order."""
        return [
            Difference(path, value, ABSENT)
            for path, value in leaves(self.before)
            if (left := get(self.after, path)) is ABSENT or _is_inner(left)
        ]

    def touch(self, path: Path) -> bool:
        """True when something at a path or below it differs."""
        return any(get(part, path) is not ABSENT for part in (self.before, self.after))

    @property
    def digest(self) -> str:
        """Equal for equal differences."""
        if not self._digest:
            self._digest = digest([self.before, self.after])
        return self._digest

    def rows(self) -> tuple[Row, ...]:
        """Path, before and after of each, sorted by path: what is cheaper than a record each."""
        if self._rows is None:
            olds, news = dict(leaves(self.before)), dict(leaves(self.after))
            paths = sorted({**olds, **news})
            self._rows = tuple([(at, olds.get(at, ABSENT), news.get(at, ABSENT)) for at in paths])
        return self._rows

    def __bool__(self) -> bool:
        return bool(self.before) or bool(self.after)

    def __len__(self) -> int:
        if self._count < 0:
            self._count = _count(self.before or ABSENT, self.after or ABSENT) if self else 0
        return self._count

    @overload
    def __getitem__(self, at: int) -> Difference: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Difference, ...]: ...
    def __getitem__(self, at: int | slice) -> Difference | tuple[Difference, ...]:
        if isinstance(at, slice):
            return tuple(Difference(*row) for row in self.rows()[at])
        return Difference(*self.rows()[at])

    def __iter__(self) -> Iterator[Difference]:
        return (Difference(*row) for row in self.rows())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Differences):
            return self.before == other.before and self.after == other.after
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # trees have none

    def __repr__(self) -> str:
        return f"Differences{tuple(self)!r}"


def rows(differences: Sequence[Difference]) -> Sequence[Row]:
    """Path, before and after of each difference, however they are kept."""
    if isinstance(differences, Differences):
        return differences.rows()
    return [(item.path, item.before, item.after) for item in differences]


def _parts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Tree, Tree]:
    olds: Tree = {}
    news: Tree = {}
    for key, left in before.items():
        right = after.get(key, ABSENT)
        if left is right:
            continue
        if right is ABSENT:
            olds[key] = left
        elif left and right and isinstance(left, Mapping) and isinstance(right, Mapping):
            old, new = _parts(left, right)
            if old:
                olds[key] = old
            if new:
                news[key] = new
        elif type(left) is not type(right) or left != right:
            olds[key] = left
            news[key] = right
    for key, right in after.items():
        if key not in before:
            news[key] = right
    return olds, news


def _count(before: Any, after: Any) -> int:
    """Paths at which either of two values has a leaf; ABSENT for one that is not there."""
    if not _is_inner(before):
        before, after = after, before
    if not _is_inner(before):
        return 1
    if not _is_inner(after):
        return _leaves(before) + (after is not ABSENT)
    total = sum(_count(value, after.get(key, ABSENT)) for key, value in before.items())
    return total + sum(_count(value, ABSENT) for key, value in after.items() if key not in before)


def _leaves(tree: Mapping[str, Any]) -> int:
    count, waiting = 0, [tree]
    while waiting:
        for value in waiting.pop().values():
            if value.__class__ in _LEAVES or not _is_inner(value):
                count += 1
            else:
                waiting.append(value)
    return count


def _is_inner(value: Any) -> bool:
    kind = value.__class__
    # The slow question, whether it is any other kind of mapping, is for what is no common leaf.
    return bool(value) and (kind is dict or (kind not in _LEAVES and isinstance(value, Mapping)))


_LEAVES = frozenset({str, int, float, bool, type(None), list, type(ABSENT)})
