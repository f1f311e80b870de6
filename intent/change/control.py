"""Time and the stop button, both handed in so that tests own them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import Protocol


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
        self._event = threading.Event()
        self._reason = ""

    @property
    def reason(self) -> str:
        """Why it was pressed; empty while it was not."""
        return self._reason

    def request(self, reason: str) -> None:
        """Begin nothing new. The first reason stays."""
        self._reason = self._reason or reason
        self._event.set()

    def requested(self) -> bool:
        """True once it was pressed."""
        return self._event.is_set()

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """While inside, Ctrl-C (and SIGTERM) presses this button; the second one raises KeyboardInterrupt.

        Only the main thread may use it.
        """

        def press(number: int, frame: FrameType | None) -> None:
            del number, frame
            if self.requested():
                raise KeyboardInterrupt
            self.request("interrupted by the operator")

        before = {number: signal.signal(number, press) for number in (signal.SIGINT, signal.SIGTERM)}
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
