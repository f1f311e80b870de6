"""Laws of trees: difference, patch, digest, paths."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from intent.core.tree import (
    ABSENT,
    Kind,
    copy,
    difference,
    digest,
    dotted,
    from_dotted,
    from_pointer,
    get,
    leaves,
    merge,
    patch,
    pointer,
)

KEYS = st.sampled_from(["a", "b", "swp1", "10.0.0.1/32", "x[y", "~1", "vlan"])
SCALARS = st.one_of(st.text(max_size=3), st.integers(0, 3), st.booleans(), st.lists(st.integers(0, 2), max_size=2))
TREES: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    KEYS,
    st.recursive(SCALARS, lambda below: st.dictionaries(KEYS, below, max_size=3), max_leaves=8),
    max_size=4,
)


@given(TREES)
def test_a_tree_does_not_differ_from_itself(tree: dict[str, Any]) -> None:
    assert difference(tree, copy(tree)) == []


@given(TREES, TREES)
def test_patching_with_the_difference_leads_there(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert digest(patch(before, difference(before, after))) == digest(after)


@given(TREES, TREES)
def test_patch_leaves_its_input_alone(before: dict[str, Any], after: dict[str, Any]) -> None:
    was = digest(before)
    patch(before, difference(before, after))
    assert digest(before) == was


@given(TREES, TREES)
def test_the_difference_back_is_the_mirror_image(before: dict[str, Any], after: dict[str, Any]) -> None:
    there = {(d.path, str(d.before), str(d.after)) for d in difference(before, after)}
    back = {(d.path, str(d.after), str(d.before)) for d in difference(after, before)}
    assert there == back


@given(TREES, TREES)
def test_what_is_laid_on_top_is_what_is_seen(base: dict[str, Any], over: dict[str, Any]) -> None:
    merged = merge(base, over)
    for path, value in leaves(over):
        found = get(merged, path)
        assert found == value or (value == {} and isinstance(found, dict))


@given(st.lists(st.text(min_size=1, max_size=5), max_size=4).map(tuple))
def test_pointers_lead_back(path: tuple[str, ...]) -> None:
    assert from_pointer(pointer(path)) == path


@given(st.lists(st.sampled_from(["interface", "swp1s0", "10.0.0.1/32", "fe80::1", "link"]), max_size=5).map(tuple))
def test_dotted_paths_lead_back(path: tuple[str, ...]) -> None:
    assert from_dotted(dotted(path)) == path


def test_a_number_is_not_a_boolean_nor_a_text() -> None:
    assert [d.path for d in difference({"a": 1, "b": 1}, {"a": True, "b": "1"})] == [("a",), ("b",)]


def test_kinds() -> None:
    found = difference({"gone": 1, "other": 1, "set": {}}, {"new": {}, "other": 2, "set": {"member": {}}})
    assert {dotted(d.path): d.kind for d in found} == {
        "gone": Kind.REMOVE,
        "new": Kind.ADD,
        "other": Kind.CHANGE,
        "set": Kind.REMOVE,
        "set.member": Kind.ADD,
    }
    assert next(d for d in found if d.path == ("gone",)).after is ABSENT


def test_key_order_does_not_change_the_digest() -> None:
    assert digest({"a": 1, "b": {"c": [1, 2]}}) == digest({"b": {"c": [1, 2]}, "a": 1})
    assert digest({"a": [1, 2]}) != digest({"a": [2, 1]})
