"""The actor for NMX-M: NVLink partitions of many domains, no commit timer.

What a change replaces is journalled with it before the first write, so that any later process can put it back by
compensating writes. A GPU leaves one partition before it joins another, the default partition first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent.core.errors import IntentError
from intent.core.tree import Difference, digest
from intent.device.actor import Disruption, Observed, Outcome, Problem, Request, Session, Status, Target, Wanted
from intent.device.compensation import UNDO_S, Carried, Hand, Mending, Pace, Standing, Write, words_of
from intent.device.controller import Controllers
from intent.device.deadline import Deadline
from intent.device.fanout import Fleet
from intent.device.http import Reply, Transport
from intent.device.nmx.changes import Change, changes, from_handle, standing, strangers, to_handle, writes
from intent.device.nmx.model import DEFAULT_NAME, At, Live, Places, from_tree, to_tree
from intent.device.nmx.session import NmxConnection, NmxSession
from intent.device.owned import Owned

PLATFORM = "nmx"
_ORDER = (
    "the default partition of a domain shrinks first, then others shrink or go, then they grow or are made: a GPU is "
    "in one partition at most, in none in between"
)


@dataclass(frozen=True, slots=True)
class NmxWork:
    """How NMX-M is read and written.

    Args:
        session: with NMX-M.
        pace: how often to ask.
    """

    session: NmxSession
    pace: Pace

    @property
    def transport(self) -> Transport:
        """What it is spoken to through."""
        return self.session.transport

    def read(self, deadline: Deadline) -> Live:
        """GPUs and partitions."""
        return self.session.live(deadline)

    def busy(self, deadline: Deadline) -> str:
        """Operations on partitions that are not over."""
        return self.session.working(deadline)

    def standing(self, planned: Sequence[Change], live: Live, *, force: bool) -> Standing[Change]:
        """How far changes got."""
        del force  # a GPU is in or out
        return standing(planned, live)

    def writes(self, left: Sequence[Change], live: Live) -> Sequence[Write]:
        """The calls that carry out what is left."""
        return writes(left, live)

    def follow(self, call: Write, reply: Reply, deadline: Deadline) -> None:
        """Wait for the operation of a call."""
        self.session.follow(call, reply, deadline, self.pace)


class Scope:
    """What one NMX-M must hold and which of its partitions are ours.

    Args:
        wanted: what it must hold.

    Raises:
        IntentError: the tree makes no sense.
    """

    __slots__ = ("_owned", "places")

    def __init__(self, wanted: Wanted) -> None:
        self._owned = Owned(((),) if wanted.replace else wanted.owned, wanted.excepted)
        self.places = self._kept(from_tree(wanted.body))

    def held(self, live: Live) -> Places:
        """Partitions there are, as far as they are ours, and the default ones of the domains we partition.

        One without members belongs to no domain that could be told: it counts as the wanted one of its name.
        """
        domains = {at.domain for at in self.places}
        found: Places = {held.at: held.places for held in live.partitions if held.at.domain}
        for at in self.places:
            if at not in found and live.find(at) is not None:
                found[at] = frozenset()
        defaults = {at: places for at, places in found.items() if at.name == DEFAULT_NAME and at.domain in domains}
        return self._kept(found) | defaults

    def changes(self, held: Places, ids: Mapping[At, str] | None = None) -> tuple[Change, ...]:
        """What leads from what is held to what is wanted; a partition that is not all ours stays."""
        found = []
        for change in changes(held, self.places, ids):
            root = ("domain", change.at.domain, "partition", change.at.name)
            stays = change.exists == (True, False) and not self._owned.all_ours(root)
            found.append(
                Change(change.at, change.id, (True, True), change.leaving, change.joining) if stays else change
            )
        return tuple(change for change in found if change)

    def check(self, live: Live) -> None:
        """Hold what is wanted against the GPUs there are.

        Raises:
            IntentError: a GPU that does not exist, or that a partition not ours holds.
        """
        for at, places in self.places.items():
            for place in sorted(places):
                if (at.domain, place) not in live.gpus:
                    raise IntentError(f"domain {at.domain} has no GPU {place}: partition {at.name!r} cannot hold it")
                owner = live.owner(at.domain, place)
                if owner is None or owner.at.name in (at.name, DEFAULT_NAME):
                    continue
                if not self._owned.covers(("domain", at.domain, "partition", owner.at.name, "member", place)):
                    raise IntentError(f"GPU {place} of domain {at.domain} is in partition {owner.at.name!r}, not ours")

    def _kept(self, places: Places) -> Places:
        kept: Places = {}
        for at, members in places.items():
            root = ("domain", at.domain, "partition", at.name)
            if self._owned.covers(root) or self._owned.speaks_below(root):
                kept[at] = frozenset(place for place in members if self._owned.covers((*root, "member", place)))
        return kept


class NmxActor:
    """Configures the NVLink partitions of domains through their NMX-M.

    A `Wanted` holds in `body` what `intent.device.nmx.model.from_tree` takes. The default partition of a domain need
    not be named: GPUs wanted elsewhere leave it.

    Args:
        fleet: how to reach them.
        targets: every NMX-M a later call may name by its name alone (confirm, revert, settle).
        allow_removals: GPUs may be taken out of partitions, and partitions be removed, that only NMX-M knows.
        pace: how often to ask while NMX-M works.
        closing_s: seconds one NMX-M may take to confirm or to say where it stands.
    """

    def __init__(
        self,
        fleet: Fleet,
        targets: Sequence[Target] = (),
        *,
        allow_removals: bool = False,
        pace: Pace | None = None,
        closing_s: float = 120.0,
    ) -> None:
        self._controllers: Controllers[NmxSession] = Controllers(fleet, NmxConnection, PLATFORM, targets)
        self._allow_removals = allow_removals
        self._pace = pace or Pace()
        self._closing_s = closing_s

    @property
    def platform(self) -> str:
        """Key by which artefacts name this actor."""
        return PLATFORM

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Observed]:
        """Read only: the partitions each NMX-M holds, those included that only it knows."""
        by_name = {item.target.name: item for item in wanted}

        def read(target: Target, session: NmxSession) -> Observed:
            try:
                scope = Scope(by_name[target.name])
            except IntentError as problem:
                return Observed(target.name, problem=Problem.MISMATCH, detail=words_of(problem))
            live = session.live(session.deadline())
            try:
                scope.check(live)
            except IntentError as problem:
                return Observed(target.name, problem=Problem.MISMATCH, detail=words_of(problem))
            state = to_tree(scope.held(live))
            return Observed(target.name, state=state, digest=digest(state), release=target.release, model="NMX-M")

        return self._controllers.observe([item.target for item in wanted], read)

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """What leads from live to wanted in scope; what only NMX-M knows shows as removed."""
        found = Scope(wanted).changes(from_tree(observed.state))
        return tuple(sorted((i for change in found for i in change.differences()), key=lambda item: item.path))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """Whatever runs over NVLink on a GPU that leaves a partition or joins one ends."""
        del wanted
        hit = dict.fromkeys((item.path[1], item.path[3]) for item in differences if len(item.path) > 3)
        reason = "GPUs that leave or join lose their NVLink peers: jobs on them end (NVIDIA GB200 NVL partition guide)"
        found = [Disruption("flap", f"NVLink partition {name!r} of {domain}", reason) for domain, name in hit]
        return (*found, *([Disruption("none", "order of writes", _ORDER)] if hit else []))

    def revert_words(self, wanted: Wanted) -> str:
        """How NMX-M comes back: not by itself."""
        del wanted
        return "by compensating writes: NMX-M has no timer, so somebody has to make them (intent recover does)"

    def apply(self, requests: Sequence[Request], session: Session) -> Mapping[str, Outcome]:
        """Write each request's partitions and read them back; one operation at a time per NMX-M."""
        by_name = {item.wanted.target.name: item for item in requests}

        def work(target: Target, connected: NmxSession) -> Outcome:
            return _Transaction(connected, by_name[target.name], session, self._pace, self._allow_removals).run()

        return self._controllers.run([item.wanted.target for item in requests], work, session.stopping)

    def confirm(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Keep what was applied: it is read once more, and nothing is written."""
        del session

        def work(target: Target, connected: NmxSession) -> Outcome:
            now = standing(from_handle(pending[target.name]), connected.live(connected.deadline(self._closing_s)))
            if now.left:
                return Outcome(target.name, Status.UNKNOWN, f"no longer as applied: {now.words}")
            return Outcome(target.name, Status.CONFIRMED, "read again over a new connection")

        return self._controllers.close(pending, work)

    def revert(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Put back by compensating writes."""

        def work(target: Target, connected: NmxSession) -> Outcome:
            back = _put_back(connected, target.name, session, self._pace, from_handle(pending[target.name]))
            if back.complete:
                return Outcome(target.name, Status.REVERTED, "put back by compensating writes, read back")
            return Outcome(target.name, Status.UNKNOWN, f"not put back: {back.why}")

        return self._controllers.close(pending, work)

    def settle(self, pending: Mapping[str, str]) -> Mapping[str, Outcome]:
        """Read only: how much of a change is in force whose process died."""

        def work(target: Target, connected: NmxSession) -> Outcome:
            handle, deadline = pending[target.name], connected.deadline(self._closing_s)
            if not handle:
                connected.live(deadline)
                return Outcome(target.name, Status.NOT_ATTEMPTED, "nothing was recorded: nothing was written")
            working = connected.working(deadline)
            if working:
                return Outcome(target.name, Status.UNKNOWN, working)
            now = standing(from_handle(handle), connected.live(deadline))
            if not now.done:
                return Outcome(target.name, Status.REVERTED, "the old state is in force")
            return Outcome(target.name, Status.AWAITING, now.words, handle)

        return self._controllers.close(pending, work)


class _Transaction:
    """One request on one NMX-M."""

    def __init__(
        self, session: NmxSession, request: Request, journal: Session, pace: Pace, allow_removals: bool
    ) -> None:
        self._session = session
        self._request = request
        self._journal = journal
        self._pace = pace
        self._allow_removals = allow_removals
        self._name = request.wanted.target.name
        self._deadline = session.deadline(request.deadline_s)

    def run(self) -> Outcome:
        try:
            if self._journal.stopping():
                return Outcome(self._name, Status.NOT_ATTEMPTED, "stopped before this device was begun")
            scope, live = Scope(self._request.wanted), self._session.live(self._deadline)
            held = scope.held(live)
            scope.check(live)
            ids = {at: found.id for at in held if (found := live.find(at)) is not None}
            planned = scope.changes(held, ids)
            refusal = self._refusal(held, planned)
            if refusal is not None:
                return refusal
            handle = to_handle(planned)
            names = [f"{change.at.domain}/{change.at.name}" for change in planned]
            self._journal.record(self._name, "before", {"handle": handle, "partitions": names})
        except IntentError as problem:
            return Outcome(self._name, Status.FAILED, f"{words_of(problem)}; nothing was written")
        try:
            return self._carried(planned, live, scope, handle)
        except IntentError as problem:  # the journal, most of all: without it nothing more is written
            text = f"{words_of(problem)}; some of it may be in force"
            return Outcome(self._name, Status.UNKNOWN, text, handle)

    def _refusal(self, held: Places, planned: Sequence[Change]) -> Outcome | None:
        if digest(to_tree(held)) != self._request.digest:
            text = "partitions changed since the plan was computed; nothing was written: plan again"
            return Outcome(self._name, Status.STALE, text)
        differences = sorted((i for change in planned for i in change.differences()), key=lambda item: item.path)
        if differences != sorted(self._request.differences, key=lambda item: item.path):
            text = "what leads from live to wanted is not what the plan holds; nothing was written: plan again"
            return Outcome(self._name, Status.STALE, text)
        if not planned:
            return Outcome(self._name, Status.UNCHANGED, "no change")
        gone = strangers(planned)
        if gone and not self._allow_removals:
            text = f"{gone} GPUs or partitions are known only to NMX-M and would be removed; nothing was written"
            return Outcome(self._name, Status.FAILED, f"{text} (say --allow-removals)")
        return None

    def _carried(self, planned: Sequence[Change], live: Live, scope: Scope, handle: str) -> Outcome:
        hand = Hand(NmxWork(self._session, self._pace), self._name, self._journal, self._pace, self._deadline)
        carried = hand.carry(planned, live, "write")
        if carried.standing is None or carried.live is None:
            text = f"{carried.trouble}; what is in force could not be read"
            return Outcome(self._name, Status.UNKNOWN, text, handle)
        trouble = carried.trouble
        if not carried.complete and not trouble:
            trouble = f"read back, but {carried.standing.wrong}"
        if not trouble and scope.changes(scope.held(carried.live)):
            trouble = "somebody else changed partitions meanwhile"
        if not trouble:
            calls = self._session.transport.writes
            return Outcome(self._name, Status.AWAITING, f"written in {calls} calls and read back", handle)
        back = _put_back(self._session, self._name, self._journal, self._pace, planned)
        if back.complete:
            text = f"{trouble}; put back by compensating writes, the old state is in force"
            return Outcome(self._name, Status.FAILED, text)
        return Outcome(self._name, Status.UNKNOWN, f"{trouble}; not put back: {back.why}", handle)


def _put_back(
    session: NmxSession, name: str, journal: Session, pace: Pace, planned: Sequence[Change]
) -> Carried[Change, Live]:
    hand = Hand(NmxWork(session, pace), name, journal, pace, session.deadline(UNDO_S))
    return hand.put_back([change.inverse for change in planned], Mending.OWN)
