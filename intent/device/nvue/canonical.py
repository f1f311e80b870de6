"""Canonical form of a device's tree: ranges expanded, secrets masked, cut to a scope."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from intent.core.tree import ABSENT, Path, Tree, copy, get, put
from intent.device.secrets import MASK

_RANGED = frozenset({"interface", "vlan", "member"})
_SPAN = re.compile(r"(\d+)-(\d+)")
_LIMIT = 8192
_SECRET_KEYS = frozenset({"password", "hashed-password", "secret", "auth-password", "priv-password", "enable-password"})
_MASKED = re.compile(r"^\*+$")


def is_masked(value: Any) -> bool:
    """True for a secret the device does not show: stars, or its own ciphertext."""
    return isinstance(value, str) and (value.startswith("$nvsec$") or bool(_MASKED.match(value)))


def expand_ranges(tree: Mapping[str, Any], parent: str = "") -> Tree:
    """A copy in which a key that stands for several (`swp1-4`, `10,20`) is written out."""
    result: Tree = {}
    for key, value in tree.items():
        names = _names(key) if parent in _RANGED else [key]
        for name in names:
            item = expand_ranges(value, key) if isinstance(value, Mapping) else copy(value)
            present = result.get(name)
            result[name] = {**present, **item} if isinstance(present, dict) and isinstance(item, dict) else item
    return result


def _names(key: str) -> list[str]:
    if "," not in key and not _SPAN.search(key):
        return [key]
    names: list[str] = []
    word = ""
    for part in key.split(","):
        prefix = re.match(r"[a-z_]*", part)
        word = (prefix.group() if prefix else "") or word
        text = part if not part[:1].isdigit() else word + part
        pieces = re.split(r"(\d+-\d+)", text)
        choices = []
        for piece in pieces:
            span = _SPAN.fullmatch(piece)
            low, high = (int(number[:9]) for number in span.groups()) if span else (0, 0)
            if span and high - low >= _LIMIT:
                return [key]
            choices.append([str(number) for number in range(low, high + 1)] if span else [piece])
        names += ["".join(parts) for parts in itertools.product(*choices)]
    return names


def mask_secrets(tree: Mapping[str, Any]) -> Tree:
    """A copy in which values of keys that hold secrets, and values the device hides, are `(secret)`."""
    result: Tree = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            result[key] = mask_secrets(value)
        elif value is not None and (key in _SECRET_KEYS or is_masked(value)):
            result[key] = MASK
        else:
            result[key] = copy(value)
    return result


def restrict(tree: Mapping[str, Any], owned: Sequence[Path], excepted: Sequence[Path]) -> Tree:
    """The part of a tree that lies in `owned` and not in `excepted`."""
    result: Tree = {}
    for path in owned:
        value = get(tree, path)
        if value is ABSENT:
            continue
        if not path:
            result = copy(value)
        else:
            put(result, path, copy(value))
    for path in excepted:
        _cut(result, path)
    return result


def _cut(tree: Tree, path: Path) -> None:
    if not path or path[0] not in tree:
        return
    if len(path) == 1:
        del tree[path[0]]
        return
    below = tree[path[0]]
    if isinstance(below, dict):
        _cut(below, path[1:])
        if not below:
            del tree[path[0]]
