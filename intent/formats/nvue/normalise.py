"""Live trees in a form that compares: one key for one object, no secret in sight."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from intent.core.secret import referenced
from intent.core.tree import Path, Tree, merge
from intent.formats.nvue.schema import Schema

SECRET = "(secret)"  # noqa: S105 - the mask, not a secret

# What to show for a secret: gets its path and its value. For a secret key the path is that of its map.
Mask: TypeAlias = Callable[[Path, str], str]

_ENCRYPTED = "$nvsec$"
_NUMBERED = frozenset({"vlan", "vni", "switch-priority", "traffic-class", "dscp", "pcp"})
_INTERFACE_PART = re.compile(r"([A-Za-z]*)([0-9]+)(?:-([0-9]+))?(?:s([0-9]+)(?:-([0-9]+))?)?(\.[0-9]+)?\Z")
_NUMBER_PART = re.compile(r"([0-9]+)(?:-([0-9]+))?\Z")
_PORT = re.compile(r"(?:swp|bond|vlan|eth)[0-9]")
_MOST = 4096


@dataclass(frozen=True, slots=True)
class Normal:
    """A tree in normal form.

    Args:
        tree: ranges expanded, secrets masked.
        masked: paths of what was masked, as they now read.
    """

    tree: Tree
    masked: tuple[Path, ...]


def normalise(tree: Mapping[str, Any], schema: Schema, mask: Mask | None = None) -> Normal:
    """A device's tree, ready to compare. Nothing is dropped. Subtrees that need no change are shared, not copied.

    Args:
        tree: tree in the dialect of `schema`.
        schema: schema of the device's release; it knows which keys may be ranges and where secrets stand.
        mask: what to show for a secret; the word `(secret)` when not given. References to secrets stay as they are.
    """
    work = _Work(schema, mask or (lambda path, value: SECRET))  # noqa: ARG005 - the shape of a mask
    return Normal(work.tree(tree, schema.root, ()), tuple(work.masked))


class _Work:
    """One tree on its way to normal form."""

    def __init__(self, schema: Schema, mask: Mask) -> None:
        self.masked: list[Path] = []
        self._schema = schema
        self._secrets = schema.secrets
        self._mask = mask
        self._names = schema.secrets.leaves | {pattern[-1] for pattern in schema.secrets.patterns}

    def tree(self, tree: Mapping[str, Any], index: int | None, path: Path) -> Tree:
        """A mapping at a path; `index` is its schema node, None where the schema leaves it open."""
        if self._secrets.has_secret_keys(path):
            return self._secret_keys(tree, index, path)
        schema, names = self._schema, self._names
        result: Tree | None = None if tree.__class__ is dict else {}
        for raw, value in tree.items():
            key = raw if raw.__class__ is str else str(raw)
            item = value
            if value.__class__ is dict or isinstance(value, Mapping):
                if value:
                    below = None if index is None else schema.child(index, key)
                    item = self.tree(value, below, (*path, key))
            elif value.__class__ is str and (value[:1] == "$" or key in names):
                item = self._scalar(value, (*path, key))
            keys: tuple[str, ...] = (key,)
            if "-" in key or "," in key:
                keys = expand_key(key, None if index is None else schema.key_rule(index))
            if result is None:
                if item is value and keys[0] is raw and len(keys) == 1:
                    continue
                result = _before(tree, raw)
            for name in keys:
                _lay(result, name, item)
        return cast(Tree, tree) if result is None else result

    def _secret_keys(self, tree: Mapping[str, Any], index: int | None, path: Path) -> Tree:
        result: Tree = {}
        for raw, value in tree.items():
            key = str(raw)
            if referenced(key) is None:
                key = _free_name(self._mask(path, key), result)
                self.masked.append((*path, key))
            below = None if index is None else self._schema.child(index, str(raw))
            mapping = isinstance(value, Mapping)
            at = (*path, key)
            result[key] = self.tree(value, below, at) if mapping else self._scalar(value, at)
        return result

    def _scalar(self, value: Any, path: Path) -> Any:
        if not isinstance(value, str) or referenced(value) is not None:
            return value
        if value.startswith(_ENCRYPTED) or self._secrets.is_leaf(path):
            self.masked.append(path)
            return self._mask(path, value)
        return value


def _before(tree: Mapping[str, Any], key: str) -> Tree:
    """What stands in a mapping before a key."""
    return {name: tree[name] for name in itertools.takewhile(lambda name: name is not key, tree)}


def _lay(result: Tree, name: str, item: Any) -> None:
    """Set a key; what a range and a single key say about one object is merged."""
    present = result.get(name)
    both = present.__class__ is dict and item.__class__ is dict
    result[name] = merge(present, item) if both and present is not None else item


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in itertools.count(2) if f"{name} {n}" not in taken)


def secret_paths(tree: Mapping[str, Any], schema: Schema, path: Path = ()) -> Iterator[Path]:
    """Paths of every secret leaf and every secret key of a tree, whether masked, referenced or in the clear."""
    secret_keys = schema.secrets.has_secret_keys(path)
    for key, value in tree.items():
        at = (*path, key)
        if secret_keys:
            yield at
        if isinstance(value, Mapping):
            yield from secret_paths(value, schema, at)
        elif schema.secrets.is_leaf(at) or (isinstance(value, str) and value.startswith(_ENCRYPTED)):
            yield at


def expand_key(key: str, rule: str | None) -> tuple[str, ...]:
    """The keys a range stands for: `swp1-2s0-1`, `swp2,3`, `10,20-22`; the key itself when it is none.

    Numbers are ranges only where the format of the map's keys says so: in an open set `8000-8010` is one key.
    Names of switch ports are ranges wherever they stand, other names only where the format is `interface`.

    Args:
        key: key as the device wrote it.
        rule: format of the map's keys, None where it has none.
    """
    if "-" not in key and "," not in key:
        return (key,)
    if rule in _NUMBERED:
        parts = [_numbers(part) for part in key.split(",")]
    elif rule == "interface" or (rule is None and _PORT.match(key)):
        parts = _interfaces(key)
    else:
        return (key,)
    if any(part is None for part in parts):
        return (key,)
    names = tuple(dict.fromkeys(name for part in parts if part for name in part))
    return names if 0 < len(names) <= _MOST else (key,)


def _span(first: str, last: str | None) -> range | None:
    low, high = int(first), int(last or first)
    return range(low, high + 1) if low <= high < low + _MOST else None


def _numbers(part: str) -> list[str] | None:
    match = _NUMBER_PART.match(part)
    if not match or len(part) > 20:
        return None
    span = _span(match[1], match[2])
    return None if span is None else [str(number) for number in span]


def _interfaces(key: str) -> list[list[str] | None]:
    found: list[list[str] | None] = []
    prefix = ""
    for part in key.split(","):
        match = _INTERFACE_PART.match(part) if len(part) <= 40 else None
        if not match or not (match[1] or prefix):
            return [None]
        prefix = match[1] or prefix
        ports, subs = _span(match[2], match[3]), _span(match[4], match[5]) if match[4] else range(1)
        if ports is None or subs is None or len(ports) * len(subs) > _MOST:
            return [None]
        endings = [f"s{sub}" for sub in subs] if match[4] else [""]
        found.append([f"{prefix}{port}{end}{match[6] or ''}" for port in ports for end in endings])
    return found
