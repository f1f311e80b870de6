"""What is sent to a switch and what it answers: laws over random trees, and the cases that are not obvious."""

from __future__ import annotations

from typing import Any

import pytest
from fake_switch import merged, one_sided
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.core.differences import Differences
from intent.core.tree import ABSENT, Difference, Path, Tree, get, leaves
from intent.device.actor import Target, Wanted
from intent.device.nvue.agreement import device_differences, disagreement, summary
from intent.device.nvue.canonical import Canon, Canons
from intent.device.nvue.payload import bodies, removals
from intent.device.nvue.payload import one_sided as told
from intent.device.nvue.release import same_release
from intent.device.nvue.scope import Scope
from intent.device.nvue.states import STATES, Kind, kind_of
from intent.device.secrets import MASK, SecretStore

CANON = Canons().of("5.16.4")
NOBODY = SecretStore(environment={})
TARGET = Target("leaf01", "", "nvue", "5.16.4")

KEYS = st.sampled_from(["a", "b", "c", "d"])
TREES = st.recursive(
    st.dictionaries(KEYS, st.sampled_from([1, "x", {}, True]), max_size=3),
    lambda inner: st.dictionaries(KEYS, inner | st.sampled_from([1, 2, "x", {}]), max_size=4),
    max_leaves=12,
)
PATHS = st.lists(KEYS, min_size=1, max_size=3).map(tuple)


def pruned(tree: Tree) -> Tree:
    """Without containers that hold nothing: a device may or may not keep them."""
    result = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            inner = pruned(value)
            if inner:
                result[key] = inner
        else:
            result[key] = value
    return result


def scope(body: Tree, owned: tuple[Path, ...] = ((),), excepted: tuple[Path, ...] = ()) -> Scope:
    return Scope(Wanted(TARGET, body, owned, excepted), CANON)


def loaded(what: Scope, state: Tree) -> list[Tree]:
    changes = what.changes(state)
    return bodies(removals(changes, what), dict(changes.after))


@settings(max_examples=200, deadline=None)
@given(TREES, TREES)
def test_what_we_expect_the_device_to_tell_is_what_it_tells(live: Tree, want: Tree) -> None:
    changes = Differences.between(live, want)
    assert told(changes, want) == one_sided(want, live)
    assert told(changes, live, back=True) == one_sided(live, want)


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_what_is_loaded_leads_from_live_to_wanted(live: Tree, want: Tree) -> None:
    what = scope(want)
    state = what.of(live, NOBODY).state
    after = live
    for body in loaded(what, state):
        after = merged(after, body)
    assert pruned(after) == pruned(want)


@settings(max_examples=80, deadline=None)
@given(TREES, TREES, st.lists(PATHS, max_size=2), st.lists(PATHS, max_size=2))
def test_nothing_outside_our_scope_is_ever_removed(live: Tree, want: Tree, owned: Any, excepted: Any) -> None:
    what = scope(want, tuple(owned), tuple(excepted))
    state = what.of(live, NOBODY).state
    gone = removals(what.changes(state), what)
    after = merged(live, gone)
    for path, value in leaves(live):
        ours = any(path[: len(o)] == o for o in owned) and not any(path[: len(e)] == e for e in excepted)
        if not ours and value != {}:
            assert get(after, path) == value


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_the_devices_diff_of_what_we_loaded_agrees_with_the_plan(live: Tree, want: Tree) -> None:
    what = scope(want)
    state = what.of(live, NOBODY).state
    planned = what.changes(state)
    after = live
    for body in loaded(what, state):
        after = merged(after, body)
    device = device_differences(one_sided(after, live), one_sided(live, after))
    assert disagreement(planned, device) == ()


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_a_foreign_value_never_goes_unnoticed(live: Tree, want: Tree) -> None:
    what = scope(want)
    planned = what.changes(what.of(live, NOBODY).state)
    after = {**want, "foreign": {"x": 1}}
    assert disagreement(planned, device_differences(one_sided(after, live), one_sided(live, after)))


def test_null_stands_for_a_side_that_has_nothing() -> None:
    forward = {"interface": {"swp1": {"link": {"mtu": 9000}}, "swp9": None}}
    backward = {"interface": {"swp1": {"link": {"mtu": 9216}}, "swp9": {"type": "swp"}}, "qos": None}
    assert device_differences(forward, backward) == (
        Difference(("interface", "swp1", "link", "mtu"), 9216, 9000),
        Difference(("interface", "swp9", "type"), "swp", ABSENT),
    )


def test_secrets_count_as_changed_but_their_values_are_not_compared() -> None:
    path = ("system", "aaa", "user", "ops", "hashed-password")
    planned = [Difference(path, MASK, "$secret:hash$")]
    assert disagreement(planned, [Difference(path, MASK, MASK)]) == ()
    assert disagreement(planned, [Difference(path, ABSENT, MASK)]) != ()
    assert "CANARY" not in summary(disagreement([], [Difference(path, "$nvsec$CANARY", "$secret:hash$")]))


