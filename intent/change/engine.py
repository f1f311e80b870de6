"""Carries out waves: apply, judge, confirm or revert, soak, and stop when too much fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from intent.change import steps
from intent.change.asking import actor_for
from intent.change.control import Clock, Stop, pause
from intent.change.events import (
    DeviceDone,
    DeviceJudged,
    DeviceStep,
    Emit,
    Event,
    Judging,
    Stopping,
    Waiting,
    WaveStarted,
)
from intent.change.journal import Journal, JournalError, Note
from intent.change.plan import DevicePlan
from intent.change.result import Row
from intent.change.strategy import Strategy
from intent.change.waves import Wave
from intent.core.errors import IntentError
from intent.core.timers import SLACK_S
from intent.core.verdict import Verdict
from intent.device.actor import FAILED_STEP, Actor, Outcome, Request, Status


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the checks say of one device.

    Args:
        verdict: only `pass` lets a change be kept.
        messages: what was found, `Thing: X - problem - expected A, actual B`.
    """

    verdict: Verdict
    messages: tuple[str, ...] = ()


# Devices to judge, and every device known to hold its wanted state by now (these included): only between such
# devices can a check expect both ends to be configured. Must read over new connections.
Judge = Callable[[Sequence[str], frozenset[str]], Mapping[str, Judgement]]

_DONE = (Status.CONFIRMED, Status.UNCHANGED)
_BAD = (Status.FAILED, Status.REVERTED, Status.UNKNOWN, Status.AWAITING)


class Progress:
    """Hands events on, one at a time, and keeps a broken listener from breaking the change."""

    def __init__(self, emit: Emit, trouble: Callable[[str], None]) -> None:
        self._emit = emit
        self._trouble = trouble
        self._mutex = threading.Lock()
        self._broken = False

    def __call__(self, event: Event) -> None:
        with self._mutex:
            if self._broken:
                return
            try:
                self._emit(event)
            except Exception as error:  # a display must never stop a change
                self._broken = True
                self._trouble(f"progress display failed ({type(error).__name__}); the change goes on without it")


class _Session:
    """What an actor is lent: the journal, the stop button, and nothing else."""

    def __init__(
        self, journal: Journal, change: str, stop: Stop, progress: Progress, failed: Callable[[str], None]
    ) -> None:
        self._journal = journal
        self._change = change
        self._stop = stop
        self._progress = progress
        self._failed = failed
        self.handles: dict[str, str] = {}

    def record(self, device: str, step: str, data: Mapping[str, Any] | None = None) -> None:
        """Write a step durably before the call it announces; a journal that cannot be written stops the change."""
        try:
            self._journal.append(self._change, device, steps.ACTOR + step, data)
        except JournalError as error:
            self._stop.request(f"the journal cannot be written: {error.message}")
            raise
        self.handles[device] = steps.handle_in(data or {}) or self.handles.get(device, "")
        self._progress(DeviceStep(device, step))
        if step == FAILED_STEP:
            self._failed(device)

    def stopping(self) -> bool:
        """True once nothing new may be begun."""
        return self._stop.requested()


