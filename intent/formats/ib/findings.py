"""Findings about topology files: codes and how a flood of them ends."""

from __future__ import annotations

from intent.core.diagnostic import Diagnostic, in_order
from intent.core.span import Span

SYNTAX = "T001"
"""A line that the format does not have."""
CONTRADICTION = "T002"
"""Two lines that cannot both be true."""
DANGLING = "T003"
"""A link whose other end the file does not have."""
TOO_LARGE = "T004"
"""A file larger than any fabric's."""

LARGEST_CHARACTERS = 256 * 1024 * 1024
_MOST = 50
_SHOWN = 60


class Findings:
    """Findings of one file; the first ones are enough to see what is wrong.

    Args:
        file: its name.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Diagnostic] = []
        self._left = 0

    def span(self, line: int, column: int = 1) -> Span:
        """A place in the file."""
        return Span(self.file, max(line, 1), max(column, 1))

    def add(
        self, code: str, span: Span | None, message: str, hint: str = "", related: tuple[tuple[Span, str], ...] = ()
    ) -> None:
        """Note an error."""
        if len(self._found) < _MOST:
            self._found.append(Diagnostic(code, message, span, hint=hint, related=related))
        else:
            self._left += 1

    @property
    def full(self) -> bool:
        """Whether more would not be read."""
        return self._left > 0

    def all(self) -> tuple[Diagnostic, ...]:
        """Everything found, in order of place."""
        found = in_order(self._found)
        if not self._left:
            return found
        return (*found, Diagnostic(found[-1].code, f"{self.file}: more findings are left out", found[-1].span))


def shown(text: str) -> str:
    """A text in quotes for a message: short, and nothing in it that a terminal would obey."""
    return ascii(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def too_large(text: str, name: str) -> tuple[Diagnostic, ...]:
    """The finding about a text that is refused unread; none for one of a possible size."""
    if len(text) <= LARGEST_CHARACTERS:
        return ()
    limit = LARGEST_CHARACTERS // 1024**2
    message = f"{name} has {len(text) / 1024**2:.0f} MiB, more than the {limit} MiB a topology may have"
    return (Diagnostic(TOO_LARGE, message, Span(name, 1), hint="is it the right file?"),)
