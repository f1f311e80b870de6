"""Operational state follows from what all switches applied and how they are wired."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import fabric_tree, pair

from intent.lab.wiring import End, Link, Switch, Wiring

LEAF = fabric_tree(65001, {"swp1s0": 65101, "swp1s1": 65101}, lo="10.0.0.1/32", addresses={"swp3s0": "10.64.0.0/31"})
SPINE = fabric_tree(65101, {"swp1s0": 65001, "swp2s0": 65001}, lo="10.0.0.101/32")
BOTH = ("swp1s0", "swp1s1")


@pytest.fixture
def lab() -> DirectLab:
    made = DirectLab(pair())
    for name, tree in (("leaf1", LEAF), ("spine1", SPINE)):
        assert made.client(name).apply(tree)["state"] == "applied_and_saved"
    return made


def links(lab, name):
    body = lab.client(name).get("/interface?include=/*/link/oper-status")
    return {port: held["link"]["oper-status"] for port, held in body.items() if "link" in held}


def sessions(lab, name):
    body = lab.client(name).get("/vrf?include=/*/router/bgp/neighbor")
    return body["default"]["router"]["bgp"]["neighbor"]


def neighbors(lab, name):
    body = lab.client(name).get("/interface?include=/*/lldp/neighbor")
    return {
        port: [(system, item["port"]["name"]) for system, item in held["lldp"]["neighbor"].items()]
        for port, held in body.items()
        if "lldp" in held
    }


def test_a_day_0_switch_is_dark():
    lab = DirectLab(pair())
    assert links(lab, "leaf1")["swp1"] == "down"
    assert lab.client("leaf1").call("GET", "/interface/swp1/lldp")[0] == 404
    assert lab.client("leaf1").call("GET", "/qos/roce")[0] == 404
    assert lab.client("leaf1").call("GET", "/mlag")[0] == 404
    assert lab.client("leaf1").call("GET", "/interface/swp1s0")[0] == 404


def test_links_need_both_ends_and_hosts_are_always_up(lab):
    state = links(lab, "leaf1")
    assert {port: state[port] for port in (*BOTH, "swp3s0", "swp3s1")} == {
        "swp1s0": "up",
        "swp1s1": "up",
        "swp3s0": "up",
        "swp3s1": "down",
    }
    assert "swp1" not in state, "a port that is split is no port"
    lab.client("spine1").apply({"interface": {"swp1s0": {"link": {"state": {"up": None, "down": {}}}}}})
    assert [links(lab, "leaf1")[port] for port in BOTH] == ["down", "up"]
    assert sessions(lab, "leaf1")["swp1s0"]["last-reset-reason"] == "Interface down"


def test_different_splits_give_different_speeds_and_no_link(lab):
    peer = dict.fromkeys(("swp1s0",))
    tree = {
        "interface": {"swp1": {"link": {"breakout": {"2x": None, "4x": {}}}}},
        "vrf": {"default": {"router": {"bgp": {"neighbor": peer}}}},
    }
    assert lab.client("spine1").apply(tree)["state"] == "applied_and_saved"
    assert [links(lab, "leaf1")[port] for port in BOTH] == ["down", "up"]
    lab.client("leaf1").apply({"interface": {"swp1s0": {"link": {"speed": "200G"}}}})
    assert links(lab, "leaf1")["swp1s0"] == "up"
    assert lab.client("leaf1").get("/interface/swp1s0/link")["speed"] == "200G"


def test_lldp_follows_the_wiring(lab):
    assert neighbors(lab, "leaf1") == {
        "swp1s0": [("spine1", "swp1s0")],
        "swp1s1": [("spine1", "swp2s0")],
        "swp3s0": [("node1", "eth0")],
    }
    lab.client("spine1").apply({"system": {"lldp": {"state": "disabled"}}})
    assert neighbors(lab, "leaf1") == {"swp3s0": [("node1", "eth0")]}


def test_a_swapped_cable_is_a_neighbour_in_the_wrong_place(lab):
    lab.fault("swap-cable", "leaf1", port="swp1s0", with_port="swp1s1")
    assert neighbors(lab, "leaf1")["swp1s0"] == [("spine1", "swp2s0")]
    assert neighbors(lab, "spine1")["swp1s0"] == [("leaf1", "swp1s1")]
    lab.fault("swap-cable", "leaf1", port="swp1s0", with_port="swp1s1")
    assert neighbors(lab, "leaf1")["swp1s0"] == [("spine1", "swp1s0")]


def test_a_pulled_cable_is_a_link_down(lab):
    lab.fault("pull-cable", "leaf1", port="swp1s0")
    assert links(lab, "spine1")["swp1s0"] == "down"
    assert sessions(lab, "spine1")["swp1s0"]["session-state"] == "idle"
    lab.fault("pull-cable", "leaf1", port="swp1s0", plug=True)
    assert links(lab, "spine1")["swp1s0"] == "up"


def test_sessions_come_up_and_carry_prefixes(lab):
    found = sessions(lab, "leaf1")
    assert {port: held["session-state"] for port, held in found.items()} == dict.fromkeys(BOTH, "established")
    assert found["swp1s0"]["remote-as"] == 65101
    assert found["swp1s0"]["remote-router-id"] == "10.0.0.101"
    assert found["swp1s0"]["address-family"]["ipv4-unicast"]["rx-prefix"] == 1
    routes = lab.client("spine1").get("/vrf/default/router/rib/ipv4/route?filter=protocol=bgp")
    assert set(routes) == {"10.0.0.1/32", "10.64.0.0/31"}
    assert set(routes["10.64.0.0/31"]["route-entry"]["1"]["via"]) == {"swp1s0", "swp2s0"}


def test_a_wrong_number_keeps_the_session_down_on_both_sides(lab):
    neighbor = {"swp1s0": {"remote-as": 65999}}
    lab.client("leaf1").apply({"vrf": {"default": {"router": {"bgp": {"neighbor": neighbor}}}}})
    here, there = sessions(lab, "leaf1")["swp1s0"], sessions(lab, "spine1")["swp1s0"]
    assert (here["session-state"], there["session-state"]) == ("active", "active")
    assert "Bad Peer AS" in here["last-reset-reason"]
    assert "Bad Peer AS" in there["last-reset-reason"]
    assert sessions(lab, "leaf1")["swp1s1"]["session-state"] == "established"
    lab.client("leaf1").apply(
        {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1s0": {"remote-as": "external"}}}}}}}
    )
    assert sessions(lab, "leaf1")["swp1s0"]["session-state"] == "established"


def test_a_session_needs_the_neighbour_on_the_other_side(lab):
    lab.client("spine1").apply({"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1s0": None}}}}}})
    assert sessions(lab, "leaf1")["swp1s0"]["session-state"] == "active"
    shut = {"swp2s0": {"shutdown": "enabled"}}
    lab.client("spine1").apply({"vrf": {"default": {"router": {"bgp": {"neighbor": shut}}}}})
    assert sessions(lab, "spine1")["swp2s0"]["last-reset-reason"] == "Admin. shutdown"
    assert sessions(lab, "leaf1")["swp1s1"]["session-state"] == "active"


def test_numbered_sessions_and_loopback_sessions():
    lab = DirectLab(pair())
    for name, asn, peer, mine, theirs, lo, other in (
        ("leaf1", 65001, 65101, "10.1.0.0/31", "10.1.0.1", "10.0.0.1/32", "10.0.0.101"),
        ("spine1", 65101, 65001, "10.1.0.1/31", "10.1.0.0", "10.0.0.101/32", "10.0.0.1"),
    ):
        tree = fabric_tree(asn, {}, lo=lo, addresses={"swp1s0": mine})
        tree["vrf"]["default"]["router"]["bgp"]["neighbor"] = {
            theirs: {"type": "numbered", "remote-as": peer},
            other: {"type": "numbered", "remote-as": peer, "multihop-ttl": 3},
            "192.0.2.9": {"type": "numbered", "remote-as": peer},
        }
        assert lab.client(name).apply(tree)["state"] == "applied_and_saved"
    found = {key: held["session-state"] for key, held in sessions(lab, "leaf1").items()}
    assert found == {"10.1.0.1": "established", "10.0.0.101": "established", "192.0.2.9": "active"}
    lab.fault("pull-cable", "leaf1", port="swp1s0")
    found = {key: held["session-state"] for key, held in sessions(lab, "leaf1").items()}
    assert found == {"10.1.0.1": "idle", "10.0.0.101": "active", "192.0.2.9": "active"}


def test_routes_cross_two_tiers():
    switches = tuple(Switch(name, "SN5600", "5.16.4") for name in ("l1", "l2", "s1", "s2"))
    cables = tuple(
        Link(End(leaf, f"swp{spine}s0"), End(f"s{spine}", f"swp{leaf[1]}s0"))
        for leaf in ("l1", "l2")
        for spine in (1, 2)
    )
    lab = DirectLab(Wiring(switches, (), cables))
    for number in (1, 2):
        leaf = fabric_tree(65000 + number, {"swp1s0": 65101, "swp2s0": 65102}, lo=f"10.0.0.{number}/32")
        spine = fabric_tree(65100 + number, {"swp1s0": 65001, "swp2s0": 65002}, lo=f"10.0.0.10{number}/32")
        assert lab.client(f"l{number}").apply(leaf)["state"] == "applied_and_saved"
        assert lab.client(f"s{number}").apply(spine)["state"] == "applied_and_saved"
    routes = lab.client("l1").get("/vrf/default/router/rib/ipv4/route?filter=protocol=bgp")
    assert set(routes) == {"10.0.0.2/32", "10.0.0.101/32", "10.0.0.102/32"}
    assert set(routes["10.0.0.2/32"]["route-entry"]["1"]["via"]) == {"swp1s0", "swp2s0"}
    counts = {key: held["address-family"]["ipv4-unicast"]["rx-prefix"] for key, held in sessions(lab, "l1").items()}
    assert counts == {"swp1s0": 2, "swp2s0": 2}


def test_roce_as_spectrum_4_reads_it_back(lab):
    body = lab.client("leaf1").get("/qos/roce")
    assert body["mode"] == "lossless"
    assert body["pfc"]["pfc-priority"] == "3"
    assert body["congestion-control"]["min-threshold"] == 159744
    assert body["congestion-control"]["enabled-tc"] == "0,3"
    override = {"3": {"ecn": "enable", "min-threshold": 300000, "max-threshold": 1500000}}
    lab.client("leaf1").apply({"qos": {"congestion-control": {"default-global": {"traffic-class": override}}}})
    body = lab.client("leaf1").get("/qos/roce")
    assert body["congestion-control"]["enabled-tc"] == "3"
    assert body["congestion-control"]["min-threshold"] == 307200
    counters = lab.client("leaf1").get("/interface/swp1s0/qos/roce/counters")
    assert counters["rx-stats"]["rx-roce-stats"]["no-buffer-discard"] == 0
    lab.client("leaf1").apply({"qos": {"roce": {"mode": "lossy"}}})
    assert "pfc" not in lab.client("leaf1").get("/qos/roce")


def test_older_chips_read_thresholds_as_written():
    lab = DirectLab(pair("5.16.4", "SN4700"))
    lab.client("leaf1").apply({"qos": {"roce": {"state": "enabled", "mode": "lossless"}}})
    assert lab.client("leaf1").get("/qos/roce")["congestion-control"]["min-threshold"] == 150000


def test_reads_are_narrowed(lab):
    leaf = lab.client("leaf1")
    shown = leaf.get("/interface?include=/*/link/oper-status&include=/*/type")
    assert shown["swp1s0"] == {"type": "swp", "link": {"oper-status": "up"}}
    assert "link" not in leaf.get("/interface?omit=/*/link")["swp1s0"]
    assert set(leaf.get("/interface?filter=type=loopback")) == {"lo"}
    assert set(leaf.get("/interface?filter=type=loopback%7Ctype=eth")) == {"lo", "eth0"}
    assert set(leaf.get("/interface?filter=type=swp%26oper-status=up")) == {"swp1s0", "swp1s1", "swp3s0"}
    for bad in ("/interface?view=fancy", "/interface?view=brief&include=/*/type", "/interface?filter=nonsense"):
        assert leaf.call("GET", bad)[0] == 400
    assert leaf.get("/system/hostname") == "leaf1"
    assert leaf.get("/platform")["product-name"] == "SN5600"


def test_filled_shows_only_sourced_defaults(lab):
    leaf = lab.client("leaf1")
    bare = leaf.get("/interface/swp1s0", rev="applied", filled="false")
    full = leaf.get("/interface/swp1s0", rev="applied")
    assert "duplex" not in bare["link"]
    assert full["link"]["duplex"] == "full"
    assert full["link"]["mtu"] == bare["link"]["mtu"] == 9216
    assert leaf.get("/", rev="empty", filled="false") == {}
    old = DirectLab(pair("5.9.1")).client("leaf1").get("/", rev="applied")
    assert "ipv4" not in old["interface"]["eth0"]


def test_a_booting_switch_takes_its_links_down(lab):
    lab.fault("reboot", "spine1", for_s=20)
    assert links(lab, "leaf1")["swp1s0"] == "down"
    lab.advance(21)
    assert links(lab, "leaf1")["swp1s0"] == "up"
    assert sessions(lab, "leaf1")["swp1s0"]["session-state"] == "established"


def test_routes_carry_their_flags_as_a_set(lab):
    entry = lab.client("leaf1").get("/vrf/default/router/rib/ipv4/route/10.0.0.101%2F32")["route-entry"]["1"]
    assert entry["flags"] == {"fib-selected": {}, "installed": {}, "offloaded": {}, "selected": {}}
    assert entry["flags-string"] == "*Sio"


def test_a_watchdog_tells_of_the_queues_it_watches(lab):
    leaf = lab.client("leaf1")
    assert leaf.call("GET", "/interface/swp1s0/qos/pfc-watchdog")[0] == 404
    leaf.apply({"interface": {"swp1s0": {"qos": {"pfc-watchdog": {"state": "enable"}}}}})
    shown = leaf.get("/interface/swp1s0/qos/pfc-watchdog")
    assert shown == {"state": "enable", "status": {"3": {"status": "OK", "deadlock-count": 0}}}
    leaf.apply({"qos": {"pfc": {"default-global": {"switch-priority": {"4": {}, "5": {}}}}}})
    assert set(leaf.get("/interface/swp1s0/qos/pfc-watchdog")["status"]) == {"4", "5"}


def test_a_member_of_a_bond_names_it(lab):
    leaf = lab.client("leaf1")
    leaf.apply({"interface": {"bond1": {"type": "bond", "bond": {"member": {"swp5": {}}}}}})
    assert leaf.get("/interface/swp5")["parent"] == "bond1"
    assert "parent" not in leaf.get("/interface/swp6")


def test_only_front_panel_ports_have_queues_to_tell_of(lab):
    leaf = lab.client("leaf1")
    assert leaf.call("GET", "/interface/swp1s0/qos/roce/status")[0] == 200
    for port in ("lo", "eth0", "swp1"):
        assert leaf.call("GET", f"/interface/{port}/qos/roce/status")[0] == 404, port
    assert leaf.get("/interface", view="qos-roce-status")["eth0"] == {}


def test_vnis_follow_from_what_is_applied(lab):
    leaf = lab.client("leaf1")
    assert leaf.call("GET", "/evpn/vni")[0] == 404
    overlay = {
        "bridge": {"domain": {"br_default": {"vlan": {"10": {"vni": {"10010": {}}}}}}},
        "vrf": {"RED": {"evpn": {"state": "enabled", "vni": {"4001": {}}}}},
        "evpn": {"state": "enabled"},
        "nve": {"vxlan": {"state": "enabled", "source": {"address": "10.0.0.1"}}},
    }
    assert leaf.apply(overlay)["state"] == "applied_and_saved"
    assert {vni: held["bgp-info"]["type"] for vni, held in leaf.get("/evpn/vni").items()} == {
        "10010": "L2",
        "4001": "L3",
    }
    assert leaf.get("/evpn/vni/10010/bgp-info") == {"type": "L2", "local-vtep": "10.0.0.1", "in-kernel": "on"}
    assert leaf.call("GET", "/evpn/vni/10011")[0] == 404
    leaf.apply({"nve": {"vxlan": {"state": "disabled"}}})
    assert leaf.call("GET", "/evpn/vni")[0] == 404
