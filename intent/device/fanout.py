"""One function on many devices at a time: built directly on Nornir, with a fresh state for every call.

A fresh `GlobalState` matters: Nornir leaves a host that failed once out of every later run, which would be
exactly the hosts a rollback is for.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Generic, TypeVar

from nornir.core import Nornir
from nornir.core.state import GlobalState
from nornir.core.task import Result, Task

from intent.core.errors import IntentError
from intent.device import connection
from intent.device.actor import Target
from intent.device.connection import NvueConnection, RestConnection
from intent.device.deadline import Deadline
from intent.device.endpoints import Endpoints
from intent.device.inventory import IntentInventory
from intent.device.kept import KeptSessions
from intent.device.nvue.session import Facts, NvueSession
from intent.device.rest_session import RestSession
from intent.device.runner import BoundedRunner, NotAttempted

T = TypeVar("T")
S = TypeVar("S", bound=RestSession)

# What a device is (release, model) holds for so long once read: no switch boots another release so fast.
FRESH_S = 60.0


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

    A context manager: sessions kept open are closed at its end.

    Args:
        endpoints: where they are.
        keep: most sessions that stay open between two calls; with 0 each call makes its own.
    """

    def __init__(self, endpoints: Endpoints, *, keep: int = 0) -> None:
        self.endpoints = endpoints
        self.requests: dict[str, int] = {}
        self.connections: dict[str, int] = {}
        self._facts: dict[str, tuple[Facts, float]] = {}
        self._kept = KeptSessions(keep)
        self._watchers: list[Callable[[str], None]] = []
        self._watching = threading.Lock()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every session that was kept."""
        self._kept.close()

    @contextmanager
    def watched(self, done: Callable[[str], None]) -> Iterator[None]:
        """Have a callback told the name of each device that is done, one at a time, from whatever thread."""
        with self._watching:
            self._watchers.append(done)
        try:
            yield
        finally:
            with self._watching:
                self._watchers = [watcher for watcher in self._watchers if watcher is not done]

    def each(
        self,
        targets: Sequence[Target],
        work: Callable[[Target, S], T],
        *,
        stopping: Callable[[], bool] | None = None,
        plugin: type[RestConnection[Any]] = NvueConnection,
        reuse: bool = False,
        keep: bool = False,
    ) -> dict[str, Answer[T]]:
        """Call `work` for every target with a session; each target is in the answer.

        The session is over new connections, unless an earlier call kept one and this call takes it.

        Args:
            targets: the devices, names unique.
            work: what to do; its exception is the answer of that device alone.
            stopping: asked before each device is begun. Without it the work only reads, and Ctrl-C ends it.
            plugin: makes the sessions `work` takes.
            reuse: take the session an earlier call kept. Never where a new connection has to prove something.
            keep: leave the session open for a later call. Never after a write that may cut the device off.

        Raises:
            KeyboardInterrupt: Ctrl-C, once those in flight are done; where `stopping` is given only the second time.
        """
        connection.register(plugin)
        by_name = {target.name: target for target in targets}
        inventory = IntentInventory(targets, endpoints=self.endpoints).load()
        runner = BoundedRunner(min(self.endpoints.max_in_flight, max(1, len(by_name))), stopping)
        nornir = Nornir(inventory=inventory, runner=runner, data=GlobalState())

        def one(task: Task) -> Result:
            name = task.host.name
            # Nothing may leave as an exception: Nornir would log its traceback, with whatever stands in it.
            try:
                problem = task.host.data.get("problem")
                if problem is not None:
                    raise problem
                kept = self._kept.take(plugin.name, name)
                if kept is not None and not reuse:
                    kept.close()
                    kept = None
                session: S = kept or task.host.get_connection(plugin.name, task.nornir.config)
                answer = self._worked(by_name[name], session, work, plugin.name if keep else "")
                return Result(host=task.host, result=answer)
            except Exception as problem:
                return Result(host=task.host, result=Answer(None, problem))
            finally:
                self._told(name)

        results = nornir.run(task=one, name="intent") if by_name else {}
        if runner.interrupted and stopping is None:
            raise KeyboardInterrupt
        return {name: _answer(results[name]) for name in by_name}

    def _worked(self, target: Target, session: S, work: Callable[[Target, S], T], keep_as: str) -> Answer[T]:
        """What `work` makes of a device; its session is closed, or kept where all went well."""
        before = (session.transport.requests, session.transport.connections)
        well = False
        try:
            value = work(target, session)
            well = True
        finally:
            self._count(target.name, session, *before)
            if well and keep_as:
                self._kept.give(keep_as, target.name, session)
            else:
                session.close()
        return Answer(value, None)

    def _told(self, name: str) -> None:
        with self._watching:
            for done in tuple(self._watchers):
                try:
                    done(name)
                except Exception:  # a display that breaks must not break the work it shows
                    self._watchers.remove(done)

    def facts(self, name: str, session: NvueSession, deadline: Deadline, *, at_most_s: float = 0.0) -> Facts:
        """What a device says it is. Its model, which is its hardware, is asked only once.

        Args:
            name: the device.
            session: with it.
            deadline: when to stop.
            at_most_s: what was read no longer ago than this still holds; then the uptime is not told.

        Raises:
            DeviceError: by kind of failure.
        """
        known = self._facts.get(name)
        now = session.transport.clock()
        if known is not None and now - known[1] < at_most_s:
            return replace(known[0], uptime_s=None)
        facts = session.facts(deadline, hardware=known is None)
        if known is not None:
            facts = replace(facts, model=known[0].model, serial=known[0].serial)
        self._facts[name] = (facts, now)
        return facts

    def renamed(self, name: str) -> None:
        """A device may call itself otherwise from now on: what was read of it is asked again, its hardware apart."""
        known = self._facts.get(name)
        if known is not None:
            self._facts[name] = (known[0], -math.inf)

    def words(self, problem: BaseException) -> str:
        """A problem in words a user can act on, every known secret cut out."""
        if isinstance(problem, IntentError):
            text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
        else:
            text = f"internal error: {type(problem).__name__}: {problem}"
        return self.endpoints.secrets.redact(text)

    def _count(self, name: str, session: RestSession, requests: int, connections: int) -> None:
        self.requests[name] = self.requests.get(name, 0) + session.transport.requests - requests
        self.connections[name] = self.connections.get(name, 0) + session.transport.connections - connections


def _answer(outcome: list[Result]) -> Answer[T]:
    first = outcome[0]
    if isinstance(first.result, Answer):
        return first.result
    return Answer(None, first.exception or NotAttempted("no result"))
