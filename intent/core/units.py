"""Quantities as people write them: `30m` of cable, `10m` of time, `400G`, `150KB`, `5:3`, `10%`, `3x900ms`.

The unit belongs to the field: which parser reads a text is decided by the field it stands in, never by the text. Every
parser takes the text as written and raises ValueError with a message that says what was expected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)"
_LENGTH = re.compile(rf"{_NUMBER}\s?m")
_DURATION = re.compile(rf"{_NUMBER}\s?(us|ms|s|m|h|d)")
_RATE = re.compile(r"([0-9]{1,6})\s?G")
_SIZE = re.compile(rf"{_NUMBER}\s?(B|KB|MB|GB|KiB|MiB|GiB)")
_RATIO = re.compile(r"([0-9]{1,4})\s?:\s?([0-9]{1,4})")
_PERCENT = re.compile(rf"{_NUMBER}\s?%")
_COUNT = re.compile(r"[0-9]{1,9}")
_BFD = re.compile(r"([0-9]{1,3})\s?x\s?([0-9]{1,9})\s?ms")

_MICROSECONDS = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True, slots=True, order=True)
class Length:
    """A length of cable in metres."""

    metres: float

    def __str__(self) -> str:
        return f"{self.metres:g}m"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time in microseconds."""

    microseconds: int

    @property
    def seconds(self) -> float:
        """The same span in seconds."""
        return self.microseconds / 10**6

    @property
    def milliseconds(self) -> float:
        """The same span in milliseconds."""
        return self.microseconds / 10**3

    def __str__(self) -> str:
        for unit in ("d", "h", "m", "s", "ms"):
            if self.microseconds and self.microseconds % _MICROSECONDS[unit] == 0:
                return f"{self.microseconds // _MICROSECONDS[unit]}{unit}"
        return f"{self.microseconds}us"


@dataclass(frozen=True, slots=True, order=True)
class Rate:
    """The speed of a link in Gb/s."""

    gbps: int

    def __str__(self) -> str:
        return f"{self.gbps}G"


@dataclass(frozen=True, slots=True, order=True)
class Size:
    """An amount of memory in bytes."""

    bytes: int

    def __str__(self) -> str:
        for unit in ("GB", "GiB", "MB", "MiB", "KB", "KiB"):
            if self.bytes and self.bytes % _BYTES[unit] == 0:
                return f"{self.bytes // _BYTES[unit]}{unit}"
        return f"{self.bytes}B"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Capacity down to capacity up, as written: `5:3` is blocking, `1:1` is not."""

    down: int
    up: int

    @property
    def value(self) -> Fraction:
        """Down divided by up."""
        return Fraction(self.down, self.up)

    def __str__(self) -> str:
        return f"{self.down}:{self.up}"


@dataclass(frozen=True, slots=True, order=True)
class Percent:
    """A share of a hundred, 0 to 100."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}%"


@dataclass(frozen=True, slots=True)
class Amount:
    """So many devices, or a share of those there are.

    Args:
        number: a count, or a percentage when `percent` is true.
        percent: how to read `number`.
    """

    number: float
    percent: bool = False

    def of(self, total: int) -> int:
        """How many of `total` that is: never more than there are, a share never less than one of any."""
        if not self.percent:
            return min(int(self.number), total)
        return min(total, max(1, int(total * self.number / 100))) if self.number else 0

    def __str__(self) -> str:
        return f"{self.number:g}%" if self.percent else f"{self.number:g}"


@dataclass(frozen=True, slots=True)
class BfdTimers:
    """Detection of a dead neighbour: `multiplier` missed packets sent every `interval_ms`."""

    multiplier: int
    interval_ms: int

    @property
    def detection_ms(self) -> int:
        """Milliseconds after which a silent neighbour is down."""
        return self.multiplier * self.interval_ms

    def __str__(self) -> str:
        return f"{self.multiplier}x{self.interval_ms}ms"


def length(text: str) -> Length:
    """Metres of `30m` or `2.5m`; ValueError for anything else."""
    match = _LENGTH.fullmatch(text)
    if not match:
        raise ValueError("expected a length in metres such as 30m")
    metres = float(match[1])
    if not 0 < metres <= 100_000:
        raise ValueError("expected a length above 0m and up to 100000m")
    return Length(metres)


def duration(text: str) -> Duration:
    """Time of `100ms`, `10m` or `4h`; ValueError for anything else or for a fraction of a microsecond."""
    match = _DURATION.fullmatch(text)
    if not match:
        raise ValueError("expected a time such as 100ms, 30s, 10m or 4h")
    exact = Fraction(match[1]) * _MICROSECONDS[match[2]]
    if exact.denominator != 1:
        raise ValueError("expected a time in whole microseconds")
    if exact > 366 * _MICROSECONDS["d"]:
        raise ValueError("expected a time of at most 366d")
    return Duration(int(exact))


def rate(text: str) -> Rate:
    """Link speed of `400G`; ValueError for anything else."""
    match = _RATE.fullmatch(text)
    if not match or not int(match[1]):
        raise ValueError("expected a link speed such as 400G")
    return Rate(int(match[1]))


def size(text: str) -> Size:
    """Bytes of `150KB` (thousands) or `64KiB` (1024s); ValueError for anything else or for part of a byte."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError("expected a size such as 150KB (1000) or 64KiB (1024)")
    exact = Fraction(match[1]) * _BYTES[match[2]]
    if exact.denominator != 1:
        raise ValueError("expected a size in whole bytes")
    return Size(int(exact))


def ratio(text: str) -> Ratio:
    """The ratio of `5:3`; ValueError for anything else or a zero on either side."""
    match = _RATIO.fullmatch(text)
    if not match or not int(match[1]) or not int(match[2]):
        raise ValueError("expected a ratio of whole numbers, down to up, such as 1:1 or 5:3")
    return Ratio(int(match[1]), int(match[2]))


def percent(text: str) -> Percent:
    """The share of `10%`; ValueError for anything else or above 100%."""
    match = _PERCENT.fullmatch(text)
    if not match or float(match[1]) > 100:
        raise ValueError("expected a percentage from 0% to 100%")
    return Percent(float(match[1]))


def amount(text: str) -> Amount:
    """A count such as `4` or a share such as `10%`; ValueError for anything else."""
    if _COUNT.fullmatch(text):
        return Amount(int(text, 10))
    if text.endswith("%"):
        return Amount(percent(text).value, percent=True)
    raise ValueError("expected a number such as 4 or a percentage such as 10%")


def bfd(text: str) -> BfdTimers:
    """Timers of `3x900ms`: multiplier 2 to 255, interval 50 to 60000 ms; ValueError for anything else."""
    match = _BFD.fullmatch(text)
    if not match:
        raise ValueError("expected BFD timers such as 3x900ms (packets missed, interval)")
    multiplier, interval_ms = int(match[1]), int(match[2])
    if not 2 <= multiplier <= 255 or not 50 <= interval_ms <= 60_000:
        raise ValueError("expected BFD timers with a multiplier of 2 to 255 and an interval of 50 to 60000ms")
    return BfdTimers(multiplier, interval_ms)
