"""Where a value was written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file.

    Args:
        file: path as the user gave it, relative to the workspace where possible.
        line: line number, from 1.
        column: column number, from 1.
    """

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
