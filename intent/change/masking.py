"""Last line before a value is written down: what stands under a secret's name is masked.

Actors mask what they read (`intent.device.actor.Observed`); this guard holds where one forgets.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from intent.core.differences import Differences
from intent.core.secret import referenced
from intent.core.tree import ABSENT, Difference, Path, Tree, leaves, vocabulary

MASK = "(secret)"

_NEVER_SECRET = frozenset({int, bool, float, type(None)})
_NAMES = re.compile(
    r"(?:^|[-_])(?:password|passphrase|secret|private[-_]key|auth[-_]key|api[-_]key|credentials?)$", re.I
)


# The same of a key as it stands in JSON, and how each ends: to find that none is there takes a tenth of the time.
_ENDS = ('password":', 'passphrase":', 'secret":', 'key":', 'credential":', 'credentials":')
_KEYS = re.compile(_NAMES.pattern.replace("^", '"').removesuffix("$") + '":', re.I)


@lru_cache(maxsize=4096)
def is_secret_key(key: str) -> bool:
    """True when a key names a secret by itself (`hashed-password`, `secret`)."""
    return bool(_NAMES.search(key))


def _clear(value: Any) -> bool:
    # One character is a marker (`*`, `!`: no password set), never a secret.
    return isinstance(value, str) and len(value) > 1 and value != MASK and referenced(value) is None


def mask_value(key: str, value: Any) -> Any:
    """The value, or the mask when its key names a secret and it stands there in clear."""
    return MASK if is_secret_key(key) and _clear(value) else value


def mask_tree(value: Any, key: str = "") -> Any:
    """A copy of a tree with every secret under a telling key masked."""
    kind = value.__class__
    if kind is str:
        return MASK if is_secret_key(key) and _clear(value) else value
    if kind is dict or isinstance(value, Mapping):
        return {
            name: item if item.__class__ in _NEVER_SECRET else mask_tree(item, name) for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [mask_tree(item, key) for item in value]
    return mask_value(key, value)


def masked_text(tree: Mapping[str, Any]) -> bytes:
    """Canonical JSON of `mask_tree(tree)`. Branches without a telling key are written out once and not copied."""
    parts = []
    for key in sorted(tree):
        text = canonical(tree[key])
        lower = text.lower()
        if is_secret_key(key) or (any(end in lower for end in _ENDS) and _KEYS.search(text)):
            text = canonical(mask_tree(tree[key], key))
        parts.append(f"{canonical(key)}:{text}")
    return ("{" + ",".join(parts) + "}").encode()


def canonical(value: Any) -> str:
    """Canonical JSON: equal values, equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def mask_difference(item: Difference) -> Difference:
    """A difference safe to write: beside a placeholder, and under a secret's name, only placeholders and the mask."""
    key = item.path[-1] if item.path else ""
    secret = is_secret_key(key) or any(v == MASK or referenced(v) for v in (item.before, item.after))
    if not secret:
        return item
    before, after = (MASK if value is not ABSENT and _clear(value) else value for value in (item.before, item.after))
    return Difference(item.path, before, after)


def clear_secrets(tree: Mapping[str, Any]) -> tuple[Path, ...]:
    """Paths at which a secret stands in clear by its key's name."""
    return tuple(path for path, value in leaves(_telling(tree)) if is_secret_key(path[-1]) and _clear(value))


def masked_paths(tree: Mapping[str, Any]) -> tuple[Path, ...]:
    """Paths whose value is not known: it was masked when it was read."""
    return tuple(path for path, value in leaves(tree) if value == MASK)


def mask_differences(items: Sequence[Difference]) -> Sequence[Difference]:
    """Every difference, safe to write; the same object where nothing has to be masked."""
    if isinstance(items, Differences):
        return _masked_parts(items)
    masked = tuple(mask_difference(item) for item in items)
    if all(map(operator.is_, masked, items)):
        return items
    return Differences.of(masked) or masked


def _masked_parts(items: Differences) -> Sequence[Difference]:
    """The same by branch: mostly one alone holds secrets."""
    if items.masked:
        return items
    telling = {**_telling(items.before), **_telling(items.after)}
    before, after = ({key: side[key] for key in telling if key in side} for side in (items.before, items.after))
    records = tuple(Differences(before, after))
    masked = tuple(map(mask_difference, records))
    if all(map(operator.is_, masked, records)):
        items.masked = True
        return items
    made = Differences.of(masked)
    if made is None:
        return tuple(map(mask_difference, items))
    found = Differences({**items.before, **made.before}, {**items.after, **made.after})
    found.masked = True
    return found


def _telling(tree: Mapping[str, Any]) -> Tree:
    """The branches in which a key names a secret or a value stands for one."""
    found: Tree = {}
    for key, value in tree.items():
        keys, texts = vocabulary(value)
        if is_secret_key(key) or any(map(is_secret_key, keys)) or any(map(_stands_for_one, texts)):
            found[key] = value
    return found


def _stands_for_one(text: str) -> bool:
    return text == MASK or referenced(text) is not None
