"""Carries out one request on one UFM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.core.errors import IntentError
from intent.core.tree import digest, dotted
from intent.device.actor import Outcome, Request, Session, Status
from intent.device.compensation import (
    UNDO_S,
    Carried,
    Hand,
    Lost,
    Mending,
    Refused,
    Standing,
    Write,
    summary,
    words_of,
)
from intent.device.deadline import Deadline
from intent.device.http import Reply, Transport
from intent.device.ufm.changes import Change
from intent.device.ufm.jobs import JobEnd, job_of, wait_for
from intent.device.ufm.means import Live, Means, differences, held_against
from intent.device.ufm.record import Step, to_handle, told
from intent.device.ufm.scope import Scope
from intent.device.ufm.session import SETTINGS, UfmSession
from intent.device.ufm.settings import Hidden, SettingChange
from intent.device.ufm.writes import setting_writes, writes

_PKEYS = "/resources/pkeys"


@dataclass(frozen=True, slots=True)
class UfmWork:
    """How UFM is read and written.

    Args:
        session: with UFM.
        version: of UFM.
        means: what transactions share.
        names: settings to read.
    """

    session: UfmSession
    version: str
    means: Means
    names: tuple[str, ...] = ()

    @property
    def transport(self) -> Transport:
        """What it is spoken to through."""
        return self.session.transport

    def read(self, deadline: Deadline) -> Live:
        """Every partition, and the settings named."""
        return self.means.live(self.session, self.names, deadline)

    def busy(self, deadline: Deadline) -> str:
        """Jobs on partitions that are not over."""
        return self.session.working(deadline)

    def standing(self, planned: Sequence[Step], live: Live, *, force: bool) -> Standing[Step]:
        """How far changes got."""
        return held_against(self.means, planned, live, force=force)

    def writes(self, left: Sequence[Step], live: Live) -> Sequence[Write]:
        """The calls that carry out what is left."""
        settings = [change for change in left if isinstance(change, SettingChange)]
        partitions = [change for change in left if isinstance(change, Change)]
        first = setting_writes(settings, live.settings, self.means.settings)
        return (*first, *writes(partitions, live.partitions, self.version, self.means.facts))

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
            scope = self._means.scope(self._request.wanted)
            version = self._session.version(self._deadline)
            work = UfmWork(self._session, version, self._means, tuple(scope.settings))
            live = work.read(self._deadline)
            planned = self._means.planned(scope, live, named=self._means.facts.has(version, "partition-name"))
            refusal = self._refusal(scope, live, planned, version) or self._unoffered(work.writes(planned, live))
            if refusal is not None:
                return refusal
            handle = to_handle(planned)
            keys = {item.name: item.before for item in planned if isinstance(item, SettingChange)}
            self._means.kept[handle] = {name: key for name, key in keys.items() if isinstance(key, Hidden)}
            self._journal.record(self._name, "before", {"handle": handle, **told(planned)})
        except IntentError as problem:
            return self._outcome(Status.FAILED, f"{words_of(problem)}; nothing was written")
        try:
            return self._carried(planned, live, work, scope, handle)
        except IntentError as problem:  # the journal, most of all: without it nothing more is written
            return self._outcome(Status.UNKNOWN, f"{words_of(problem)}; some of it may be in force", handle)

    def _refusal(self, scope: Scope, live: Live, planned: Sequence[Step], version: str) -> Outcome | None:
        """Why nothing is written; None to go on."""
        if digest(self._means.state(scope, live)) != self._request.digest:
            text = "partitions or settings changed since the plan was computed; nothing was written: plan again"
            return self._outcome(Status.STALE, text)
        if differences(planned) != sorted(self._request.differences, key=lambda item: item.path):
            text = "what leads from live to wanted is not what the plan holds; nothing was written: plan again"
            return self._outcome(Status.STALE, text)
        unwritable = self._means.unwritable(scope, live, version)
        if unwritable:
            return self._outcome(Status.FAILED, f"{unwritable}; nothing was written")
        if not planned:
            return self._outcome(Status.UNCHANGED, "no change")
        removals = sum(change.removals for change in planned)
        if removals and not self._means.allow_removals:
            text = f"{removals} members or partitions are known only to UFM and would be removed; nothing was written"
            return self._outcome(Status.FAILED, f"{text} (say --allow-removals)")
        return None

    def _unoffered(self, calls: Sequence[Write]) -> Outcome | None:
        """Whether this account may make every kind of call, where UFM says what it may; None to go on."""
        offered = self._session.calls(self._deadline)
        for kind, what in ((_PKEYS, "partitions"), (SETTINGS, "settings")):
            needed = {call.method for call in calls if call.path.startswith(kind)}
            missing = sorted(needed - {method for method, path in offered if kind in path}) if offered else []
            if missing:
                text = f"UFM does not offer {', '.join(missing)} on {what} to this account; nothing was written"
                return self._outcome(Status.FAILED, text)
        return None

    def _carried(self, planned: Sequence[Step], live: Live, work: UfmWork, scope: Scope, handle: str) -> Outcome:
        hand = Hand(work, self._name, self._journal, self._means.pace, self._deadline)
        carried = hand.carry(planned, live, "write")
        if carried.standing is None or carried.live is None:
            return self._outcome(Status.UNKNOWN, f"{carried.trouble}; what is in force could not be read", handle)
        trouble = carried.trouble
        if not trouble and not carried.complete:
            trouble = f"read back, but {carried.standing.wrong}"
        trouble = trouble or self._stranger(scope, carried.live)
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

    def _stranger(self, scope: Scope, live: Live) -> str:
        """What is not as wanted although all we wrote is in force; empty when everything is."""
        paths = [dotted(item.path) for item in differences(self._means.planned(scope, live, named=False))]
        return f"somebody else changed partitions or settings meanwhile: {summary(paths)}" if paths else ""


def put_back(
    work: UfmWork, name: str, journal: Session, planned: Sequence[Step], mending: Mending = Mending.LATER
) -> Carried[Step, Live]:
    """Undo changes; members somebody else added to a partition are never touched."""
    hand = Hand(work, name, journal, work.means.pace, work.session.deadline(UNDO_S))
    return hand.put_back([change.inverse for change in planned], mending)
