"""The bodies that lead a candidate revision from the live state to the wanted one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.core.tree import ABSENT, Difference, Path, Tree, put
from intent.device.nvue.scope import Scope


def additions(differences: Sequence[Difference]) -> Tree:
    """Every value that is new or changed; secrets still as placeholders."""
    tree: Tree = {}
    for item in sorted(differences, key=lambda found: found.path):
        if item.after is not ABSENT:
            put(tree, item.path, item.after)
    return tree


def removals(state: Mapping[str, Any], scope: Scope) -> Tree:
    """What goes away, as None at the highest node that goes away whole.

    Args:
        state: live tree in scope.
        scope: what the device must hold.
    """
    tree: Tree = {}
    _collect(state, scope.tree, (), scope, tree)
    return tree


def _collect(state: Mapping[str, Any], want: Mapping[str, Any], at: Path, scope: Scope, tree: Tree) -> None:
    for key, value in state.items():
        path = (*at, key)
        kept = want.get(key, ABSENT)
        below = value if isinstance(value, Mapping) and value else None
        if kept is ABSENT:
            if below is None or scope.whole(path):
                put(tree, path, None)
            else:
                _collect(below, {}, path, scope, tree)
        elif below is not None:
            if isinstance(kept, Mapping):
                _collect(below, kept, path, scope, tree)
            else:
                put(tree, path, None)
