"""How a read is narrowed: pointer patterns, filters, views and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from intent.catalog.defaults import Default
from intent.catalog.views import View
from intent.core.tree import Path, from_pointer
from intent.lab.trees import MISSING, Json, at
from intent.lab.walker import Schema

_TERM = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(!=|=)\s*([^&|=]*)")


def patterns_of(values: Iterable[str]) -> list[str]:
    """The pointer patterns of a parameter, given several times or with commas between them."""
    return [pattern for value in values for pattern in value.split(",") if pattern]


def projected(value: Any, view: View) -> Any:
    """What a view shows: each of its members with the fields it names, an empty object where it has none of them."""
    if not isinstance(value, dict):
        return value
    members = filtered(value, view.where) if view.where else value
    shown = include(members, view.shows) if view.shows else {}
    return {name: shown.get(name, {}) for name in members}


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


def looked_at(path: Path, patterns: Iterable[str]) -> frozenset[str] | None:
    """What a read with patterns looks at below each interface or VRF; None when it may be all of it.

    Args:
        path: path that is read.
        patterns: pointer patterns below it.

    Returns:
        Keys such as `link`, and `qos.roce` where a pattern goes that deep.
    """
    found = set()
    for pattern in patterns:
        whole = (*path, *from_pointer(pattern))
        if len(whole) < 3 or whole[2] == "*":
            return None
        found.add(whole[2])
        if whole[2:4] in (("qos", "roce"), ("qos", "*")):
            found.add("qos.roce")
    return frozenset(found) or None


def filtered(value: Any, text: str) -> Any:
    """Members of a mapping whose leaves fit a filter: `type=swp&link.mtu=9216`, with `|` for or and `*` in values.

    A leaf is looked for anywhere below the member when the name has no dot; of a set its keys are compared.

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
            terms.append((tuple(match[1].split(".")), match[2] == "=", match[3].strip().replace("[", "[[]")))
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
    if found is not MISSING:
        words = found if isinstance(found, dict) else (found,)
        if any(fnmatchcase(str(word), wanted) for word in words):
            return True
        if not isinstance(found, dict):
            return False
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
