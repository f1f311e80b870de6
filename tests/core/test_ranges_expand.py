"""Ranges of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.ranges import LIMIT, count, edges, expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu01", ("gpu01",)),
        ("gpu{01..03}", ("gpu01", "gpu02", "gpu03")),
        ("gpu{8..10}", ("gpu8", "gpu9", "gpu10")),
        ("gpu{08..10}", ("gpu08", "gpu09", "gpu10")),
        ("r{1..2}-n{01..02}", ("r1-n01", "r1-n02", "r2-n01", "r2-n02")),
        ("{0..0}", ("0",)),
        ("{007..010}x", ("007x", "008x", "009x", "010x")),
    ],
)
def test_names_in_order(text: str, names: tuple[str, ...]) -> None:
    assert expand(text) == names
    assert count(text) == len(names)
    assert edges(text) == (names[0], names[-1])


@pytest.mark.parametrize("text", ["{2..1}", "a{", "a}", "{a..b}", "{1..}", "{1...3}", "{1,2}", "{{1..2}}", "{-1..2}"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ValueError, match="range"):
        expand(text)


@pytest.mark.parametrize("text", ["{1..100001}", "{1..999999999}", "{1..400}{1..400}", "{1..999999999}" * 20])
def test_too_many_names_are_refused_before_they_are_made(text: str) -> None:
    with pytest.raises(ValueError, match=f"more than {LIMIT} names"):
        expand(text)
    assert count(text) > LIMIT


@given(st.integers(0, 5000), st.integers(0, 300), st.booleans())
def test_every_number_once_in_order(first: int, extra: int, padded: bool) -> None:
    text = f"n{{{first:06d}..{first + extra}}}" if padded else f"n{{{first}..{first + extra}}}"
    names = expand(text)
    assert [int(name[1:]) for name in names] == list(range(first, first + extra + 1))
    assert len({len(name) for name in names}) == 1 or not padded


@given(st.text(max_size=15))
def test_any_text_is_expanded_or_refused(text: str) -> None:
    try:
        assert len(expand(text)) == count(text)
    except ValueError as error:
        assert str(error)
