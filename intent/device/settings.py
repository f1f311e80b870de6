"""Small YAML files of the `inventory/` folder: read strictly, every complaint with file and line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from intent.core.diagnostic import Diagnostic
from intent.core.errors import DiagnosticError, IntentError
from intent.core.regular import read_regular
from intent.core.span import Span

_LARGEST_BYTES = 1_000_000
_DEPTH = 40
# YAML 1.1 would turn `no`, `10:20` and `0755` into something else; only these keep their meaning.
_BOOLEANS = {"true": True, "false": False}


def read_settings(file: Path) -> dict[str, Any]:
    """The mapping in a settings file; an empty file is an empty mapping.

    Raises:
        IntentError: it cannot be read, is too large or not UTF-8.
        DiagnosticError: it is not the YAML expected here; says where.
    """
    try:
        data = read_regular(file, _LARGEST_BYTES)
    except OSError as problem:
        raise IntentError(f"{file}: {problem.strerror or problem}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise IntentError(f"{file}: not UTF-8 at byte {problem.start}", hint="save it as UTF-8") from None
    value = parse_yaml(text, str(file))
    if not isinstance(value, dict | None):
        raise _complaint(str(file), 1, 1, "expected a mapping at the top")
    return value or {}


def parse_yaml(text: str, source: str) -> Any:
    """Mappings, lists and scalars of a YAML (or JSON) text; keys are text as written, `on` and `no` stay words.

    Args:
        text: the document.
        source: where it came from, for messages.

    Raises:
        DiagnosticError: it is no YAML, has a key twice, or is nested too deeply.
    """
    try:
        node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        words = str(getattr(problem, "problem", None) or "not YAML")
        raise _complaint(source, line, column, words) from None
    except (RecursionError, ValueError):
        raise _complaint(source, 1, 1, "nested too deeply, or not text") from None
    return None if node is None else _built(source, node, 0)


def _built(source: str, node: yaml.Node, depth: int) -> Any:
    if depth > _DEPTH:
        raise _at(source, node, f"nested more than {_DEPTH} deep")
    if isinstance(node, yaml.MappingNode):
        return _mapping(source, node, depth)
    if isinstance(node, yaml.SequenceNode):
        return [_built(source, item, depth + 1) for item in node.value]
    return _scalar(node)


def _mapping(source: str, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _at(source, key, "a key must be plain text")
        if key.value in result:
            raise _at(source, key, f"key {key.value!r} stands here twice")
        result[key.value] = _built(source, value, depth + 1)
    return result


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if getattr(node, "style", None) in ("'", '"', "|", ">"):
        return text
    if text in ("", "~", "null"):
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text.isdigit() and (text == "0" or not text.startswith("0")):
        return int(text)
    whole, dot, part = text.partition(".")
    return float(text) if dot and whole.isdigit() and part.isdigit() else text


def _at(source: str, node: yaml.Node, message: str) -> DiagnosticError:
    return _complaint(source, node.start_mark.line + 1, node.start_mark.column + 1, message)


def _complaint(source: str, line: int, column: int, message: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("V001", message, Span(source, line, column))])


def only(mapping: Mapping[str, Any], allowed: Mapping[str, type | tuple[type, ...]], where: str) -> None:
    """Complain about keys that are not allowed and values of the wrong type.

    Args:
        mapping: what was read.
        allowed: key → type or types; None is allowed everywhere.
        where: file and place, for the message.

    Raises:
        IntentError: the first thing wrong.
    """
    for key, value in mapping.items():
        if key not in allowed:
            raise IntentError(f"{where}: unknown key {key!r}", hint=f"known: {', '.join(sorted(allowed))}")
        kinds = allowed[key]
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if value is not None and wrong:
            names = " or ".join(kind.__name__ for kind in kinds)
            raise IntentError(f"{where}: {key} must be {names}, not {type(value).__name__}")
