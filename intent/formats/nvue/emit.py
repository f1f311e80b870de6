"""Texts of an NVUE tree: `startup.yaml`, `nv set` commands, JSON.

Equal trees give equal bytes, whatever the order of their keys. Nothing a YAML 1.1 reader could take for something else
(a MAC as a number in base 60, `010`, `on`, `NO`, a version) goes out unquoted, and no carriage return ever does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any

from intent.core.errors import IntentError

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*\Z")
_ASCII = re.compile(r"[\x20-\x7e]*\Z")
_SHELL_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_DIGITS = re.compile(r"([0-9]+)")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_LONGEST_KEY = 1000
_MEMORY = 16384


def startup_yaml(tree: Mapping[str, Any], *, model: str, release: str) -> str:
    """The text of `/etc/nvue.d/startup.yaml`.

    Args:
        tree: configuration in the dialect of `release`.
        model: word of the hardware for the header (`Switch.header_model`).
        release: full release number; the switch decides by it whether to migrate the file, so write the true one.

    Raises:
        IntentError: a key is no text, or too long for YAML.
    """
    lines = [
        "- header:",
        f"    model: {_yaml_text(model)}",
        "    nvue-api-version: nvue_v1",
        "    rev-id: 1.0",
        f"    version: {_yaml_text(f'Cumulus Linux {release}')}",
        "- set:" if tree else "- set: {}",
    ]
    _written(lambda: _yaml_block(tree, "    ", lines, _Texts(_yaml_name), _Texts(_yaml_text)), tree)
    return "\n".join(lines) + "\n"


def yaml_text(tree: Mapping[str, Any]) -> str:
    """The bare tree as YAML.

    Raises:
        IntentError: a key is no text, or too long for YAML.
    """
    lines: list[str] = []
    _written(lambda: _yaml_block(tree, "", lines, _Texts(_yaml_name), _Texts(_yaml_text)), tree)
    return "\n".join(lines) + "\n" if lines else "{}\n"


def nv_set_script(tree: Mapping[str, Any]) -> str:
    """The tree as `nv set` commands, one a line, safe for a POSIX shell; it applies nothing by itself.

    A value with control characters is written in the `$'…'` form of bash, which the switch runs.
    """
    lines: list[str] = []
    _written(lambda: _commands(tree, "nv set", lines, _Texts(_shell)), tree)
    return "\n".join(lines) + "\n" if lines else ""


def command(verb: str, path: tuple[str, ...], value: Any = None) -> str:
    """One command: `nv set interface swp1 link mtu 9216`.

    Args:
        verb: `set` or `unset`.
        path: keys from the root.
        value: scalar or list; None or a mapping for the path alone.
    """
    words = " ".join(_shell(key) for key in path)
    ending = "" if value is None or isinstance(value, Mapping) else f" {_argument(value)}"
    return f"nv {verb} {words}{ending}"


def json_text(tree: Mapping[str, Any]) -> str:
    """The tree as JSON, indented, in ASCII."""
    pieces: list[str] = []
    _written(lambda: _json(tree, "\n", pieces, _Texts(_encode)), tree)
    return "".join(pieces) + "\n"


# -- order ------------------------------------------------------------------


@lru_cache(maxsize=_MEMORY)
def natural(key: str) -> tuple[tuple[Any, ...], str]:
    """Sort key by which swp2 stands before swp10."""
    parts = _DIGITS.split(key)
    return tuple((part, int(digits[:4000])) for part, digits in zip(parts[::2], [*parts[1::2], "0"], strict=True)), key


def _ordered(tree: Mapping[str, Any]) -> Iterable[str]:
    count = len(tree)
    if count < 2:
        return tree
    return sorted(tree) if count < 9 else sorted(tree, key=natural)


class _Texts(dict[str, str]):
    """Texts of the words of one tree, each made once."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> str:
        text = self[word] = self._make(word)
        return text


def _written(write: Callable[[], None], tree: Mapping[str, Any]) -> None:
    try:
        write()
    except TypeError:
        wrong = [repr(key) for key in _strange_keys(tree)]
        if not wrong:
            raise
        raise IntentError(f"key {wrong[0]} is no text: it cannot be written") from None


def _strange_keys(tree: Mapping[Any, Any]) -> Iterator[Any]:
    for key, value in tree.items():
        if not isinstance(key, str):
            yield key
        if isinstance(value, Mapping):
            yield from _strange_keys(value)


