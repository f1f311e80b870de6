"""Verdicts as JUnit XML: one suite per check, one case per device. Only a pass is green."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from intent.core.verdict import Verdict
from intent.verify.engine import CheckResult

# What XML 1.0 cannot hold, even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def junit(results: Sequence[CheckResult], *, name: str = "intent verify", seconds: float | None = None) -> str:
    """Results as JUnit XML.

    A failed check is a `failure`; a broken check and a device that could not be judged are an `error`, of type
    `error` and `unknown`: no reader takes an unknown for green. `skipped` is what does not apply.

    Args:
        results: results of a run.
        name: name of the whole.
        seconds: how long the run took.
    """
    suites: dict[tuple[str, str], list[CheckResult]] = {}
    for result in results:
        suites.setdefault((result.subject, result.check), []).append(result)
    time = {} if seconds is None else {"time": f"{seconds:.3f}"}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', _open("testsuites", {"name": name} | _counts(results) | time)]
    for (subject, check), members in suites.items():
        counts = _counts(members) | {"skipped": str(sum(item.verdict is Verdict.SKIPPED for item in members))}
        lines.append(" " + _open("testsuite", {"name": f"{subject}.{check}"} | counts))
        lines.append("  " + _properties(members[0].title))
        for item in members:
            lines += _case(item)
        lines.append(" </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _case(item: CheckResult) -> Iterable[str]:
    attributes = {"classname": f"{item.subject}.{item.check}", "name": item.device}
    body = "\n".join(item.messages)
    said = item.message or str(item.verdict)
    if item.verdict is Verdict.PASS:
        return (f"  {_open('testcase', attributes)}</testcase>",)
    if item.verdict is Verdict.SKIPPED:
        inner = _open("skipped", {"message": said}) + "</skipped>"
    else:
        tag = "failure" if item.verdict is Verdict.FAIL else "error"
        inner = f"{_open(tag, {'type': str(item.verdict), 'message': said})}{_text(body)}</{tag}>"
    return (f"  {_open('testcase', attributes)}", f"   {inner}", "  </testcase>")


def _counts(results: Iterable[CheckResult]) -> dict[str, str]:
    counts = Counter(item.verdict for item in results)
    broken = counts[Verdict.ERROR] + counts[Verdict.UNKNOWN]
    return {"tests": str(counts.total()), "failures": str(counts[Verdict.FAIL]), "errors": str(broken)}


def _properties(title: str) -> str:
    return f"<properties>{_open('property', {'name': 'title', 'value': title})}</property></properties>"


def _open(tag: str, attributes: dict[str, str]) -> str:
    text = "".join(f' {key}="{escape(_legal(value), _ATTRIBUTE)}"' for key, value in attributes.items())
    return f"<{tag}{text}>"


def _text(text: str) -> str:
    return escape(_legal(text), {"\r": "&#13;"})


def _legal(text: str) -> str:
    return _FORBIDDEN.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