class Engine:
    """One change being carried out. `rows` always tells where each device stands as far as is known."""

    def __init__(
        self,
        change: str,
        devices: Mapping[str, DevicePlan],
        *,
        actors: Mapping[str, Actor],
        journal: Journal,
        judge: Judge,
        strategy: Strategy,
        clock: Clock,
        stop: Stop,
        progress: Progress,
        in_force: Collection[str] = (),
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._change = change
        self._devices = devices
        self._actors = actors
        self._journal = journal
        self._judge_call = judge
        self._strategy = strategy
        self._clock = clock
        self._stop = stop
        self._progress = progress
        self._session = _Session(journal, change, stop, progress, self._failed_in_wave)
        self._failing: set[str] = set()
        self._counting = threading.Lock()
        self._in_force = set(in_force)
        self._beat = beat
        self._submitted: set[str] = set()
        self.rows = {name: Row(name, Status.NOT_ATTEMPTED) for name in devices}
        self.abandoned = False

    def run(self, waves: Sequence[Wave]) -> None:
        """Carry out the waves, one after the other, until they are done or something says stop."""
        for at, wave in enumerate(waves):
            if self._stop.requested():
                break
            try:
                self._run_wave(wave)
                self._failing.clear()  # their rows say now what became of them
                self._check_budget()
                if self._strategy.soak_s and at + 1 < len(waves) and not self._stop.requested():
                    self._soak(wave)
                    self._check_budget()
            except KeyboardInterrupt:
                self._abandon()
        for name, row in self.rows.items():
            if row.status is Status.NOT_ATTEMPTED and not row.detail:
                self.rows[name] = replace(row, detail=self._stop.reason)

    def _run_wave(self, wave: Wave) -> None:
        self._beat()
        self._note("", steps.WAVE, {"number": wave.number, "devices": list(wave.devices), "canary": wave.canary})
        self._progress(WaveStarted(wave))
        begun = self._clock.monotonic()
        outcomes = self._apply(wave)
        pending = {name: item.handle for name, item in outcomes.items() if item.status is Status.AWAITING}
        self._journal.append_all(
            self._change, [Note(name, steps.PENDING, {"handle": handle}) for name, handle in pending.items()]
        )
        kept = {name: item for name, item in outcomes.items() if item.status is Status.CONFIRMED}
        lost = {name: item for name, item in outcomes.items() if item.status is Status.UNKNOWN and item.handle}
        for name, item in outcomes.items():
            if name not in {*pending, *kept, *lost}:
                self._finish(Row(name, item.status, item.detail, wave.number))
        expires = begun + self._strategy.confirm_s
        if pending or kept:
            self._decide(wave, pending, kept, expires)
        if lost:  # what the change cut off comes back by its own timer
            found = self._wait_out({name: item.handle for name, item in lost.items()}, expires)
            for name, item in found.items():
                detail = "; ".join(part for part in (lost[name].detail, item.detail) if part)
                self._finish(Row(name, item.status, detail, wave.number))

    def _apply(self, wave: Wave) -> dict[str, Outcome]:
        outcomes: dict[str, Outcome] = {}
        for platform, names in self._by_platform(wave.devices).items():
            requests = [self._request(self._devices[name]) for name in names]
            self._journal.append_all(self._change, [Note(name, steps.SUBMIT, {"wave": wave.number}) for name in names])
            self._submitted.update(names)
            actor = actor_for(self._actors, platform)
            found = self._guarded(names, lambda a=actor, r=requests: a.apply(r, self._session))  # type: ignore[misc]
            outcomes.update(self._settled_where_lost(actor, found))
        if self._stop.requested():
            return outcomes
        # Nobody said stop, so what an actor did not attempt is a failure and counts as one.
        return {
            name: replace(item, status=Status.FAILED) if item.status is Status.NOT_ATTEMPTED else item
            for name, item in outcomes.items()
        }

    def _request(self, device: DevicePlan) -> Request:
        strategy = self._strategy
        return Request(
            device.wanted, device.differences, device.live_digest, strategy.confirm_s, float(strategy.deadline_s)
        )

    def _decide(self, wave: Wave, pending: Mapping[str, str], kept: Mapping[str, Outcome], expires: float) -> None:
        """Confirm what passed its checks and revert the rest; `kept` came without a timer and can only be told of."""
        judged = self._judge((*pending, *kept), wave.number)
        for name, item in kept.items():
            detail = "; ".join(part for part in (_why(judged[name]), item.detail) if part)
            self._finish(Row(name, item.status, detail, wave.number, judged[name].verdict, judged[name].messages))
        if pending:
            self._close_pending(wave, pending, judged, expires)

    def _close_pending(
        self, wave: Wave, pending: Mapping[str, str], judged: Mapping[str, Judgement], expires: float
    ) -> None:
        good = {name: handle for name, handle in pending.items() if judged[name].verdict is Verdict.PASS}
        late = bool(good) and self._clock.monotonic() + SLACK_S > expires
        reasons = {name: _why(judged[name]) for name in pending}
        if late:
            reasons |= dict.fromkeys(good, "its confirm timer could have run out before it was confirmed")
            good = {}
        bad = {name: handle for name, handle in pending.items() if name not in good}
        rows = self._close(good, steps.CONFIRM) | self._close(bad, steps.REVERT)
        lost = {name: pending[name] for name, item in rows.items() if item.status not in (*_DONE, Status.REVERTED)}
        if lost:
            rows |= self._wait_out(lost, expires)
        for name in pending:
            item, judgement = rows[name], judged[name]
            detail = "; ".join(part for part in (reasons[name], item.detail) if part)
            self._finish(Row(name, item.status, detail, wave.number, judgement.verdict, judgement.messages))

    def _judge(self, names: tuple[str, ...], wave: int) -> dict[str, Judgement]:
        self._progress(Judging(names))
        try:
            answer = dict(self._judge_call(names, frozenset(self._in_force.union(names))))
        except Exception as error:  # checks that break prove nothing: the devices go back
            answer = dict.fromkeys(names, Judgement(Verdict.ERROR, (f"the checks broke - {_safe(error)}",)))
        silent = Judgement(Verdict.UNKNOWN, ("no check judged it",))
        judged = {name: answer.get(name, silent) for name in names}
        self._journal.append_all(
            self._change,
            [
                Note(name, steps.VERDICT, {"wave": wave, "verdict": str(item.verdict), "messages": list(item.messages)})
                for name, item in judged.items()
            ],
        )
        for name, item in judged.items():
            self._progress(DeviceJudged(name, item.verdict, item.messages))
        return judged

    def _close(self, pending: Mapping[str, str], step: str) -> dict[str, Outcome]:
        """Confirm or revert; a device whose answer is lost is asked once where it stands."""
        outcomes: dict[str, Outcome] = {}
        for platform, names in self._by_platform(tuple(pending)).items():
            part = {name: pending[name] for name in names}
            self._journal.append_all(
                self._change, [Note(name, step, {"handle": handle}) for name, handle in part.items()]
            )
            actor = actor_for(self._actors, platform)
            call = actor.confirm if step == steps.CONFIRM else actor.revert
            found = self._guarded(names, lambda c=call, p=part: c(p, self._session))  # type: ignore[misc]
            outcomes.update(self._settled_where_lost(actor, found))
        return outcomes

    def _wait_out(self, lost: Mapping[str, str], expires: float) -> dict[str, Outcome]:
        """Devices that could not be told to revert do so by themselves: wait for it, then ask."""
        left = max(0.0, expires - self._clock.monotonic()) + SLACK_S
        self._progress(Waiting("confirm timer", left, tuple(lost)))
        pause(self._clock, left)
        outcomes: dict[str, Outcome] = {}
        for platform, names in self._by_platform(tuple(lost)).items():
            actor = actor_for(self._actors, platform)
            outcomes |= self._ask(actor, {name: lost[name] for name in names})
        return {
            name: replace(item, detail="it reverted by its own timer")
            if item.status is Status.REVERTED and not item.detail
            else item
            for name, item in outcomes.items()
        }

    def _settled_where_lost(self, actor: Actor, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
        lost = {
            name: item.handle or self._session.handles.get(name, "")
            for name, item in outcomes.items()
            if item.status is Status.UNKNOWN
        }
        return {**outcomes, **(self._ask(actor, lost, outcomes) if lost else {})}

    def _ask(
        self, actor: Actor, pending: Mapping[str, str], before: Mapping[str, Outcome] | None = None
    ) -> dict[str, Outcome]:
        try:
            found = dict(actor.settle(pending))
        except Exception as error:  # not being able to ask is an answer: unknown
            found = {name: Outcome(name, Status.UNKNOWN, _safe(error)) for name in pending}
        answers: dict[str, Outcome] = {}
        for name, handle in pending.items():
            item = found.get(name) or Outcome(name, Status.UNKNOWN, "its actor gave no answer for it")
            if before and item.status is Status.UNKNOWN:
                item = replace(item, detail=before[name].detail or item.detail)
            elif before and item.status is Status.NOT_ATTEMPTED:
                item = replace(item, status=Status.FAILED, detail=f"{before[name].detail}; {item.detail}")
            answers[name] = item if item.handle else replace(item, handle=handle)
        return answers

    def _guarded(self, names: Sequence[str], call: Callable[[], Mapping[str, Outcome]]) -> dict[str, Outcome]:
        """An answer for each device, whatever the actor does."""
        try:
            found = dict(call())
        except Exception as error:  # an actor that breaks leaves its devices unknown, to be asked where they stand
            found = {name: Outcome(name, Status.UNKNOWN, _safe(error)) for name in names}
        silent = "its actor gave no answer for it"
        return {name: found.get(name) or Outcome(name, Status.UNKNOWN, silent) for name in names}

    def _soak(self, wave: Wave) -> None:
        kept = tuple(name for name in wave.devices if self.rows[name].status is Status.CONFIRMED)
        if not kept:
            return
        self._progress(Waiting("soak", self._strategy.soak_s, kept))
        pause(self._clock, self._strategy.soak_s, self._stop)
        self._beat()
        for name, item in self._judge(kept, wave.number).items():
            if item.verdict is not Verdict.PASS:
                detail = f"confirmed, but after the soak: {_why(item)}"
                self._finish(replace(self.rows[name], detail=detail, verdict=item.verdict, messages=item.messages))

    def _failed_in_wave(self, device: str) -> None:
        """Count a device at once, so that what the wave has not begun yet is not begun; called from any thread."""
        with self._counting:
            self._failing.add(device)
            self._check_budget()

    def _check_budget(self) -> None:
        failed = {row.device for row in self.rows.values() if row.status in _BAD or row.kept_in_doubt} | self._failing
        if len(failed) > self._strategy.max_failures and not self._stop.requested():
            reason = f"{len(failed)} failed, {self._strategy.max_failures} allowed"
            self._stop.request(reason)
            self._progress(Stopping(reason))

    def _abandon(self) -> None:
        self.abandoned = True
        self._stop.request("abandoned by the operator")
        for name in sorted(self._submitted):
            if self.rows[name].status is Status.NOT_ATTEMPTED:
                words = self._devices[name].revert or "as its kind of device does"
                self.rows[name] = Row(
                    name, Status.UNKNOWN, f"left where it was; unless confirmed it comes back {words}"
                )
        self._note("", steps.ABANDONED, {"reason": self._stop.reason})
        self._progress(Stopping(self._stop.reason))

    def _finish(self, row: Row) -> None:
        self._note(row.device, steps.RESULT, row_data(row))
        self.rows[row.device] = row
        if row.status in _DONE:
            self._in_force.add(row.device)
        self._progress(DeviceDone(row.device, row.status, row.detail))

    def _note(self, device: str, step: str, data: Mapping[str, Any]) -> None:
        self._journal.append(self._change, device, step, data)

    def _by_platform(self, names: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in names:
            found.setdefault(self._devices[name].wanted.target.platform, []).append(name)
        return found


def row_data(row: Row) -> dict[str, Any]:
    """A row as it stands in the journal."""
    return {
        "status": str(row.status),
        "detail": row.detail,
        "wave": row.wave,
        "verdict": str(row.verdict) if row.verdict else "",
        "messages": list(row.messages),
    }


def _why(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.PASS:
        return ""
    more = len(judgement.messages) - 1
    text = judgement.messages[0] if judgement.messages else "no reason given"
    return f"checks: {judgement.verdict} - {text}" + (f" (and {more} more)" if more > 0 else "")


def _safe(error: Exception) -> str:
    """An error in words; the text of errors that are not ours may hold anything, so only their kind is told."""
    return error.message if isinstance(error, IntentError) else f"internal error ({type(error).__name__})"
