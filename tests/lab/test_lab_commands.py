"""A revision may be loaded with a text of nv set and nv unset commands."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import pair

TEXT = """
# a leaf
nv set system hostname leaf-one
nv set interface swp5-6,swp9 link mtu 9000
nv set interface swp5 description 'to the host'
nv set interface swp5 link state up
nv set interface swp7 link breakout 4x
nv set interface lo ipv4 address 10.0.0.1/32
nv set bridge domain br_default vlan 10,20
nv set vrf default router bgp neighbor swp5 remote-as external
nv set router bgp autonomous-system 65001
nv unset interface swp9
nv unset interface swp6 link mtu
"""
TREE = {
    "system": {"hostname": "leaf-one"},
    "interface": {
        "swp5": {"type": "swp", "description": "to the host", "link": {"mtu": 9000, "state": {"up": {}}}},
        "swp6": {"type": "swp"},
        "swp7": {"type": "swp", "link": {"breakout": {"4x": {}}}},
        "lo": {"type": "loopback", "ipv4": {"address": {"10.0.0.1/32": {}}}},
    },
    "bridge": {"domain": {"br_default": {"vlan": {"10": {}, "20": {}}}}},
    "router": {"bgp": {"autonomous-system": 65001}},
    "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp5": {"remote-as": "external"}}}}}},
}


@pytest.fixture
def leaf():
    return DirectLab(pair()).client("leaf1")


def test_commands_say_what_a_tree_says(leaf):
    text, tree = leaf.create(), leaf.load(TREE)
    status, answer = leaf.commands(text, TEXT)
    assert status == 200
    assert answer["interface"]["swp9"] is None, "the change is answered, unsets included"
    assert answer["system"] == {"hostname": "leaf-one"}
    assert leaf.get("/", rev=text, diff=tree, filled="false") == {}
    assert leaf.get("/", rev=tree, diff=text, filled="false") == {}


def test_commands_are_carried_out_in_order(leaf):
    revision = leaf.create()
    assert leaf.commands(revision, "nv set interface swp5 link mtu 9000\nnv unset interface swp5 link mtu")[0] == 200
    assert leaf.get("/interface/swp5", rev=revision, filled="false") == {"type": "swp"}
    assert leaf.commands(revision, "nv unset interface swp5\nnv set interface swp5 description x")[0] == 200
    assert leaf.get("/interface/swp5", rev=revision, filled="false") == {"type": "swp", "description": "x"}


@pytest.mark.parametrize(
    ("line", "place", "words"),
    [
        ("nv show interface", "", "is not an nv set or nv unset command"),
        ("set interface swp5", "", "is not an nv set or nv unset command"),
        ("nv set", "", "is not an nv set or nv unset command"),
        ("nv set interface swp5 description 'open", "", "No closing quotation"),
        ("nv set interface swp5 link mut 9000", "/interface/swp5/link/mut", "'mut' is not known here"),
        ("nv set interface swp5 link mtu", "/interface/swp5/link/mtu", "a value is missing"),
        ("nv set interface swp5 link mtu 99999", "/interface/swp5/link/mtu", "greater than the maximum"),
        ("nv set interface swp5 link mtu 9000 now", "/interface/swp5/link/mtu", "one word too many"),
        ("nv unset interface swp5 link mtu 9000", "/interface/swp5/link/mtu", "one word too many"),
        ("nv set interface swp9-5 type swp", "/interface/swp9-5", "runs backwards"),
        ("nv set system config snippet frr.conf x", "/system/config/snippet/frr.conf/x", "snippets are not supported"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_nothing_is_changed(leaf, line, place, words):
    revision = leaf.create()
    before = leaf.get("/", rev=revision, filled="false")
    status, body = leaf.commands(revision, f"nv set system hostname other\n\n{line}\n")
    assert status == 400
    (error,) = body["validation"]["selected_errors"]
    assert error["instanceLocation"] == place
    assert error["error"].startswith("line 3: ")
    assert words in error["error"]
    assert leaf.get("/", rev=revision, filled="false") == before


def test_every_wrong_line_is_named(leaf):
    status, body = leaf.commands(leaf.create(), "nv set nothing x\nnv set system hostname ok\nnv unset nowhere\n")
    assert status == 400
    assert [item["error"][:6] for item in body["validation"]["selected_errors"]] == ["line 1", "line 3"]


def test_commands_come_with_5_15_and_go_to_the_root_of_a_revision():
    old = DirectLab(pair("5.14.0")).client("leaf1")
    assert old.commands(old.create(), "nv set system hostname x")[0] == 415
    lab = DirectLab(pair("5.15.0"))
    leaf = lab.client("leaf1")
    assert leaf.commands(leaf.create(), "nv set system hostname x")[0] == 200
    assert leaf.commands("applied", "nv set system hostname x")[0] in (405, 409)
    leaf.headers["content-type"] = "text/plain"
    assert leaf.call("PATCH", "/system", raw=b"nv set system hostname x", rev=leaf.create())[0] == 400
    assert leaf.call("PATCH", "/", raw=b"\xff\xfe", rev="1")[0] == 400
