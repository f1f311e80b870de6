"""The actor for Cumulus switches: many devices at a time, each through its own session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from intent.catalog.disruption import DisruptionTable
from intent.core.differences import Differences, rows
from intent.core.tree import Difference, Tree
from intent.device.actor import (
    FAILED_STEP,
    Disruption,
    Observed,
    Outcome,
    Problem,
    Request,
    Session,
    Status,
    Target,
    Wanted,
)
from intent.device.deadline import Deadline
from intent.device.errors import DeviceError
from intent.device.fanout import FRESH_S, Answer, Fleet
from intent.device.nvue.closing import Closing
from intent.device.nvue.means import Means
from intent.device.nvue.release import same_release
from intent.device.nvue.scope import Scope
from intent.device.nvue.session import Facts, NvueSession
from intent.device.nvue.transaction import Transaction
from intent.device.nvue.waiting import Pace
from intent.formats.nvue.diff import stages

PLATFORM = "nvue"
_HOSTNAME = ("system", "hostname")
_FAILED = (Status.FAILED, Status.REVERTED, Status.UNKNOWN)


class NvueActor:
    """Configures switches that run NVUE.

    Args:
        fleet: how to reach them.
        targets: every device a later call may name by its name alone (confirm, revert, settle).
        pace: how often to ask while a device works.
        closing_s: seconds one device may take to confirm or to revert.
    """

    def __init__(
        self, fleet: Fleet, targets: Sequence[Target] = (), *, pace: Pace | None = None, closing_s: float = 300.0
    ) -> None:
        self._fleet = fleet
        self._targets = {target.name: target for target in targets}
        self._means = Means.made(fleet.endpoints.secrets, pace)
        self._closing_s = closing_s
        self._held: dict[str, Tree] = {}
        self._table: DisruptionTable | None = None

    @property
    def platform(self) -> str:
        """Key by which artefacts name this actor."""
        return PLATFORM

    # --- reading and comparing

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Observed]:
        """Read only: what each switch holds in its scope, with the release and model it reports."""
        by_name = {item.target.name: item for item in wanted}
        self._targets.update({item.target.name: item.target for item in wanted})

        def read(target: Target, session: NvueSession) -> Observed:
            deadline = session.deadline()
            facts = self._fleet.facts(target.name, session, deadline, at_most_s=FRESH_S)
            found = self._scope(by_name[target.name]).of(session.applied(deadline), self._means.secrets)
            return _observed(target, facts, found.state, found.digest, found.not_compared)

        answers = self._fleet.each([item.target for item in wanted], read, reuse=True, keep=True)
        return {name: self._observed(name, answer) for name, answer in answers.items()}

    def _observed(self, name: str, answer: Answer[Observed]) -> Observed:
        if answer.value is not None:
            return answer.value
        problem = answer.problem or RuntimeError("no answer")
        kind = problem.problem if isinstance(problem, DeviceError) else Problem.PROTOCOL
        if not isinstance(problem, DeviceError) and not self._reachable(name):
            kind = Problem.UNREACHABLE
        return Observed(name, problem=kind, detail=self._fleet.words(problem))

    def _reachable(self, name: str) -> bool:
        return self._fleet.endpoints.lookup(self._targets_or(name)).endpoint is not None

    def _targets_or(self, name: str) -> Target:
        return self._targets.get(name) or Target(name, "", PLATFORM)

    def difference(self, wanted: Wanted, observed: Observed) -> Sequence[Difference]:
        """What leads from live to wanted in scope."""
        return self._scope(wanted).changes(observed.state)

    def _scope(self, wanted: Wanted) -> Scope:
        return self._means.scopes.of(wanted)

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """What the differences do to traffic, from the catalog's table and what was last read of the device."""
        if self._table is None:
            self._table = DisruptionTable()
        effects = self._table.effects(path for path, _, _ in rows(differences))
        found = tuple(Disruption(effect.severity, effect.scope, effect.reason) for effect in effects)
        parts = stages(differences, self._means.rules, self._scope(wanted).live)
        # Told in the plan: between two revisions the switch holds neither the old nor the new configuration.
        count = f"{len(parts)} revisions"
        return found + tuple(Disruption("none", count, part.reason) for part in parts if part.reason)

    def revert_words(self, wanted: Wanted) -> str:
        """How a switch comes back: by its own timer."""
        del wanted
        return "by its own confirm timer (nv config apply with a confirm time), whatever becomes of us"

    # --- changing

    def apply(self, requests: Sequence[Request], session: Session) -> Mapping[str, Outcome]:
        """Carry out each request up to the point where the switch awaits confirmation."""
        by_name = {item.wanted.target.name: item for item in requests}
        self._targets.update({item.wanted.target.name: item.wanted.target for item in requests})

        def work(target: Target, connected: NvueSession) -> Outcome:
            def release(deadline: Deadline) -> str:
                return self._fleet.facts(target.name, connected, deadline, at_most_s=FRESH_S).release

            request = by_name[target.name]
            transaction = Transaction(connected, request, session, self._means, release)
            outcome = transaction.run()
            if _renames(request.differences):
                self._fleet.renamed(target.name)
            if transaction.held is not None:
                self._held[target.name] = transaction.held
            if outcome.status in _FAILED:
                data = {"status": str(outcome.status), "detail": outcome.detail, "handle": outcome.handle}
                session.record(target.name, FAILED_STEP, data)
            return outcome

        return self._run([item.wanted.target for item in requests], work, session.stopping, reuse=True)

    def confirm(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Keep what was applied; every device is asked over a connection made after the apply."""

        def work(target: Target, connected: NvueSession) -> Outcome:
            outcome = self._closing(target, connected, pending).confirm(session)
            if outcome.status is Status.CONFIRMED:
                self._held.pop(target.name, None)
            return outcome

        return self._run(self._named(pending), work, reuse=True)

    def revert(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Put back what was applied and not confirmed."""

        def work(target: Target, connected: NvueSession) -> Outcome:
            return self._closing(target, connected, pending).revert(session)

        return self._run(self._named(pending), work, reuse=True)

    def settle(self, pending: Mapping[str, str]) -> Mapping[str, Outcome]:
        """Read only: where devices stand whose process died mid-change."""

        def work(target: Target, connected: NvueSession) -> Outcome:
            return self._closing(target, connected, pending).settle()

        return self._run(self._named(pending), work)

    def _closing(self, target: Target, session: NvueSession, pending: Mapping[str, str]) -> Closing:
        held = self._held.get(target.name)
        return Closing(session, target, pending[target.name], self._closing_s, self._means, held)

    def _named(self, pending: Mapping[str, str]) -> list[Target]:
        return [self._targets_or(name) for name in pending]

    def _run(
        self,
        targets: Sequence[Target],
        work: Callable[[Target, NvueSession], Outcome],
        stopping: Callable[[], bool] = lambda: False,
        *,
        reuse: bool = False,
    ) -> dict[str, Outcome]:
        # No session outlives a call that writes: whoever looks next proves that a new connection can be made.
        answers = self._fleet.each(targets, work, stopping=stopping, reuse=reuse)
        return {name: self._outcome(name, answer) for name, answer in answers.items()}

    def _outcome(self, name: str, answer: Answer[Outcome]) -> Outcome:
        if answer.value is not None:
            return answer.value
        problem = answer.problem or RuntimeError("no answer")
        words = self._fleet.words(problem)
        if not answer.attempted or not self._reachable(name):
            return Outcome(name, Status.NOT_ATTEMPTED, words)
        return Outcome(name, Status.UNKNOWN, words)


def _renames(differences: Sequence[Difference]) -> bool:
    if isinstance(differences, Differences):
        return differences.touch(_HOSTNAME)
    return any(item.path[:2] == _HOSTNAME for item in differences)


def _observed(
    target: Target, facts: Facts, state: Mapping[str, object], digest: str, silent: tuple[tuple[str, ...], ...]
) -> Observed:
    mismatch = ""
    if target.release and not same_release(target.release, facts.release):
        mismatch = f"the device runs release {facts.release}, the intent names {target.release}"
    elif target.model and facts.model and not same_model(target.model, facts.model):
        mismatch = f"the device is a {facts.model}, the intent names {target.model}"
    return Observed(
        target.name,
        state=state,
        digest=digest,
        release=facts.release,
        model=facts.model,
        problem=Problem.MISMATCH if mismatch else None,
        detail=mismatch,
        not_compared=silent,
    )


def same_model(named: str, reported: str) -> bool:
    """True when a device is the model the intent names; vendors write more around the model's name."""
    words = reported.upper().replace("-", " ").replace("_", " ").replace("/", " ").split()
    return named.upper() in words or reported.upper().startswith(named.upper())
