"""The actor for UFM: one controller, many partitions, settings of its subnet manager, no commit timer.

What a change replaces is journalled with it before the first write, so that any later process can put it back by
compensating writes. A change stands as soon as it is read back; to confirm it is to see that it still stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent.catalog.subnet_managers import SubnetManagers
from intent.catalog.ufm import UfmFacts, version_numbers
from intent.core.errors import IntentError
from intent.core.tree import Difference, Path, Tree, difference, digest
from intent.device.actor import Disruption, Observed, Outcome, Problem, Request, Session, Status, Target, Wanted
from intent.device.compensation import Pace, words_of
from intent.device.controller import Controllers
from intent.device.fanout import Fleet
from intent.device.observation import OwnCheck
from intent.device.ufm.connection import UfmConnection
from intent.device.ufm.means import Live, Means, held_against, setting_names
from intent.device.ufm.partitions import from_tree
from intent.device.ufm.record import Step, from_handle
from intent.device.ufm.scope import Scope
from intent.device.ufm.session import UfmSession
from intent.device.ufm.settings import ROOT, asked_for, has_keys, recalled
from intent.device.ufm.subnet import RestSubnet, read_subnet
from intent.device.ufm.transaction import Transaction, UfmWork, put_back
from intent.device.ufm.validation import own_checks

PLATFORM = "ufm"


class UfmActor:
    """Configures the partitions of InfiniBand fabrics, and settings of their subnet managers, through their UFMs.

    A `Wanted` holds in `body` the partitions of one fabric, as `intent.device.ufm.partitions.from_tree` takes them, and
    under `setting` options of its subnet manager by name, as opensm.conf spells them, keys by reference. The target's
    label `fabric` names the fabric its UFM serves.

    Args:
        fleet: how to reach them.
        targets: every UFM a later call may name by its name alone (confirm, revert, settle).
        allow_removals: members and partitions known only to UFM may be removed; without it a change that would is
            refused as a whole.
        pace: how often to ask while UFM works.
        closing_s: seconds one UFM may take to confirm or to say where it stands.
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
        self._controllers: Controllers[UfmSession] = Controllers(fleet, UfmConnection, PLATFORM, targets)
        self._facts = UfmFacts()
        manager = SubnetManagers().manager("nvidia")
        self._means = Means(self._facts, fleet.endpoints.secrets, pace or Pace(), manager, allow_removals)
        self._closing_s = closing_s

    @property
    def platform(self) -> str:
        """Key by which artefacts name this actor."""
        return PLATFORM

    # --- reading and comparing

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Observed]:
        """Read only: what each UFM holds in its scope, partitions included that only UFM knows."""
        by_name = {item.target.name: item for item in wanted}

        def read(target: Target, session: UfmSession) -> Observed:
            try:
                scope = self._means.scope(by_name[target.name])
            except IntentError as problem:
                return Observed(target.name, problem=Problem.MISMATCH, detail=words_of(problem))
            deadline = session.deadline()
            version = session.version(deadline)
            live = self._means.live(session, tuple(scope.settings), deadline)
            unwritable = self._means.unwritable(scope, live, version)
            if unwritable:
                return Observed(target.name, problem=Problem.MISMATCH, detail=unwritable)
            unread = tuple((ROOT, name) for name in self._means.settings.unread(scope.settings))
            return self._observed(target, version, self._means.state(scope, live), unread)

        return self._controllers.observe([item.target for item in wanted], read)

    def subnets(self, targets: Sequence[Target]) -> Mapping[str, RestSubnet]:
        """Read only: what each UFM says of the subnet it manages; one that cannot be asked says why in each part."""
        self._controllers.remember(targets)

        def read(_: Target, session: UfmSession) -> RestSubnet:
            return read_subnet(session, session.deadline())

        fleet = self._controllers.fleet
        answers = fleet.each(targets, read, plugin=UfmConnection)
        found: dict[str, RestSubnet] = {}
        for name, answer in answers.items():
            why = fleet.words(answer.problem or RuntimeError("no answer"))
            found[name] = answer.value or RestSubnet(problems={"routing": why, "unhealthy": why})
        return found

    def own_checks(self, target: Target) -> tuple[Mapping[str, OwnCheck] | None, str]:
        """Tests of partitions run by a UFM itself: none where it offers none; None and why when it cannot be asked."""
        self._controllers.remember([target])

        def run(_: Target, session: UfmSession) -> Mapping[str, OwnCheck]:
            return own_checks(session, self._facts, session.deadline(self._closing_s), self._means.pace)

        answer = self._controllers.fleet.each([target], run, plugin=UfmConnection)[target.name]
        if answer.value is not None:
            return answer.value, ""
        return None, self._controllers.fleet.words(answer.problem or RuntimeError("no answer"))

    @staticmethod
    def _observed(target: Target, version: str, state: Tree, unread: tuple[Path, ...]) -> Observed:
        named = target.release
        same = not named or version_numbers(version)[: named.count(".") + 1] == _leading(named)
        return Observed(
            target.name,
            state=state,
            digest=digest(state),
            # In the words of the intent where it names this version, so that the two compare.
            release=named if named and same else version,
            model="UFM",
            problem=None if same else Problem.MISMATCH,
            detail="" if same else f"UFM is version {version}, the intent names {named}",
            not_compared=unread,
        )

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        """What leads from live to wanted in scope; what only UFM knows shows as removed."""
        scope = Scope(wanted, self._facts)
        named = not observed.release or self._facts.has(observed.release, "partition-name")
        found = scope.changes(from_tree(observed.state), named=named)
        differences = [item for change in found for item in change.differences()]
        held = {name: value for name, value in asked_for(observed.state).items() if name in scope.settings}
        differences += difference({ROOT: held}, {ROOT: scope.settings})
        return tuple(sorted(differences, key=lambda item: item.path))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """What the differences do to traffic, from the catalog; known faults of the UFM version first."""
        effects = self._facts.effects(item.path for item in differences)
        found = [Disruption(effect.severity, effect.scope, effect.reason) for effect in effects]
        if wanted.target.release and any(item.path[0] == "partition" for item in differences):
            flaws = self._facts.flaws_of(wanted.target.release)
            found[:0] = [
                Disruption("reload", "the whole fabric", f"{flaw.words}: fixed in {flaw.fixed} ({flaw.source})")
                for flaw in flaws
            ]
        return tuple(found)

    def revert_words(self, wanted: Wanted) -> str:
        """How UFM comes back: not by itself, and not to a key that nobody has any more."""
        words = "by compensating writes: UFM has no timer, so somebody has to make them (intent recover does)"
        if not has_keys(wanted.body):
            return words
        return (
            f"{words}; a key that is replaced is written down nowhere: unless it is the one everybody knows, only this "
            "very run can put it back"
        )

    # --- changing

    def apply(self, requests: Sequence[Request], session: Session) -> Mapping[str, Outcome]:
        """Write each request's partitions and read them back; one call at a time per UFM."""
        by_name = {item.wanted.target.name: item for item in requests}

        def work(target: Target, connected: UfmSession) -> Outcome:
            return Transaction(connected, by_name[target.name], session, self._means).run()

        return self._controllers.run([item.wanted.target for item in requests], work, session.stopping)

    def confirm(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Keep what was applied: it is read once more, and nothing is written."""
        del session

        def work(target: Target, connected: UfmSession) -> Outcome:
            planned = from_handle(pending[target.name])
            now = held_against(self._means, planned, self._live(connected, planned))
            if now.left or now.others:
                return Outcome(target.name, Status.UNKNOWN, f"no longer as applied: {now.words}", pending[target.name])
            return Outcome(target.name, Status.CONFIRMED, "read again over a new connection")

        return self._controllers.close(pending, work)

    def revert(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Put back by compensating writes; what somebody else changed since is left alone and told of."""

        def work(target: Target, connected: UfmSession) -> Outcome:
            handle = pending[target.name]
            planned = recalled(from_handle(handle), self._means.kept.get(handle, {}))
            version = connected.version(connected.deadline(self._closing_s))
            work = UfmWork(connected, version, self._means, setting_names(planned))
            back = put_back(work, target.name, session, planned)
            if back.complete:
                return Outcome(target.name, Status.REVERTED, "put back by compensating writes, read back")
            return Outcome(target.name, Status.UNKNOWN, f"not put back: {back.why}", handle)

        return self._controllers.close(pending, work)

    def settle(self, pending: Mapping[str, str]) -> Mapping[str, Outcome]:
        """Read only: how much of a change is in force whose process died."""

        def work(target: Target, connected: UfmSession) -> Outcome:
            handle = pending[target.name]
            deadline = connected.deadline(self._closing_s)
            if not handle:
                connected.version(deadline)
                return Outcome(target.name, Status.NOT_ATTEMPTED, "nothing was recorded: nothing was written")
            working = connected.working(deadline)
            if working:
                return Outcome(target.name, Status.UNKNOWN, working)
            planned = from_handle(handle)
            return self._settled(target.name, handle, planned, self._live(connected, planned))

        return self._controllers.close(pending, work)

    def _live(self, session: UfmSession, planned: Sequence[Step]) -> Live:
        return self._means.live(session, setting_names(planned), session.deadline(self._closing_s))

    def _settled(self, name: str, handle: str, planned: Sequence[Step], live: Live) -> Outcome:
        now = held_against(self._means, planned, live)
        if not now.done and not now.others:
            return Outcome(name, Status.REVERTED, "the old state is in force")
        if now.others:
            return Outcome(name, Status.UNKNOWN, now.words, handle)
        # A part alone awaits too: it can be put back, and is not kept, for confirm looks at the whole.
        return Outcome(name, Status.AWAITING, now.words, handle)


def _leading(named: str) -> tuple[int, ...]:
    return version_numbers(named)[: named.count(".") + 1]
