"""Findings a person has looked at: `# intent: ignore[L101] reason`, on the line or alone above it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.schema.sources import SourceMap

_COMMENT = re.compile(r"intent:\s*ignore\[([^\]]*)\]\s*(.*)")
_HINT = "write # intent: ignore[L101] and the reason"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.

    Args:
        span: its line.
        codes: codes of findings it takes out on that line.
        reason: why.
    """

    span: Span
    codes: tuple[str, ...]
    reason: str


def suppressed(
    found: Iterable[Diagnostic], sources: SourceMap, known: Collection[str], judged: Collection[str]
) -> tuple[Diagnostic, ...]:
    """The findings that remain, with those about the comments themselves.

    Args:
        found: all findings.
        sources: where the comments stand.
        known: codes of all rules.
        judged: codes of the rules that have seen all they look at: a comment that takes out none of their findings
            is out of date.
    """
    comments, remaining = _read(sources, known)
    used: set[tuple[Span, str]] = set()
    by_line = {(item.span.file, item.span.line): item for item in comments}
    for finding in found:
        place = finding.span
        comment = by_line.get((place.file, place.line)) if place else None
        if comment and finding.code in comment.codes:
            used.add((comment.span, finding.code))
        else:
            remaining.append(finding)
    for comment in comments:
        for code in comment.codes:
            if code in judged and (comment.span, code) not in used:
                message = f"ignore[{code}] takes nothing out: no such finding on this line"
                remaining.append(Diagnostic("L003", message, comment.span, Severity.WARNING, hint="delete it"))
    return tuple(remaining)


def _read(sources: SourceMap, known: Collection[str]) -> tuple[list[Suppression], list[Diagnostic]]:
    comments: list[Suppression] = []
    findings: list[Diagnostic] = []
    for (file, line), text in sources.comments.items():
        span = Span(file, line)
        match = _COMMENT.fullmatch(text)
        if not match:
            findings.append(Diagnostic("L001", "a comment to intent that it does not understand", span, hint=_HINT))
            continue
        codes = tuple(code.strip() for code in match[1].split(","))
        unknown = [code for code in codes if code not in known]
        if unknown:
            names = ", ".join(repr(code[:20]) for code in unknown)
            findings.append(Diagnostic("L001", f"ignore of {names}: no such rule", span, hint=_HINT))
        if not match[2].strip():
            findings.append(Diagnostic("L002", "ignore without a reason: it takes nothing out", span, hint=_HINT))
            continue
        comments.append(Suppression(span, tuple(code for code in codes if code in known), match[2].strip()))
    return comments, findings
