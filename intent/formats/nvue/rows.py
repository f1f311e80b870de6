"""Rows of the table of moves, found by the path they speak of: the longest one that matches decides."""

from __future__ import annotations

from dataclasses import dataclass, field

from intent.catalog.dialects import Move
from intent.core.tree import Path


@dataclass(slots=True)
class Rows:
    """Rows of moves by the keys of their source; `*` stands for any key.

    Args:
        row: the row that ends here.
        below: rows that go on, by their next key.
    """

    row: Move | None = None
    below: dict[str, Rows] = field(default_factory=dict)

    def deepest(self, path: Path) -> tuple[Move | None, int, tuple[str, ...]]:
        """The longest row that starts a path, its length, and the keys its `*` stand for."""
        node: Rows | None = self
        found: tuple[Move | None, int, tuple[str, ...]] = (self.row, 0, ())
        taken: tuple[str, ...] = ()
        for position, key in enumerate(path, start=1):
            node, taken = below(node, key, taken)
            if node is None:
                break
            if node.row:
                found = (node.row, position, taken)
        return found


def rows_of(rows: tuple[Move, ...]) -> Rows:
    """Moves of a release, to be found by path."""
    root = Rows()
    for row in rows:
        node = root
        for key in row.source:
            node = node.below.setdefault(key, Rows())
        node.row = row
    return root


def below(rules: Rows | None, key: str, keys: tuple[str, ...]) -> tuple[Rows | None, tuple[str, ...]]:
    """Rows below a key, and the keys that stood for `*` with it."""
    if rules is None:
        return None, keys
    found = rules.below.get(key)
    if found is None and "*" in rules.below:
        return rules.below["*"], (*keys, key)
    return found, keys


def filled(target: Path, keys: tuple[str, ...]) -> Path:
    """A row's target with the keys that stood for its `*`, `{0}` the first of them."""
    return tuple(keys[int(part[1:-1])] if part.startswith("{") else part for part in target)
