"""Actions: what is posted to a switch and happens to it."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import pair

CHANGE = {"interface": {"swp5": {"type": "swp", "description": "x"}}}
NOW = {"state": "start", "parameters": {"no-confirm": True}}


@pytest.fixture
def lab() -> DirectLab:
    return DirectLab(pair())


def test_an_action_is_answered_by_a_number_that_tells_its_state(lab):
    leaf = lab.client("leaf1")
    status, number = leaf.call("POST", "/interface/swp5/qos/counter", {"@clear": {"state": "start", "parameters": {}}})
    assert (status, number) == (200, 1)
    assert leaf.get("/action/1")["state"] == "running"
    lab.advance(2)
    assert leaf.get("/action/1") == {"state": "action_success", "issue": []}
    assert leaf.get("/action") == {"1": {"state": "action_success", "issue": []}}
    assert lab.client("spine1").get("/action") == {}
    assert leaf.call("GET", "/action/2")[0] == 404
    assert leaf.call("GET", "/action/x")[0] == 404


def test_a_reboot_by_action(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    leaf.apply({"system": {"config": {"auto-save": {"state": "disabled"}}}, **CHANGE})
    assert leaf.call("POST", "/system", {"@reboot": NOW})[0] == 200
    lab.advance(2)
    lab.world.agenda.run()
    assert machine.reachable(lab.now) == "refuse"
    lab.advance(60)
    assert machine.reachable(lab.now) == ""
    assert "swp5" not in leaf.applied()["interface"], "it comes up with what was saved"


def test_an_action_that_must_be_meant_fails_without_the_word(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    leaf.call("POST", "/system", {"@reboot": {"state": "start"}})
    lab.advance(2)
    shown = leaf.get("/action/1")
    assert shown["state"] == "action_error"
    assert "no-confirm" in shown["issue"][0]["message"]
    assert machine.reachable(lab.now) == ""


def test_a_factory_reset_leaves_nothing(lab):
    leaf = lab.client("leaf1")
    for _ in range(3):
        leaf.apply(CHANGE)
    order = {"@reset": {"state": "start", "parameters": {"force": True}}}
    assert leaf.call("POST", "/system/factory-default", order)[0] == 200
    lab.advance(60)
    lab.world.agenda.run()
    lab.advance(60)
    assert leaf.call("GET", "/system")[0] == 401
    fresh = lab.client("leaf1", "cumulus", "cumulus")
    assert fresh.call("GET", "/system")[0] == 403
    lab.fault("set-password", "leaf1")
    assert leaf.get("/system")["hostname"] == "cumulus"
    assert set(leaf.get("/revision")) == {"1", "applied", "startup"}
    assert DirectLab(pair("5.10.0")).client("leaf1").call("POST", "/system/factory-default", order)[0] == 404


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/system", {"@fly": NOW}, 404),
        ("/nothing", {"@clear": NOW}, 404),
        ("/interface/swp99/counters", {"@clear": NOW}, 404),
        ("/interface", {"@clear": NOW}, 404),
        ("/system", {}, 400),
        ("/system", {"reboot": NOW}, 400),
        ("/system", {"@reboot": "start"}, 400),
        ("/system", {"@reboot": {"state": "stop"}}, 400),
        ("/system", {"@reboot": {"state": "start", "parameters": []}}, 400),
        ("/system", {"@reboot": NOW, "@clear": NOW}, 400),
        ("/system", [], 400),
    ],
)
def test_what_is_no_action_is_refused(lab, path, body, status):
    assert lab.client("leaf1").call("POST", path, body)[0] == status


def test_who_may_only_read_starts_nothing(lab):
    user = {"role": "nvue-monitor", "password": "watch-it-closely"}
    lab.client("leaf1").apply({"system": {"aaa": {"user": {"watcher": user}}}})
    assert lab.client("leaf1", "watcher", "watch-it-closely").call("POST", "/system", {"@reboot": NOW})[0] == 403


def test_actions_are_remembered_up_to_a_number(lab):
    leaf = lab.client("leaf1")
    for _ in range(120):
        leaf.call("POST", "/interface/swp5/counters", {"@clear": {"state": "start"}})
    assert len(leaf.get("/action")) == 100
    assert "120" in leaf.get("/action")
