"""How reads are narrowed: views, pointer patterns, filters."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import fabric_tree, pair

from intent.device.nvue.state_readers import LINK_KEYS, LLDP_KEYS
from intent.lab.views import include

LEAF = fabric_tree(65001, {"swp1s0": 65101, "swp1s1": 65101}, lo="10.0.0.1/32", addresses={"swp3s0": "10.64.0.0/31"})
SPINE = fabric_tree(65101, {"swp1s0": 65001, "swp2s0": 65001}, lo="10.0.0.101/32")
BOND = {
    "interface": {
        "bond1": {"type": "bond", "bond": {"member": {"swp5": {}, "swp6": {}}}, "description": "to the host"},
        "vlan10": {"type": "svi", "vlan": 10, "ipv4": {"address": {"10.10.0.1/24": {}}}},
    },
    "bridge": {"domain": {"br_default": {"vlan": {"10": {}}}}},
}


@pytest.fixture(scope="module")
def lab() -> DirectLab:
    made = DirectLab(pair())
    for name, tree in (("leaf1", LEAF), ("leaf1", BOND), ("spine1", SPINE)):
        assert made.client(name).apply(tree)["state"] == "applied_and_saved"
    return made


@pytest.fixture(scope="module")
def leaf(lab):
    return lab.client("leaf1")


def test_a_view_shows_its_fields_of_every_member(leaf):
    everything = leaf.get("/interface")
    shown = leaf.get("/interface", view="mac")
    assert list(shown) == list(everything)
    assert shown["swp1s0"] == {
        "type": "swp",
        "link": {
            key: everything["swp1s0"]["link"][key]
            for key in ("state", "mtu", "admin-status", "oper-status", "speed", "mac-address")
        },
    }


def test_lldp_views_show_who_is_there_or_all_that_is_heard(leaf):
    short, long = leaf.get("/interface", view="lldp"), leaf.get("/interface", view="lldp-detail")
    heard = leaf.get("/interface/swp1s0/lldp/neighbor/spine1")
    assert long["swp1s0"] == {"lldp": {"neighbor": {"spine1": heard}}}
    assert short["swp1s0"] == {
        "type": "swp",
        "link": {"speed": "400G"},
        "lldp": {"neighbor": {"spine1": {"chassis": {"system-name": "spine1"}, "port": {"name": "swp1s0"}}}},
    }
    assert long["swp7"] == {}, "a port that hears nothing is an empty object"


def test_a_view_may_choose_its_members(leaf):
    assert leaf.get("/interface", view="svi") == {"vlan10": {"ipv4": {"address": {"10.10.0.1/24": {}}}}}
    assert set(leaf.get("/interface", view="bonds")) == {"bond1"}
    members = leaf.get("/interface", view="bond-members")
    assert {name: held["parent"] for name, held in members.items()} == {"swp5": "bond1", "swp6": "bond1"}
    up, down = leaf.get("/interface", view="up"), leaf.get("/interface", view="down")
    assert {"swp1s0", "swp1s1", "swp3s0", "lo"} <= set(up)
    assert set(up) | set(down) == set(leaf.get("/interface"))
    assert not set(up) & set(down)


def test_what_the_lab_does_not_model_is_empty_and_never_made_up(leaf):
    names = list(leaf.get("/interface"))
    for view in ("small", "synce-counters", "dot1x-summary", "pluggables", "port-security", "neighbor", "physical"):
        assert leaf.get("/interface", view=view) == {name: {} for name in names}, view


def test_roce_of_all_ports_is_what_each_port_says(leaf):
    status = leaf.get("/interface", view="qos-roce-status")
    assert status["swp1s0"] == {"qos": {"roce": {"status": leaf.get("/interface/swp1s0/qos/roce/status")}}}
    counters = leaf.get("/interface", view="qos-roce-counters")
    assert counters["swp1s0"] == {"qos": {"roce": {"counters": leaf.get("/interface/swp1s0/qos/roce/counters")}}}
    assert "roce" not in leaf.get("/interface/swp1s0").get("qos", {}), "only whoever asks for it gets it"


def test_routes_are_shown_brief_or_whole(leaf):
    path = "/vrf/default/router/rib/ipv4/route"
    whole, brief = leaf.get(path), leaf.get(path, view="brief")
    assert leaf.get(path, view="detail") == whole
    assert set(brief) == set(whole)
    assert brief["10.0.0.101/32"]["route-entry"]["1"] == {
        key: whole["10.0.0.101/32"]["route-entry"]["1"][key]
        for key in ("protocol", "distance", "metric", "flags-string")
    }


def test_a_view_of_a_configuration(leaf):
    shown = leaf.get("/interface", rev="applied", filled="false", view="detail")
    assert shown["bond1"] == {"type": "bond", "description": "to the host"}


@pytest.mark.parametrize(
    ("release", "names", "others"),
    [
        ("5.9.1", ("brief", "counters", "pluggables"), ("status", "up", "rates", "ber")),
        ("5.10.0", ("status",), ("up", "bonds")),
        ("5.12.0", ("up", "down", "rates"), ("qos-roce-status", "debounce-counters")),
        ("5.18.0", ("qos-roce-status", "debounce-counters"), ("ber", "dom")),
    ],
)
def test_views_come_with_releases_and_an_unknown_one_is_told_what_there_is(release, names, others):
    leaf = DirectLab(pair(release)).client("leaf1")
    for name in names:
        assert leaf.call("GET", "/interface", view=name)[0] == 200, name
    for name in (*others, "all", "x" * 500):
        status, body = leaf.call("GET", "/interface", view=name)
        assert status == 400
        assert body["status"] == 400
        assert all(f" {offered}" in body["detail"] for offered in names), body["detail"]


def test_before_5_11_brief_shows_the_state_it_has():
    leaf = DirectLab(pair("5.9.1")).client("leaf1")
    assert leaf.get("/interface", view="brief")["swp1"]["link"] == {"state": {"down": {}}, "mtu": 9216}


@pytest.mark.parametrize("path", ["/system", "/interface/swp5", "/", "/qos/roce", "/nothing"])
def test_an_object_without_views_says_so(leaf, path):
    status, body = leaf.call("GET", path, view="brief")
    assert (status, body["detail"]) == (400, f"{path} has no views")


@pytest.mark.parametrize("query", ["include=/*/type", "omit=/*/link", "omit=/*/link&include=/*/type"])
def test_a_view_excludes_patterns(leaf, query):
    status, body = leaf.call("GET", f"/interface?view=brief&{query}")
    assert (status, body["detail"]) == (400, "view excludes include and omit")


def test_a_view_and_a_filter_go_together(leaf):
    shown = leaf.get("/interface", view="mac", filter="type=bond")
    assert set(shown) == {"bond1"}


def test_patterns_come_one_by_one_or_with_commas(leaf):
    one = leaf.get("/interface?include=/*/link/mtu&include=/*/type")
    assert leaf.get("/interface?include=/*/link/mtu,/*/type") == one
    assert one["swp5"] == {"type": "swp", "link": {"mtu": 9216}}
    assert leaf.get("/interface?omit=/*/*")["swp5"] == {}


def test_patterns_hold_below_whatever_is_read(leaf):
    """The lab builds only what is asked for: a pattern must mean the same from wherever it starts."""
    state = leaf.get("/interface/swp1s0/link/oper-status")
    assert leaf.get("/interface/swp1s0?include=/link/oper-status") == {"link": {"oper-status": state}}
    assert leaf.get("/?include=/interface/swp1s0/link/oper-status") == {
        "interface": {"swp1s0": {"link": {"oper-status": state}}}
    }
    assert leaf.get("/vrf/default?include=/router/bgp/neighbor/swp1s0/session-state") == {
        "router": {"bgp": {"neighbor": {"swp1s0": {"session-state": "established"}}}}
    }
    shown = leaf.get("/interface?include=/*/type", filter="link.oper-status=up")
    assert {"swp1s0", "swp1s1", "swp3s0"} <= set(shown)
    assert "swp7" not in shown


READS = [
    ("/interface", (*LINK_KEYS, *LLDP_KEYS)),
    ("/interface", ("/*/*/stats", "/swp1s0/lldp")),
    ("/vrf", ("/*/router/bgp/neighbor",)),
    ("/vrf", ("/default",)),
    ("/", ("/interface/*/link/mtu", "/system/hostname", "/vrf/*/router/bgp/autonomous-system")),
    ("/interface/swp1s0", ("/link", "/lldp/neighbor/*/port")),
]


@pytest.mark.parametrize(("path", "patterns"), READS, ids=range(len(READS)))
def test_what_is_narrowed_is_a_part_of_the_whole(leaf, path, patterns):
    """Also what our own client asks for: the lab builds less for it, and must not show less."""
    whole, part = leaf.get(path), leaf.get(path + "?" + "&".join(f"include={pattern}" for pattern in patterns))
    assert part == include(whole, patterns) != {}


def test_filters_know_and_or_not_and_wildcards(leaf):
    def names(text):
        return set(leaf.get("/interface", filter=text))

    assert names("type=svi|type=bond") == {"vlan10", "bond1"}
    assert names("type=swp&link.oper-status=up") == {"swp1s0", "swp1s1", "swp3s0"}
    assert names("type=bond&type!=svi") == {"bond1"}
    assert names("ipv4.address=10.64*") == {"swp3s0"}
    assert names("description=to *") == {"bond1"}
    assert names("description=[a-z]*") == set(), "only the star is a wildcard"
    assert leaf.call("GET", "/interface", filter="svi")[0] == 400
