"""How a read is narrowed: pointer patterns, filters, views and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from intent.catalog.defaults import Default
from intent.core.tree import Path, from_pointer
from intent.lab.trees import MISSING, Json, at
from intent.lab.walker import Schema

# Views a release offers differ by object; these hold for every object the lab knows.
VIEWS = ("brief", "all")

_TERM = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(!=|=)\s*([^&|=]*)")


def include(value: Any, patterns: Iterable[str]) -> Any:
    """Only what one of the pointer patterns names; `*` stands for any key.

    Returns:
        The narrowed value; an empty mapping when nothing fits.
    """
    paths = [from_pointer(pattern) for pattern in patterns]
    return _include(value, paths)


def _include(value: Any, paths: list[Path]) -> Any:
    if any(not path for path in paths) or not isinstance(value, dict):
        return value
    result: Json = {}
    for key, item in value.items():
        below = [path[1:] for path in paths if path[0] in ("*", key)]
        if not below:
            continue
        if not isinstance(item, dict):
            if any(not path for path in below):
                result[key] = item
            continue
        inner = _include(item, below)
        if inner or any(not path for path in below):
            result[key] = inner
    return result


def omit(value: Any, patterns: Iterable[str]) -> Any:
    """All but what one of the pointer patterns names."""
    return _omit(value, [from_pointer(pattern) for pattern in patterns])


def _omit(value: Any, paths: list[Path]) -> Any:
    if not paths or not isinstance(value, dict):
        return value
    result: Json = {}
    for key, item in value.items():
        below = [path[1:] for path in paths if path and path[0] in ("*", key)]
        if not any(not path for path in below):
            result[key] = _omit(item, below)
    return result


def second_keys(patterns: Iterable[str]) -> frozenset[str] | None:
    """Keys on the second level that patterns look at; None when one looks at all of them."""
    found = set()
    for pattern in patterns:
        path = from_pointer(pattern)
        if len(path) < 2 or path[1] == "*":
            return None
        found.add(path[1])
    return frozenset(found) or None


def filtered(value: Any, text: str) -> Any:
    """Members of a mapping whose leaves fit a filter: `type=swp&link.mtu=9216`, with `|` for or.

    A leaf is looked for anywhere below the member when the name has no dot.

    Raises:
        ValueError: the filter cannot be read.
    """
    choices = []
    for choice in text.split("|"):
        terms = []
        for part in choice.split("&"):
            match = _TERM.fullmatch(part)
            if not match:
                raise ValueError(f"filter term {part[:60]!r} is not name=value")
            terms.append((tuple(match[1].split(".")), match[2] == "=", match[3].strip()))
        choices.append(terms)
    if not isinstance(value, dict):
        return value
    return {
        key: item
        for key, item in value.items()
        if any(all(_fits(item, path, wanted) is equal for path, equal, wanted in terms) for terms in choices)
    }


def _fits(item: Any, path: Path, wanted: str) -> bool:
    found = at(item, path)
    if found is not MISSING and not isinstance(found, dict):
        return str(found) == wanted
    if len(path) > 1 or not isinstance(item, dict):
        return False
    return any(_fits(inner, path, wanted) for inner in item.values() if isinstance(inner, dict))


def filled(schema: Schema, tree: Json, defaults: Iterable[Default]) -> Json:
    """A tree with the defaults a sourced table knows, as far as its release's schema has them.

    A default below `*` appears where that object is configured; others always.

    Args:
        schema: schema of the switch's release.
        tree: configuration; not changed.
        defaults: the catalog's table.
    """
    for default in defaults:
        if schema.node(default.path) is not None and not schema.check(default.value, default.path):
            tree = _fill(tree, default.path, default)
    return tree


def _fill(node: Mapping[str, Any], path: Path, default: Default) -> Json:
    head, rest = path[0], path[1:]
    result = dict(node)
    if head == "*":
        for key, item in node.items():
            if isinstance(item, dict) and (not default.when or item.get("type") == default.when):
                result[key] = _fill(item, rest, default)
    elif not rest:
        result.setdefault(head, default.value)
    else:
        below = node.get(head, {})
        if isinstance(below, dict) and (head in node or "*" not in rest):
            result[head] = _fill(below, rest, default)
    return result
