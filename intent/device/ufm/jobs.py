"""Jobs of UFM: what it does after it has answered. Only a job that completed without errors is a success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from intent.device.compensation import Pace
from intent.device.deadline import Deadline
from intent.device.errors import DeviceError
from intent.device.http import Reply
from intent.device.ufm.session import UfmSession

_WORDS = 300


class JobEnd(Enum):
    """How a job ended, as far as is known."""

    GOOD = "good"
    BAD = "bad"
    LOST = "lost"  # UFM does not know it, could not be asked, or took too long: what it did is found by reading


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job came to.

    Args:
        end: how it ended.
        words: UFM's own status and summary; no secret is known to stand in them.
    """

    end: JobEnd
    words: str = ""


def job_of(reply: Reply) -> str:
    """The job an answer announces; empty when the call was carried out at once."""
    if "/jobs/" in reply.location:
        return reply.location.rpartition("/jobs/")[2].strip("/")
    body = reply.body
    named = body.get("job_id") or body.get("jobId") if isinstance(body, Mapping) else None
    return str(named) if named else ""


def wait_for(session: UfmSession, identifier: str, deadline: Deadline, pace: Pace) -> JobResult:
    """Ask for a job until it is over.

    Args:
        session: with UFM.
        identifier: the job.
        deadline: when to give up.
        pace: how often to ask.
    """
    pause = pace.first_s
    last = ""
    while not deadline.over():
        session.transport.sleep(max(0.0, min(pause, deadline.remaining())))
        pause = min(pause * pace.factor, pace.longest_s)
        try:
            body = session.job(identifier, deadline)
        except DeviceError as problem:
            session.transport.reconnect()
            return JobResult(JobEnd.LOST, f"job {identifier}{f' ({last})' if last else ''}: {problem.message}")
        if not body:
            return JobResult(JobEnd.LOST, f"UFM does not know job {identifier} any more")
        last = _status(body)
        end = _ended(last)
        if end is not None:
            return JobResult(end, _told(session, identifier, body, deadline, end))
    return JobResult(JobEnd.LOST, f"job {identifier} was not over in time ({last or 'no status'})")


def _status(body: Mapping[str, Any]) -> str:
    return str(body.get("Status") or body.get("status") or "")


def _ended(status: str) -> JobEnd | None:
    """None while it goes on. A status nobody knows is not success: it is waited for, then found by reading."""
    words = status.lower()
    if any(bad in words for bad in ("error", "fail", "abort", "cancel", "invalid", "timeout", "timed out")):
        return JobEnd.BAD
    return JobEnd.GOOD if words.startswith("completed") else None


def _told(session: UfmSession, identifier: str, body: Mapping[str, Any], deadline: Deadline, end: JobEnd) -> str:
    text = f"job {identifier}: {_status(body)}"
    said = [str(body.get("Summary") or "")]
    if end is JobEnd.BAD:
        try:
            said += [str(part.get("Summary") or "") for part in session.jobs_below(identifier, deadline)]
        except DeviceError:
            session.transport.reconnect()
    found = "; ".join(dict.fromkeys(part for part in said if part))[:_WORDS]
    return f"{text}: {found}" if found else text
