"""The bodies that lead a candidate revision from the live state to the wanted one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.core.tree import ABSENT, Path, Tree, merge, put
from intent.device.nvue.scope import Scope


def additions(state: Mapping[str, Any], want: Mapping[str, Any]) -> Tree:
    """Every value that is new or changed; secrets still as placeholders. Shares its branches with `want`.

    Args:
        state: live tree in scope.
        want: wanted tree in scope.
    """
    return _beyond(want, state, nulls=False)


def bodies(gone: Tree, new: Tree) -> list[Tree]:
    """What to load one after the other: one body, or two where an object would be both set and unset in one.

    The API leaves open which of the two wins, so what goes away goes first.

    Args:
        gone: `removals`.
        new: `additions`.
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


def one_sided(here: Mapping[str, Any], there: Mapping[str, Any]) -> Tree:
    """What `here` holds that `there` does not, None where only `there` has a value: NVUE's own form of a diff."""
    return _beyond(here, there, nulls=True)


def _beyond(here: Mapping[str, Any], there: Mapping[str, Any], *, nulls: bool) -> Tree:
    found: Tree = {}
    for key, value in here.items():
        other = there.get(key, ABSENT)
        if isinstance(value, dict) and isinstance(other, dict):
            inner = _beyond(value, other, nulls=nulls)
            if inner or (not nulls and other and not value):
                found[key] = inner
        elif type(value) is not type(other) or value != other:
            found[key] = value
    if nulls:
        found.update({key: None for key in there if key not in here})
    return found


def removals(state: Mapping[str, Any], scope: Scope, want: Mapping[str, Any] | None = None) -> Tree:
    """What goes away, as None at the highest node that goes away whole.

    Args:
        state: live tree in scope.
        scope: what the device must hold, and what of it is ours.
        want: what it must hold instead, when only a part of the change is made.
    """
    tree: Tree = {}
    _collect(state, scope.tree if want is None else want, (), scope, tree)
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
