"""What follows an apply: keep it, put it back, or find out which of the two happened."""

from __future__ import annotations

from collections.abc import Callable

from intent.core.errors import IntentError
from intent.core.tree import Tree
from intent.device.actor import Outcome, Session, Status, Target
from intent.device.deadline import Deadline
from intent.device.errors import (
    BadRequest,
    ConnectionLost,
    DeadlineExceeded,
    DeviceError,
    NotFound,
    ProtocolError,
    ServerError,
)
from intent.device.nvue.canonical import Canon
from intent.device.nvue.means import Means
from intent.device.nvue.restoring import restore, revisions, same_whole
from intent.device.nvue.revision import Revision
from intent.device.nvue.session import NvueSession
from intent.device.nvue.states import Kind
from intent.device.nvue.waiting import Waited, wait_for

_KEPT = frozenset({Kind.GOOD, Kind.BAD, Kind.ENDED})

# The device's timer while the old configuration is put back.
_RESTORE_CONFIRM_S = 300
_PART_IN_FORCE = (
    "a first part of the change is in force; `intent rollback` of the change puts back what was before, "
    "a new plan carries it on"
)


class Closing:
    """Confirms, reverts or settles one device.

    Args:
        session: with the device, over new connections.
        target: the device.
        revision: the device's own name for what is pending.
        deadline_s: seconds for the whole of it.
        means: what transactions share.
        held: all the device held before the change; None when nobody remembers.
    """

    def __init__(
        self,
        session: NvueSession,
        target: Target,
        revision: str,
        deadline_s: float,
        means: Means,
        held: Tree | None = None,
    ) -> None:
        self._session = session
        self._name = target.name
        self._canon: Canon = means.canons.of(target.release)
        self._handle = revision
        # Of a change of several revisions: those kept on the way, and whether the last was not begun.
        self._earlier, last = revisions(revision)
        self._unbegun = bool(self._earlier) and not last
        self._revision = self._earlier[-1] if self._unbegun else last
        self._deadline: Deadline = session.deadline(deadline_s)
        self._means = means
        self._held = held

    def confirm(self, journal: Session) -> Outcome:
        """Keep what was applied, and save it where the device does not by itself."""
        try:
            now = self._session.revision(self._revision, self._deadline)
            if now.kind is Kind.CONFIRM:
                journal.record(self._name, "confirm", {"revision": self._revision})
                self._send(self._session.confirm)
                waited = wait_for(self._session, self._revision, self._deadline, self._means.pace, _KEPT)
            elif now.kind is Kind.GOOD:
                waited = Waited(now, True)
            else:
                return self._settled(now)
            if not waited.decided or waited.revision is None:
                return self._outcome(Status.UNKNOWN, waited.words(), self._handle)
            if waited.kind is not Kind.GOOD:
                return self._settled(waited.revision)
            if now.kind is Kind.GOOD and not self._in_force():
                return self._outcome(Status.UNKNOWN, f"{waited.words()}, but the configuration in force is another")
            return self._saved(waited.revision, journal)
        except IntentError as problem:
            return self._unknown(problem)

    def revert(self, journal: Session) -> Outcome:
        """Put the old configuration back, and say so only when it is seen to be in force."""
        try:
            now = self._session.revision(self._revision, self._deadline)
            if now.kind is Kind.CONFIRM:
                journal.record(self._name, "revert", {"revision": self._revision})
                self._send(self._session.decline)
                now = self._left()
            elif now.kind is Kind.CANDIDATE:
                journal.record(self._name, "discard", {"revision": self._revision})
                self._session.discard(self._revision, self._deadline)
                return self._outcome(Status.REVERTED, "it was never applied")
            elif now.kind is Kind.MOVING:
                now = self._left()
                if now.kind is Kind.CONFIRM:
                    journal.record(self._name, "revert", {"revision": self._revision})
                    self._send(self._session.decline)
                    now = self._left()
            if now.holding or now.kind is Kind.UNKNOWN:
                return self._outcome(Status.UNKNOWN, f"{now.words()}; not seen to be reverted", self._handle)
            if self._in_force():
                text = f"{now.words()}: it is in force and no longer awaits confirmation; use rollback"
                if self._unbegun:
                    return self._outcome(Status.UNKNOWN, f"{now.words()}: {_PART_IN_FORCE}", self._handle)
                kept = Status.CONFIRMED if now.kind is Kind.GOOD else Status.UNKNOWN
                return self._outcome(kept, text, self._handle)
            if self._earlier and not self._unbegun:
                return self._put_back(now, journal)
            if self._held is not None and not self._holds(self._held):
                text = f"{now.words()}; the configuration in force is neither the new nor the old one"
                return self._outcome(Status.UNKNOWN, text, self._handle)
            return self._outcome(Status.REVERTED, f"{now.words()}; the old configuration is in force")
        except NotFound:
            return self._outcome(Status.UNKNOWN, f"the device does not know revision {self._revision}")
        except IntentError as problem:
            return self._unknown(problem)

    def settle(self) -> Outcome:
        """Where the device stands; reads only."""
        try:
            if not self._revision:
                self._session.revisions(self._deadline)
                return self._outcome(Status.NOT_ATTEMPTED, "no revision was recorded: nothing was applied")
            return self._settled(self._session.revision(self._revision, self._deadline))
        except NotFound:
            return self._outcome(Status.UNKNOWN, f"the device does not know revision {self._revision} any more")
        except IntentError as problem:
            return self._unknown(problem)

    # --- steps

    def _put_back(self, now: Revision, journal: Session) -> Outcome:
        """The last revision is gone; what the earlier ones did is undone by one more."""
        if self._held is None:
            return self._outcome(Status.UNKNOWN, f"{now.words()}; {_PART_IN_FORCE}", self._handle)
        problem = restore(
            self._session,
            self._held,
            self._canon,
            self._deadline,
            self._means.pace,
            confirm_s=_RESTORE_CONFIRM_S,
            record=lambda step, data: journal.record(self._name, step, data),
        )
        if problem:
            return self._outcome(Status.UNKNOWN, f"{now.words()}; {_PART_IN_FORCE}: {problem}", self._handle)
        return self._outcome(Status.REVERTED, f"{now.words()}; the old configuration was put back")

    def _settled(self, now: Revision) -> Outcome:
        found = self._standing(now)
        gone = (Status.REVERTED, Status.FAILED, Status.NOT_ATTEMPTED)
        if (self._earlier and found.status in gone and not self._unbegun) or (
            self._unbegun and found.status is Status.CONFIRMED
        ):
            return self._outcome(Status.UNKNOWN, f"{found.detail}; {_PART_IN_FORCE}", self._handle)
        return found

    def _standing(self, now: Revision) -> Outcome:
        if now.kind is Kind.CONFIRM:
            return self._outcome(Status.AWAITING, now.words(), self._handle)
        if now.kind is Kind.CANDIDATE:
            return self._outcome(Status.NOT_ATTEMPTED, f"{now.words()}: it was never applied", self._handle)
        if now.kind in (Kind.MOVING, Kind.QUESTION, Kind.UNKNOWN):
            return self._outcome(Status.UNKNOWN, now.words(), self._handle)
        force = self._in_force()
        if now.kind is Kind.GOOD:
            if force:
                return self._outcome(Status.CONFIRMED, now.words())
            return self._outcome(Status.UNKNOWN, f"{now.words()}, but the configuration in force is another")
        if force:
            return self._outcome(Status.UNKNOWN, f"{now.words()}, yet its configuration is in force", self._handle)
        if now.kind is Kind.BAD and now.state != "confirm_fail":
            return self._outcome(Status.FAILED, f"{now.words()}; its configuration is not in force")
        return self._outcome(Status.REVERTED, f"{now.words()}; its configuration is not in force")

    def _send(self, call: Callable[[str, Deadline], None]) -> None:
        """Send an order once; neither a lost connection nor a 502 is an answer, the revision's state is."""
        try:
            call(self._revision, self._deadline)
        except (ConnectionLost, DeadlineExceeded, ServerError, ProtocolError):
            self._session.transport.reconnect()

    def _left(self) -> Revision:
        """The revision once it neither moves nor awaits; its last state when time is over first."""
        kinds = frozenset({Kind.GOOD, Kind.BAD, Kind.ENDED, Kind.CANDIDATE})
        waited = wait_for(self._session, self._revision, self._deadline, self._means.pace, kinds)
        return waited.revision or Revision(self._revision, "")

    def _in_force(self) -> bool:
        """True when the revision's configuration is the applied one."""
        here = self._session.diff(self._revision, "applied", self._deadline)
        there = self._session.diff("applied", self._revision, self._deadline)
        return self._canon.tree(here) == self._canon.tree(there) == {}

    def _holds(self, before: Tree) -> bool:
        return same_whole(self._session.applied(self._deadline), before, self._canon)

    def _saved(self, now: Revision, journal: Session) -> Outcome:
        """Confirmed; saved as well where the device does not do so by itself."""
        if not now.saved:
            self._session.transport.sleep(self._means.pace.first_s)
            now = self._session.revision(self._revision, self._deadline)
        if now.saved:
            return self._outcome(Status.CONFIRMED, now.words())
        journal.record(self._name, "save", {"revision": self._revision})
        try:
            self._session.save(self._deadline)
        except (BadRequest, ServerError, ConnectionLost) as problem:
            return self._outcome(Status.CONFIRMED, f"{now.words()}, but not saved: {problem.message}")
        return self._outcome(Status.CONFIRMED, f"{now.words()}; told to save it")

    def _unknown(self, problem: IntentError) -> Outcome:
        held = "" if isinstance(problem, DeviceError) else " (nothing was sent)"
        return self._outcome(Status.UNKNOWN, f"{problem.message}{held}", self._handle)

    def _outcome(self, status: Status, detail: str, handle: str = "") -> Outcome:
        return Outcome(self._name, status, self._means.secrets.redact(detail), handle)
