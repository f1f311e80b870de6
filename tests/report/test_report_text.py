"""Names in short and safe text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.ranges import expand
from intent.report.text import clean, fold, lasting, one_line, plural


def test_names_fold_as_selectors_write_them() -> None:
    assert fold([f"leaf{n:02}" for n in range(1, 16)]) == "leaf{01..15}"
    assert fold(["leaf8", "leaf9", "leaf10", "spine1"]) == "leaf{8..10}, spine1"
    assert fold(["leaf1", "leaf2"]) == "leaf1, leaf2"
    assert fold(["r1-n1", "r1-n2", "r1-n3", "r2-n1"]) == "r1-n{1..3}, r2-n1"
    assert fold([f"x{n * 2}" for n in range(20)], most=3) == "x0, x2, x4, and 17 more"
    assert fold(["leaf98", "leaf99", "leaf100"]) == "leaf{98..100}"
    assert fold(["leaf098", "leaf099", "leaf100"]) == "leaf{098..100}"
    assert fold([]) == ""
    rails = [f"ew-p{plane}-r{rail}-l01" for plane in (1, 2) for rail in range(1, 9)]
    assert fold(rails) == "ew-p{1..2}-r{1..8}-l01"
    assert fold([*rails, "ew-p1-s01"]) == "ew-p{1..2}-r{1..8}-l01, ew-p1-s01"
    assert fold(["r1-l01", "r1-l02", "r2-l01", "r2-l02"]) == "r{1..2}-l{01..02}"
    assert fold(["a{1..3}", "b1234567890123", "b1234567890124"]) == "a{1..3}, b1234567890123, b1234567890124"


@given(
    st.lists(
        st.builds(
            lambda word, number, width, tail: f"{word}{number:0{width}d}{tail}",
            st.sampled_from(["leaf", "p1-l", "p2-l", "p3-l", ""]),
            st.sampled_from([*range(13), 98, 99, 100, 101]),
            st.integers(1, 3),
            st.sampled_from(["", "-x", "-s1", "-s2"]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_folding_loses_no_name(names: list[str]) -> None:
    pieces = fold(sorted(names), most=1000).split(", ")
    assert [name for piece in pieces for name in expand(piece)] == sorted(names)


@given(st.text())
def test_clean_text_holds_no_control_character(text: str) -> None:
    shown = one_line(text)
    assert all(character.isprintable() or character.isspace() for character in shown if ord(character) < 0x100)
    assert "\n" not in shown
    clean(text).encode()


def test_plural() -> None:
    assert plural(1, "device") == "1 device"
    assert plural(0, "device") == "0 devices"
    assert plural(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.2, "1 s"), (45, "45 s"), (60, "1 min"), (90, "1 min 30 s"), (3599, "59 min 59 s"), (3600, "1 h"),
     (3601, "1 h 1 min"), (7800, "2 h 10 min"), (90_000, "25 h")],
)  # fmt: skip
def test_times_never_sound_shorter_than_they_are(seconds: float, words: str) -> None:
    assert lasting(seconds) == words
