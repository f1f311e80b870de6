"""Work on a subnet that takes its time: a thread of its own, so that the lab goes on answering meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from intent.core.errors import IntentError

_log = logging.getLogger("intent.lab")


class Worker:
    """Does one job after the other. A job asked for again before its turn is done once, as it was asked last.

    Args:
        name: what it works on, for the log.
    """

    def __init__(self, name: str) -> None:
        self.problem = ""
        self.done = 0
        self._work = threading.Condition()
        self._asked: dict[str, Callable[[], None]] = {}
        self._busy = False
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def pending(self) -> bool:
        """A job waits or goes on."""
        return bool(self._asked) or self._busy

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask(self, key: str, job: Callable[[], None]) -> None:
        """Have a job done.

        Args:
            key: which job it is.
            job: what is to be done; an `IntentError` it raises becomes `problem`.
        """
        with self._work:
            self._asked[key] = job
            self._work.notify_all()

    def settled(self, timeout_s: float) -> bool:
        """Wait until nothing is left to be done; False when it takes longer."""
        with self._work:
            return self._work.wait_for(lambda: not self.pending, timeout_s)

    def end(self) -> None:
        """Begin no further job."""
        with self._work:
            self._ended = True
            self._work.notify_all()

    def join(self) -> None:
        """Wait for the job under way."""
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._ended or bool(self._asked))
                if self._ended:
                    return
                job = self._asked.pop(next(iter(self._asked)))
                self._busy = True
            problem = self._try(job)
            with self._work:
                self._busy, self.problem = False, problem
                self.done += 1
                self._work.notify_all()

    def _try(self, job: Callable[[], None]) -> str:
        try:
            job()
        except (IntentError, OSError) as error:
            if not self._ended:
                _log.error("%s: %s", self._thread.name, error)
            return f"failed: {error}"
        return ""
