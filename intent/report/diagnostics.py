"""Findings for people and machines: one function for each format, `render` to choose among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from intent.core.diagnostic import Diagnostic, Severity, in_order
from intent.core.secret import starred_hashes
from intent.core.span import Span
from intent.report.annotations import ROOT_FILE, github, gitlab
from intent.report.junit_findings import junit_findings
from intent.report.sarif import Rule, sarif
from intent.report.text import clean, joined, json_text, one_line, plural, span_data

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}
_WIDEST = 120


class Format(StrEnum):
    """Formats of findings."""

    HUMAN = "human"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"


def render(
    diagnostics: Iterable[Diagnostic],
    format: Format,  # noqa: A002 - the word of the command line
    sources: Mapping[str, str] | None = None,
    *,
    rules: Sequence[Rule] = (),
    version: str = "",
    root_file: str = ROOT_FILE,
) -> str:
    """Findings in one format, in a stable order.

    Args:
        diagnostics: findings.
        format: how to write them.
        sources: text of the files findings point into; shown as excerpts where known (human format only).
        rules: what is known of the codes (SARIF only).
        version: version of the program (SARIF only).
        root_file: file named for findings without a place, where the format demands one.
    """
    found = in_order(diagnostics)
    match format:
        case Format.HUMAN:
            return human(found, sources).plain + "\n"
        case Format.JSON:
            return as_json(found)
        case Format.SARIF:
            return sarif(found, rules, version=version, root_file=root_file)
        case Format.GITHUB:
            return github(found, root_file=root_file)
        case Format.GITLAB:
            return gitlab(found, root_file=root_file)
        case Format.JUNIT:
            return junit_findings(found, root_file=root_file)


def human(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> Text:
    """Findings as people read them, each with the line it is about; last comes how many there are.

    Args:
        diagnostics: findings.
        sources: text of the files by the name spans use.
    """
    found = in_order(diagnostics)
    excerpts = _Excerpts(sources or {})
    blocks = [_block(item, excerpts) for item in found]
    return joined([*blocks, summary(found)])


def summary(diagnostics: Sequence[Diagnostic]) -> Text:
    """`2 errors, 1 warning`."""
    counts = Counter(item.severity for item in diagnostics)
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}
    parts = [Text(plural(counts[kind], word), STYLES[kind]) for kind, word in words.items() if counts[kind]]
    return Text(", ").join(parts) if parts else Text("no findings", "green")


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Findings as JSON."""
    found = in_order(diagnostics)
    counts = Counter(str(item.severity) for item in found)
    numbers = {str(kind): counts[str(kind)] for kind in Severity}
    return json_text("diagnostics", {"counts": numbers, "diagnostics": [record(item) for item in found]})


def record(item: Diagnostic) -> dict[str, Any]:
    """One finding as plain data."""
    return {
        "code": item.code,
        "severity": str(item.severity),
        "message": item.message,
        "span": span_data(item.span),
        "hint": item.hint,
        "device": item.device,
        "path": item.path,
        "related": [{"span": span_data(span), "message": what} for span, what in item.related],
    }


def _block(item: Diagnostic, excerpts: _Excerpts) -> Text:
    head = Text()
    if item.span or item.device:
        head.append(f"{one_line(item.span or item.device)}: ", "bold")
    head.append(f"{item.severity} {one_line(item.code)}", STYLES[item.severity]).append(f": {clean(item.message)}")
    lines = [head, *excerpts.of(item.span, STYLES[item.severity])]
    for span, what in item.related:
        lines += [Text(f"  {one_line(span)}: {clean(what)}"), *excerpts.of(span, "cyan")]
    if item.hint:
        lines.append(Text("  hint: ", "cyan").append(clean(item.hint)))
    return joined(lines)


class _Excerpts:
    """Source lines with a caret under the column; each file is split once."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def of(self, span: Span | None, style: str) -> list[Text]:
        if span is None or span.file not in self._sources:
            return []
        lines = self._lines.setdefault(span.file, self._sources[span.file].split("\n"))
        if not 1 <= span.line <= len(lines):
            return []
        line = starred_hashes(lines[span.line - 1]).removesuffix("\r").removeprefix("\ufeff")
        column = min(max(span.column, 1), len(line) + 1) - 1
        start = max(0, column - _WIDEST // 2) if len(line) > _WIDEST else 0
        before = ("…" if start else "") + one_line(line[start:column].replace("\t", " "))
        after = one_line(line[column : start + _WIDEST].replace("\t", " "))
        rest = "…" if start + _WIDEST < len(line) else ""
        number = f"{span.line:>6}"
        return [
            Text(f"{number} | ", "dim").append(f"{before}{after}{rest}", "not dim"),
            Text(" " * len(number) + " | ", "dim").append(" " * cell_len(before) + "^", f"not dim {style}"),
        ]
