"""Carries out one request on one UFM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.catalog.ufm import UfmFacts
from intent.core.errors import IntentError
from intent.core.tree import dotted
from intent.device.actor import Outcome, Request, Session, Status
from intent.device.compensation import (
    UNDO_S,
    Carried,
    Hand,
    Lost,
    Mending,
    Pace,
    Refused,
    Standing,
    Write,
    summary,
    words_of,
)
from intent.device.deadline import Deadline
from intent.device.http import Reply, Transport
from intent.device.secrets import SecretStore
from intent.device.ufm.changes import Change, standing
from intent.device.ufm.jobs import JobEnd, job_of, wait_for
from intent.device.ufm.partitions import Partitions, state_digest
from intent.device.ufm.record import to_handle, told
from intent.device.ufm.scope import Scope
from intent.device.ufm.session import UfmSession
from intent.device.ufm.writes import writes

_PKEYS = "/resources/pkeys"


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


@dataclass(frozen=True, slots=True)
class UfmWork:
    """How UFM is read and written.

    Args:
        session: with UFM.
        version: of UFM.
        means: what transactions share.
    """

    session: UfmSession
    version: str
    means: Means

    @property
    def transport(self) -> Transport:
        """What it is spoken to through."""
        return self.session.transport

    def read(self, deadline: Deadline) -> Partitions:
        """Every partition."""
        return self.session.partitions(deadline)

    def busy(self, deadline: Deadline) -> str:
        """Jobs on partitions that are not over."""
        return self.session.working(deadline)

    def standing(self, planned: Sequence[Change], live: Partitions, *, force: bool) -> Standing[Change]:
        """How far changes got."""
        return standing(planned, live, force=force)

    def writes(self, left: Sequence[Change], live: Partitions) -> Sequence[Write]:
        """The calls that carry out what is left."""
        return writes(left, live, self.version, self.means.facts)

    def follow(self, call: Write, reply: Reply, deadline: Deadline) -> None:
        """Wait for the job of a call, where it has one."""
        job = job_of(reply)
        if not job:
            return
        result = wait_for(self.session, job, deadline, self.means.pace)
        if result.end is JobEnd.BAD:
            raise Refused(f"{call.words}: {result.words}")
        if result.end is JobEnd.LOST:
            raise Lost(f"{call.words}: {result.words}")


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
            named = self._means.facts.has(version, "partition-name")
            planned = scope.changes(scope.compared(scope.live(live)), named=named)
            refusal = self._refusal(scope, live, planned) or self._unoffered(planned, live, version)
            if refusal is not None:
                return refusal
            handle = to_handle(planned)
            self._journal.record(self._name, "before", {"handle": handle, **told(planned)})
        except IntentError as problem:
            return self._outcome(Status.FAILED, f"{words_of(problem)}; nothing was written")
        try:
            return self._carried(planned, live, UfmWork(self._session, version, self._means), scope, handle)
        except IntentError as problem:  # the journal, most of all: without it nothing more is written
            return self._outcome(Status.UNKNOWN, f"{words_of(problem)}; some of it may be in force", handle)

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

    def _unoffered(self, planned: Sequence[Change], live: Partitions, version: str) -> Outcome | None:
        """Whether this account may make every kind of call, where UFM says what it may; None to go on."""
        offered = {method for method, path in self._session.calls(self._deadline) if _PKEYS in path}
        needed = {call.method for call in writes(planned, live, version, self._means.facts)}
        missing = sorted(needed - offered) if offered else []
        if not missing:
            return None
        text = f"UFM does not offer {', '.join(missing)} on partitions to this account; nothing was written"
        return self._outcome(Status.FAILED, text)

    def _carried(
        self, planned: Sequence[Change], live: Partitions, work: UfmWork, scope: Scope, handle: str
    ) -> Outcome:
        hand = Hand(work, self._name, self._journal, self._means.pace, self._deadline)
        carried = hand.carry(planned, live, "write")
        if carried.standing is None or carried.live is None:
            return self._outcome(Status.UNKNOWN, f"{carried.trouble}; what is in force could not be read", handle)
        trouble = carried.trouble
        if not trouble and not carried.complete:
            trouble = f"read back, but {carried.standing.wrong}"
        trouble = trouble or _stranger(scope, carried.live)
        if not trouble:
            calls = self._session.transport.writes
            return self._outcome(Status.AWAITING, f"written in {calls} calls and read back", handle)
        back = put_back(work, self._name, self._journal, planned, Mending.OWN)
        if back.complete:
            return self._outcome(
                Status.FAILED, f"{trouble}; put back by compensating writes, the old state is in force"
            )
        return self._outcome(Status.UNKNOWN, f"{trouble}; not put back: {back.why}", handle)

    def _outcome(self, status: Status, detail: str, handle: str = "") -> Outcome:
        return Outcome(self._name, status, self._means.secrets.redact(detail), handle)


def _stranger(scope: Scope, live: Partitions) -> str:
    """What is not as wanted although all we wrote is in force; empty when everything is."""
    rest = scope.changes(scope.compared(scope.live(live)), named=False)
    paths = [dotted(item.path) for change in rest for item in change.differences()]
    return f"somebody else changed partitions meanwhile: {summary(paths)}" if paths else ""


def put_back(
    work: UfmWork, name: str, journal: Session, planned: Sequence[Change], mending: Mending = Mending.LATER
) -> Carried[Change, Partitions]:
    """Undo changes; members somebody else added to a partition are never touched."""
    hand = Hand(work, name, journal, work.means.pace, work.session.deadline(UNDO_S))
    return hand.put_back([change.inverse for change in planned], mending)
