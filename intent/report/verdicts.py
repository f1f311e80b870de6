"""What the checks said: failures first, equal messages told once for all their devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

from intent.core.verdict import Verdict
from intent.report.text import clean, fold, joined, json_text, one_line, plural
from intent.verify.engine import CheckResult, records, summary

STYLES = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold red",
    Verdict.UNKNOWN: "bold yellow",
    Verdict.SKIPPED: "dim",
    Verdict.PASS: "green",
}
ORDER = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.SKIPPED, Verdict.PASS)
_MOST_MESSAGES = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One message of one check, and every device that has it.

    Args:
        verdict: verdict of the check on these devices.
        check: its name.
        message: the message; empty when the check said nothing.
        devices: their names, in the order of the results.
    """

    verdict: Verdict
    check: str
    message: str
    devices: tuple[str, ...]


def findings(results: Iterable[CheckResult], *, verdicts: Sequence[Verdict] = ORDER[:4]) -> tuple[Finding, ...]:
    """Equal messages grouped over devices: worst verdict first, then most devices first.

    Args:
        results: results of a run.
        verdicts: verdicts that are told.
    """
    grouped: dict[tuple[Verdict, str, str], list[str]] = {}
    for result in results:
        if result.verdict in verdicts:
            texts = result.notes if result.verdict is Verdict.SKIPPED else result.messages
            for text in texts or ("",):
                grouped.setdefault((result.verdict, result.check, text), []).append(result.device)
    found = (Finding(*key, tuple(devices)) for key, devices in grouped.items())
    return tuple(sorted(found, key=lambda f: (ORDER.index(f.verdict), f.check, -len(f.devices))))


def human(results: Sequence[CheckResult], *, most: int = _MOST_MESSAGES) -> Text:
    """Results as people read them.

    Args:
        results: results of a run.
        most: messages shown of each check and verdict; JSON and JUnit have all.
    """
    lines: list[Text | str] = []
    blocks: dict[tuple[Verdict, str], list[Finding]] = {}
    for finding in findings(results):
        blocks.setdefault((finding.verdict, finding.check), []).append(finding)
    titles = {result.check: result.title for result in results}
    for (verdict, check), members in blocks.items():
        devices = len({name for finding in members for name in finding.devices})
        head = Text(str(verdict).upper(), STYLES[verdict]).append(f" {one_line(check)}", "bold")
        lines.append(head.append(f" ({clean(titles[check])}): {plural(devices, 'device')}", "not bold"))
        for finding in members[:most]:
            said = clean(finding.message) or "no reason given"
            lines.append(Text(f"  {said}").append(f"  [{fold(finding.devices)}]", "cyan"))
        if len(members) > most:
            lines.append(Text(f"  and {len(members) - most} more messages; --format json has all", "dim"))
    return joined([*lines, *_passes(results), headline(results)])


def headline(results: Sequence[CheckResult]) -> Text:
    """`24 devices: 22 pass, 2 fail`, in the colour of the worst."""
    total = summary(results)
    return Text(str(total) if results else "nothing was judged", STYLES[total.overall])


def _passes(results: Iterable[CheckResult]) -> Iterable[Text]:
    per_check: dict[str, int] = {}
    for result in results:
        per_check[result.check] = per_check.get(result.check, 0) + (result.verdict is Verdict.PASS)
    for check, count in per_check.items():
        if count:
            yield Text("PASS", STYLES[Verdict.PASS]).append(f" {one_line(check)}: {plural(count, 'device')}", "default")


def as_json(results: Sequence[CheckResult]) -> str:
    """Results as JSON: overall verdict, verdict of each device, one record per device and check."""
    total = summary(results)
    return json_text(
        "verdicts",
        {
            "overall": str(total.overall),
            "counts": {str(verdict): total.checks.get(verdict, 0) for verdict in Verdict},
            "devices": {name: str(verdict) for name, verdict in total.devices.items()},
            "results": records(results),
        },
    )
