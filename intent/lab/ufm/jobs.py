"""Jobs: what UFM does after it has answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from intent.lab.tools import Refusal

RUNNING = "Running"
COMPLETED = "Completed"
WITH_ERRORS = "Completed With Errors"


@dataclass(slots=True)
class Job:
    """One job.

    Args:
        id: its number.
        operation: what it does.
        created: lab time.
        ends: lab time at which it is over.
        parent: job it is a part of; empty for none.
        status: as the API says it.
        summary: what came of it.
    """

    id: str
    operation: str
    created: float
    ends: float
    parent: str = ""
    status: str = RUNNING
    summary: str = ""

    def shown(self, now: float) -> dict[str, Any]:
        """As the API says it."""
        span = max(self.ends - self.created, 1e-9)
        done = 100 if self.status != RUNNING else min(99, int(100 * (now - self.created) / span))
        return {
            "ID": self.id,
            "Parent Id": self.parent or None,
            "Operation": self.operation,
            "Status": self.status,
            "Progress": done,
            "Summary": self.summary,
            "Created": f"{self.created:.3f}",
            "LastUpdated": f"{min(now, self.ends):.3f}",
        }


class Jobs:
    """The jobs of one UFM. Those of a node that failed are gone."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._acts: dict[str, Callable[[Job], None]] = {}
        self._number = 0

    def start(self, operation: str, now: float, seconds: float, act: Callable[[Job], None], *, parent: str = "") -> Job:
        """Begin a job; `act` is called when it is over and says what came of it."""
        self._number += 1
        made = Job(str(self._number), operation, now, now + seconds, parent)
        self._jobs[made.id] = made
        self._acts[made.id] = act
        return made

    def run(self, now: float) -> None:
        """End the jobs whose time has come, in order."""
        for job in [job for job in self._jobs.values() if job.status == RUNNING and job.ends <= now]:
            job.status = COMPLETED
            try:
                self._acts.pop(job.id)(job)
            except Refusal as refusal:
                job.status, job.summary = WITH_ERRORS, refusal.detail

    def get(self, identifier: str) -> Job | None:
        """One job; None when there is none of that number."""
        return self._jobs.get(identifier)

    def all(self, parent: str = "") -> list[Job]:
        """Jobs in order, of one parent or those without."""
        return [job for job in self._jobs.values() if job.parent == parent]

    def running(self, operation: str) -> bool:
        """True while a job of this kind goes on."""
        return any(job.operation == operation and job.status == RUNNING for job in self._jobs.values())

    def forget(self) -> None:
        """All jobs are gone, those under way undone or half done as they are."""
        self._jobs.clear()
        self._acts.clear()
