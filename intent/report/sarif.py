"""Findings as SARIF 2.1.0 (OASIS standard, 27 March 2020), the subset code scanning reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.report.annotations import ROOT_FILE, fingerprints

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "intentRuleAndPath/v1"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of a code.

    Args:
        code: the code.
        name: a few words with dashes.
        summary: one line.
        help: the whole page, Markdown; empty when there is none.
        uri: where the page stands; empty when nowhere.
    """

    code: str
    name: str = ""
    summary: str = ""
    help: str = ""
    uri: str = ""


def sarif(
    diagnostics: Iterable[Diagnostic],
    rules: Sequence[Rule] = (),
    *,
    version: str = "",
    root_file: str = ROOT_FILE,
) -> str:
    """One SARIF log with one run.

    Args:
        diagnostics: findings.
        rules: what is known of their codes; a code without one is listed by its code alone.
        version: version of the program.
        root_file: where findings without a place are put, for code scanning drops a result without location.
    """
    found = list(diagnostics)
    known = {rule.code: rule for rule in rules}
    codes = sorted({item.code for item in found} | set(known))
    index = {code: number for number, code in enumerate(codes)}
    marks = fingerprints(found)
    driver: dict[str, Any] = {"name": "intent", "rules": [_rule(known.get(code, Rule(code))) for code in codes]}
    if version:
        driver["semanticVersion"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, index, mark, root_file) for item, mark in zip(found, marks, strict=True)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=True) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": rule.code}
    if rule.name:
        entry["name"] = rule.name
    if rule.summary:
        entry["shortDescription"] = {"text": rule.summary}
    if rule.help:
        entry["help"] = {"text": rule.help, "markdown": rule.help}
    if rule.uri:
        entry["helpUri"] = rule.uri
    return entry


def _result(item: Diagnostic, index: dict[str, int], mark: str, root_file: str) -> dict[str, Any]:
    text = f"{item.message}\nhint: {item.hint}" if item.hint else item.message
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": index[item.code],
        "level": _LEVELS[item.severity],
        "message": {"text": text},
        "locations": [_location(item.span or Span(root_file, 1), item)],
        "partialFingerprints": {FINGERPRINT: mark},
    }
    if item.related:
        result["relatedLocations"] = [
            {"id": number, **_physical(span), "message": {"text": what}}
            for number, (span, what) in enumerate(item.related, start=1)
        ]
    return result


def _location(span: Span, item: Diagnostic) -> dict[str, Any]:
    location = _physical(span)
    logical = [("member", item.path), ("resource", item.device)]
    names = [{"fullyQualifiedName": name, "kind": kind} for kind, name in logical if name]
    return location | ({"logicalLocations": names} if names else {})


def _physical(span: Span) -> dict[str, Any]:
    region = {"startLine": max(1, span.line), "startColumn": max(1, span.column)}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.file)}, "region": region}}


def _uri(file: str) -> str:
    """A relative reference, or a file: URI for an absolute path. A colon in the first part would read as a scheme."""
    path = PurePosixPath(file.replace("\\", "/"))
    text = quote(str(path), errors="backslashreplace")
    return f"file://{text}" if path.is_absolute() else text.replace("%5C", "/")
