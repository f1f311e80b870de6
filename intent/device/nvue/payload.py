"""The bodies that lead a candidate revision from the live state to the wanted one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.core.tree import ABSENT, Difference, Path, Tree, put
from intent.device.actor import Wanted
from intent.device.nvue.scope import owned_paths, wanted_tree


def additions(differences: Sequence[Difference]) -> Tree:
    """Every value that is new or changed; secrets still as placeholders."""
    tree: Tree = {}
    for item in sorted(differences, key=lambda found: found.path):
        if item.after is not ABSENT:
            put(tree, item.path, item.after)
    return tree


def removals(state: Mapping[str, Any], wanted: Wanted) -> Tree:
    """What goes away, as None at the highest node that goes away whole.

    A node goes whole only where it is inside what we own and nothing excepted lies below it.

    Args:
        state: live tree in scope.
        wanted: what the device must hold.
    """
    tree: Tree = {}
    _collect(state, wanted_tree(wanted), (), wanted, tree)
    return tree


def _collect(state: Mapping[str, Any], want: Mapping[str, Any], at: Path, wanted: Wanted, tree: Tree) -> None:
    for key, value in state.items():
        path = (*at, key)
        kept = want.get(key, ABSENT)
        below = value if isinstance(value, Mapping) and value else None
        if kept is ABSENT:
            if below is None or _whole(path, wanted):
                put(tree, path, None)
            else:
                _collect(below, {}, path, wanted, tree)
        elif below is not None:
            if isinstance(kept, Mapping):
                _collect(below, kept, path, wanted, tree)
            else:
                put(tree, path, None)


def _whole(path: Path, wanted: Wanted) -> bool:
    inside = any(path[: len(owned)] == owned for owned in owned_paths(wanted))
    return inside and not any(taken[: len(path)] == path for taken in wanted.excepted)
