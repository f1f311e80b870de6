"""The lab's own merge, diff and range expansion over configuration trees.

Trees are never changed in place once they are in a revision: a merge copies only the mappings on the way to what
changes and shares the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from intent.core.tree import Path
from intent.lab.ranges import expand, is_range, joined
from intent.lab.walker import RANGED, Schema

Json: TypeAlias = dict[str, Any]

MISSING = object()

# Words an interface's name starts with, and the `type` NVUE adds by itself. Source: show output of NVUE 5.x.
_TYPES = (
    ("swp", "swp"),
    ("eth", "eth"),
    ("bond", "bond"),
    ("vlan", "svi"),
    ("peerlink", "peerlink"),
    ("lo", "loopback"),
)


def merged(schema: Schema, base: Json, over: Json, at: Path = ()) -> Json:
    """A new tree: `over` laid on `base` at a path. A null unsets; what a fixed object loses last, goes with it.

    Args:
        schema: schema of the switch's release.
        base: tree that stays as it is.
        over: body that passed `Schema.check`.
        at: path of the body in the tree.
    """
    for key in reversed(at):
        over = {key: over}
    result = _merge(schema, schema.root, base, over)
    added = over.get("interface")
    if isinstance(added, dict):
        _add_types(result, added)
    return result


def _merge(schema: Schema, index: int | None, base: Json, over: Json) -> Json:
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
            continue
        present = result.get(key)
        if not isinstance(value, dict):
            result[key] = value
            continue
        below = None if index is None else schema.child(index, key)
        inner = _merge(schema, below, present if isinstance(present, dict) else {}, value)
        if not inner and value and below is not None and "keys" in schema.nodes[below]:
            result.pop(key, None)
        else:
            result[key] = inner
    return result


def laid(base: Json, over: Json) -> Json:
    """A new tree: `over` laid on `base`, nulls included."""
    result = dict(base)
    for key, value in over.items():
        present = result.get(key)
        result[key] = laid(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
    return result


def _add_types(tree: Json, added: Json) -> None:
    interfaces = tree.get("interface")
    if not isinstance(interfaces, dict):
        return
    fresh = {}
    for name, value in added.items():
        present = interfaces.get(name)
        if value is not None and isinstance(present, dict) and "type" not in present:
            kind = next((kind for word, kind in _TYPES if name.startswith(word)), None)
            kind = "sub" if kind == "swp" and "." in name else kind
            if kind:
                fresh[name] = {**present, "type": kind}
    if fresh:
        tree["interface"] = {**interfaces, **fresh}


def expanded(schema: Schema, tree: Json, at: Path = ()) -> Json:
    """The tree with every range key written out; the same object when it holds none."""
    index: int | None = schema.root
    for key in at:
        index = None if index is None else schema.child(index, key)
    return _expand(schema, index, tree)


def _expand(schema: Schema, index: int | None, tree: Json) -> Json:
    if index is None or index not in schema.ranged:
        return tree
    node = schema.nodes[index]
    rule = node.get("key", node.get("free"))
    result: Json | None = None
    for key, value in tree.items():
        inner = _expand(schema, schema.child(index, key), value) if isinstance(value, dict) else value
        names = expand(key) if rule in RANGED and is_range(key) else None
        if result is None and (inner is not value or names is not None):
            result = {}
            for earlier, held in tree.items():
                if earlier == key:
                    break
                result[earlier] = held
        if result is None:
            continue
        for name in names or (key,):
            present = result.get(name)
            if isinstance(present, dict) and isinstance(inner, dict):
                result[name] = _merge(schema, schema.child(index, name), present, inner)
            else:
                result[name] = inner
    return tree if result is None else result


def mapped(tree: Json, names: frozenset[str], change: Callable[[str], str]) -> Json:
    """The tree with `change` made to every text below one of the names; the same object when nothing changed."""
    result: Json | None = None
    for key, value in tree.items():
        fresh: Any = value
        if isinstance(value, dict):
            fresh = mapped(value, names, change)
        elif key in names and isinstance(value, str):
            fresh = change(value)
        if fresh is not value:
            result = dict(tree) if result is None else result
            result[key] = fresh
    return tree if result is None else result


def diff(here: Json, there: Json) -> Json:
    """One side of a comparison: what `here` holds and `there` does not, and null where only `there` has a value."""
    result: Json = {}
    for key, value in here.items():
        other = there.get(key, MISSING)
        if value is other:
            continue
        if isinstance(value, dict) and isinstance(other, dict):
            inner = diff(value, other)
            if inner:
                result[key] = inner
        elif type(value) is not type(other) or value != other:
            result[key] = value
    for key in there:
        if key not in here:
            result[key] = None
    return result


def at(tree: Any, path: Path) -> Any:
    """The value at a path, `MISSING` where there is none."""
    for key in path:
        if not isinstance(tree, dict):
            return MISSING
        tree = tree.get(key, MISSING)
    return tree


def without(schema: Schema, tree: Json, path: Path) -> Json:
    """A new tree that lacks a path; the empty path empties it."""
    if not path:
        return {}
    if at(tree, path) is MISSING:
        return tree
    over: Any = None
    for key in reversed(path):
        over = {key: over}
    return _merge(schema, schema.root, tree, over)


def collapsed(schema: Schema, tree: Json, at: Path = ()) -> Json:
    """The tree with members that hold the same under one range key, where keys may be ranges, as config reads show it.

    Args:
        schema: schema of the switch's release.
        tree: part of a configuration.
        at: path of the part.
    """
    index: int | None = schema.root
    for key in at:
        index = None if index is None else schema.child(index, key)
    return _collapse(schema, index, tree)


def _collapse(schema: Schema, index: int | None, tree: Json) -> Json:
    if index is None or index not in schema.ranged:
        return tree
    node = schema.nodes[index]
    inner = {
        key: _collapse(schema, schema.child(index, key), value) if isinstance(value, dict) else value
        for key, value in tree.items()
    }
    if node.get("key", node.get("free")) not in RANGED:
        return inner
    groups: list[tuple[Any, list[str]]] = []
    for name, value in inner.items():
        for held, names in groups:
            if held == value:
                names.append(name)
                break
        else:
            groups.append((value, [name]))
    return {joined(names): value for value, names in groups}
