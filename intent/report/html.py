"""The change report: one HTML page that holds everything it shows, for the change ticket and the printer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from intent.change.events import Event, WaveStarted
from intent.change.grouping import Group, groups
from intent.change.history import ChangeRecord
from intent.change.plan import DeviceState, Plan
from intent.change.result import Result, Row
from intent.change.waves import Wave
from intent.core.exitcode import MEANING
from intent.core.verdict import Verdict
from intent.device.actor import Status
from intent.fabric.growth import Growth
from intent.fabric.model import Fabric
from intent.render.templates import Templates
from intent.report import growth as growth_report
from intent.report import plan as plan_report
from intent.report.drawing import draw
from intent.report.impacts import folded, worst
from intent.report.text import clean, fold
from intent.report.verdicts import findings
from intent.verify.engine import CheckResult, summary

TEMPLATE = "report.html.j2"
_MOST_LINES, _MOST_MESSAGES, _MOST_MOVES = 400, 400, 200

# What each state looks like: a class for the colour and a sign, so that colour is never the only difference.
_GOOD, _CHANGE, _WARN, _BAD, _IDLE = ("good", "✓"), ("change", "~"), ("warn", "↺"), ("bad", "✗"), ("idle", "·")
_LOOKS: Mapping[str, tuple[str, str]] = {
    Status.UNCHANGED: _GOOD,
    Status.CONFIRMED: _GOOD,
    Status.AWAITING: ("warn", "…"),
    Status.REVERTED: _WARN,
    Status.FAILED: _BAD,
    Status.STALE: _BAD,
    Status.UNKNOWN: ("bad", "?"),
    Status.NOT_ATTEMPTED: _IDLE,
    DeviceState.CHANGE: _CHANGE,
    DeviceState.UNREACHABLE: ("bad", "?"),
    DeviceState.MISMATCH: _BAD,
    Verdict.PASS: _GOOD,
    Verdict.FAIL: _BAD,
    Verdict.ERROR: _BAD,
    Verdict.SKIPPED: _IDLE,
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a report is about; whatever is absent is left out of the page.

    Args:
        title: head of the page.
        generated_at: UTC, ISO 8601; shown, and the only thing that differs between two runs.
        plan: what was to change.
        waves: in which order.
        result: what came of it.
        record: the change as the journal has it (who, why, when).
        checks: what the checks said.
        fabric: the fabric, for the drawing.
        growth: what the intent's new size asks for.
    """

    title: str
    generated_at: str
    plan: Plan | None = None
    waves: Sequence[Wave] = ()
    result: Result | None = None
    record: ChangeRecord | None = None
    checks: Sequence[CheckResult] = ()
    fabric: Fabric | None = None
    growth: Growth | None = None


def change_report(
    plan: Plan,
    result: Result | None,
    fabric: Fabric | None,
    events: Iterable[Event],
    folders: Sequence[Path],
    *,
    title: str = "",
    generated_at: str = "",
    record: ChangeRecord | None = None,
    checks: Sequence[CheckResult] = (),
    growth: Growth | None = None,
) -> str:
    """The page of an apply or a rollback.

    Args:
        plan: what was to change.
        result: what came of it; None before it was carried out.
        fabric: the fabric, for the drawing.
        events: what the change told while it ran; its waves and verdicts are taken from them.
        folders: where `report.html.j2` is looked for, the workspace's own first.
        title: head of the page.
        generated_at: UTC, ISO 8601; the time of the plan when empty.
        record: the change as the journal has it.
        checks: results of the checks in full, where they were kept.
        growth: what the intent's new size asks for.

    Raises:
        IntentError: the template fails.
    """
    waves = tuple(event.wave for event in events if isinstance(event, WaveStarted))
    head = title or f"{plan.intent_name}: {plan.kind} on {plan.scope.site or 'all sites'}"
    change = Change(head, generated_at or plan.created_at, plan, waves, result, record, checks, fabric, growth)
    return page(Templates(folders), change)