# -- YAML -------------------------------------------------------------------


def _yaml_block(tree: Mapping[str, Any], pad: str, lines: list[str], names: _Texts, texts: _Texts) -> None:
    append = lines.append
    for key in _ordered(tree):
        value = tree[key]
        kind = value.__class__
        if kind is dict:
            if value:
                append(f"{pad}{names[key]}:")
                _yaml_block(value, pad + "  ", lines, names, texts)
            else:
                append(f"{pad}{names[key]}: {{}}")
        elif kind is str:
            append(f"{pad}{names[key]}: {texts[value]}")
        elif kind is int:
            append(f"{pad}{names[key]}: {value}")
        elif kind is list and value:
            append(f"{pad}{names[key]}:")
            lines.extend(f"{pad}  - {_yaml_flow(item)}" for item in value)
        else:
            append(f"{pad}{names[key]}: {_yaml_flow(value)}")


def _yaml_name(key: str) -> str:
    name = _yaml_text(key)
    if len(name) > _LONGEST_KEY:
        raise IntentError(f"key {key[:40]!r}… is longer than YAML allows")
    return name


def _yaml_flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_yaml_name(key)}: {_yaml_flow(value[key])}" for key in _ordered(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml_flow(item) for item in value) + "]"
    return _yaml_text(value) if isinstance(value, str) else _bare(value, ".inf")


@lru_cache(maxsize=_MEMORY)
def _yaml_text(text: str) -> str:
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    if _ASCII.match(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    number = ord(letter)
    if letter in '"\\':
        return "\\" + letter
    if 0x20 <= number < 0x7F:
        return letter
    if number < 0x100:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(letter, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _bare(value: Any, infinity: str) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        if math.isnan(value):
            raise IntentError("not a number: it cannot be written")
        if math.isinf(value):
            return infinity if value > 0 else f"-{infinity}"
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    if isinstance(value, int):
        return str(value)
    raise IntentError(f"a value of type {type(value).__name__} cannot be written")


# -- commands ---------------------------------------------------------------


def _commands(tree: Mapping[str, Any], prefix: str, lines: list[str], words: _Texts) -> None:
    append = lines.append
    for key in _ordered(tree):
        value = tree[key]
        kind = value.__class__
        if kind is dict:
            if value:
                _commands(value, f"{prefix} {words[key]}", lines, words)
            else:
                append(f"{prefix} {words[key]}")
        elif kind is str:
            append(f"{prefix} {words[key]} {words[value]}")
        else:
            append(f"{prefix} {words[key]} {_argument(value)}")


def _argument(value: Any) -> str:
    if isinstance(value, list):
        return _shell(",".join(str(item) for item in value))
    return _shell(value if isinstance(value, str) else _bare(value, "inf"))


@lru_cache(maxsize=_MEMORY)
def _shell(word: str) -> str:
    if _SHELL_SAFE.match(word):
        return word
    if any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in word):
        return "$'" + "".join(_bash(letter) for letter in word) + "'"
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _bash(letter: str) -> str:
    if letter in "'\\":
        return "\\" + letter
    return f"\\x{ord(letter):02x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


# -- JSON -------------------------------------------------------------------

_encode: Callable[[str], str] = encode_basestring_ascii


def _json(value: Any, line: str, pieces: list[str], texts: _Texts) -> None:
    kind = value.__class__
    if isinstance(value, Mapping):
        if not value:
            pieces.append("{}")
            return
        inner = line + "  "
        opening = "{" + inner
        for key in _ordered(value):
            item = value[key]
            if item.__class__ is str:
                pieces.append(f"{opening}{texts[key]}: {texts[item]}")
            else:
                pieces.append(f"{opening}{texts[key]}: ")
                _json(item, inner, pieces, texts)
            opening = "," + inner
        pieces.append(line + "}")
    elif kind is str:
        pieces.append(texts[value])
    elif kind is list:
        pieces.append("[" + ", ".join(_json_items(value, line, texts)) + "]")
    else:
        if kind is float and math.isinf(value):
            raise IntentError("infinity cannot be written as JSON")
        pieces.append(_bare(value, ""))


def _json_items(items: list[Any], line: str, texts: _Texts) -> Iterator[str]:
    for item in items:
        pieces: list[str] = []
        _json(item, line, pieces, texts)
        yield "".join(pieces)
