"""What came of a change, and what was done before: one row per device, in words a person can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from intent.change import events
from intent.change.history import ChangeRecord
from intent.change.journal import Entry
from intent.change.result import Result, Row
from intent.core.exitcode import MEANING, ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status
from intent.report.tables import Table
from intent.report.text import brief, clean, fold, joined, json_text, one_line, plural
from intent.report.verdicts import STYLES as VERDICT_STYLES

STYLES = {
    Status.UNCHANGED: "green",
    Status.AWAITING: "bold yellow",
    Status.CONFIRMED: "bold green",
    Status.REVERTED: "bold yellow",
    Status.FAILED: "bold red",
    Status.STALE: "bold red",
    Status.UNKNOWN: "bold red",
    Status.NOT_ATTEMPTED: "dim",
}
_BAD_FIRST = (
    Status.UNKNOWN,
    Status.FAILED,
    Status.STALE,
    Status.AWAITING,
    Status.REVERTED,
    Status.NOT_ATTEMPTED,
    Status.CONFIRMED,
    Status.UNCHANGED,
)
_MOST_MESSAGES = 3


def rows(result: Result | ChangeRecord) -> Table:
    """One row per device, in the order of the plan: name, wave, where it stands, what the checks said, why."""
    styles = {"status": {str(status): style for status, style in STYLES.items()}}
    return Table("change", ("device", "wave", "status", "checks", "detail"), tuple(map(_cells, result.rows)),
                 frozenset({"wave"}), styles)  # fmt: skip


def _cells(row: Row) -> tuple[str, ...]:
    said = [row.detail] if row.detail else []
    said += row.messages[:_MOST_MESSAGES]
    more = len(row.messages) - _MOST_MESSAGES
    if more > 0:
        said.append(f"and {plural(more, 'message')} more")
    return (row.device, str(row.wave or ""), str(row.status), str(row.verdict or ""), "; ".join(said))


def human(result: Result) -> Text:
    """What came of it: devices that are equal told once, those in trouble first; last the number of each and the code.

    `rows` with `tables.table_text` tells every device by itself.
    """
    lines: list[Text | str] = [_group(*item) for item in _grouped(result.rows)]
    if result.stopped:
        lines.append(Text("stopped: ", "bold red").append(clean(result.stopped), "not bold default"))
    lines.append(headline(result))
    if result.change:
        lines.append(Text(f"change {one_line(result.change)}, plan {result.plan_digest}", "dim"))
    return joined(lines)


def headline(result: Result) -> Text:
    """`23 confirmed, 1 reverted in 84 s - partly applied…`."""
    parts = _counts(result.rows)
    text = Text(", ").join(parts) if parts else Text("no device was touched", "bold red")
    if result.seconds:
        text.append(f" in {result.seconds:.1f} s", "default")
    code = result.exit_code
    meaning = "" if code in (ExitCode.OK, ExitCode.ERROR) else f" - {MEANING[code]}"
    return text.append(f"{meaning} (exit code {int(code)})", "default")


def _counts(found: Iterable[Row]) -> list[Text]:
    seen = [row.status for row in found]
    return [Text(f"{seen.count(status)} {status}", STYLES[status]) for status in _BAD_FIRST if status in seen]


def _grouped(found: Iterable[Row]) -> list[tuple[Row, list[str]]]:
    grouped: dict[tuple[Any, ...], tuple[Row, list[str]]] = {}
    for row in found:
        key = (row.status, row.detail, row.verdict, row.messages)
        grouped.setdefault(key, (row, []))[1].append(row.device)
    return sorted(grouped.values(), key=lambda item: _BAD_FIRST.index(item[0].status))


def _group(row: Row, names: Sequence[str]) -> Text:
    text = Text(str(row.status), STYLES[row.status]).append(f": {fold(names)}", "not bold default")
    if len(names) > 1:
        text.append(f" ({plural(len(names), 'device')})", "not bold default")
    if row.detail:
        text.append(f" - {clean(row.detail)}", "not bold default")
    if row.verdict not in (None, Verdict.PASS):
        text.append(" - checks: ", "not bold default").append(str(row.verdict), VERDICT_STYLES[row.verdict])
    for message in row.messages:
        text.append(f"\n  {clean(message)}", "not bold default")
    return text


def as_json(result: Result) -> str:
    """A result as JSON."""
    body = {
        "change": result.change,
        "plan_digest": result.plan_digest,
        "stopped": result.stopped,
        "seconds": round(result.seconds, 3),
        "exit_code": int(result.exit_code),
        "counts": {str(status): result.counts.get(status, 0) for status in Status},
        "devices": [row_data(row) for row in result.rows],
    }
    return json_text("change", body)


def row_data(row: Row) -> dict[str, Any]:
    """A row as plain data."""
    return {
        "device": row.device,
        "status": str(row.status),
        "detail": row.detail,
        "wave": row.wave,
        "verdict": str(row.verdict) if row.verdict else None,
        "messages": list(row.messages),
    }


def history(changes: Iterable[ChangeRecord]) -> Table:
    """Changes, one row each, in the order given."""
    columns = ("change", "started", "ended", "kind", "site", "who", "devices", "outcome", "reason")
    found = tuple(
        (
            item.id,
            item.started,
            item.ended or "never",
            f"rollback of {item.rolls_back}" if item.rolls_back else item.kind,
            item.site,
            item.who,
            str(len(item.rows)),
            outcome(item),
            item.reason,
        )
        for item in changes
    )
    return Table("changes", columns, found, frozenset({"devices"}), {"ended": {"never": "bold yellow"}})


def outcome(record: ChangeRecord) -> str:
    """`24 confirmed`; says so where the change never ended."""
    words = ", ".join(text.plain for text in _counts(record.rows)) or "no device"
    return words if record.finished else f"unfinished: {words}"


def history_json(changes: Iterable[ChangeRecord]) -> str:
    """Changes as JSON, with every device."""
    return json_text("changes", {"changes": [_record(item) for item in changes]})


def _record(item: ChangeRecord) -> dict[str, Any]:
    return {
        "change": item.id,
        "kind": item.kind,
        "rolls_back": item.rolls_back,
        "site": item.site,
        "intent": item.intent_name,
        "plan_digest": item.plan_digest,
        "who": item.who,
        "reason": item.reason,
        "started": item.started,
        "ended": item.ended or None,
        "exit_code": None if item.exit_code is None else int(item.exit_code),
        "confirm_s": item.confirm_s,
        "devices": [row_data(row) for row in item.rows],
    }


def trail(entries: Iterable[Entry]) -> Table:
    """Entries of the journal about one change, one row each."""
    found = tuple((str(e.seq), e.at, e.device, e.step, _particulars(e)) for e in entries)
    return Table("entries", ("seq", "at", "device", "step", "data"), found, frozenset({"seq"}))


def _particulars(entry: Entry) -> str:
    return ", ".join(f"{key}={value}" for key, value in entry.data.items() if isinstance(value, str | int | float))


def progress_line(event: events.Event) -> Text | None:
    """One line for an event of a running change; None for events that are too many to print (`DeviceStep`)."""
    match event:
        case events.Checking(devices):
            return Text(f"comparing {plural(devices, 'device')} with the plan")
        case events.ChangeStarted(change, devices, waves):
            return Text(f"change {one_line(change)}: {plural(devices, 'device')} in {plural(waves, 'wave')}", "bold")
        case events.WaveStarted(wave):
            return Text(f"{one_line(wave)}: {plural(len(wave.devices), 'device')}: {fold(wave.devices)}", "bold")
        case events.Judging(devices):
            return Text(f"  checking {plural(len(devices), 'device')} over new connections")
        case events.DeviceJudged(device, verdict, messages):
            return _judged(device, verdict, messages)
        case events.DeviceDone(device, status, detail):
            text = Text(f"  {one_line(device)}: ").append(str(status), STYLES[status])
            return text.append(f" - {clean(detail)}") if detail else text
        case events.Waiting(reason, seconds, devices):
            return Text(f"  waiting {seconds:.0f} s: {one_line(reason)} ({fold(devices)})", "dim")
        case events.Stopping(reason):
            return Text("stopping: ", "bold red").append(clean(reason), "not bold default")
        case events.ChangeEnded(change):
            return Text(f"change {one_line(change)} ended", "dim")
        case _:
            return None


def _judged(device: str, verdict: Verdict, messages: Sequence[str]) -> Text | None:
    if verdict is Verdict.PASS:
        return None
    text = Text(f"  {one_line(device)}: checks ").append(str(verdict), VERDICT_STYLES[verdict])
    return text.append(f" - {brief(messages, _MOST_MESSAGES)}") if messages else text
