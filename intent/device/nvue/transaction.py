"""One switch's part of a change: from the plan to a revision that awaits confirmation, or back to nothing.

Order of calls, each announced in the journal before it is made: busy? → read and compare with the plan →
candidate → load → the device's own diff must equal the plan → apply with the confirm timer → wait.
A process that dies anywhere in between leaves the switch in its old state, or in the new one until the timer
of the switch itself puts the old one back.

A few changes cannot be carried out in one revision (`catalog/data/nvue_stages.toml`). Each part is then a revision of
its own, checked against the device's diff and applied with the timer like any other; a switch takes no second apply
while one awaits confirmation, so every part but the last is confirmed here, over a new connection. When a later part
fails, what was before the change is written back. Only a process that dies between two parts leaves a switch that holds
neither the old nor the new state; its journal says so (`2+`: revision 2 was the first part).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.core.differences import Differences
from intent.core.errors import IntentError
from intent.core.tree import Difference, Tree, get, patch
from intent.device.actor import Outcome, Request, Session, Status
from intent.device.deadline import Deadline
from intent.device.errors import (
    BadRequest,
    ConnectionLost,
    DeadlineExceeded,
    DeviceError,
    ProtocolError,
    ServerError,
)
from intent.device.nvue.agreement import device_differences, disagreement, summary
from intent.device.nvue.means import Means
from intent.device.nvue.payload import bodies, one_sided, removals
from intent.device.nvue.release import same_release
from intent.device.nvue.restoring import confirm, handle, restore
from intent.device.nvue.scope import Scoped
from intent.device.nvue.session import NvueSession
from intent.device.nvue.states import Kind
from intent.device.nvue.waiting import Waited, wait_for
from intent.formats.nvue.diff import Stage, stages

_CLEAN_UP_S = 10.0
_READ_BACK_S = 20.0
_CARRIED = (("system", "aaa", "user"), ("system", "api"))


class _Ended(Exception):
    """The transaction is over; carries its outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class _Leg:
    """One revision of a change.

    Args:
        live: what the device holds before it.
        want: what it must hold after it, in scope.
        differences: what leads from one to the other.
    """

    live: Scoped
    want: Tree
    differences: Differences


