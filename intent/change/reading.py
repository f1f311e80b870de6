"""Strict reading of JSON that may be malformed or hostile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from intent.core.tree import Path

_MISSING = object()


class Bad(ValueError):
    """The document is not what it should be; the text says where."""


def parse(content: str | bytes) -> Any:
    """Strict JSON: UTF-8, no key twice, no NaN, no depth that exhausts the stack.

    Raises:
        Bad: it is not.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise Bad(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Bad(f"line {error.lineno} column {error.colno} is not JSON: {error.msg}") from None
    except RecursionError:
        raise Bad("nested too deeply") from None
    except Bad:
        raise
    except ValueError as error:
        raise Bad(f"a number that cannot be read: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Bad(f"key {twice[:40]!r} stands twice in one object")
    return found


def _no_constant(word: str) -> NoReturn:
    raise Bad(f"{word} is not JSON")


class Reader:
    """Takes typed fields out of one JSON object; `finish` refuses what nobody took."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Bad(f"{where} - expected an object")
        self._value = value
        self._left = set(value)
        self.where = where

    def names(self) -> Sequence[str]:
        """Names of all fields."""
        return list(self._value)

    def maybe(self, key: str, default: Any) -> Any:
        """A field of any kind, or the default."""
        self._left.discard(key)
        return self._value.get(key, default)

    def text(self, key: str) -> str:
        """A field that is a string."""
        value = self._take(key)
        return value if isinstance(value, str) else self._bad(key, "text")

    def choice(self, key: str, words: Sequence[str]) -> str:
        """A field that is one of several words."""
        value = self.text(key)
        return value if value in words else self._bad(key, " or ".join(words))

    def integer(self, key: str) -> int:
        """A field that is a whole number."""
        value = self._take(key)
        return value if type(value) is int else self._bad(key, "a whole number")

    def number(self, key: str) -> float:
        """A field that is a number."""
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._bad(key, "a number")
        return value

    def boolean(self, key: str) -> bool:
        """A field that is true or false."""
        value = self._take(key)
        return value if isinstance(value, bool) else self._bad(key, "true or false")

    def tree(self, key: str) -> dict[str, Any]:
        """A field that is an object."""
        value = self._take(key)
        return value if isinstance(value, dict) else self._bad(key, "an object")

    def child(self, key: str) -> Reader:
        """A reader on a field that is an object."""
        return Reader(self.tree(key), f"{self.where}.{key}")

    def items(self, key: str, most: int | None = None) -> list[Any]:
        """A field that is a list."""
        value = self._take(key)
        if not isinstance(value, list):
            return self._bad(key, "a list")
        return value if most is None or len(value) <= most else self._bad(key, f"at most {most} entries")

    def texts(self, key: str) -> tuple[str, ...]:
        """A field that is a list of strings."""
        value = self.items(key)
        return tuple(value) if all(isinstance(item, str) for item in value) else self._bad(key, "a list of texts")

    def paths(self, key: str) -> tuple[Path, ...]:
        """A field that is a list of paths."""
        value = self.items(key)
        if all(isinstance(path, list) and all(isinstance(item, str) for item in path) for path in value):
            return tuple(tuple(path) for path in value)
        return self._bad(key, "a list of paths")

    def finish(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            raise Bad(f"{self.where} - unknown field {min(self._left)[:40]!r}")

    def _take(self, key: str) -> Any:
        value = self.maybe(key, _MISSING)
        return value if value is not _MISSING else self._bad(key, "it to be there")

    def _bad(self, key: str, expected: str) -> NoReturn:
        raise Bad(f"{self.where}.{key} - expected {expected}")
