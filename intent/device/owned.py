"""Which paths of a controller's tree are ours."""

from __future__ import annotations

from collections.abc import Sequence

from intent.catalog.patterns import match
from intent.core.tree import Path


class Owned:
    """Subtrees that are compared and pruned, less those inside them that are left alone. `*` stands for any key.

    Args:
        owned: paths of subtrees; `()` is everything.
        excepted: paths of subtrees taken out of them.
    """

    __slots__ = ("excepted", "owned")

    def __init__(self, owned: Sequence[Path], excepted: Sequence[Path]) -> None:
        self.owned = tuple(owned)
        self.excepted = tuple(excepted)

    def covers(self, path: Path) -> bool:
        """True when a path is ours."""
        inside = any(match((*owned, "**"), path) is not None for owned in self.owned)
        return inside and not any(match((*taken, "**"), path) is not None for taken in self.excepted)

    def speaks_below(self, root: Path) -> bool:
        """True when a rule names something below a path."""
        return any(
            len(path) > len(root) and match(path[: len(root)], root) is not None
            for path in (*self.owned, *self.excepted)
        )

    def all_ours(self, root: Path) -> bool:
        """True when a subtree may be removed at its root: it is ours, and nothing excepted lies in it."""
        return self.covers(root) and not any(match(path[: len(root)], root) is not None for path in self.excepted)
