"""UFM's own tests of its fabric: those that say something of partitions, where a server offers them.

A test reads, but it goes through the whole fabric: it is only started when somebody asks for it. Paths are those of the
UFM Enterprise REST API guide, "Fabric Validation": the result is the summary of a job. What of it is good and bad is
data, for no real answer was seen: a result that is not understood is neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.catalog.ufm import UfmFacts
from intent.core.errors import IntentError
from intent.device.compensation import Pace
from intent.device.deadline import Deadline
from intent.device.errors import ProtocolError
from intent.device.observation import OwnCheck
from intent.device.ufm.jobs import JobEnd, job_of, wait_for
from intent.device.ufm.session import UfmSession

_MOST = 20  # lines of a result that are kept
_WORDS = 200  # characters of each


def own_checks(session: UfmSession, facts: UfmFacts, deadline: Deadline, pace: Pace) -> dict[str, OwnCheck]:
    """Start the tests of partitions that a server offers, and wait for them; none where it offers none.

    Raises:
        IntentError: UFM cannot be asked what it offers.
    """
    offered = _names(session.validations(deadline))
    return {name: _ran(session, name, facts, deadline, pace) for name in facts.validations if name in offered}


def _names(body: Any) -> frozenset[str]:
    if not isinstance(body, list):
        raise ProtocolError(f"/fabricValidation/tests: expected a list, got {type(body).__name__}")
    named = [item.get("name") if isinstance(item, Mapping) else item for item in body]
    return frozenset(name for name in named if isinstance(name, str))


def _ran(session: UfmSession, name: str, facts: UfmFacts, deadline: Deadline, pace: Pace) -> OwnCheck:
    try:
        job = job_of(session.validate(name, deadline))
        if not job:
            return OwnCheck(name, why="UFM names no job")
        ended = wait_for(session, job, deadline, pace)
        if ended.end is not JobEnd.GOOD:
            return OwnCheck(name, why=ended.words)
        summary = session.job(job, deadline).get("Summary")
    except IntentError as problem:  # another run of it is under way, most of all
        return OwnCheck(name, why=problem.message)
    return judged(name, summary, facts)


def judged(name: str, summary: Any, facts: UfmFacts) -> OwnCheck:
    """What a test's summary says.

    Args:
        name: the test.
        summary: as UFM gives it.
        facts: marks of good and bad lines.
    """
    lines = [" ".join(line.split()) for line in summary.splitlines()] if isinstance(summary, str) else []
    bad = [line[:_WORDS] for line in lines if line.startswith(facts.validation_bad)]
    if bad:
        return OwnCheck(name, tuple(bad[:_MOST]))
    if any(line.startswith(facts.validation_good) for line in lines):
        return OwnCheck(name)
    return OwnCheck(name, why="its result is not understood")
