"""Waiting for a revision: poll, through lost connections, until the device has decided or time is over."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from intent.device.deadline import Deadline
from intent.device.errors import DeadlineExceeded, NotFound, ServerError, Unreachable
from intent.device.nvue.revision import Revision
from intent.device.nvue.session import NvueSession
from intent.device.nvue.states import Kind

DECIDED = frozenset({Kind.CONFIRM, Kind.QUESTION, Kind.GOOD, Kind.BAD, Kind.ENDED})


@dataclass(frozen=True, slots=True)
class Pace:
    """How often to ask: quickly at first, for small changes take a second, then ever more slowly.

    Args:
        first_s: pause before the second question.
        factor: by which each pause is longer than the one before.
        longest_s: longest pause.
        candidate_s: time a revision may still be a candidate after it was told to apply.
    """

    first_s: float = 0.2
    factor: float = 1.7
    longest_s: float = 5.0
    candidate_s: float = 15.0


@dataclass(frozen=True, slots=True)
class Waited:
    """What waiting came to.

    Args:
        revision: the last answer; None when the device never answered.
        decided: True when the device reached one of the kinds waited for; False when time was over first.
        trouble: why the last question was not answered; empty when it was.
    """

    revision: Revision | None
    decided: bool
    trouble: str = ""

    @property
    def kind(self) -> Kind:
        """Kind of the last state read."""
        return self.revision.kind if self.revision else Kind.UNKNOWN

    def words(self) -> str:
        """For people."""
        last = self.revision.words() if self.revision else "the device did not answer"
        return f"{last}; {self.trouble}" if self.trouble else last


def wait_for(
    session: NvueSession,
    identifier: str,
    deadline: Deadline,
    pace: Pace,
    until: Collection[Kind] = DECIDED,
    *,
    seen: Callable[[Revision], None] | None = None,
) -> Waited:
    """Ask for a revision until its state is of a kind in `until`.

    A connection that breaks while services reload is normal: a new one is made. A candidate that stays one for
    `pace.candidate_s` ends the waiting: the order to apply never arrived.

    Args:
        session: with the device.
        identifier: the revision.
        deadline: when to give up.
        pace: how often to ask.
        until: kinds that end the waiting.
        seen: told of every answer.
    """
    pause = pace.first_s
    last: Revision | None = None
    trouble = ""
    started = deadline.remaining()
    while True:
        # Nothing is decided in the very moment of the order: asking at once would only cost a request.
        session.transport.sleep(max(0.0, min(pause, deadline.remaining())))
        pause = min(pause * pace.factor, pace.longest_s)
        try:
            last = session.revision(identifier, deadline)
            trouble = ""
        except NotFound:
            return Waited(last, False, f"the device does not know revision {identifier}")
        except DeadlineExceeded as problem:
            return Waited(last, False, trouble or problem.message)
        except (Unreachable, ServerError) as problem:
            trouble = problem.message
            session.transport.reconnect()
        if last is not None and not trouble:
            if seen is not None:
                seen(last)
            if last.kind in until:
                return Waited(last, True)
            if last.kind is Kind.CANDIDATE and started - deadline.remaining() >= pace.candidate_s:
                return Waited(last, False, "the order to apply did not arrive")
        if deadline.over():
            return Waited(last, False, trouble or f"not decided within {deadline.seconds:g} s")
