"""Findings as JUnit XML, for CI systems that read nothing else: one suite per file, one case per finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from intent.core.diagnostic import Diagnostic, Severity
from intent.report.annotations import ROOT_FILE
from intent.report.xml import content, opening

_BAD = (Severity.ERROR, Severity.WARNING)


def junit_findings(diagnostics: Iterable[Diagnostic], *, root_file: str = ROOT_FILE) -> str:
    """Findings as JUnit XML.

    Errors and warnings are failures, typed by severity; a remark is a case that passes with its text beside it. A
    clean run holds one passing case, so that it shows as run.

    Args:
        diagnostics: findings.
        root_file: suite of findings without a place.
    """
    suites: dict[str, list[Diagnostic]] = {}
    for item in diagnostics:
        suites.setdefault(item.span.file if item.span else root_file, []).append(item)
    total = [item for items in suites.values() for item in items]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', opening("testsuites", {"name": "intent lint"} | _counts(total))]
    for file, items in (suites or {root_file: []}).items():
        lines.append(" " + opening("testsuite", {"name": file} | _counts(items)))
        lines += [_case(item, file) for item in items] or [
            f"  {opening('testcase', {'name': 'no findings'})}</testcase>"
        ]
        lines.append(" </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(items: Sequence[Diagnostic]) -> dict[str, str]:
    bad = sum(item.severity in _BAD for item in items)
    return {"tests": str(max(1, len(items))), "failures": str(bad), "errors": "0"}


def _case(item: Diagnostic, file: str) -> str:
    place = str(item.span) if item.span else (item.device or file)
    head = opening("testcase", {"classname": item.code, "name": f"{place}: {item.message}"})
    if item.severity in _BAD:
        body = opening("failure", {"type": str(item.severity), "message": item.message}) + content(str(item))
        return f"  {head}{body}</failure></testcase>"
    return f"  {head}<system-out>{content(str(item))}</system-out></testcase>"
