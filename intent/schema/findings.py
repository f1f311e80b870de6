"""Collecting findings while reading goes on."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.schema.codes import Code
from intent.schema.sources import Location

_MOST = 500
_SHOWN = 60


class Findings:
    """A list of findings that stops growing when a hostile file would make it endless."""

    __slots__ = ("_items", "_left_out")

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self._left_out = 0

    def error(self, code: Code, message: str, span: Span | None, **more: Any) -> None:
        """Add an error; further fields of the diagnostic by name."""
        self.add(Diagnostic(str(code), message, span, **more))

    def add(self, finding: Diagnostic) -> None:
        """Add a finding, or count it when there are enough."""
        if len(self._items) < _MOST:
            self._items.append(finding)
        else:
            self._left_out += 1

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """What was found, and how much more there would be."""
        if not self._left_out:
            return tuple(self._items)
        last = self._items[-1]
        more = Diagnostic(last.code, f"and {self._left_out} more findings", last.span, Severity.ERROR)
        return (*self._items, more)

    def __len__(self) -> int:
        return len(self._items)


def where(path: Location) -> str:
    """A location as people read it: `sites.ref1.nodes[0].name`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if text else key
    return text or "the document"


def shown(text: str) -> str:
    """A text in quotes for a message, cut when long, with nothing in it that a terminal would obey."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def near(name: str, known: list[str]) -> str:
    """A hint: the nearest known name, or all of them."""
    close = get_close_matches(name[:_SHOWN], known, 1, 0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return "known here: " + ", ".join(known) if known else ""
