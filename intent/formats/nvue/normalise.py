"""Live trees in a form that compares: one key for one object, no secret in sight."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

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
    """A device's tree, ready to compare. Nothing is dropped.

    Args:
        tree: tree in the dialect of `schema`.
        schema: schema of the device's release; it knows which keys may be ranges and where secrets stand.
        mask: what to show for a secret; the word `(secret)` when not given. References to secrets stay as they are.
    """
    masked: list[Path] = []
    hide = mask or (lambda path, value: SECRET)  # noqa: ARG005 - the shape of a mask
    result = _normal(tree, schema, schema.root, (), hide, masked)
    return Normal(result, tuple(masked))


def _normal(
    tree: Mapping[str, Any], schema: Schema, index: int | None, path: Path, hide: Mask, masked: list[Path]
) -> Tree:
    result: Tree = {}
    rule = schema.key_rule(index) if index is not None else None
    secret_keys = schema.secrets.has_secret_keys(path)
    for raw, value in tree.items():
        key = str(raw)
        if secret_keys and referenced(key) is None:
            key = _free_name(hide(path, key), result)
            masked.append((*path, key))
        below = None if index is None else schema.child(index, key)
        if isinstance(value, Mapping):
            item: Any = _normal(value, schema, below, (*path, key), hide, masked)
        else:
            item = _scalar(value, schema, (*path, key), hide, masked)
        names = (key,) if secret_keys else expand_key(key, rule)
        for name in names:
            present = result.get(name)
            both = isinstance(present, dict) and isinstance(item, dict)
            result[name] = merge(present, item) if both and present is not None else item
    return result


def _scalar(value: Any, schema: Schema, path: Path, hide: Mask, masked: list[Path]) -> Any:
    if not isinstance(value, str) or referenced(value) is not None:
        return value
    if value.startswith(_ENCRYPTED) or schema.secrets.is_leaf(path):
        masked.append(path)
        return hide(path, value)
    return value


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
