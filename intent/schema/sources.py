"""Where every value of a document was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from intent.core.span import Span

Location: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the root, as written: `("sites", "ref1", "nodes", 0, "name")`."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Place of each value, by the keys as they are written (`"leaf-spine"`, not `leaf_spine`).

    A scalar's place is that of its text; a mapping's or list's place is that of the key it stands under.

    Args:
        spans: place by location.
        comments: comments that begin with `# intent:`, without the `#`, by file and the line they speak of.
    """

    spans: Mapping[Location, Span] = field(default_factory=dict)
    comments: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def span(self, path: Location) -> Span | None:
        """Place of the value at `path`, or of the nearest parent that has one; None for an empty map."""
        for end in range(len(path), -1, -1):
            found = self.spans.get(path[:end])
            if found:
                return found
        return None

    def __contains__(self, path: object) -> bool:
        return path in self.spans

    def under(self, path: Location) -> Iterator[tuple[Location, Span]]:
        """Every place at or below `path`, in the order written."""
        depth = len(path)
        return ((where, span) for where, span in self.spans.items() if where[:depth] == path)
