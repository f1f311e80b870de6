"""Changing a controller that has no commit timer: write, read back, put back. Never raises for the controller.

What is in force is only ever found by reading. A call without an answer is not sent again before its effect was looked
for; a change that ends half way is put back by compensating writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from intent.core.errors import IntentError
from intent.device.actor import Session
from intent.device.deadline import Deadline
from intent.device.errors import (
    AuthenticationFailed,
    Busy,
    DeadlineExceeded,
    DeviceError,
    NotJson,
    ServerError,
    Unreachable,
)
from intent.device.http import Reply, Transport

UNDO_S = 120.0

P = TypeVar("P")  # one planned part of a change
L = TypeVar("L")  # everything the controller holds


@dataclass(frozen=True, slots=True)
class Pace:
    """How often to ask.

    Args:
        first_s: pause before the first question.
        factor: by which each pause is longer.
        longest_s: longest pause.
        rereads: how often a change is read again and gone on with after a lost connection.
    """

    first_s: float = 0.1
    factor: float = 1.7
    longest_s: float = 3.0
    rereads: int = 5


@dataclass(frozen=True, slots=True)
class Write:
    """One call.

    Args:
        method: of HTTP.
        path: below the API's root.
        body: as JSON; None for none.
        words: what it does, for the journal.
    """

    method: str
    path: str
    body: Mapping[str, Any] | None
    words: str


@dataclass(frozen=True, slots=True)
class Standing(Generic[P]):
    """How far changes got.

    Args:
        left: what is still as it was before, to be done.
        done: how many of its parts are as they are to be.
        todo: how many are as they were.
        others: what is neither, in words: somebody else changed it.
        stays: what cannot be undone by anybody, in words.
    """

    left: tuple[P, ...]
    done: int
    todo: int
    others: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """For people."""
        total = self.done + self.todo + len(self.others)
        text = f"{self.done} of {total} changes are in force"
        return text + (f"; changed by somebody else: {summary(self.others)}" if self.others else "")

    @property
    def wrong(self) -> str:
        """What is not as it is to be, in words; empty when everything is."""
        words = [f"{self.todo} changes are not in force"] if self.todo else []
        words += [f"changed by somebody else: {summary(self.others)}"] if self.others else []
        words += [summary(self.stays)] if self.stays else []
        return "; ".join(words)


class Mending(Enum):
    """What is put back."""

    OWN = "what was written a moment ago, whatever the controller made of it"
    LATER = "what was written some time ago, where nobody changed it since"


class Refused(Exception):
    """A write failed, in words: the rest is not sent."""


class Lost(Exception):
    """What became of a write is not known, in words: it has to be read."""


class Work(Protocol[P, L]):
    """How one kind of controller is read and written."""

    @property
    def transport(self) -> Transport:
        """What it is spoken to through."""

    def read(self, deadline: Deadline) -> L:
        """Everything it holds.

        Raises:
            DeviceError: by kind of failure.
        """

    def busy(self, deadline: Deadline) -> str:
        """What it is still working on, in words; empty when on nothing: only then does what is read last.

        Raises:
            DeviceError: by kind of failure.
        """

    def standing(self, planned: Sequence[P], live: L, *, force: bool) -> Standing[P]:
        """Hold changes against what it has; with `force`, what is neither old nor new is to be done as well."""

    def writes(self, left: Sequence[P], live: L) -> Sequence[Write]:
        """The calls that carry out what is left, in order."""

    def follow(self, call: Write, reply: Reply, deadline: Deadline) -> None:
        """Wait until what an answer accepted is done.

        Raises:
            Refused: it ended badly.
            Lost: nobody knows how it ended.
        """


@dataclass(frozen=True, slots=True)
class Carried(Generic[P, L]):
    """How far a series of writes got.

    Args:
        standing: what is in force, by reading; None when it could not be read.
        live: what the controller had when it was read last; None when it could not be read.
        trouble: why it ended before its end; empty when it did not.
    """

    standing: Standing[P] | None
    live: L | None = None
    trouble: str = ""

    @property
    def complete(self) -> bool:
        """True when everything was seen to be in force."""
        now = self.standing
        return now is not None and not (now.left or now.others or now.stays or self.trouble)

    @property
    def why(self) -> str:
        """Why it is not complete, in words."""
        parts = [self.trouble, self.standing.wrong if self.standing is not None else ""]
        return "; ".join(part for part in parts if part) or "it is not known why"


class Hand(Generic[P, L]):
    """Sends writes one after the other and finds out by reading what became of those without an answer.

    Args:
        work: how the controller is read and written.
        name: the device, for the journal.
        journal: written before each call.
        pace: how often to ask.
        deadline: when to give up.
    """

    def __init__(self, work: Work[P, L], name: str, journal: Session, pace: Pace, deadline: Deadline) -> None:
        self._work = work
        self._name = name
        self._journal = journal
        self._pace = pace
        self._deadline = deadline

    def carry(self, planned: Sequence[P], live: L, step: str, *, mending: Mending | None = None) -> Carried[P, L]:
        """Write until everything planned is in force, as far as the controller lets us.

        After a lost connection (a failover of a virtual address) it is read again: what is in force is not sent
        again, and what somebody else changed ends it.

        Args:
            planned: the whole of it.
            live: what the controller has now.
            step: name of the step in the journal.
            mending: something is put back: go on with the rest where somebody else changed a part.
        """
        force = mending is Mending.OWN
        now = self._work.standing(planned, live, force=force)
        for _ in range(self._pace.rereads):
            trouble = lost = ""
            try:
                self._send(self._work.writes(now.left, live), step)
            except Lost as problem:
                lost = str(problem)
            except Refused as problem:
                trouble = str(problem)
            found = self.read()
            if found is None:
                return Carried(None, None, lost or trouble or "it could not be read afterwards")
            live = found
            now = self._work.standing(planned, live, force=force)
            if trouble or not lost or not now.left or (now.others and mending is None):
                return Carried(now, live, trouble or (lost if now.others else ""))
        return Carried(now, live, f"the connection was lost {self._pace.rereads} times")

    def put_back(self, undone: Sequence[P], mending: Mending) -> Carried[P, L]:
        """Carry out the inverse of what was written.

        Args:
            undone: what leads back.
            mending: how what is neither old nor new is taken.
        """
        live = self.read()
        if live is None:
            return Carried(None, None, "it could not be read")
        return self.carry(undone, live, "put back", mending=mending)

    def read(self) -> L | None:
        """Everything the controller holds once it works on nothing any more; None when that cannot be had in time."""
        transport, pause = self._work.transport, self._pace.first_s
        while not self._deadline.over():
            try:
                if not self._work.busy(self._deadline):
                    return self._work.read(self._deadline)
            except AuthenticationFailed:
                return None
            except (Unreachable, ServerError, Busy):
                transport.reconnect()
            except DeviceError:
                return None
            transport.sleep(max(0.0, min(pause, self._deadline.remaining())))
            pause = min(pause * self._pace.factor, self._pace.longest_s)
        return None

    def _send(self, calls: Sequence[Write], step: str) -> None:
        for number, call in enumerate(calls, 1):
            data = {"call": f"{call.method} {call.path[:120]}", "what": call.words, "number": number, "of": len(calls)}
            self._journal.record(self._name, step, data)
            transport = self._work.transport
            try:
                reply = transport.order(call.method, call.path, body=call.body, deadline=self._deadline)
            except (Unreachable, DeadlineExceeded, ServerError, NotJson) as problem:
                transport.reconnect()
                raise Lost(f"{call.words}: {problem.message}") from None
            except DeviceError as problem:
                raise Refused(f"{call.words}: {problem.message}") from None
            self._work.follow(call, reply, self._deadline)


def summary(words: Sequence[str], most: int = 4) -> str:
    """The first few, and how many more there are."""
    more = len(words) - most
    return "; ".join(words[:most]) + (f"; and {more} more" if more > 0 else "")


def words_of(problem: IntentError) -> str:
    """An error with its hint."""
    return f"{problem.message} ({problem.hint})" if problem.hint else problem.message
