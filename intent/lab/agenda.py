"""What is due at which time. Time is handed in; nothing runs until somebody looks, so tests need no sleep."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]


class Appointment:
    """Something that happens later, unless cancelled."""

    __slots__ = ("act", "at")

    def __init__(self, at: float, act: Callable[[float], None]) -> None:
        self.at = at
        self.act: Callable[[float], None] | None = act

    def cancel(self) -> None:
        """It will not happen."""
        self.act = None


class Agenda:
    """Appointments in order of time.

    Args:
        clock: seconds, never running backwards.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._due: list[tuple[float, int, Appointment]] = []
        self._number = 0

    def after(self, seconds: float, act: Callable[[float], None], *, since: float | None = None) -> Appointment:
        """Do something in so many seconds from now, or from `since`; it is told the time it was due."""
        start = self.clock() if since is None else since
        made = Appointment(start + seconds, act)
        self._number += 1
        heapq.heappush(self._due, (made.at, self._number, made))
        return made

    def run(self) -> float:
        """Do what is due, in order of time; returns the time now."""
        now = self.clock()
        while self._due and self._due[0][0] <= now:
            _, _, made = heapq.heappop(self._due)
            act, made.act = made.act, None
            if act is not None:
                act(made.at)
        return now
