"""What the controllers of the lab have in common: one REST API behind one address, counters, faults on demand."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from intent.core.errors import IntentError
from intent.lab.agenda import Clock
from intent.lab.api import Request, Response
from intent.lab.controller import DROPPED, Login
from intent.lab.tools import Counters, Refusal

KINDS: Mapping[str, str] = {
    "unreachable": "connections are refused, for for_s seconds or until cleared",
    "slow": "every answer takes delay_s longer",
    "clear": "every standing fault ends",
}
"""Faults of every controller."""

_log = logging.getLogger("intent.lab")


@dataclass(slots=True)
class Standing:
    """Standing faults.

    Args:
        down: refuses connections.
        until: lab time at which it answers again; 0 for not by itself.
        delay_s: added to every answer.
        lost: a write's connection drops; empty, `before` or `after` it is carried out.
        failover_s: a lost write is followed by a failover of so many seconds.
        skip: writes that still go well.
        times: writes that are hit; -1 for all.
    """

    down: bool = False
    until: float = 0.0
    delay_s: float = 0.0
    lost: str = ""
    failover_s: float = 0.0
    skip: int = 0
    times: int = -1

    def due(self) -> bool:
        """True when a fault of writes hits this one; counts it."""
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times == 0:
            return False
        self.times -= self.times > 0
        return True

    def counted(self, options: Mapping[str, Any]) -> None:
        """Which of the writes to come are hit."""
        self.times, self.skip = int(options.get("times", 1)), int(options.get("skip", 0))

    def loses(self, options: Mapping[str, Any], seconds: float) -> None:
        """Writes get lost."""
        self.lost = "before" if options.get("when") == "before" else "after"
        self.failover_s = seconds


class RestController(ABC):
    """One controller of the lab.

    Args:
        name: its name.
        version: version it runs.
        clock: seconds, never running backwards.
    """

    kind: ClassVar[str]
    kinds: ClassVar[Mapping[str, str]]
    """Its faults, with what they do."""
    what: ClassVar[str]
    """What it is, with its article."""

    faults: Standing

    def __init__(self, name: str, version: str, clock: Clock) -> None:
        self.name = name
        self.version = version
        self.counters = Counters()
        self.failovers = 0
        self.calls: list[tuple[str, str]] = []  # writes, as method and path
        self._clock = clock

    @abstractmethod
    def login(self) -> Login:
        """How to log in."""

    @abstractmethod
    def answer(self, request: Request, reading: bool) -> Response:
        """Answer a request.

        Raises:
            Refusal: it makes no sense, or the caller may not.
        """

    @abstractmethod
    def error(self, status: int, detail: str) -> Response:
        """An error in its own words."""

    @abstractmethod
    def forget(self) -> None:
        """The node that takes over knows nothing of what was under way."""

    @abstractmethod
    def calm(self) -> None:
        """Every standing fault ends."""

    @abstractmethod
    def faulty(self, kind: str, options: Mapping[str, Any]) -> str | None:
        """A fault of its own kind; what was done, in words, where the kind does not say it all."""

    @abstractmethod
    def seen(self) -> dict[str, Any]:
        """What it holds, its standing faults."""

    @property
    def now(self) -> float:
        """Lab time."""
        return self._clock()

    def opened(self) -> None:
        """A connection was accepted."""
        self.counters.connections += 1

    def reachable(self) -> str:
        """Whether its address answers now: empty, or `refuse`."""
        faults = self.faults
        if faults.down and faults.until and faults.until <= self.now:
            faults.down, faults.until = False, 0.0
        return "refuse" if faults.down else ""

    def handle(self, request: Request) -> Response:
        """Answer; a bug of the lab is an answer 500 and a trace in its log, never a crash."""
        reading = request.method in ("GET", "HEAD")
        self.counters.requests += 1
        self.counters.reads += reading
        self.counters.writes += not reading
        try:
            answer = self.answer(request, reading)
        except Refusal as refusal:
            answer = self.error(refusal.status, refusal.detail)
        except Exception:
            _log.exception("%s: %s %s", self.name, request.method, request.target[:200])
            answer = self.error(500, "The lab failed to answer; see its log")
        self.counters.refused += answer.status in (401, 403)
        if not self.faults.delay_s or answer is DROPPED:
            return answer
        return Response(answer.status, answer.body, answer.headers, self.faults.delay_s)

    def dropped(self) -> Response:
        """The connection of a write drops; where a fault says so, the node fails with it."""
        if self.faults.failover_s:
            self.fail_over(self.faults.failover_s)
        return DROPPED

    def fail_over(self, seconds: float) -> None:
        """Nobody answers for so long; then another node does."""
        self.failovers += 1
        self.forget()
        self.faults.down, self.faults.until = True, self.now + seconds

    def fault(self, kind: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong; what was done, in words.

        Raises:
            IntentError: no such kind, or the options do not fit.
        """
        if kind not in self.kinds:
            raise IntentError(f"no fault of {self.what} is called {kind!r}", hint=f"known: {', '.join(self.kinds)}")
        try:
            said = self._common(kind, options)
        except KeyError as missing:
            raise IntentError(f"{self.name}: {kind}: {missing.args[0]}=… is missing", hint=self.kinds[kind]) from None
        except (Refusal, TypeError, ValueError) as problem:
            raise IntentError(f"{self.name}: {kind}: {problem}", hint=self.kinds[kind]) from None
        return said or f"{self.name}: {kind}"

    def _common(self, kind: str, options: Mapping[str, Any]) -> str | None:
        seconds = float(options.get("for_s", 0.0))
        if kind == "unreachable":
            self.faults.down, self.faults.until = True, self.now + seconds if seconds else 0.0
        elif kind == "slow":
            self.faults.delay_s = float(options.get("delay_s", 1.0))
        elif kind == "failover":
            self.fail_over(seconds or 1.0)
        elif kind == "lost-write":
            self.faults.counted(options)
            self.faults.loses(options, seconds)
        elif kind == "clear":
            self.calm()
        else:
            return self.faulty(kind, options)
        return None

    def snapshot(self) -> dict[str, Any]:
        """What it holds, its standing faults, its counters."""
        return {
            "kind": self.kind,
            "release": self.version,
            "reachable": not self.reachable(),
            **self.seen(),
            **asdict(self.counters),
        }
