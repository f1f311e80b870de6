"""Text of a candidate configuration, and a diff as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from intent.core.errors import IntentError
from intent.core.tree import ABSENT, Difference, Tree, dotted, merge
from intent.device.settings import parse_yaml


def read_text(filename: str | None, config: str | None) -> str:
    """The configuration given as a file or as text; the file wins.

    Raises:
        IntentError: neither was given, or the file cannot be read.
    """
    if filename:
        try:
            return Path(filename).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise IntentError(f"{filename}: {getattr(problem, 'strerror', None) or 'not UTF-8 text'}") from None
    if config is None:
        raise IntentError("no configuration was given: neither a file name nor a text")
    return config


def parsed(text: str) -> list[Tree]:
    """Bodies to load in order: a bare tree, or the items of a startup.yaml (`header`, `set`, `unset`), YAML or JSON.

    Raises:
        IntentError: it is neither.
    """
    body = parse_yaml(text, "configuration")
    if isinstance(body, Mapping):
        return [dict(body)]
    if not isinstance(body, list):
        raise IntentError("the configuration must be a tree, or a list of `set:` and `unset:` items")
    result: list[Tree] = []
    for item in body:
        if not isinstance(item, Mapping) or len(item) != 1:
            raise IntentError("each item of the configuration must be one of header, set, unset")
        ((word, tree),) = item.items()
        if word == "header":
            continue
        if word not in ("set", "unset") or not isinstance(tree, Mapping):
            raise IntentError(f"unknown item {str(word)[:40]!r} in the configuration: one of header, set, unset")
        result.append(dict(tree) if word == "set" else _nulled(tree))
    return result


def combined(bodies: Sequence[Tree]) -> Tree:
    """All bodies laid on each other."""
    result: Tree = {}
    for body in bodies:
        result = merge(result, body)
    return result


def _nulled(tree: Mapping[str, Any]) -> Tree:
    return {key: _nulled(value) if isinstance(value, dict) and value else None for key, value in tree.items()}


def as_text(differences: Sequence[Difference]) -> str:
    """A diff people read: one line per value taken away or put there, sorted by path; empty when nothing differs."""
    return "\n".join(line for item in differences for line in _lines(item))


def _lines(item: Difference) -> Iterator[str]:
    for sign, value in (("-", item.before), ("+", item.after)):
        if value is not ABSENT:
            yield f"{sign} {dotted(item.path)}" + ("" if value == {} else f": {_shown(value)}")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def as_yaml(tree: Mapping[str, Any]) -> str:
    """A configuration as startup.yaml would hold it, without its header."""
    if not tree:
        return ""
    return str(yaml.dump([{"set": dict(tree)}], Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=True))
