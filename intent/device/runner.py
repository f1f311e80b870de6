"""Nornir runner with a bounded number of devices in flight, that stops when told and loses no result.

Differences from Nornir's own: work is handed out only as places become free, so a stop reaches what has not
begun; Ctrl-C lets those in flight finish and returns everything known; a second one stops waiting; a task that
ends with an exception Nornir does not catch is that device's result and nobody else's.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable

from nornir.core.inventory import Host
from nornir.core.task import AggregatedResult, MultiResult, Result, Task

_LOOK_S = 0.5  # a signal that another thread took is noticed after this long


class NotAttempted(Exception):
    """Stands as the exception of a device the run was stopped before."""


class BoundedRunner:
    """Runner plugin `intent-waves`.

    Args:
        max_in_flight: devices worked on at the same time.
        stopping: asked before each device is begun.
    """

    def __init__(self, max_in_flight: int = 32, stopping: Callable[[], bool] | None = None) -> None:
        if max_in_flight < 1:
            raise ValueError("max_in_flight must be at least 1")
        self.max_in_flight = max_in_flight
        self.interrupted = False
        self._stopping = stopping or (lambda: False)

    def run(self, task: Task, hosts: list[Host]) -> AggregatedResult:
        """Run the task on every host; each is in the result, those not begun as `NotAttempted`.

        Raises:
            KeyboardInterrupt: Ctrl-C came although the run was stopping already: nobody waits any longer.
        """
        collected: dict[str, MultiResult] = {}
        finished = threading.Event()

        once = threading.Lock()

        def hand_out() -> None:
            if not once.acquire(blocking=False):
                return
            try:
                self._hand_out(task, hosts, collected)
            finally:
                finished.set()

        # Ctrl-C arrives in the main thread, between any two steps of it. Handing out happens elsewhere, so that no
        # device can be begun and forgotten; should the start itself be interrupted, the second one does nothing.
        started = False
        while not finished.is_set():
            try:
                if not started:
                    threading.Thread(target=hand_out, name="intent-runner", daemon=True).start()
                    started = True
                finished.wait(_LOOK_S)
            except KeyboardInterrupt:
                if self._stopped():
                    raise
                self.interrupted = True
        return AggregatedResult(task.name, **{host.name: collected[host.name] for host in hosts})

    def _hand_out(self, task: Task, hosts: list[Host], collected: dict[str, MultiResult]) -> None:
        done: queue.SimpleQueue[tuple[Host, MultiResult]] = queue.SimpleQueue()
        waiting = deque(hosts)
        flying = 0
        while waiting or flying:
            while waiting and flying < self.max_in_flight and not self._stopped():
                self._begin(task, waiting.popleft(), done)
                flying += 1
            if not flying:
                break
            host, outcome = done.get()
            flying -= 1
            collected[host.name] = outcome
        for host in waiting:
            collected[host.name] = _failed(task, host, NotAttempted("stopped before this device was begun"))

    def _stopped(self) -> bool:
        return self.interrupted or self._stopping()

    def _begin(self, task: Task, host: Host, done: queue.SimpleQueue[tuple[Host, MultiResult]]) -> None:
        own = task.copy()

        def work() -> None:
            try:
                outcome = own.start(host)
            except BaseException as problem:  # whatever it is, it is this device's alone
                outcome = _failed(own, host, problem)
            done.put((host, outcome))

        # Daemon threads: after a second Ctrl-C the process may end, and the devices revert by themselves.
        threading.Thread(target=work, name=f"intent-{host.name}", daemon=True).start()


def _failed(task: Task, host: Host, problem: BaseException) -> MultiResult:
    outcome = MultiResult(task.name)
    outcome.append(Result(host=host, result=str(problem), failed=True, exception=problem))
    return outcome
