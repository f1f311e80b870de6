"""Patterns over paths of a tree: `*` is one key, a closing `**` is any rest, none included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from intent.core.tree import Path, from_pointer

Entry = TypeVar("Entry")


def match(pattern: Sequence[str], path: Sequence[str]) -> tuple[str, ...] | None:
    """The keys the `*` of a pattern stand for; None when it does not match."""
    rest = bool(pattern) and pattern[-1] == "**"
    fixed = pattern[:-1] if rest else pattern
    if len(path) < len(fixed) or (not rest and len(path) != len(fixed)):
        return None
    taken = []
    for want, key in zip(fixed, path, strict=False):
        if want == "*":
            taken.append(key)
        elif want != key:
            return None
    return tuple(taken)


class Match(NamedTuple):
    """A pattern's entry and the keys its `*` stand for."""

    entry: Any
    keys: tuple[str, ...]


class Table(Generic[Entry]):
    """Entries looked up by the first of their patterns that matches, in the order given."""

    def __init__(self, rows: Sequence[tuple[str, Entry]]) -> None:
        self._rows: list[tuple[Path, Entry]] = [(from_pointer(pattern), entry) for pattern, entry in rows]
        self._by_first: dict[str, list[tuple[Path, Entry]]] = {}

    def find(self, path: Path) -> Match | None:
        """The first entry whose pattern matches a path."""
        first = path[0] if path else ""
        rows = self._by_first.get(first)
        if rows is None:
            rows = [row for row in self._rows if not row[0] or row[0][0] in (first, "*", "**")]
            self._by_first[first] = rows
        for pattern, entry in rows:
            keys = match(pattern, path)
            if keys is not None:
                return Match(entry, keys)
        return None
