"""Scope, commands, PATCH bodies and stages of differences."""

from __future__ import annotations

from typing import Any

import nvue_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.catalog.patterns import match
from intent.catalog.stages import stage_rules
from intent.core.tree import ABSENT, Difference, Path, Tree, copy, difference, from_pointer, leaves, patch, put
from intent.formats.nvue.diff import Scope, commands, conflicts, grouped, restrict, stages

RULES = stage_rules()


def one(*pairs: tuple[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, value in pairs:
        put(tree, from_pointer(path), value)
    return tree


def test_scope() -> None:
    tree = one(
        ("/interface/swp1/link/mtu", 9216),
        ("/interface/swp1/description", "x"),
        ("/interface/swp2/description", "y"),
        ("/system/hostname", "leaf01"),
        ("/system/aaa/user/cumulus/role", "x"),
        ("/acl/A", {}),
    )
    p = from_pointer
    assert restrict(tree, [()]) == tree
    assert restrict(tree, []) == {}
    assert restrict(tree, [p("/system")], [p("/system/aaa")]) == {"system": {"hostname": "leaf01"}}
    assert restrict(tree, [p("/interface")], [p("/interface/*/description")]) == one(("/interface/swp1/link/mtu", 9216))
    assert restrict(tree, [p("/interface/swp1")]) == one(
        ("/interface/swp1/link/mtu", 9216), ("/interface/swp1/description", "x")
    )
    assert restrict(tree, [p("/interface/*/description")]) == one(
        ("/interface/swp1/description", "x"), ("/interface/swp2/description", "y")
    )
    assert restrict(tree, [p("/nothing"), p("/acl")], [p("/acl")]) == {}
    assert restrict(tree, [()], [()]) == {}
    assert restrict(tree, [p("/acl")]) == {"acl": {"A": {}}}


def test_what_is_excepted_never_leaks_through_a_narrower_scope() -> None:
    tree = one(("/system/aaa/user/x/role", "r"))
    assert restrict(tree, [from_pointer("/system/aaa/user")], [from_pointer("/system/aaa")]) == {}


def test_scope_shares_what_it_keeps_whole_and_leaves_the_tree_alone() -> None:
    tree = one(("/acl/A/rule/10", {}), ("/acl/B/rule/10", {}), ("/system/hostname", "leaf01"))
    before = copy(tree)
    assert restrict(tree, [from_pointer("/acl")])["acl"] is tree["acl"]
    assert restrict(tree, [from_pointer("/acl")], [from_pointer("/acl/A")]) == one(("/acl/B/rule/10", {}))
    assert restrict(tree, [from_pointer("/acl/A/rule"), from_pointer("/acl/A"), from_pointer("/acl/*/rule/10")]) == one(
        ("/acl/A/rule/10", {}), ("/acl/B/rule/10", {})
    )
    assert tree == before


KEYS = st.sampled_from(["a", "b", "c"])
PATTERNS = st.lists(st.lists(KEYS | st.just("*"), max_size=3).map(tuple), max_size=4)
TREES = st.recursive(
    st.dictionaries(KEYS, st.sampled_from([1, {}]), max_size=3),
    lambda inner: st.dictionaries(KEYS, inner | st.just("x"), max_size=3),
    max_leaves=10,
)


@given(TREES, PATTERNS, PATTERNS)
def test_a_leaf_is_kept_when_an_owned_path_covers_it_and_no_excepted_one(
    tree: Tree, owned: list[Path], excepted: list[Path]
) -> None:
    def covered(path: Path, patterns: list[Path]) -> bool:
        return any(match((*pattern, "**"), path) is not None for pattern in patterns)

    kept = {path: value for path, value in leaves(restrict(tree, owned, excepted)) if value != {}}
    assert kept == {
        path: value
        for path, value in leaves(tree)
        if value != {} and covered(path, owned) and not covered(path, excepted)
    }


def test_commands_for_people() -> None:
    before = one(
        ("/interface/swp1/link/mtu", 9000), ("/interface/swp9/link/mtu", 9000), ("/interface/swp9/type", "swp")
    )
    after = one(("/interface/swp1/link/mtu", 9216), ("/interface/swp1/link/state/up", {}))
    assert commands(difference(before, after), Scope(after, ((),))) == [
        "nv unset interface swp9",
        "nv set interface swp1 link mtu 9216",
        "nv set interface swp1 link state up",
    ]


def test_a_member_that_gets_content_is_not_unset() -> None:
    before, after = one(("/vrf/RED", {})), one(("/vrf/RED/evpn/state", "enabled"))
    changes = difference(before, after)
    assert commands(changes, Scope(after, ((),))) == ["nv set vrf RED evpn state enabled"]


def test_case_d21_the_plan_is_exactly_one_removal() -> None:
    before = one(("/bridge/domain/br/vlan/10", {}), ("/vrf/RED/evpn/vni/4001", {}))
    after = one(("/bridge/domain/br/vlan/10", {}))
    assert commands(difference(before, after), Scope(after, ((),))) == ["nv unset vrf"]


def test_nothing_beyond_the_scope_is_removed_as_a_whole() -> None:
    """What is not compared may stand beside what goes: only what is ours alone goes at once."""
    p = from_pointer
    gone = difference(one(("/vrf/RED/evpn/vni/4001", {}), ("/interface/swp9/link/mtu", 1500)), {})
    assert commands(gone) == ["nv unset interface swp9 link mtu", "nv unset vrf RED evpn vni 4001"]
    assert commands(gone, Scope({}, (p("/vrf/RED"), p("/interface")))) == [
        "nv unset interface",
        "nv unset vrf RED",
    ]
    kept = Scope({}, (p("/vrf"), p("/interface/*")), (p("/interface/*/description"), p("/vrf/RED/evpn/state")))
    assert commands(gone, kept) == ["nv unset interface swp9 link", "nv unset vrf RED evpn vni"]


def test_equal_changes_stand_together() -> None:
    mtu = difference({}, one(("/interface/swp1/link/mtu", 9216)))
    name = difference({}, one(("/system/hostname", "a")))
    groups = grouped({"leaf01": mtu, "leaf02": name, "leaf03": mtu, "leaf04": []})
    assert [(g.devices, g.lines) for g in groups] == [
        (("leaf01", "leaf03"), ("nv set interface swp1 link mtu 9216",)),
        (("leaf02",), ("nv set system hostname a",)),
    ]


def test_set_and_unset_of_one_object_are_found() -> None:
    p = from_pointer
    assert conflicts(difference(one(("/a/b", {})), one(("/a/b/c", 1)))) == (p("/a/b"),)
    assert conflicts(difference(one(("/a/b", 1)), one(("/a/c", 1)))) == ()
    assert conflicts([Difference(p("/a/b/c"), 1, ABSENT), Difference(p("/a/b"), ABSENT, {})]) == (p("/a/b/c"),)


def test_a_change_of_the_as_number_takes_the_l3_vni_out_first() -> None:
    live = one(("/router/bgp/autonomous-system", 65001), ("/vrf/RED/evpn/vni/50001", {}), ("/vrf/RED/table", "auto"))
    wanted = copy(live)
    put(wanted, from_pointer("/router/bgp/autonomous-system"), 65002)
    first, last = stages(difference(live, wanted), RULES, live)
    assert commands(first.differences) == ["nv unset vrf RED evpn vni 50001"]
    assert "RN 4871161" in first.reason
    assert commands(last.differences) == [
        "nv set router bgp autonomous-system 65002",
        "nv set vrf RED evpn vni 50001",
    ]
    (only,) = stages(difference(one(("/router/bgp/autonomous-system", 1)), wanted), RULES)
    assert only.reason == ""


def test_a_subinterface_goes_before_its_port_joins_a_bond() -> None:
    live = one(("/interface/swp1.10/vlan", 10))
    wanted = one(("/interface/bond1/bond/member/swp1", {}))
    first, last = stages(difference(live, wanted), RULES, live)
    assert commands(first.differences) == ["nv unset interface swp1.10 vlan 10".removesuffix(" 10")]
    assert commands(last.differences) == ["nv set interface bond1 bond member swp1"]


def test_case_d12_parts_are_removed_before_their_split_changes() -> None:
    live = one(("/interface/swp2/link/breakout/2x", {}), ("/interface/swp2s1/link/mtu", 9216))
    wanted = one(("/interface/swp2/link/breakout/4x", {}), ("/interface/swp2s3/link/mtu", 9216))
    first, last = stages(difference(live, wanted), RULES, live)
    assert {d.path for d in first.differences} == {
        from_pointer("/interface/swp2/link/breakout/2x"),
        from_pointer("/interface/swp2s1/link/mtu"),
    }
    assert patch(patch(live, list(first.differences)), list(last.differences)) == wanted


def test_most_changes_are_one_stage_and_none_is_none() -> None:
    tree = nvue_trees.leaf(2)
    assert stages(difference(tree, tree), RULES, tree) == ()
    (only,) = stages(difference({}, {"system": {"hostname": "x"}}), RULES, {})
    assert only.reason == ""


PATHS = [
    "/router/bgp/autonomous-system",
    "/vrf/RED/evpn/vni/50001",
    "/vrf/RED/table",
    "/interface/swp1.10/vlan",
    "/interface/bond1/bond/member/swp1",
    "/interface/swp2/link/breakout/2x",
    "/interface/swp2/link/breakout/4x",
    "/interface/swp2s1/link/mtu",
    "/interface/swp2s1/description",
    "/system/hostname",
]
trees = st.dictionaries(st.sampled_from(PATHS), st.integers(1, 2)).map(
    lambda pairs: one(
        *[(path, {} if (path[-1] in "x1" and "vni" in path) or "breakout" in path else v) for path, v in pairs.items()]
    )
)


@settings(max_examples=300, deadline=None)
@given(trees, trees)
def test_stages_lead_where_the_differences_lead(live: dict[str, Any], wanted: dict[str, Any]) -> None:
    tree = live
    for stage in stages(difference(live, wanted), RULES, live):
        tree = patch(tree, list(stage.differences))
    assert tree == patch(live, difference(live, wanted)) == wanted
