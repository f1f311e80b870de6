"""Selectors: what they pick, which is narrowest, what is refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.selector import best, parse

LEAF = {"name": "east-west-p1-r3-l01", "role": "leaf", "plane": "1", "rail": "3", "site": "par1", "model": "SN5600"}
NODE = {"name": "gpu03-07", "role": "node", "rack": "gpu03", "site": "par1"}


@pytest.mark.parametrize(
    ("text", "leaf", "node"),
    [
        ("*", True, True),
        ("gpu*", False, True),
        ("gpu03", False, True),
        ("gpu03-07", False, True),
        ("gpu03-{01..09}", False, True),
        ("gpu03-{08..09}", False, False),
        ("gpu{01..02} gpu03-*", False, True),
        ("role=leaf", True, False),
        ("role=leaf,plane=1", True, False),
        ("role=leaf,plane=2", False, False),
        ("role=leaf,plane={1..2}", True, False),
        ("role=leaf,east-*", True, False),
        ("plane=2 rail=3", True, False),
        ("par1/gpu*", False, True),
        ("tok1/gpu*", False, False),
        ("*/gpu0?", False, True),
        ("model=SN5?00", True, False),
        ("rack=gpu03", False, True),
        ("GPU*", False, False),
        ("east-west-p1-r3-l0", False, False),
    ],
)
def test_what_is_picked(text: str, leaf: bool, node: bool) -> None:
    assert (parse(text).matches(LEAF), parse(text).matches(NODE)) == (leaf, node)


def test_a_long_range_is_looked_up_and_not_searched() -> None:
    wanted = parse("n{1..20000}")
    before = time.process_time()
    assert all(wanted.matches({"name": f"n{number}"}) for number in range(1, 20_001))
    assert not wanted.matches({"name": "n0"})
    assert time.process_time() - before < 2


def test_dots_are_dots() -> None:
    assert not parse("a.b").matches({"name": "axb"})


REFUSED = ["", "  ", "a,", ",a", "=a", "a=", "Role=leaf", "a==b", "a/", "/a", "a$", "[ab]", "a{", "{2..1}"]


@pytest.mark.parametrize("text", [*REFUSED, "a" * 300, "a*b*" * 9, "a{1..1001}*", "a{1..20001}", "a " * 1001])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (["*", "east-*"], "east-*"),
        (["east-west-p1-*", "east-*"], "east-west-p1-*"),
        (["east-west-p1-r3-l01", "east-west-p1-*"], "east-west-p1-r3-l01"),
        (["role=leaf", "role=leaf,plane=1", "*"], "role=leaf,plane=1"),
        (["plane=1", "rail=3"], "rail=3"),
        (["gpu*"], None),
        ([], None),
    ],
)
def test_the_narrowest_wins_and_the_later_among_equals(texts: list[str], chosen: str | None) -> None:
    assert best(texts, LEAF) == chosen


@given(st.text(max_size=30))
def test_any_text_is_a_selector_or_refused(text: str) -> None:
    try:
        parse(text).matches(LEAF)
    except ValueError as error:
        assert str(error)


def test_no_pattern_makes_matching_slow() -> None:
    wanted = parse("*a*a*a*a*a")
    before = time.process_time()
    assert not wanted.matches({"name": "a" * 63 + "b"})
    assert time.process_time() - before < 2