@pytest.mark.parametrize(("value", "shown"), [("$nvsec$abc", "$secret:h$"), ("*", "$secret:h$"), ("$6$CANARY", MASK)])
def test_a_live_secret_shows_as_its_reference_only_when_it_may_be_the_wanted_one(value: str, shown: str) -> None:
    body = {"system": {"aaa": {"user": {"ops": {"hashed-password": "$secret:h$"}}}}}
    live = {
        "system": {"aaa": {"user": {"ops": {"hashed-password": value}, "other": {"hashed-password": "$6$CANARY2"}}}}
    }
    seen = scope(body).of(live, SecretStore(known={"h": "$6$mine"}, environment={}))
    users = seen.state["system"]["aaa"]["user"]
    assert users == {"ops": {"hashed-password": shown}, "other": {"hashed-password": MASK}}
    assert bool(seen.not_compared) == (shown != MASK)


def test_a_secret_we_cannot_resolve_is_not_compared_and_no_difference() -> None:
    body = {"system": {"snmp-server": {"readonly-community": {"$secret:ro$": {"access": {"any": {}}}}}}}
    live = {"system": {"snmp-server": {"readonly-community": {"CANARY": {"access": {"any": {}}}}}}}
    what = scope(body)
    seen = what.of(live, NOBODY)
    assert what.changes(seen.state) == ()
    assert seen.not_compared
    assert "CANARY" not in str(seen)


def test_a_reference_where_the_schema_knows_no_secret_does_not_leak_the_live_value() -> None:
    body = {"interface": {"swp1": {"description": "$secret:note$"}}}
    seen = scope(body).of({"interface": {"swp1": {"description": "CANARY"}}}, SecretStore(known={"note": "n"}))
    assert seen.state == {"interface": {"swp1": {"description": MASK}}}


def test_d24_ranges_and_order_are_no_difference() -> None:
    body = {"interface": {f"swp{n}": {"link": {"mtu": 9216}} for n in (4, 2, 3, 1)}}
    what = scope(body)
    assert what.changes(what.of({"interface": {"swp1-4": {"link": {"mtu": 9216}}}}, NOBODY).state) == ()


def test_d21_exactly_one_removal() -> None:
    live = {"bridge": {"domain": {"br_default": {"vlan": {"10": {}, "20": {}}}}}}
    what = scope({"bridge": {"domain": {"br_default": {"vlan": {"10": {}}}}}})
    assert removals(what.changes(what.of(live, NOBODY).state), what) == {
        "bridge": {"domain": {"br_default": {"vlan": {"20": None}}}}
    }


def test_the_fast_way_and_the_walk_by_the_schema_agree() -> None:
    tree = {
        "interface": {"swp1-2": {"link": {"mtu": 9216}}},
        "qos": {"roce": {"state": "enabled"}},
        "acl": {"a-1-2": {"type": "ipv4"}},
        "system": {"aaa": {"user": {"x": {"hashed-password": "$6$CANARY"}}}},
    }
    shown = CANON.tree(tree)
    assert list(shown["interface"]) == ["swp1", "swp2"]
    assert shown["acl"] == tree["acl"]
    assert shown["qos"] == tree["qos"]
    assert "CANARY" not in str(shown)
    assert isinstance(Canons().of("5.99.0"), Canon)
    assert isinstance(Canons().of("4.4.0"), Canon)
    assert isinstance(Canons().of("nonsense"), Canon)


@pytest.mark.parametrize(
    ("named", "reported", "same"),
    [
        ("5.16.4", "5.16.4", True),
        ("5.16", "5.16.4", True),
        ("5.16.0", "Cumulus Linux 5.16", True),
        ("5.1", "5.14.0", False),
        ("5.16.4", "5.16.40", False),
        ("5.16.4", "", False),
    ],
)
def test_releases_are_compared_by_number(named: str, reported: str, same: bool) -> None:
    assert same_release(named, reported) is same


def test_every_state_has_one_kind_and_new_failures_are_failures() -> None:
    assert kind_of("ignore_fail") is Kind.QUESTION
    assert kind_of("applied_and_saved") is Kind.GOOD
    assert kind_of("zapped_fail") is Kind.BAD
    assert kind_of("pondering") is Kind.UNKNOWN
    assert len(STATES) == len({*STATES})


@pytest.mark.parametrize(
    ("gone", "new", "expected"),
    [
        ({}, {}, 0),
        ({"a": None}, {}, 1),
        ({}, {"a": 1}, 1),
        ({"a": {"b": None}}, {"a": {"c": 1}}, 1),
        ({"a": None}, {"a": {"c": 1}}, 2),
        ({"a": {"b": None}}, {"a": 5}, 2),
        ({"a": {"b": None}}, {"a": {}}, 2),
    ],
)
def test_an_object_is_never_set_and_unset_in_one_body(gone: Tree, new: Tree, expected: int) -> None:
    made = bodies(gone, new)
    assert len(made) == expected
    if expected == 2:
        assert made == [gone, new]
