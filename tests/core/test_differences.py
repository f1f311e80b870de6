"""Differences kept as parts of trees say what differences leaf by leaf say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from intent.core.differences import Differences
from intent.core.tree import ABSENT, Difference, copy, difference
from tests.core.test_tree_laws import TREES


@given(TREES, TREES)
def test_parts_say_what_the_leaves_say(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = Differences.between(before, after)
    assert list(found) == difference(before, after)
    assert bool(found) == bool(difference(before, after))
    assert len(Differences.between(before, after)) == len(difference(before, after))
    gone = [item for item in difference(before, after) if item.after is ABSENT]
    for path in {item.path[:end] for item in found for end in range(1, 4)} | {("a",), ("b", "a")}:
        assert found.touch(path) == any(item.path[: len(path)] == path for item in found)
    assert sorted(found.removed(), key=lambda item: item.path) == gone


@given(TREES, TREES)
def test_they_survive_being_written_down(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = Differences.between(before, after)
    read = Differences(*json.loads(json.dumps([found.before, found.after])))
    assert read == found
    assert Differences.of(tuple(found)) == found


@given(TREES, TREES)
def test_trees_are_left_alone(before: dict[str, Any], after: dict[str, Any]) -> None:
    kept = copy(before), copy(after)
    list(Differences.between(before, after))
    assert (before, after) == kept


def test_they_compare_with_a_tuple_of_records() -> None:
    found = Differences.between({"a": 1, "b": {"c": 2}}, {"a": 3})
    assert found == (Difference(("a",), 1, 3), Difference(("b", "c"), 2, ABSENT))
    assert found != (Difference(("a",), 1, 3),)
    assert found != Differences.between({"a": 1}, {"a": 3})
    assert list(Differences.between({"b": {"c": 1}}, {"b": {"c": True}})) == [Difference(("b", "c"), 1, True)]
    assert found[0].path == ("a",)
    assert found[1:] == (Difference(("b", "c"), 2, ABSENT),)


@pytest.mark.parametrize(
    "records",
    [
        (Difference((), 1, 2),),
        (Difference(("a",), ABSENT, {"b": 1}),),
        (Difference(("a",), 1, 2), Difference(("a", "b"), 1, 2)),
        (Difference(("a",), 1, 2), Difference(("a",), 1, 2)),
        (Difference(("a",), ABSENT, ABSENT),),
    ],
)
def test_what_two_parts_cannot_say_is_not_said(records: tuple[Difference, ...]) -> None:
    assert Differences.of(records) is None
