"""Quantities: what is read, what is written, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core import units


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (units.length, "30m", units.Length(30)),
        (units.length, "2.5 m", units.Length(2.5)),
        (units.duration, "4us", units.Duration(4)),
        (units.duration, "100ms", units.Duration(100_000)),
        (units.duration, "1.5s", units.Duration(1_500_000)),
        (units.duration, "10m", units.Duration(600_000_000)),
        (units.duration, "4h", units.Duration(14_400_000_000)),
        (units.rate, "400G", units.Rate(400)),
        (units.size, "150KB", units.Size(150_000)),
        (units.size, "64KiB", units.Size(65_536)),
        (units.size, "1MiB", units.Size(1_048_576)),
        (units.size, "0.5KB", units.Size(500)),
        (units.ratio, "5:3", units.Ratio(5, 3)),
        (units.percent, "10%", units.Percent(10)),
        (units.amount, "4", units.Amount(4)),
        (units.amount, "10%", units.Amount(10, percent=True)),
        (units.bfd, "3x900ms", units.BfdTimers(3, 900)),
    ],
)
def test_what_people_write(parse: Callable[[str], object], text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        (units.length, ["30", "30 metres", "-1m", "0m", "1e3m", "m", "30M", "200000m", "٣m"]),
        (units.duration, ["10", "10min", "-1s", "0.1us", "367d", "s", "1h30m", ""]),
        (units.rate, ["400", "400g", "0G", "400.5G", "G", "400 Gb/s"]),
        (units.size, ["150", "150kb", "0.1B", "1TB", "-1KB"]),
        (units.ratio, ["1", "1:0", "0:1", "1:1:1", "1/1", "1.5:1"]),
        (units.percent, ["10", "101%", "-1%", "%"]),
        (units.amount, ["-1", "1.5", "101%", "all"]),
        (units.bfd, ["3x300", "900ms", "1x900ms", "3x49ms", "3x60001ms", "256x900ms", "3 900ms"]),
    ],
)
def test_what_is_refused_says_what_was_expected(parse: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(ValueError, match=r"^expected "):
            parse(text)


@given(st.integers(0, 10**12))
def test_sizes_and_times_are_read_as_they_are_written(number: int) -> None:
    assert units.size(str(units.Size(number))) == units.Size(number)
    assert units.duration(str(units.Duration(number))) == units.Duration(number)


@given(st.text(max_size=12))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for parse in (units.length, units.duration, units.rate, units.size, units.ratio, units.percent, units.bfd):
        try:
            parse(text)
        except ValueError as error:
            assert str(error).startswith("expected")


@given(st.integers(1, 100), st.integers(0, 10_000))
def test_a_share_is_never_more_than_there_is_and_never_nothing_of_something(percent: int, total: int) -> None:
    part = units.Amount(percent, percent=True).of(total)
    assert part <= total
    assert (part > 0) == (total > 0)


def test_values_derived() -> None:
    assert units.Ratio(10, 6).value == Fraction(5, 3)
    assert units.BfdTimers(3, 900).detection_ms == 2700
    assert units.Duration(1_500).milliseconds == 1.5
    assert units.Amount(5).of(3) == 3
