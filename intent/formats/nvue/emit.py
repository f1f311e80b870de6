"""Texts of an NVUE tree: `startup.yaml`, `nv set` commands, JSON.

Equal trees give equal bytes, whatever the order of their keys. Nothing a YAML 1.1 reader could take for something else
(a MAC as a number in base 60, `010`, `on`, `NO`, a version) goes out unquoted, and no carriage return ever does.

The ports of a rendered tree share the mappings that are equal in all of them; each writer makes the text of such a
mapping once. What it remembers goes with the tree: nothing outlives a call.
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
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
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
    return "\n".join(lines) + "\n" + _written(lambda: _Yaml().block(tree, "    "), tree)


def yaml_text(tree: Mapping[str, Any]) -> str:
    """The bare tree as YAML.

    Raises:
        IntentError: a key is no text, or too long for YAML.
    """
    return _written(lambda: _Yaml().block(tree, ""), tree) or "{}\n"


def nv_set_script(tree: Mapping[str, Any]) -> str:
    """The tree as `nv set` commands, one a line, safe for a POSIX shell; it applies nothing by itself.

    A value with control characters is written in the `$'…'` form of bash, which the switch runs.
    """
    return _written(lambda: "\n".join([*_Commands().write(tree, "nv set", []), ""]), tree)


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
    return _written(lambda: _Json().text(tree, "\n"), tree) + "\n"


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


def _written(write: Callable[[], str], tree: Mapping[str, Any]) -> str:
    try:
        return write()
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


class _Yaml:
    """Writes one tree; texts of mappings are remembered by identity and depth."""

    __slots__ = ("_known", "_names", "_texts")

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], str] = {}
        self._names, self._texts = _Texts(_yaml_name), _Texts(_yaml_text)

    def block(self, tree: Mapping[str, Any], pad: str) -> str:
        """The lines of a mapping, each behind the pad."""
        known = self._known.get((id(tree), pad))
        if known is not None:
            return known
        names, texts, lines = self._names, self._texts, []
        for key in _ordered(tree):
            value = tree[key]
            kind = value.__class__
            if kind is dict:
                inner = f"\n{self.block(value, pad + '  ')}" if value else " {}\n"
                lines.append(f"{pad}{names[key]}:{inner}")
            elif kind is str:
                lines.append(f"{pad}{names[key]}: {texts[value]}\n")
            elif kind is int:
                lines.append(f"{pad}{names[key]}: {value}\n")
            elif kind is list and value:
                lines.append(f"{pad}{names[key]}:\n")
                lines.extend(f"{pad}  - {_yaml_flow(item)}\n" for item in value)
            else:
                lines.append(f"{pad}{names[key]}: {_yaml_flow(value)}\n")
        text = self._known[id(tree), pad] = "".join(lines)
        return text


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


class _Commands:
    """Writes one tree; what follows the path of a mapping that comes again is remembered by its identity."""

    __slots__ = ("_known", "_met", "_words")

    def __init__(self) -> None:
        self._known: dict[int, list[str]] = {}
        self._met: set[int] = set()
        self._words = _Texts(_shell)

    def write(self, tree: Mapping[str, Any], path: str, lines: list[str]) -> list[str]:
        """The commands of a mapping behind those that stand there already.

        Args:
            tree: the mapping.
            path: words before it.
            lines: filled.

        Returns:
            The lines given.
        """
        words, met = self._words, self._met
        for key in _ordered(tree):
            value = tree[key]
            kind = value.__class__
            head = f"{path} {words[key]}"
            if kind is dict and value:
                if id(value) in met:
                    lines += [head + ending for ending in self._endings(value)]
                else:
                    met.add(id(value))
                    self.write(value, head, lines)
            elif kind is dict:
                lines.append(head)
            elif kind is str:
                lines.append(f"{head} {words[value]}")
            else:
                lines.append(f"{head} {_argument(value)}")
        return lines

    def _endings(self, tree: Mapping[str, Any]) -> list[str]:
        known = self._known.get(id(tree))
        if known is None:
            known = self._known[id(tree)] = self.write(tree, "", [])
        return known


def _argument(value: Any) -> str:
    if isinstance(value, list):
        return _shell(",".join(str(item) for item in value))
    return _shell(value if isinstance(value, str) else _bare(value, "inf"))


@lru_cache(maxsize=_MEMORY)
def _shell(word: str) -> str:
    if _SHELL_SAFE.match(word):
        return word
    if _CONTROL.search(word):
        return "$'" + "".join(_bash(letter) for letter in word) + "'"
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _bash(letter: str) -> str:
    if letter in "'\\":
        return "\\" + letter
    return f"\\x{ord(letter):02x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


# -- JSON -------------------------------------------------------------------

_encode: Callable[[str], str] = encode_basestring_ascii


class _Json:
    """Writes one tree; texts of mappings are remembered by identity and depth."""

    __slots__ = ("_known", "_texts")

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], str] = {}
        self._texts = _Texts(_encode)

    def text(self, value: Any, line: str) -> str:
        """A value; `line` is what begins a line of its depth, the line break included."""
        if isinstance(value, Mapping):
            return self._mapping(value, line) if value else "{}"
        if isinstance(value, str):
            return self._texts[value]
        if isinstance(value, list):
            return "[" + ", ".join([self.text(item, line) for item in value]) + "]"
        if isinstance(value, float) and math.isinf(value):
            raise IntentError("infinity cannot be written as JSON")
        return _bare(value, "")

    def _mapping(self, tree: Mapping[str, Any], line: str) -> str:
        known = self._known.get((id(tree), line))
        if known is not None:
            return known
        inner, texts, pieces = line + "  ", self._texts, []
        for key in _ordered(tree):
            item = tree[key]
            written = texts[item] if item.__class__ is str else self.text(item, inner)
            pieces.append(f"{inner}{texts[key]}: {written}")
        text = self._known[id(tree), line] = "{" + ",".join(pieces) + line + "}"
        return text
