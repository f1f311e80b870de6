"""What actors of controllers share: reaching them by name and answering for each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from intent.device.actor import Observed, Outcome, Problem, Status, Target
from intent.device.connection import RestConnection
from intent.device.errors import DeviceError
from intent.device.fanout import Answer, Fleet
from intent.device.rest_session import RestSession

S = TypeVar("S", bound=RestSession)


class Controllers(Generic[S]):
    """Controllers of one kind that can be worked on together.

    Args:
        fleet: how to reach them.
        plugin: makes their sessions.
        platform: key of their actor.
        targets: every controller a later call may name by its name alone.
    """

    def __init__(
        self, fleet: Fleet, plugin: type[RestConnection[Any]], platform: str, targets: Sequence[Target] = ()
    ) -> None:
        self.fleet = fleet
        self._plugin = plugin
        self._platform = platform
        self._targets = {target.name: target for target in targets}

    def remember(self, targets: Sequence[Target]) -> None:
        """Later calls may name these by their names alone."""
        self._targets.update({target.name: target for target in targets})

    def observe(self, targets: Sequence[Target], work: Callable[[Target, S], Observed]) -> dict[str, Observed]:
        """Read each; one that cannot be read says why."""
        self.remember(targets)
        answers = self.fleet.each(targets, work, plugin=self._plugin)
        return {name: self._observed(name, answer) for name, answer in answers.items()}

    def run(
        self,
        targets: Sequence[Target],
        work: Callable[[Target, S], Outcome],
        stopping: Callable[[], bool] = lambda: False,
    ) -> dict[str, Outcome]:
        """Change each; one that breaks is unknown."""
        self.remember(targets)
        answers = self.fleet.each(targets, work, stopping=stopping, plugin=self._plugin)
        return {name: self._outcome(name, answer) for name, answer in answers.items()}

    def close(self, pending: Mapping[str, str], work: Callable[[Target, S], Outcome]) -> dict[str, Outcome]:
        """Do something about what is pending; what stays unknown keeps its handle."""
        found = self.run([self._target(name) for name in pending], work)
        return {
            name: replace(item, handle=pending[name]) if item.status is Status.UNKNOWN else item
            for name, item in found.items()
        }

    def _target(self, name: str) -> Target:
        return self._targets.get(name) or Target(name, "", self._platform)

    def _observed(self, name: str, answer: Answer[Observed]) -> Observed:
        if answer.value is not None:
            return answer.value
        problem = answer.problem or RuntimeError("no answer")
        kind = problem.problem if isinstance(problem, DeviceError) else Problem.PROTOCOL
        if not isinstance(problem, DeviceError) and not self._reachable(name):
            kind = Problem.UNREACHABLE
        return Observed(name, problem=kind, detail=self.fleet.words(problem))

    def _outcome(self, name: str, answer: Answer[Outcome]) -> Outcome:
        if answer.value is not None:
            return replace(answer.value, detail=self.fleet.endpoints.secrets.redact(answer.value.detail))
        problem = answer.problem or RuntimeError("no answer")
        words = self.fleet.words(problem)
        if not answer.attempted or not self._reachable(name):
            return Outcome(name, Status.NOT_ATTEMPTED, words)
        return Outcome(name, Status.UNKNOWN, words)

    def _reachable(self, name: str) -> bool:
        return self.fleet.endpoints.lookup(self._target(name)).endpoint is not None
