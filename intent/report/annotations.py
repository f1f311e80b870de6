"""Findings where reviewers look: annotations of GitHub's jobs, GitLab's code quality."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from intent.core.diagnostic import Diagnostic, Severity

ROOT_FILE = "intent.yaml"
_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_GITLAB = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def fingerprints(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """A mark for each finding that survives edits elsewhere in the file.

    It is made of the rule and the path in the model, of the message only where there is no path; never of the line.
    Findings that share both are numbered.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    marks = []
    for item in diagnostics:
        place = item.path or item.message
        key = (item.code, item.span.file if item.span else "", item.device, place)
        marks.append(sha256("\0".join((*key, str(seen[key]))).encode(errors="backslashreplace")).hexdigest())
        seen[key] += 1
    return marks


def github(diagnostics: Iterable[Diagnostic], *, root_file: str = ROOT_FILE) -> str:
    """Workflow commands, one line each.

    Source: GitHub documentation, "Workflow commands for GitHub Actions" (percent, line ends escaped; in properties
    colon and comma too). A step shows about ten of each kind.
    """
    lines = []
    for item in diagnostics:
        span = item.span
        properties = {
            "file": span.file if span else root_file,
            "line": str(span.line if span else 1),
            "col": str(span.column if span else 1),
            "title": item.code,
        }
        text = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        lines.append(f"::{_GITHUB[item.severity]} {text}::{_data(_message(item))}\n")
    return "".join(lines)


def gitlab(diagnostics: Iterable[Diagnostic], *, root_file: str = ROOT_FILE) -> str:
    """A code quality report: JSON array with unique fingerprints.

    Source: GitLab documentation, "Code Quality", section "Code Quality report format".
    """
    found = list(diagnostics)
    issues = [
        {
            "description": _message(item),
            "check_name": item.code,
            "fingerprint": mark,
            "severity": _GITLAB[item.severity],
            "location": {
                "path": item.span.file if item.span else root_file,
                "lines": {"begin": max(1, item.span.line) if item.span else 1},
            },
        }
        for item, mark in zip(found, fingerprints(found), strict=True)
    ]
    return json.dumps(issues, indent=1, ensure_ascii=True) + "\n"


def _message(item: Diagnostic) -> str:
    device = f"{item.device}: " if item.device and item.device not in item.message else ""
    return f"{device}{item.message}" + (f"\nhint: {item.hint}" if item.hint else "")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