def page(templates: Templates, change: Change) -> str:
    """The page of whatever is known of a change.

    Args:
        templates: where `report.html.j2` is looked for.
        change: what it is about.

    Raises:
        IntentError: the template fails.
    """
    rows = _rows(change)
    values: dict[str, Any] = {
        "title": change.title,
        "generated_at": change.generated_at,
        "facts": _facts(change),
        "cards": _cards(change, rows),
        "notes": _notes(change),
        "growth": _growth(change.growth),
        "waves": _waves(change, rows),
        "devices": list(rows.values()),
        "groups": [_group(group) for group in groups(change.plan)] if change.plan else [],
        "checks": _checks(change.checks),
        "drawing": _drawing(change.fabric, rows) if change.fabric else None,
    }
    return templates.render(TEMPLATE, _safe(values))


def _safe(value: Any) -> Any:
    """The same data with every text made harmless to read; the template escapes it for HTML besides."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _safe(item) for key, item in value.items()}
    return [_safe(item) for item in value] if isinstance(value, list | tuple) else value


def _rows(change: Change) -> dict[str, dict[str, Any]]:
    """One row per device by name: of the plan in its order, then what only the result knows."""
    found: dict[str, dict[str, Any]] = {}
    done = {row.device: row for row in _result_rows(change)}
    wave_of = {name: wave.number for wave in change.waves for name in wave.devices}
    planned = {device.name: device for device in change.plan.devices} if change.plan else {}
    for name in dict.fromkeys((*planned, *done)):
        row, device = done.get(name), planned.get(name)
        state = row.status if row else (device.state if device else DeviceState.UNKNOWN)
        labels = device.wanted.target.labels if device else {}
        look, sign = _LOOKS.get(state, ("bad", "?"))
        details = [text for text in (row.detail if row else "", device.detail if device else "") if text]
        found[name] = {
            "id": f"d{len(found) + 1}",
            "name": name,
            "role": labels.get("role", ""),
            "plane": labels.get("plane", ""),
            "model": device.wanted.target.model if device else "",
            "wave": (row.wave if row else 0) or wave_of.get(name, 0),
            "state": str(state),
            "new": bool(device and device.new),
            "look": look,
            "sign": sign,
            "differences": len(device.differences) if device else 0,
            "disruption": worst(device.disruptions) if device and device.differences else "",
            "checks": str(row.verdict) if row and row.verdict else "",
            "checks_look": _LOOKS.get(row.verdict, _BAD)[0] if row and row.verdict else "",
            "detail": "; ".join(dict.fromkeys(details)),
            "messages": list(row.messages) if row else [],
        }
    return found


def _result_rows(change: Change) -> Sequence[Row]:
    if change.result:
        return change.result.rows
    return change.record.rows if change.record else ()


def _facts(change: Change) -> list[tuple[str, str]]:
    plan, record, result = change.plan, change.record, change.result
    facts: list[tuple[str, str]] = []
    if plan:
        facts += [("Intent", plan.intent_name), ("Site", plan.scope.site), ("Planned", plan.created_at)]
    elif record:
        facts += [("Intent", record.intent_name), ("Site", record.site)]
    if result and result.change:
        facts.append(("Change", result.change))
    if record:
        facts += [
            ("Change", record.id),
            ("Kind", record.kind),
            ("Rolls back", record.rolls_back),
            ("By", record.who),
            ("Reason", record.reason),
            ("Started", record.started),
            ("Ended", record.ended or "never"),
        ]
    digest = plan.digest if plan else (result.plan_digest if result else (record.plan_digest if record else ""))
    if result and result.seconds:
        facts.append(("Took", f"{result.seconds:.1f} s"))
    facts.append(("Plan digest", digest))
    return [fact for fact in dict.fromkeys(facts) if fact[1]]


def _cards(change: Change, rows: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter((row["state"], row["look"], row["sign"]) for row in rows.values())
    order = ("bad", "warn", "change", "good", "idle")
    cards = [
        {"number": number, "words": state, "look": look, "sign": sign}
        for (state, look, sign), number in sorted(counts.items(), key=lambda item: order.index(item[0][1]))
    ]
    new = sum(1 for row in rows.values() if row["new"])
    if new:
        cards.append({"number": new, "words": "new devices", "look": "change", "sign": "+"})
    if change.checks:
        for verdict, number in summary(change.checks).checks.items():
            look, sign = _LOOKS.get(verdict, ("bad", "?"))
            cards.append({"number": number, "words": f"checks: {verdict}", "look": look, "sign": sign})
    return cards


def _notes(change: Change) -> list[dict[str, str]]:
    notes: list[dict[str, str]] = []
    if change.plan:
        scope = change.plan.scope
        if scope.partial:
            words = f"Partial plan: {len(scope.devices)} of {scope.total} devices ({', '.join(scope.limit)})"
            notes.append({"look": "warn", "text": words})
        impact = plan_report.disruption_line(change.plan).plain if change.plan.to_change else ""
        if impact:
            notes.append({"look": "warn" if impact.startswith("disruption") else "good", "text": impact})
        notes += [{"look": "change", "text": note} for note in change.plan.notes]
        unread = [device.name for device in change.plan.devices if device.not_compared]
        if unread:
            notes.append({"look": "change", "text": f"Secrets could not be compared on {fold(unread)}"})
    if change.result:
        if change.result.stopped:
            notes.append({"look": "bad", "text": f"Stopped: {change.result.stopped}"})
        code = change.result.exit_code
        notes.append({"look": "good" if not code else "bad", "text": f"Exit code {int(code)}: {MEANING[code]}"})
    elif change.record and not change.record.finished:
        notes.append({"look": "bad", "text": "This change never ended: where its devices stand is not known"})
    return notes


def _growth(growth: Growth | None) -> dict[str, Any] | None:
    if growth is None:
        return None
    return {
        "headline": growth_report.headline(growth).plain,
        "look": "bad" if growth.renumbered else ("warn" if growth.moves else "good"),
        "renumbered": list(growth.renumbered),
        "moves": [
            {"order": m.order, "leaf": m.leaf, "port": m.port, "before": " ".join(m.before), "after": " ".join(m.after)}
            for m in growth.moves[:_MOST_MOVES]
        ],
        "more": max(0, len(growth.moves) - _MOST_MOVES),
    }


def _waves(change: Change, rows: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    if change.waves:
        named = [(str(wave), wave.devices) for wave in change.waves]
    else:
        numbers = sorted({row["wave"] for row in rows.values() if row["wave"]})
        named = [(f"wave {n}", tuple(name for name, row in rows.items() if row["wave"] == n)) for n in numbers]
    nothing = {"id": "", "look": "idle", "sign": "·", "state": "planned"}
    return [
        {
            "title": title,
            "devices": [{"name": name} | {key: rows.get(name, nothing)[key] for key in nothing} for name in names],
        }
        for title, names in named
    ]


def _group(group: Group) -> dict[str, Any]:
    data = plan_report.group_data(replace(group, disruptions=tuple(folded(group.disruptions))))
    lines = [
        line | {"mark": plan_report.MARKS[item.kind], "origin": plan_report.origin_words(item.origin)}
        for line, item in zip(data["lines"][:_MOST_LINES], group.lines, strict=False)
    ]
    return data | {"names": fold(group.devices, 12), "lines": lines, "more": max(0, len(group.lines) - _MOST_LINES)}


def _checks(results: Sequence[CheckResult]) -> dict[str, Any] | None:
    if not results:
        return None
    found = findings(results)
    passes = Counter(result.check for result in results if result.verdict is Verdict.PASS)
    return {
        "headline": str(summary(results)),
        "findings": [
            {
                "verdict": str(item.verdict),
                "look": _LOOKS.get(item.verdict, _BAD)[0],
                "check": item.check,
                "message": item.message or "no reason given",
                "devices": fold(item.devices),
                "count": len(item.devices),
            }
            for item in found[:_MOST_MESSAGES]
        ],
        "more": max(0, len(found) - _MOST_MESSAGES),
        "passes": [{"check": check, "count": count} for check, count in passes.items()],
    }


def _drawing(fabric: Fabric, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    drawing = asdict(draw(fabric))
    outside = {"id": "", "look": "idle", "sign": "·", "state": "not in this change"}
    for panel in drawing["panels"]:
        for box in panel["boxes"]:
            row = rows.get(box["name"], outside)
            box |= {key: row[key] for key in outside}
    return drawing
