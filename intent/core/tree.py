"""Nested mappings: flatten, merge, difference, patch, digest.

A tree maps strings to trees or scalars. A set is a mapping whose values are empty trees, so an
empty mapping is a leaf of its own and never disappears. A list is a leaf: its order has meaning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Tree: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str, ...]


class _Absent:
    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


class Kind(StrEnum):
    """What a difference does to the left side."""

    ADD = "add"
    REMOVE = "remove"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Difference:
    """One leaf on which two trees differ.

    Args:
        path: keys from the root.
        before: value on the left, ABSENT where it has none; an empty dict is the set member itself.
        after: value on the right, likewise.
    """

    path: Path
    before: Any
    after: Any

    @property
    def kind(self) -> Kind:
        """add, remove or change."""
        return kind_of(self.before, self.after)


def kind_of(before: Any, after: Any) -> Kind:
    """What a difference from one value to another is."""
    if before is ABSENT:
        return Kind.ADD
    return Kind.REMOVE if after is ABSENT else Kind.CHANGE


_SCALARS = frozenset({str, int, float, bool, type(None)})
# What no tree hides in: asking these first spares the slow question for any kind of mapping.
_NO_TREES = _SCALARS | {list, _Absent}


def leaves(tree: Mapping[str, Any], prefix: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf with its path, in the tree's order. Empty mappings are leaves."""
    found: list[tuple[Path, Any]] = []
    _gather(tree, prefix, found.append)
    return iter(found)


def _gather(tree: Mapping[str, Any], prefix: Path, add: Callable[[tuple[Path, Any]], None]) -> None:
    for key, value in tree.items():
        kind = value.__class__
        if value and (kind is dict or (kind not in _NO_TREES and isinstance(value, Mapping))):
            _gather(value, (*prefix, key), add)
        else:
            add(((*prefix, key), value))


def vocabulary(tree: Any) -> tuple[set[str], set[str]]:
    """Every key and every text that stands somewhere in a tree: what tells at once that something stands nowhere."""
    keys: set[str] = set()
    texts: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind is dict or (kind not in _NO_TREES and isinstance(node, Mapping)):
            if node:
                keys.update(node)
                waiting.extend(node.values())
        elif kind is str or (kind not in _SCALARS and isinstance(node, str)):
            texts.add(node)
        elif kind not in _SCALARS and isinstance(node, list | tuple):
            waiting.extend(node)
    return keys, texts


def get(tree: Mapping[str, Any], path: Path, default: Any = ABSENT) -> Any:
    """The value at a path, `default` where there is none."""
    node: Any = tree
    for key in path:
        if (node.__class__ is not dict and not isinstance(node, Mapping)) or key not in node:
            return default
        node = node[key]
    return node


def put(tree: Tree, path: Path, value: Any) -> None:
    """Set a value in place, making the mappings on the way."""
    node = tree
    for key in path[:-1]:
        following = node.get(key)
        if not isinstance(following, dict):
            following = node[key] = {}
        node = following
    node[path[-1]] = value


def merge(base: Tree, over: Mapping[str, Any]) -> Tree:
    """A new tree: `over` laid on `base`; mappings merge, all else is replaced."""
    result = dict(base)
    for key, value in over.items():
        present = result.get(key)
        if isinstance(value, Mapping) and isinstance(present, Mapping):
            result[key] = merge(dict(present), value)
        else:
            result[key] = copy(value)
    return result


def copy(value: Any) -> Any:
    """A copy that shares no mapping or list with the original."""
    kind = value.__class__
    if kind is dict or (kind not in _NO_TREES and isinstance(value, Mapping)):
        return {key: item if item.__class__ in _SCALARS else copy(item) for key, item in value.items()}
    return [copy(item) for item in value] if isinstance(value, list) else value


def difference(before: Mapping[str, Any], after: Mapping[str, Any], prefix: Path = ()) -> list[Difference]:
    """What leads from `before` to `after`, leaf by leaf, sorted by path.

    Laws: difference(a, a) is empty; patch(a, difference(a, b)) == b.
    """
    found: list[Difference] = []
    _compare(before, after, prefix, found)
    found.sort(key=_path_of)
    return found


_path_of = attrgetter("path")


def _compare(before: Mapping[str, Any], after: Mapping[str, Any], prefix: Path, found: list[Difference]) -> None:
    for key in dict.fromkeys((*before, *after)):
        left, right = before.get(key, ABSENT), after.get(key, ABSENT)
        if left is right:
            continue
        path = (*prefix, key)
        if left and right and _is_mapping(left) and _is_mapping(right):
            _compare(left, right, path, found)
        elif left is ABSENT and _is_mapping(right) and right:
            found.extend(Difference(at, ABSENT, value) for at, value in leaves(right, path))
        elif right is ABSENT and _is_mapping(left) and left:
            found.extend(Difference(at, value, ABSENT) for at, value in leaves(left, path))
        elif type(left) is not type(right) or left != right:
            olds, news = dict(_spread(path, left)), dict(_spread(path, right))
            for at in dict.fromkeys((*olds, *news)):
                found.append(Difference(at, olds.get(at, ABSENT), news.get(at, ABSENT)))


def _is_mapping(value: Any) -> bool:
    kind = value.__class__
    return kind is dict or (kind not in _NO_TREES and isinstance(value, Mapping))


def _spread(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping) and value:
        yield from leaves(value, path)
    elif value is not ABSENT:
        yield path, value


def patch(tree: Mapping[str, Any], differences: list[Difference]) -> Tree:
    """The tree after the differences; a mapping that loses its last key by a removal goes too."""
    result: Tree = copy(tree)
    for item in (d for d in differences if d.after is ABSENT):
        _remove(result, item.path)
    for item in (d for d in differences if d.after is not ABSENT):
        put(result, item.path, copy(item.after))
    return result


def _remove(tree: Tree, path: Path) -> None:
    parents: list[tuple[Tree, str]] = []
    node = tree
    for key in path[:-1]:
        following = node.get(key)
        if not isinstance(following, dict):
            return
        parents.append((node, key))
        node = following
    node.pop(path[-1], None)
    for parent, key in reversed(parents):
        if parent[key]:
            break
        del parent[key]


def digest(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value: equal values, equal digest, whatever the key order."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def pointer(path: Path) -> str:
    """RFC 6901 JSON pointer of a path."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path)


def from_pointer(text: str) -> Path:
    """The path of an RFC 6901 JSON pointer."""
    if text in ("", "/"):
        return ()
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in text.lstrip("/").split("/"))


def dotted(path: Path) -> str:
    """A path as people read it: `interface.swp7.link.mtu`, keys that hold a dot in brackets."""
    text = ""
    for key in path:
        text += f"[{key}]" if "." in key or "[" in key else (f".{key}" if text else key)
    return text


def from_dotted(text: str) -> Path:
    """The path of `interface.swp7.link.mtu`, `interface[10.0.0.1/32].x` or `/interface/swp7`."""
    if text.startswith("/"):
        return from_pointer(text)
    path: list[str] = []
    rest = text
    while rest:
        if rest.startswith("["):
            key, _, rest = rest[1:].partition("]")
            path.append(key)
            rest = rest.removeprefix(".")
            continue
        stops = [at for at in (rest.find("."), rest.find("[")) if at >= 0]
        stop = min(stops, default=len(rest))
        path.append(rest[:stop])
        rest = rest[stop:].removeprefix(".")
    return tuple(key for key in path if key)
