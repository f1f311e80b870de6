"""Collects findings about one file; a flood of one kind is counted, not repeated."""

from __future__ import annotations

from collections import Counter

from intent.core.diagnostic import Diagnostic, Severity, in_order
from intent.core.span import Span

_REPEATS = 50


class Findings:
    """Findings of one file.

    Args:
        file: name of the file, for spans.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()
        self._last: dict[str, Diagnostic] = {}

    def add(
        self,
        code: str,
        line: int,
        column: int,
        message: str,
        *,
        hint: str,
        severity: Severity = Severity.ERROR,
        related: tuple[tuple[int, int, str], ...] = (),
    ) -> None:
        """Note a finding at a line and column; line 0 means the file as a whole."""
        self._counts[code] += 1
        if self._counts[code] > _REPEATS + 1:
            return
        places = tuple((Span(self._file, at, where), what) for at, where, what in related)
        span = Span(self._file, max(line, 1), max(column, 1))
        item = Diagnostic(code, message, span=span, severity=severity, hint=hint, related=places)
        self._last[code] = item
        self._found.append(item)

    def all(self) -> tuple[Diagnostic, ...]:
        """Everything found, in order of place."""
        found = list(self._found)
        for code, count in self._counts.items():
            if count > _REPEATS + 1:
                last = self._last[code]
                found.remove(last)
                left = count - _REPEATS
                found.append(
                    Diagnostic(code, f"and {left} more findings of this kind", span=last.span, severity=last.severity)
                )
        return in_order(found)
