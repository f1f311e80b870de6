"""Live trees in normal form: ranges, secrets, nothing lost."""

from __future__ import annotations

import copy
from typing import Any

import nvue_trees
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.core.tree import from_pointer, get, leaves
from intent.formats.nvue.normalise import SECRET, expand_key, normalise, secret_paths
from intent.formats.nvue.schema import Schema

SCHEMA = Schema.load("5.16")


@pytest.mark.parametrize(
    ("key", "rule", "names"),
    [
        ("swp1-4", "interface", ("swp1", "swp2", "swp3", "swp4")),
        ("swp1-2s0-1", "interface", ("swp1s0", "swp1s1", "swp2s0", "swp2s1")),
        ("swp2,3", "interface", ("swp2", "swp3")),
        ("swp33s0,34s0", "interface", ("swp33s0", "swp34s0")),
        ("swp1,bond3-4", "interface", ("swp1", "bond3", "bond4")),
        ("bond1-3", "interface", ("bond1", "bond2", "bond3")),
        ("swp1-2.10", "interface", ("swp1.10", "swp2.10")),
        ("10,20-22", "vlan", ("10", "20", "21", "22")),
        ("0-3", "switch-priority", ("0", "1", "2", "3")),
        ("swp1-2", None, ("swp1", "swp2")),
        ("8000-8010", None, ("8000-8010",)),
        ("rack-1-2", None, ("rack-1-2",)),
        ("my-profile", "profile", ("my-profile",)),
        ("peerlink.4094", "interface", ("peerlink.4094",)),
        ("swp4-1", "interface", ("swp4-1",)),
        ("swp1-99999999999", "interface", ("swp1-99999999999",)),
        ("swp1-1000s0-1000", "interface", ("swp1-1000s0-1000",)),
        ("10,,20", "vlan", ("10,,20",)),
    ],
)
def test_ranges(key: str, rule: str | None, names: tuple[str, ...]) -> None:
    assert expand_key(key, rule) == names


def test_ranges_merge_with_single_keys() -> None:
    live = {
        "interface": {"swp1-2": {"link": {"mtu": 9000}}, "swp2": {"description": "x"}},
        "bridge": {"domain": {"br_default": {"vlan": {"20,10": {}}}}},
        "acl": {"A": {"rule": {"10": {"match": {"ip": {"tcp": {"dest-port": {"8000-8010": {}}}}}}}}},
    }
    tree = normalise(live, SCHEMA).tree
    assert tree["interface"] == {"swp1": {"link": {"mtu": 9000}}, "swp2": {"link": {"mtu": 9000}, "description": "x"}}
    assert tree["bridge"]["domain"]["br_default"]["vlan"] == {"10": {}, "20": {}}
    assert get(tree, from_pointer("/acl/A/rule/10/match/ip/tcp/dest-port")) == {"8000-8010": {}}


def test_case_d24_no_drift_where_only_the_form_differs() -> None:
    wanted = {"bridge": {"domain": {"br_default": {"vlan": {"10": {}, "20": {}}}}}}
    wanted["interface"] = {f"swp{n}": {"link": {"state": {"up": {}}}} for n in range(1, 5)}
    live = {"interface": {"swp1-4": {"link": {"state": {"up": {}}}}}}
    live["bridge"] = {"domain": {"br_default": {"vlan": {"20,10": {}}}}}
    assert normalise(live, SCHEMA).tree == wanted


def test_secrets_are_masked_and_named() -> None:
    live: dict[str, Any] = {
        "system": {
            "aaa": {
                "user": {"cumulus": {"hashed-password": "$6$abc$def", "role": "system-admin"}},
                "tacacs": {"server": {"1.2.3.4": {"secret": "$nvsec$xyz"}}},
            },
            "snmp-server": {"readonly-community": {"publ1c": {"access": {"any": {}}}, "pr1vate": {}}},
            "ntp": {"key": {"1": {"value": "k"}}},
            "hostname": "$nvsec$odd",
        }
    }
    normal = normalise(live, SCHEMA)
    text = str(normal)
    for secret in ("$6$", "xyz", "publ1c", "pr1vate", "'k'", "$nvsec$"):
        assert secret not in text
    assert normal.tree["system"]["aaa"]["user"]["cumulus"] == {"hashed-password": SECRET, "role": "system-admin"}
    assert normal.tree["system"]["snmp-server"]["readonly-community"] == {
        SECRET: {"access": {"any": {}}},
        f"{SECRET} 2": {},
    }
    assert len(normal.masked) == 6
    assert all(get(normal.tree, path, None) is not None for path in normal.masked)


def test_a_mask_may_show_a_reference_and_references_stay() -> None:
    live = {"system": {"aaa": {"user": {"a": {"password": "same"}, "b": {"password": "$secret:b$"}}}}}
    normal = normalise(live, SCHEMA, lambda path, value: "$secret:a$" if value == "same" else SECRET)
    users = normal.tree["system"]["aaa"]["user"]
    assert users == {"a": {"password": "$secret:a$"}, "b": {"password": "$secret:b$"}}


def test_secret_paths_of_a_rendered_leaf() -> None:
    found = {"/".join(path) for path in secret_paths(nvue_trees.leaf(2), SCHEMA)}
    assert found == {
        "system/snmp-server/readonly-community/$secret:snmp_ro$",
        "system/aaa/tacacs/server/192.0.2.49/secret",
        "system/aaa/user/cumulus/hashed-password",
    }


def test_a_rendered_tree_is_in_normal_form() -> None:
    tree = nvue_trees.leaf()
    before = copy.deepcopy(tree)
    normal = normalise(tree, SCHEMA)
    assert normal.tree == tree == before
    assert normal.masked == ()


@given(st.recursive(st.integers() | st.text(max_size=8), lambda x: st.dictionaries(st.text(max_size=8), x, max_size=4)))
def test_any_tree_survives_and_a_second_time_changes_nothing(value: Any) -> None:
    tree = {"interface": value} if not isinstance(value, dict) else value
    once = normalise(tree, SCHEMA).tree
    assert normalise(once, SCHEMA).tree == once
    assert len(list(leaves(once))) >= len(list(leaves(tree)))
