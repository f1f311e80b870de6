"""Carries out changes of partitions on one UFM: write, read back, put back. Never raises for UFM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from intent.catalog.ufm import UfmFacts
from intent.core.errors import IntentError
from intent.core.tree import dotted
from intent.device.actor import Outcome, Request, Session, Status
from intent.device.deadline import Deadline
from intent.device.errors import (
    AuthenticationFailed,
    Busy,
    ConnectionLost,
    DeadlineExceeded,
    DeviceError,
    ServerError,
    Unreachable,
)
from intent.device.secrets import SecretStore
from intent.device.ufm.changes import Change, Standing, standing, summary
from intent.device.ufm.jobs import JobEnd, Pace, job_of, wait_for
from intent.device.ufm.partitions import Partitions, state_digest
from intent.device.ufm.record import to_handle, told
from intent.device.ufm.scope import Scope
from intent.device.ufm.session import UfmSession
from intent.device.ufm.writes import Write, writes

UNDO_S = 120.0


@dataclass(frozen=True, slots=True)
class Means:
    """What all transactions share.

    Args:
        facts: what is known of UFM's versions.
        secrets: to cut out of texts.
        pace: how often to ask.
        allow_removals: members and partitions known only to UFM may be removed.
    """

    facts: UfmFacts
    secrets: SecretStore
    pace: Pace
    allow_removals: bool = False


class Mending(Enum):
    """What is put back."""

    OWN = "what was written a moment ago, whatever UFM made of it"
    LATER = "what was written some time ago, where nobody changed it since"


class Refused(Exception):
    """A write failed, in words: the rest is not sent."""


@dataclass(frozen=True, slots=True)
class Carried:
    """How far a series of writes got.

    Args:
        standing: what is in force, by reading; None when UFM could not be read.
        live: what UFM had when it was read last.
        trouble: why it ended before its end; empty when it did not.
    """

    standing: Standing | None
    live: Partitions = field(default_factory=dict)
    trouble: str = ""

    @property
    def complete(self) -> bool:
        """True when everything was seen to be in force."""
        return self.standing is not None and not self.standing.left and not self.standing.others and not self.trouble


class Hand:
    """Sends writes one after the other and finds out by reading what became of those without an answer.

    Args:
        session: with UFM.
        name: the device, for the journal.
        journal: written before each call.
        means: what transactions share.
        deadline: when to give up.
    """

    def __init__(self, session: UfmSession, name: str, journal: Session, means: Means, deadline: Deadline) -> None:
        self._session = session
        self._name = name
        self._journal = journal
        self._means = means
        self._deadline = deadline

    def carry(
        self, planned: Sequence[Change], live: Partitions, version: str, step: str, *, mending: Mending | None = None
    ) -> Carried:
        """Write until everything planned is in force, as far as UFM lets us.

        After a lost connection (a failover of the virtual address) partitions are read again: what is in force is
        not sent again, and what somebody else changed ends it.

        Args:
            planned: the whole of it.
            live: what UFM has now.
            version: of UFM.
            step: name of the step in the journal.
            mending: something is put back: go on with the rest where somebody else changed a part.
        """
        force = mending is Mending.OWN
        now = standing(planned, live, force=force)
        for _ in range(self._means.pace.rereads):
            trouble = lost = ""
            try:
                lost = self._sent(writes(now.left, live, version, self._means.facts), step)
            except Refused as refusal:
                trouble = str(refusal)
            found = self.read_again()
            if found is None:
                return Carried(None, trouble=lost or trouble or "UFM could not be read afterwards")
            live = found
            now = standing(planned, live, force=force)
            if trouble or not lost or not now.left or (now.others and mending is None):
                return Carried(now, live, trouble or (lost if now.others else ""))
        return Carried(now, live, f"the connection was lost {self._means.pace.rereads} times")

    def _sent(self, calls: Sequence[Write], step: str) -> str:
        """Send calls in order; empty, or why it is not known what became of one.

        Raises:
            Refused: UFM refused a call, or a job of it failed.
        """
        for number, call in enumerate(calls, 1):
            data = {"call": f"{call.method} {call.path[:120]}", "what": call.words, "number": number, "of": len(calls)}
            self._journal.record(self._name, step, data)
            try:
                reply = self._session.write(call.method, call.path, call.body, self._deadline)
            except (ConnectionLost, DeadlineExceeded, ServerError) as problem:
                self._session.transport.reconnect()
                return problem.message
            except Unreachable as problem:  # it never left us; the virtual address may come back
                self._session.transport.reconnect()
                return problem.message
            except DeviceError as problem:
                raise Refused(f"{call.words}: {problem.message}") from None
            job = job_of(reply)
            if job:
                result = wait_for(self._session, job, self._deadline, self._means.pace)
                if result.end is JobEnd.BAD:
                    raise Refused(f"{call.words}: {result.words}")
                if result.end is JobEnd.LOST:
                    return f"{call.words}: {result.words}"
        return ""

    def read_again(self) -> Partitions | None:
        """Partitions as they are; waits for UFM while the deadline lasts. None when it cannot be read."""
        pause = self._means.pace.first_s
        while not self._deadline.over():
            try:
                return self._session.partitions(self._deadline)
            except AuthenticationFailed:
                return None
            except (Unreachable, ServerError, Busy):
                self._session.transport.reconnect()
                self._session.transport.sleep(max(0.0, min(pause, self._deadline.remaining())))
                pause = min(pause * self._means.pace.factor, self._means.pace.longest_s)
            except DeviceError:
                return None
        return None


class Transaction:
    """Carries out one request on one UFM.

    Args:
        session: with UFM.
        request: the plan's part for it.
        journal: written before each call that changes something.
        means: what transactions share.
    """

    def __init__(self, session: UfmSession, request: Request, journal: Session, means: Means) -> None:
        self._session = session
        self._request = request
        self._journal = journal
        self._means = means
        self._name = request.wanted.target.name
        self._deadline = session.deadline(request.deadline_s)

    def run(self) -> Outcome:
        """Write and read back; says where UFM stands."""
        try:
            if self._journal.stopping():
                return self._outcome(Status.NOT_ATTEMPTED, "stopped before this device was begun")
            scope = Scope(self._request.wanted, self._means.facts)
            version = self._session.version(self._deadline)
            live = self._session.partitions(self._deadline)
            planned = scope.changes(
                scope.compared(scope.live(live)), named=self._means.facts.has(version, "partition-name")
            )
            refusal = self._refusal(scope, live, planned)
            return refusal or self._carried(planned, live, version, scope)
        except IntentError as problem:
            return self._outcome(Status.FAILED, f"{words_of(problem)}; nothing was written")

    def _refusal(self, scope: Scope, live: Partitions, planned: Sequence[Change]) -> Outcome | None:
        """Why nothing is written; None to go on."""
        if state_digest(scope.compared(scope.live(live))) != self._request.digest:
            text = "partitions changed since the plan was computed; nothing was written: plan again"
            return self._outcome(Status.STALE, text)
        differences = [item for change in planned for item in change.differences()]
        if sorted(differences, key=lambda item: item.path) != sorted(self._request.differences, key=lambda i: i.path):
            text = "what leads from live to wanted is not what the plan holds; nothing was written: plan again"
            return self._outcome(Status.STALE, text)
        if not planned:
            return self._outcome(Status.UNCHANGED, "no change")
        removals = sum(change.removals for change in planned)
        if removals and not self._means.allow_removals:
            text = f"{removals} members or partitions are known only to UFM and would be removed; nothing was written"
            return self._outcome(Status.FAILED, f"{text} (say --allow-removals)")
        return None

    def _carried(self, planned: Sequence[Change], live: Partitions, version: str, scope: Scope) -> Outcome:
        handle = to_handle(planned)
        self._journal.record(self._name, "before", {"handle": handle, **told(planned)})
        try:
            hand = Hand(self._session, self._name, self._journal, self._means, self._deadline)
            carried = hand.carry(planned, live, version, "write")
            if carried.standing is None:
                return self._outcome(Status.UNKNOWN, f"{carried.trouble}; what is in force could not be read", handle)
            trouble = carried.trouble
            if not trouble and not carried.complete:
                trouble = f"read back, but {wrong(carried.standing)}"
            trouble = trouble or self._stranger(scope, carried.live)
            if trouble:
                return self._put_back(planned, version, trouble, handle)
            calls = self._session.transport.writes
            return self._outcome(Status.AWAITING, f"written in {calls} calls and read back", handle)
        except IntentError as problem:  # the journal, most of all: without it nothing more is written
            return self._outcome(Status.UNKNOWN, f"{words_of(problem)}; some of it may be in force", handle)

    @staticmethod
    def _stranger(scope: Scope, live: Partitions) -> str:
        """What is not as wanted although all we wrote is in force; empty when everything is."""
        rest = scope.changes(scope.compared(scope.live(live)), named=False)
        paths = [dotted(item.path) for change in rest for item in change.differences()]
        return f"somebody else changed partitions meanwhile: {summary(paths)}" if paths else ""

    def _put_back(self, planned: Sequence[Change], version: str, trouble: str, handle: str) -> Outcome:
        back = put_back(self._session, self._name, self._journal, self._means, planned, version, Mending.OWN)
        if back.complete:
            return self._outcome(
                Status.FAILED, f"{trouble}; put back by compensating writes, the old state is in force"
            )
        return self._outcome(Status.UNKNOWN, f"{trouble}; not put back: {why_not(back)}", handle)

    def _outcome(self, status: Status, detail: str, handle: str = "") -> Outcome:
        return Outcome(self._name, status, self._means.secrets.redact(detail), handle)


def put_back(
    session: UfmSession,
    name: str,
    journal: Session,
    means: Means,
    planned: Sequence[Change],
    version: str,
    mending: Mending = Mending.LATER,
) -> Carried:
    """Undo changes; members somebody else added to a partition are never touched."""
    hand = Hand(session, name, journal, means, session.deadline(UNDO_S))
    live = hand.read_again()
    if live is None:
        return Carried(None, trouble="UFM could not be read")
    return hand.carry([change.inverse for change in planned], live, version, "put back", mending=mending)


def why_not(back: Carried) -> str:
    """Why a state was not put back, in words."""
    parts = [back.trouble, wrong(back.standing) if back.standing is not None else ""]
    return "; ".join(part for part in parts if part) or "it is not known why"


def wrong(now: Standing) -> str:
    """What is not as it should be, in words."""
    words = [f"{now.todo} changes are not in force"] if now.todo else []
    words += [f"changed by somebody else: {summary(now.others)}"] if now.others else []
    return "; ".join(words)


def words_of(problem: IntentError) -> str:
    """An error with its hint."""
    return f"{problem.message} ({problem.hint})" if problem.hint else problem.message
