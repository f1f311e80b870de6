"""Time allowed for an operation, counted down whatever happens inside it."""

from __future__ import annotations

from collections.abc import Callable

from intent.device.errors import DeadlineExceeded

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class Deadline:
    """A point in time after which an operation stops.

    Args:
        seconds: time allowed from now.
        clock: monotonic clock, in seconds.
    """

    __slots__ = ("_clock", "_end", "seconds")

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds left; negative when over."""
        return self._end - self._clock()

    def over(self) -> bool:
        """True once no time is left."""
        return self.remaining() <= 0

    def within(self, seconds: float, what: str) -> float:
        """`seconds`, cut to what is left.

        Raises:
            DeadlineExceeded: nothing is left; `what` names the operation.
        """
        left = self.remaining()
        if left <= 0:
            raise DeadlineExceeded(f"{what}: not done within {self.seconds:g} s")
        return min(seconds, left)