class Transaction:
    """Carries out one request on one switch.

    Args:
        session: with the switch.
        request: the plan's part for it.
        journal: written before each call that changes something.
        means: what transactions share.
        release: tells the release the switch runs.

    `held` is all the switch held before the change, once it was read.
    """

    def __init__(
        self,
        session: NvueSession,
        request: Request,
        journal: Session,
        means: Means,
        release: Callable[[Deadline], str],
    ) -> None:
        self._session = session
        self._request = request
        self._journal = journal
        self._means = means
        self._reported = release
        self._name = request.wanted.target.name
        self._canon = means.canons.of(request.wanted.target.release)
        self._scope = means.scopes.of(request.wanted)
        self._deadline: Deadline = session.deadline(request.deadline_s)
        self._candidate = ""
        self._kept: tuple[str, ...] = ()
        self._leg: _Leg | None = None
        self.held: Tree | None = None

    def run(self) -> Outcome:
        """Up to the point where the switch awaits confirmation; says where it stands. Never raises for the device."""
        outcome = self._run()
        if self._kept and outcome.status in (Status.FAILED, Status.NOT_ATTEMPTED):
            return self._restored(outcome)
        return outcome

    def _run(self) -> Outcome:
        try:
            live, found = self._compared()
            for part in self._parts(live)[:-1]:
                want = patch(live.state, list(part.differences))
                live = self._first(_Leg(live, want, Differences.between(live.state, want)), part.reason)
                found = self._scope.changes(live.state)
            self._submit(_Leg(live, self._scope.tree, found))
            return self._applied()
        except _Ended as ended:
            return ended.outcome
        except IntentError as problem:
            self._discard()
            return self._outcome(Status.FAILED, self._words(problem))

    def _submit(self, leg: _Leg) -> None:
        """Up to a candidate that does what the plan says, not applied."""
        self._leg = leg
        body = self._bodies(leg)
        self._create()
        self._load(body)
        self._agreed(leg)

    # --- more than one revision

    def _parts(self, live: Scoped) -> tuple[Stage, ...]:
        if self._request.wanted.replace:
            return (Stage(self._request.differences),)
        return stages(self._request.differences, self._means.rules, live.state)

    def _first(self, leg: _Leg, reason: str) -> Scoped:
        """A part that has to be in force before the next: applied, seen over a new connection, and kept."""
        self._journal.record(self._name, "part", {"reason": reason})
        self._submit(leg)
        candidate = self._candidate
        outcome = self._applied()
        if outcome.status is not Status.AWAITING:
            raise _Ended(outcome)
        kept = (*self._kept, candidate)
        self._journal.record(self._name, "keep part", {"revision": handle(kept)})
        problem = confirm(self._session, candidate, self._deadline, self._means.pace)
        if problem:
            raise _Ended(Outcome(self._name, Status.UNKNOWN, self._means.secrets.redact(problem), handle(kept)))
        self._kept, self._candidate = kept, ""
        live = self._scope.of(self._session.applied(self._deadline), self._means.secrets)
        if live.state != leg.want:
            raise IntentError(f"after revision {candidate}, the first part, the device does not hold what it should")
        return live

    def _restored(self, outcome: Outcome) -> Outcome:
        """The outcome once what was before the change is written back."""

        def record(step: str, data: Mapping[str, Any]) -> None:
            self._journal.record(self._name, step, data)

        problem = restore(
            self._session,
            self.held or {},
            self._canon,
            self._session.deadline(self._request.deadline_s),
            self._means.pace,
            confirm_s=self._request.confirm_s,
            record=record,
        )
        if problem:
            text = f"{outcome.detail}; its first part is in force and could not be put back: {problem}"
            return self._outcome(Status.UNKNOWN, text, handle(self._kept))
        return self._outcome(Status.REVERTED, f"{outcome.detail}; the old configuration was put back")

    # --- before anything is written

    def _compared(self) -> tuple[Scoped, Differences]:
        """The live state, when it is the one the plan was made from, and what leads from it to the wanted one."""
        if self._journal.stopping():
            raise _Ended(self._outcome(Status.NOT_ATTEMPTED, "stopped before this device was begun"))
        holding = [item for item in self._session.revisions(self._deadline) if item.holding]
        if holding:
            text = f"busy: {holding[0].words()}; another change holds the device"
            raise _Ended(self._outcome(Status.FAILED, text))
        self._release()
        self.held = self._session.applied(self._deadline)
        live = self._scope.of(self.held, self._means.secrets)
        if live.digest != self._request.digest:
            text = "the device changed since the plan was computed; nothing was written: plan again"
            raise _Ended(self._outcome(Status.STALE, text))
        found = self._scope.changes(live.state)
        if not _same(found, self._request.differences):
            text = "what leads from live to wanted is not what the plan holds; nothing was written: plan again"
            raise _Ended(self._outcome(Status.STALE, text))
        if not found:
            raise _Ended(self._outcome(Status.UNCHANGED, "no change"))
        return live, found

    def _release(self) -> None:
        named = self._request.wanted.target.release
        if not named:
            return
        reported = self._reported(self._deadline)
        if not same_release(named, reported):
            text = f"the device runs release {reported}, the intent names {named}; nothing was written"
            raise _Ended(self._outcome(Status.FAILED, text))

    def _bodies(self, leg: _Leg) -> list[Tree]:
        """What is loaded, in order.

        Raises:
            IntentError: a secret is missing.
        """
        wanted = self._request.wanted
        if wanted.replace:
            missing = [path for path in _CARRIED if not get(wanted.body, path, None)]
            if missing:
                raise IntentError(
                    f"replace refused: the wanted tree lacks {' and '.join('.'.join(path) for path in missing)}",
                    hint="a replace without users and API would lock everybody out of the switch",
                )
            return [self._means.secrets.fill(wanted.body)]
        gone = removals(leg.differences, self._scope, leg.want)
        # Only branches that may hold a reference are copied: the largest, the interfaces, hold none.
        new: Tree = {}
        for key, value in leg.differences.after.items():
            new |= self._means.secrets.fill({key: value}) if self._scope.holds_references(key) else {key: value}
        return bodies(gone, new)

    # --- the candidate

    def _create(self) -> None:
        self._journal.record(self._name, "create")
        self._candidate = self._session.create(self._deadline)

    def _load(self, bodies: list[Tree]) -> None:
        data: dict[str, Any] = {"revision": self._handle(), "differences": len(self._request.differences)}
        self._journal.record(self._name, "load", data)
        if self._request.wanted.replace:
            self._session.clear(self._candidate, self._deadline)
        for body in bodies:
            self._session.load(self._candidate, body, self._deadline)

    def _agreed(self, leg: _Leg) -> None:
        """Nothing, or the end when the device's own diff is not the plan's.

        A replace writes secrets again that could not be compared; the device may call that a change.
        """
        forward = self._session.diff(self._candidate, "applied", self._deadline)
        backward = self._session.diff("applied", self._candidate, self._deadline)
        here = one_sided(leg.differences, leg.want)
        there = one_sided(leg.differences, leg.live.state, back=True)
        new = self._scope.shown(forward, self._means.secrets, known=here)
        old = self._scope.shown(backward, self._means.secrets, known=there)
        if new == here and old == there:
            return self._go_on()
        # Not word for word what we expect: leaf by leaf it may still be the same.
        found = device_differences(new, old)
        device = [item for item in found if item.path not in leg.live.not_compared]
        words = disagreement(leg.differences, device)
        if words:
            self._discard()
            text = f"the device's own diff is not the plan's, nothing was applied: {summary(words)}"
            raise _Ended(self._outcome(Status.FAILED, text))
        return self._go_on()

    def _go_on(self) -> None:
        """Nothing, or the end when the operator said stop."""
        if self._journal.stopping():
            self._discard()
            raise _Ended(self._outcome(Status.NOT_ATTEMPTED, "stopped before anything was applied"))

    # --- applying

    def _applied(self) -> Outcome:
        seconds = self._request.confirm_s
        self._journal.record(self._name, "apply", {"revision": self._handle(), "confirm_s": seconds})
        try:
            self._session.apply(self._candidate, self._deadline, confirm_s=seconds)
        except (ConnectionLost, DeadlineExceeded, ServerError, ProtocolError):
            # It may have been taken: a gateway answers 502 for a daemon that restarts. The revision's own state says
            # so; nothing is sent twice.
            self._session.transport.reconnect()
        waited = wait_for(self._session, self._candidate, self._deadline, self._means.pace)
        return self._judged(waited)

    def _judged(self, waited: Waited) -> Outcome:
        if waited.decided and waited.kind is Kind.CONFIRM:
            return self._outcome(Status.AWAITING, waited.words(), self._handle())
        if waited.decided and waited.kind is Kind.GOOD:
            if not self._request.confirm_s:
                return self._outcome(Status.AWAITING, "applied without a timer", self._handle())
            return self._outcome(
                Status.AWAITING, f"{waited.words()}: the device did not arm its confirm timer", self._handle()
            )
        if waited.decided:
            return self._failed(waited)
        if waited.kind is Kind.CANDIDATE and waited.revision is not None and not waited.trouble.startswith("GET"):
            self._discard()
            return self._outcome(Status.FAILED, f"{waited.words()}; nothing was applied")
        return self._outcome(
            Status.UNKNOWN, f"{waited.words()}; {self._read_back()}{self._timer_words()}", self._handle()
        )

    def _failed(self, waited: Waited) -> Outcome:
        if waited.kind is Kind.QUESTION and waited.revision is not None:
            self._journal.record(self._name, "refuse", {"revision": self._candidate})
            try:
                self._session.refuse(self._candidate, waited.revision.state, self._session.deadline(_CLEAN_UP_S))
            except DeviceError:
                return self._outcome(Status.UNKNOWN, f"{waited.words()}; the question is still open", self._handle())
        state, pending = self._read_back(), self._handle()
        if state == _OLD:
            self._discard()
        status = Status.FAILED if state == _OLD else Status.UNKNOWN
        return self._outcome(status, f"{waited.words()}; {state}", "" if status is Status.FAILED else pending)

    def _handle(self) -> str:
        return handle(self._kept, self._candidate)

    def _read_back(self) -> str:
        """Which configuration is in force now, in words."""
        try:
            applied = self._session.applied(self._session.deadline(_READ_BACK_S))
        except DeviceError as problem:
            return f"the configuration in force could not be read ({problem.message})"
        live = self._scope.of(applied, self._means.secrets)
        if self._leg is None or live.state == self._leg.live.state:
            return _OLD
        return _NEW if live.state == self._leg.want else _NEITHER

    def _timer_words(self) -> str:
        seconds = self._request.confirm_s
        return f"; unless confirmed the device reverts by itself within {seconds} s" if seconds else ""

    # --- leaving

    def _discard(self) -> None:
        """Throw the candidate away. One that stays behind holds nothing, so failing to is no failure."""
        if not self._candidate:
            return
        self._journal.record(self._name, "discard", {"revision": self._candidate})
        try:
            self._session.discard(self._candidate, self._session.deadline(_CLEAN_UP_S))
        except DeviceError as problem:
            self._journal.record(self._name, "left behind", {"revision": self._candidate, "why": problem.message})
        self._candidate = ""

    def _words(self, problem: IntentError) -> str:
        text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
        if isinstance(problem, BadRequest) and problem.violations:
            text += ": " + summary([str(item) for item in problem.violations])
        return text

    def _outcome(self, status: Status, detail: str, handle: str = "") -> Outcome:
        return Outcome(self._name, status, self._means.secrets.redact(detail), handle)


_OLD = "the old configuration is in force"
_NEW = "the new configuration is in force"
_NEITHER = "the configuration in force is neither the old nor the new one"


def _same(found: Differences, planned: Sequence[Difference]) -> bool:
    if isinstance(planned, Differences):
        return found == planned
    return tuple(found) == tuple(sorted(planned, key=lambda item: item.path))
