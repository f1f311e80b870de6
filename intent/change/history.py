"""What was done: changes as they stand in the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intent.change import steps
from intent.change.journal import Entry, Journal, JournalError
from intent.change.result import Row
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status

_HEADS = (steps.BEGIN, steps.END, steps.RESULT, steps.SETTLED)


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """One change.

    Args:
        id: its number.
        kind: `apply` or `rollback`.
        rolls_back: change whose before-state it restores; empty for an apply.
        site: site it was about.
        intent_name: name of the intent.
        plan_digest: digest of its plan.
        who: person or job that ran it.
        reason: why, as given.
        started: UTC, ISO 8601.
        ended: likewise; empty when it never ended.
        exit_code: code it left with; None when it never ended.
        rows: where each device it meant to touch stands, last word last.
        confirm_s: seconds after which its unconfirmed devices revert by themselves.
    """

    id: str
    kind: str
    rolls_back: str
    site: str
    intent_name: str
    plan_digest: str
    who: str
    reason: str
    started: str
    ended: str
    exit_code: ExitCode | None
    rows: tuple[Row, ...]
    confirm_s: int

    @property
    def finished(self) -> bool:
        """False when the process died, or was told to leave, before the end."""
        return bool(self.ended)

    @property
    def counts(self) -> dict[Status, int]:
        """Devices by status."""
        return dict(Counter(row.status for row in self.rows))

    def row(self, device: str) -> Row | None:
        """Where a device stands; None when the change is not about it."""
        return next((row for row in self.rows if row.device == device), None)


def list_changes(
    journal: Journal,
    *,
    site: str = "",
    device: str = "",
    who: str = "",
    since: str = "",
    until: str = "",
    status: Status | None = None,
    limit: int = 0,
) -> tuple[ChangeRecord, ...]:
    """Changes, newest first.

    Args:
        journal: where they stand.
        site: only of this site.
        device: only those about this device.
        who: only by this person or job.
        since: only those started at or after; UTC, ISO 8601, a date alone will do.
        until: only those started before, likewise.
        status: only those that left a device (`device`, or any) so.
        limit: at most so many; 0 for all.
    """

    found: list[ChangeRecord] = []
    for begin in reversed(journal.entries(steps=(steps.BEGIN,))):
        if limit and len(found) == limit:
            break
        data = begin.data
        if (site and data.get("site") != site) or (who and data.get("who") != who):
            continue
        if begin.at < since or (until and begin.at >= until):
            continue
        change = _load(journal, begin)
        rows = [row for row in change.rows if not device or row.device == device]
        if (rows or not device) and (status is None or any(row.status is status for row in rows)):
            found.append(change)
    return tuple(found)


def change_ids(journal: Journal) -> frozenset[str]:
    """Numbers of all changes."""
    return frozenset(entry.change for entry in journal.entries(steps=(steps.BEGIN,)))


def get_change(journal: Journal, change: str) -> ChangeRecord:
    """One change by its number, or by a beginning of it that fits no other.

    Raises:
        IntentError: there is none, or several.
    """
    begins = [e for e in journal.entries(steps=(steps.BEGIN,)) if e.change.startswith(change)] if change else []
    exact = [entry for entry in begins if entry.change == change]
    if exact or len(begins) == 1:
        return _load(journal, (exact or begins)[0])
    names = ", ".join(entry.change for entry in begins[:5])
    what = f"fits {len(begins)} changes: {names}" if begins else "is not in the journal"
    raise IntentError(f"change {change!r} {what}", hint="`intent history` lists them")


def trail(journal: Journal, change: str, device: str = "") -> tuple[Entry, ...]:
    """Every entry of a change, or of one device in it, in order."""
    return tuple(entry for entry in journal.entries(change) if not device or entry.device == device)


def known_devices(journal: Journal, site: str) -> frozenset[str]:
    """Devices that hold something by a change of ours: what no change confirmed is new."""
    return frozenset(
        row.device
        for change in list_changes(journal, site=site)
        for row in change.rows
        if row.status is Status.CONFIRMED
    )


def unfinished(journal: Journal, site: str) -> tuple[ChangeRecord, ...]:
    """Changes of a site that began and never ended, oldest first."""
    ended = {entry.change for entry in journal.entries(steps=(steps.END,))}
    begins = [entry for entry in journal.entries(steps=(steps.BEGIN,)) if entry.change not in ended]
    return tuple(_load(journal, entry) for entry in begins if entry.data.get("site") == site)


def _load(journal: Journal, begin: Entry) -> ChangeRecord:
    try:
        return _record(begin.change, begin, journal.entries(begin.change, steps=_HEADS))
    except (ValueError, TypeError) as error:
        raise JournalError(
            f"{journal.file} - change {begin.change} cannot be read: {error}", hint="`intent history --check` says more"
        ) from None


def _record(change: str, begin: Entry, entries: Sequence[Entry]) -> ChangeRecord:
    data = begin.data
    rows = {str(name): Row(str(name), Status.NOT_ATTEMPTED) for name in data.get("devices", [])}
    for entry in entries:
        if entry.step in (steps.RESULT, steps.SETTLED):
            rows[entry.device] = load_row(entry)
    end = next((entry for entry in reversed(entries) if entry.step == steps.END), None)
    return ChangeRecord(
        id=change,
        kind=str(data.get("kind", "")),
        rolls_back=str(data.get("rolls_back", "")),
        site=str(data.get("site", "")),
        intent_name=str(data.get("intent", "")),
        plan_digest=str(data.get("plan", "")),
        who=str(data.get("who", "")),
        reason=str(data.get("reason", "")),
        started=begin.at,
        ended=end.at if end else "",
        exit_code=ExitCode(int(end.data.get("exit_code", ExitCode.UNKNOWN))) if end else None,
        rows=tuple(rows.values()),
        confirm_s=int(data.get("confirm_s", 0)),
    )


def load_row(entry: Entry) -> Row:
    """A row from its entry."""
    data: dict[str, Any] = dict(entry.data)
    verdict = data.get("verdict")
    return Row(
        device=entry.device,
        status=Status(data.get("status", Status.UNKNOWN)),
        detail=str(data.get("detail", "")),
        wave=int(data.get("wave", 0)),
        verdict=Verdict(verdict) if verdict else None,
        messages=tuple(str(text) for text in data.get("messages", [])),
    )
