"""After a kill: which devices hold the old state, which the new one, and which cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from intent.change import steps
from intent.change.asking import actor_for, observe
from intent.change.control import Clock
from intent.change.engine import row_data
from intent.change.history import ChangeRecord, unfinished
from intent.change.journal import Journal, Note
from intent.change.lock import Holder, acquire
from intent.change.result import Row, exit_code
from intent.core.tree import digest
from intent.device.actor import Actor, Observed, Outcome, Status, Wanted

# Rows that do not say yet where a submitted device stands.
_OPEN = (Status.NOT_ATTEMPTED, Status.UNKNOWN, Status.AWAITING)


class Holds(StrEnum):
    """Which state a device was found in."""

    OLD = "old"
    NEW = "new"
    OTHER = "other"
    UNKNOWN = "unknown"


_NEITHER = "holds neither the old nor the new state"
_WORDS = {
    Holds.NEW: (Status.CONFIRMED, "holds the new state"),
    Holds.OLD: (Status.REVERTED, "holds the old state"),
    Holds.OTHER: (Status.UNKNOWN, f"{_NEITHER}: changed by someone else since"),
}


@dataclass(frozen=True, slots=True)
class Recovered:
    """One device of a change that never ended.

    Args:
        change: the change.
        device: the device.
        status: where it stands within the change.
        holds: which state it holds now, by reading it.
        detail: in words.
    """

    change: str
    device: str
    status: Status
    holds: Holds
    detail: str

    @property
    def settled(self) -> bool:
        """True when it is known which state it holds, and that nothing is pending that could change it."""
        return self.status in (Status.CONFIRMED, Status.REVERTED) or self.holds is Holds.OTHER


class _Reader:
    """The session lent to an actor that reverts what a dead process left pending."""

    def __init__(self, journal: Journal, change: str) -> None:
        self._journal = journal
        self._change = change

    def record(self, device: str, step: str, data: Mapping[str, Any] | None = None) -> None:
        self._journal.append(self._change, device, steps.ACTOR + step, data)

    def stopping(self) -> bool:
        return False


def recover(
    journal: Journal, actors: Mapping[str, Actor], *, site: str, clock: Clock, revert: bool = False
) -> tuple[Recovered, ...]:
    """Find out what changes that never ended left behind, and write it down.

    Devices are asked where they stand and read. A change whose devices are all settled is closed in the journal.

    Args:
        journal: where the changes stand.
        actors: by platform.
        site: whose changes.
        clock: tells whether a confirm timer must have run out by now.
        revert: put back what still awaits confirmation, instead of only reporting it.
    """
    found: list[Recovered] = []
    for change in unfinished(journal, site):
        found.extend(_recover(journal, actors, change, clock, revert))
    return tuple(found)


def settle_site(
    journal: Journal, actors: Mapping[str, Actor], *, site: str, holder: Holder, clock: Clock
) -> tuple[Recovered, ...]:
    """`recover` under the site's lock, with what still awaits confirmation put back: what `intent recover` does.

    Raises:
        IntentError: the site is locked (exit code: locked).
    """
    lock = acquire(journal, site, holder, clock)
    try:
        return recover(journal, actors, site=site, clock=clock, revert=True)
    finally:
        lock.release()


def _recover(
    journal: Journal, actors: Mapping[str, Actor], change: ChangeRecord, clock: Clock, revert: bool
) -> tuple[Recovered, ...]:
    entries = journal.entries(change.id)
    wanted = {e.device: steps.wanted_from(journal, e.data, "wanted") for e in entries if e.step == steps.BEFORE}
    before = {e.device: str(e.data.get("live", "")) for e in entries if e.step == steps.BEFORE}
    submitted = {e.device for e in entries if e.step == steps.SUBMIT}
    doubtful = {row.device for row in change.rows if row.status in _OPEN}
    handles = dict.fromkeys(sorted(submitted & doubtful), "")
    for entry in entries:
        if entry.device in handles:
            handles[entry.device] = steps.handle_in(entry.data) or handles[entry.device]
    observe([wanted[name] for name in handles], actors)  # actors know devices, their addresses too, by reading them
    asked = _settle(journal, change, actors, wanted, handles, revert)
    live = observe([wanted[name] for name in handles], actors)
    expired = _expired(change, [e.at for e in entries if e.step != steps.SETTLED][-1], clock)
    rows, found = [], []
    for name in handles:
        item = _judge(change, wanted[name], live[name], before[name], asked[name], expired, actors)
        found.append(item)
        rows.append(Row(name, item.status, item.detail))
    journal.append_all(
        change.id,
        [
            Note(r.device, steps.SETTLED, {**row_data(r), "holds": str(i.holds)})
            for r, i in zip(rows, found, strict=True)
        ],
    )
    if all(item.settled for item in found):
        last = {row.device: row for row in change.rows} | {row.device: row for row in rows}
        code = exit_code(tuple(last.values()))
        journal.append(change.id, "", steps.END, {"exit_code": int(code), "stopped": "settled after it was cut off"})
    return tuple(found)


def _settle(
    journal: Journal,
    change: ChangeRecord,
    actors: Mapping[str, Actor],
    wanted: Mapping[str, Wanted],
    handles: Mapping[str, str],
    revert: bool,
) -> dict[str, Outcome]:
    by_platform: dict[str, dict[str, str]] = {}
    for name, handle in handles.items():
        by_platform.setdefault(wanted[name].target.platform, {})[name] = handle
    outcomes: dict[str, Outcome] = {}
    for platform, pending in by_platform.items():
        actor = actor_for(actors, platform)
        silent = {name: Outcome(name, Status.UNKNOWN, "its actor gave no answer for it") for name in pending}
        found = {**silent, **actor.settle(pending)}
        awaiting = {n: pending[n] or o.handle for n, o in found.items() if o.status is Status.AWAITING}
        if revert and awaiting:
            journal.append_all(change.id, [Note(n, steps.REVERT, {"handle": h}) for n, h in awaiting.items()])
            found.update(actor.revert(awaiting, _Reader(journal, change.id)))
        outcomes.update(found)
    return outcomes


def _judge(
    change: ChangeRecord,
    wanted: Wanted,
    live: Observed,
    before: str,
    asked: Outcome,
    expired: bool,
    actors: Mapping[str, Actor],
) -> Recovered:
    name = wanted.target.name
    if live.problem:
        status = Status.AWAITING if asked.status is Status.AWAITING else Status.UNKNOWN
        return Recovered(change.id, name, status, Holds.UNKNOWN, f"{live.problem}: {live.detail}".rstrip(": "))
    holds = _holds(wanted, live, before, actors)
    words = actor_for(actors, wanted.target.platform).revert_words(wanted)
    if asked.status is Status.AWAITING:
        return Recovered(change.id, name, Status.AWAITING, holds, f"awaits confirmation; comes back {words}")
    if holds is Holds.NEW and asked.status is Status.UNKNOWN and not expired:
        return Recovered(
            change.id, name, Status.UNKNOWN, holds, f"holds the new state; unless confirmed it comes back {words}"
        )
    if holds is Holds.OLD and asked.status is Status.UNKNOWN and asked.handle and not expired:
        # Something of ours is still under way there, and may yet come into force.
        return Recovered(change.id, name, Status.UNKNOWN, holds, f"holds the old state so far; {asked.detail}")
    status, text = _WORDS[holds]
    if holds is Holds.OTHER and asked.status is Status.UNKNOWN and asked.detail:
        text = f"{_NEITHER}: {asked.detail}"  # the device's own account says more than ours could
    return Recovered(change.id, name, status, holds, text)


def _expired(change: ChangeRecord, last_entry: str, clock: Clock) -> bool:
    """True when every confirm timer has run out: the timer is longer than the deadline of the call that starts it."""
    return (clock.utc() - datetime.fromisoformat(last_entry)).total_seconds() > 2 * change.confirm_s


def _holds(wanted: Wanted, live: Observed, before: str, actors: Mapping[str, Actor]) -> Holds:
    if live.digest == before or digest(live.state) == before:
        return Holds.OLD
    new = not actor_for(actors, wanted.target.platform).difference(wanted, live)
    return Holds.NEW if new else Holds.OTHER
