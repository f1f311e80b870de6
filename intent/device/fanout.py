"""One function on many devices at a time: built directly on Nornir, with a fresh state for every call.

A fresh `GlobalState` matters: Nornir leaves a host that failed once out of every later run, which would be
exactly the hosts a rollback is for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from nornir.core import Nornir
from nornir.core.state import GlobalState
from nornir.core.task import Result, Task

from intent.core.errors import IntentError
from intent.device import connection
from intent.device.actor import Target
from intent.device.connection import NvueConnection, RestConnection, RestSession
from intent.device.deadline import Deadline
from intent.device.endpoints import Endpoints
from intent.device.inventory import IntentInventory
from intent.device.nvue.session import Facts, NvueSession
from intent.device.runner import BoundedRunner, NotAttempted

T = TypeVar("T")
S = TypeVar("S", bound=RestSession)

_FRESH_S = 60.0


class Answer(Generic[T]):
    """What came of one device: a value, or the exception that ended it.

    Args:
        value: what the function returned; None when it did not.
        problem: what ended it; None when it returned.
    """

    __slots__ = ("problem", "value")

    def __init__(self, value: T | None, problem: BaseException | None) -> None:
        self.value = value
        self.problem = problem

    @property
    def attempted(self) -> bool:
        """False when the run was stopped before this device."""
        return not isinstance(self.problem, NotAttempted)


class Fleet:
    """Devices that can be worked on together.

    Args:
        endpoints: where they are.
    """

    def __init__(self, endpoints: Endpoints) -> None:
        self.endpoints = endpoints
        self.requests: dict[str, int] = {}
        self.connections: dict[str, int] = {}
        self._facts: dict[str, tuple[Facts, float]] = {}

    def each(
        self,
        targets: Sequence[Target],
        work: Callable[[Target, S], T],
        *,
        stopping: Callable[[], bool] | None = None,
        plugin: type[RestConnection[Any]] = NvueConnection,
    ) -> dict[str, Answer[T]]:
        """Call `work` for every target with a session over new connections; each target is in the answer.

        Args:
            targets: the devices, names unique.
            work: what to do; its exception is the answer of that device alone.
            stopping: asked before each device is begun. Without it the work only reads, and Ctrl-C ends it.
            plugin: makes the sessions `work` takes.

        Raises:
            KeyboardInterrupt: Ctrl-C, once those in flight are done; where `stopping` is given only the second time.
        """
        connection.register(plugin)
        by_name = {target.name: target for target in targets}
        inventory = IntentInventory(targets, endpoints=self.endpoints).load()
        runner = BoundedRunner(min(self.endpoints.max_in_flight, max(1, len(by_name))), stopping)
        nornir = Nornir(inventory=inventory, runner=runner, data=GlobalState())

        def one(task: Task) -> Result:
            # Nothing may leave as an exception: Nornir would log its traceback, with whatever stands in it.
            try:
                problem = task.host.data.get("problem")
                if problem is not None:
                    raise problem
                session: S = task.host.get_connection(plugin.name, task.nornir.config)
                try:
                    value = work(by_name[task.host.name], session)
                finally:
                    self._count(task.host.name, session)
                    task.host.close_connections()
                return Result(host=task.host, result=Answer(value, None))
            except Exception as problem:
                return Result(host=task.host, result=Answer(None, problem))

        results = nornir.run(task=one, name="intent") if by_name else {}
        if runner.interrupted and stopping is None:
            raise KeyboardInterrupt
        return {name: _answer(results[name]) for name in by_name}

    def facts(self, name: str, session: NvueSession, deadline: Deadline) -> Facts:
        """What a device says it is. Its release is asked every time; its model, which is its hardware, only once.

        Raises:
            DeviceError: by kind of failure.
        """
        known = self._facts.get(name)
        facts = session.facts(deadline, hardware=known is None)
        if known is not None:
            facts = replace(facts, model=known[0].model, serial=known[0].serial)
        self._facts[name] = (facts, session.transport.clock())
        return facts

    def release(self, name: str, session: NvueSession, deadline: Deadline) -> str:
        """The release a device runs. One read within the last minute still holds: no switch boots another so fast.

        Raises:
            DeviceError: by kind of failure.
        """
        known = self._facts.get(name)
        if known is not None and session.transport.clock() - known[1] < _FRESH_S:
            return known[0].release
        return self.facts(name, session, deadline).release

    def words(self, problem: BaseException) -> str:
        """A problem in words a user can act on, every known secret cut out."""
        if isinstance(problem, IntentError):
            text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
        else:
            text = f"internal error: {type(problem).__name__}: {problem}"
        return self.endpoints.secrets.redact(text)

    def _count(self, name: str, session: RestSession) -> None:
        self.requests[name] = self.requests.get(name, 0) + session.transport.requests
        self.connections[name] = self.connections.get(name, 0) + session.transport.connections


def _answer(outcome: list[Result]) -> Answer[T]:
    first = outcome[0]
    if isinstance(first.result, Answer):
        return first.result
    return Answer(None, first.exception or NotAttempted("no result"))
