"""Verdicts as JUnit XML: one suite per check, one case per device. Only a pass is green."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from intent.core.verdict import Verdict
from intent.report.xml import content, opening
from intent.verify.engine import CheckResult


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
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', opening("testsuites", {"name": name} | _counts(results) | time)]
    for (subject, check), members in suites.items():
        counts = _counts(members) | {"skipped": str(sum(item.verdict is Verdict.SKIPPED for item in members))}
        lines.append(" " + opening("testsuite", {"name": f"{subject}.{check}"} | counts))
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
        return (f"  {opening('testcase', attributes)}</testcase>",)
    if item.verdict is Verdict.SKIPPED:
        inner = opening("skipped", {"message": said}) + "</skipped>"
    else:
        tag = "failure" if item.verdict is Verdict.FAIL else "error"
        inner = f"{opening(tag, {'type': str(item.verdict), 'message': said})}{content(body)}</{tag}>"
    return (f"  {opening('testcase', attributes)}", f"   {inner}", "  </testcase>")


def _counts(results: Iterable[CheckResult]) -> dict[str, str]:
    counts = Counter(item.verdict for item in results)
    broken = counts[Verdict.ERROR] + counts[Verdict.UNKNOWN]
    return {"tests": str(counts.total()), "failures": str(counts[Verdict.FAIL]), "errors": str(broken)}


def _properties(title: str) -> str:
    return f"<properties>{opening('property', {'name': 'title', 'value': title})}</property></properties>"
