"""Time and the stop button, both handed in so that tests own them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Clock(Protocol):
    """Where the engine takes the time from."""

    def monotonic(self) -> float:
        """Seconds that only grow."""

    def utc(self) -> datetime:
        """The time now, in UTC."""

    def sleep(self, seconds: float) -> None:
        """Let that many seconds pass."""


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def utc(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Let that many seconds pass."""
        time.sleep(seconds)


def stamp(clock: Clock) -> str:
    """The time now as ISO 8601 in UTC, to the millisecond."""
    return clock.utc().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Stop:
    """The stop button of one change.

    Pressed once, nothing new is begun and what is in flight is finished. Pressed again, everything is dropped where it
    is: devices that await confirmation revert by their own timer.
    """

    def __init__(self) -> None:
        # Plain values: a signal may come while the thread it interrupts is in here, and must not wait for it.
        self._requested = False
        self._pressed = False
        self._reason = ""

    @property
    def reason(self) -> str:
        """Why it was pressed; empty while it was not."""
        return self._reason

    def request(self, reason: str) -> None:
        """Begin nothing new. The first reason stays."""
        self._reason = self._reason or reason
        self._requested = True

    def requested(self) -> bool:
        """True once it was pressed."""
        return self._requested

    @contextmanager
    def on_interrupt(self, told: Callable[[], None] = lambda: None) -> Iterator[None]:
        """While inside, Ctrl-C (and SIGTERM, and a terminal that goes away) presses this button.

        The second time KeyboardInterrupt is raised, also when something else had stopped the change before the first.
        What is ignored already stays ignored (nohup). Only the main thread may use it.

        Args:
            told: called at the first press, inside a signal handler.
        """

        def press(number: int, frame: FrameType | None) -> None:
            del number, frame
            if self._pressed:
                raise KeyboardInterrupt
            self._pressed = True
            self.request("interrupted by the operator")
            told()

        numbers = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, press) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def pause(clock: Clock, seconds: float, stop: Stop | None = None) -> None:
    """Wait, in slices of at most a second, until the time is over or the stop button is pressed."""
    end = clock.monotonic() + seconds
    while (left := end - clock.monotonic()) > 0 and not (stop and stop.requested()):
        clock.sleep(min(1.0, left))
