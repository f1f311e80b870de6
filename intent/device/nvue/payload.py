"""The bodies that lead a candidate revision from the live state to the wanted one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.core.differences import Differences
from intent.core.tree import ABSENT, Path, Tree, merge, put
from intent.device.nvue.scope import Scope


def bodies(gone: Tree, new: Tree) -> list[Tree]:
    """What to load one after the other: one body, or two where an object would be both set and unset in one.

    The API leaves open which of the two wins, so what goes away goes first.

    Args:
        gone: `removals`.
        new: every value that is new or changed (`Differences.after`).
    """
    if gone and new and not _clash(gone, new):
        return [merge(gone, new)]
    return [body for body in (gone, new) if body]


def _clash(gone: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    for key, value in gone.items():
        if key in new:
            other = new[key]
            if not isinstance(value, Mapping) or not isinstance(other, Mapping) or not other or _clash(value, other):
                return True
    return False


def one_sided(differences: Differences, whole: Mapping[str, Any], *, back: bool = False) -> Tree:
    """The diff NVUE gives of two trees: what one holds that the other does not, None where only the other has a value.

    Args:
        differences: what leads from the old tree to the new one.
        whole: the tree that is asked for its diff: the new one, or with `back` the old one.
        back: what the old tree holds that the new one does not.
    """
    here, there = differences.after, differences.before
    return _one_sided(there, here, whole) if back else _one_sided(here, there, whole)


def _one_sided(here: Mapping[str, Any], there: Mapping[str, Any], whole: Mapping[str, Any]) -> Tree:
    found: Tree = {}
    for key, value in here.items():
        other = there.get(key, ABSENT)
        inner = isinstance(value, Mapping) and isinstance(other, Mapping)
        found[key] = _one_sided(value, other, whole[key]) if inner else value
    for key, other in there.items():
        if key not in here:
            found[key] = _one_sided({}, other, whole[key]) if key in whole else None
    return found


def removals(differences: Differences, scope: Scope, want: Mapping[str, Any] | None = None) -> Tree:
    """What goes away, as None at the highest node that goes away whole.

    Args:
        differences: what leads from the live tree in scope to the wanted one.
        scope: what the device must hold, and what of it is ours.
        want: what it must hold instead, when only a part of the change is made.
    """
    tree: Tree = {}
    _collect(differences.before, scope.tree if want is None else want, (), scope, tree)
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
