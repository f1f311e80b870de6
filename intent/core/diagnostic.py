"""Findings about what a person wrote, as data. They are collected and reported together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from intent.core.secret import without_hashes
from intent.core.span import Span


class Severity(StrEnum):
    """How bad a finding is; an error stops the compiler, a warning does not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Args:
        code: stable code, never reused: a letter for the room and three digits (`L001`).
        message: what is wrong; names the object, says expected and actual.
        span: where it was written; None when the finding has no place in a file.
        severity: error, warning or info.
        hint: what to do about it.
        related: further places and what stands there (the first of two duplicates).
        device: name of the device the finding is about, where there is one.
        path: path inside the document or the device's tree, dotted.
    """

    code: str
    message: str
    span: Span | None = None
    severity: Severity = Severity.ERROR
    hint: str = ""
    related: tuple[tuple[Span, str], ...] = ()
    device: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        """No message repeats a crypt hash, wherever it came from."""
        if "$" in self.message:
            object.__setattr__(self, "message", without_hashes(self.message))

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else (f"{self.device}: " if self.device else "")
        text = f"{place}{self.severity} {self.code}: {self.message}"
        for span, what in self.related:
            text += f"\n  {span}: {what}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """True when at least one finding is an error."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings in a stable order: by file and position, then code and text; equal ones once."""
    blank = Span("", 0, 0)
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda d: (d.span or blank, d.device, d.code, d.message)))
