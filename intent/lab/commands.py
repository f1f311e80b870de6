"""A text of `nv set` and `nv unset` commands as bodies to merge. Source: user guide, NVUE API, "Patch a Batch"."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from intent.core.tree import Path
from intent.lab.tools import BadBody
from intent.lab.trees import Json
from intent.lab.walker import MAX_ERRORS, Schema, SchemaError

_SNIPPETS = ("system", "config", "snippet")


@dataclass(frozen=True, slots=True)
class _Unclear(Exception):
    path: Path
    reason: str


def bodies(schema: Schema, text: str) -> list[Json]:
    """One body for each command, in order; an unset is a null.

    Args:
        schema: schema of the switch's release.
        text: one command a line; empty lines and comments are skipped.

    Raises:
        BadBody: a line is no command, or the schema refuses it; every such line is named.
    """
    found: list[Json] = []
    errors: list[SchemaError] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            body = _body(schema, line)
        except _Unclear as problem:
            errors.append(SchemaError(problem.path, f"line {number}: {problem.reason}"))
            continue
        wrong = schema.check(body)
        errors += [SchemaError(item.path, f"line {number}: {item.error}") for item in wrong]
        found.append(body)
    if errors:
        raise BadBody(errors[:MAX_ERRORS])
    return found


def _body(schema: Schema, line: str) -> Json:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _Unclear((), f"{error}") from None
    if words[:2] not in (["nv", "set"], ["nv", "unset"]) or len(words) < 3:
        raise _Unclear((), f"{line.strip()[:60]!r} is not an nv set or nv unset command")
    path, value = _walked(schema, words[2:], sets=words[1] == "set")
    if path[:3] == _SNIPPETS:
        raise _Unclear(path, "snippets are not supported in commands")
    body: Any = value
    for key in reversed(path):
        body = {key: body}
    return {} if not isinstance(body, dict) else body


def _walked(schema: Schema, words: list[str], *, sets: bool) -> tuple[Path, Any]:
    """Path of a command and the value it sets there; None for an unset."""
    path: list[str] = []
    index: int | None = schema.root
    for at, word in enumerate(words):
        node = schema.nodes[index] if index is not None else {}
        if "leaf" in node:
            if not sets or len(words) > at + 1:
                raise _Unclear(tuple(path), f"{word[:60]!r} is one word too many")
            return tuple(path), _value(node["leaf"], word)
        if "keys" in node and word not in node["keys"]:
            raise _Unclear((*path, word[:60]), f"{word[:60]!r} is not known here")
        path.append(word)
        index = None if index is None or "free" in node else schema.child(index, word)
    if not sets:
        return tuple(path), None
    if index is not None and "leaf" in schema.nodes[index]:
        raise _Unclear(tuple(path), "a value is missing; commands that ask are not supported")
    return tuple(path), {}


def _value(alternatives: list[dict[str, Any]], word: str) -> Any:
    kinds = {alternative["type"] for alternative in alternatives}
    enums = [value for alternative in alternatives for value in alternative.get("values", ())]
    if word in enums:
        return word
    if word.lstrip("-").isdigit() and ("integer" in kinds or "number" in kinds or int(word) in enums):
        return int(word)
    return [word] if kinds == {"list"} else word
