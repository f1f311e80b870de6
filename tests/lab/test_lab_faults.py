"""Faults on demand."""

from __future__ import annotations

import pytest
from lab_direct import DirectLab
from lab_trees import pair

from intent.core.errors import IntentError
from intent.lab.api import Request
from intent.lab.faults import EVENTS, STANDING

CHANGE = {"interface": {"swp5": {"type": "swp", "description": "x"}}}


@pytest.fixture
def lab() -> DirectLab:
    return DirectLab(pair())


def test_a_hung_apply_stays_until_cleared(lab):
    leaf = lab.client("leaf1")
    lab.fault("hung-apply", "leaf1")
    revision = leaf.load(CHANGE)
    leaf.start(revision)
    lab.advance(1000)
    assert leaf.revision(revision)["state"] == "apply"
    assert lab.client("spine1").apply(CHANGE)["state"] == "applied_and_saved"
    lab.fault("clear", "leaf1")
    assert leaf.wait(revision)["state"] == "applied_and_saved"


def test_an_apply_fails_as_often_as_asked(lab):
    leaf = lab.client("leaf1")
    before = leaf.applied()
    lab.fault("apply-fail", "leaf1", times=1)
    failed = leaf.apply(CHANGE)
    assert failed["state"] == "apply_fail"
    assert failed["transition"]["issue"]["00000"]["code"] == "reload_failed"
    assert leaf.applied() == before
    assert leaf.apply(CHANGE)["state"] == "applied_and_saved"


@pytest.mark.parametrize(
    ("state", "last"),
    [
        ("verify_error", "checking"),
        ("ready_error", "verifying"),
        ("apply_error", "readying"),
        ("apply_fail", "readying"),
    ],
)
def test_an_apply_may_fail_in_any_of_its_steps(lab, state, last):
    leaf = lab.client("leaf1")
    before = leaf.applied()
    lab.fault("apply-fail", "leaf1", state=state, times=1)
    revision = leaf.load(CHANGE)
    leaf.start(revision)
    seen = []
    for _ in range(12):
        seen.append(leaf.revision(revision)["state"])
        lab.advance(0.1)
    assert seen[-1] == state
    assert list(dict.fromkeys(seen))[-2] == last
    assert leaf.revision(revision)["transition"]["issue"]["00000"]["severity"] == "error"
    assert leaf.applied() == before
    leaf.start(revision)
    assert leaf.wait(revision)["state"] == "applied_and_saved", "it may be tried again"


@pytest.mark.parametrize(
    ("answer", "state"), [("ignore_fail_no", "apply_fail"), ("ignore_fail_yes", "applied_and_saved")]
)
def test_a_failing_service_may_ask(lab, answer, state):
    leaf = lab.client("leaf1")
    lab.fault("apply-fail", "leaf1", ask=True)
    asked = leaf.apply(CHANGE)
    assert asked["state"] == "ignore_fail"
    leaf.order(asked["id"], {"state": answer})
    assert leaf.wait(asked["id"], ("apply_fail", "applied_and_saved"))["state"] == state


def test_ignore_fail_answered_in_advance_forces_past(lab):
    leaf = lab.client("leaf1")
    lab.fault("apply-fail", "leaf1", ask=True)
    revision = leaf.load(CHANGE)
    leaf.start(revision, **{"auto-prompt": {"ays": "ays_yes", "ignore_fail": "ignore_fail_yes"}})
    assert leaf.wait(revision)["state"] == "applied_and_saved"


def test_lost_after_apply_comes_back_with_the_timer(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    before = leaf.applied()
    lab.fault("lost-after-apply", "leaf1")
    revision = leaf.load(CHANGE)
    leaf.start(revision, confirm=30)
    lab.advance(2)
    lab.world.agenda.run()
    assert machine.reachable(lab.now) == "refuse"
    lab.advance(30)
    lab.world.agenda.run()
    assert machine.reachable(lab.now) == ""
    assert leaf.applied() == before
    assert leaf.revision(revision)["state"] == "confirm_fail"


def test_lost_without_a_timer_stays_lost_until_cleared(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    lab.fault("lost-after-apply", "leaf1")
    leaf.start(leaf.load(CHANGE))
    lab.advance(1000)
    lab.world.agenda.run()
    assert machine.reachable(lab.now) == "refuse"
    lab.fault("clear", "leaf1")
    assert machine.reachable(lab.now) == ""


def test_the_api_can_be_cut_off_by_configuration(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    for tree in (
        {"system": {"api": {"state": "disabled"}}},
        {"system": {"api": {"port": 8888}}},
        {"system": {"api": {"listening-address": {"localhost": {}}}}},
        {"interface": {"eth0": {"link": {"state": {"down": {}}}}}},
    ):
        leaf.start(leaf.load(tree), confirm=10)
        lab.advance(2)
        lab.world.agenda.run()
        assert machine.reachable(lab.now) == "refuse"
        lab.advance(10)
        lab.world.agenda.run()
        assert machine.reachable(lab.now) == ""


def test_a_reboot_takes_time_and_comes_back_with_what_was_saved(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    before = leaf.applied()
    pending = leaf.apply(CHANGE, confirm=600)
    lab.fault("reboot", "leaf1", for_s=20)
    assert machine.reachable(lab.now) == "refuse"
    lab.advance(21)
    assert machine.reachable(lab.now) == ""
    assert leaf.applied() == before
    assert leaf.revision(pending["id"])["state"] == "inactive"
    assert leaf.get("/system")["uptime"] == 1
    lab.advance(1000)
    assert leaf.applied() == before
    assert leaf.apply(CHANGE)["state"] == "applied_and_saved"


def test_while_its_service_starts_nginx_says_502(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    before = leaf.applied()
    token = leaf.get("/api-token")["token"]
    lab.fault("restart", "leaf1", for_s=3)
    assert machine.reachable(lab.now) == "", "it can be connected to"
    answer = lab.api.handle("leaf1", Request("GET", "/nvue_v1/system", leaf.headers))
    assert answer.status == 502
    assert ("Content-Type", "text/html") in answer.headers
    assert answer.encoded().startswith(b"<html>"), "whoever expects JSON is in for a surprise"
    lab.advance(3)
    assert leaf.applied() == before
    leaf.headers = {"authorization": f"Bearer {token}"}
    assert leaf.call("GET", "/system")[0] == 401


def test_after_a_reboot_the_service_comes_later_than_the_switch(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    lab.fault("reboot", "leaf1", for_s=10)
    lab.advance(10)
    assert machine.reachable(lab.now) == ""
    assert leaf.call("GET", "/system")[0] == 502
    lab.advance(lab.world.tools.timing.nvued_s)
    assert leaf.call("GET", "/system")[0] == 200


def test_clear_ends_a_reboot_too(lab):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    lab.fault("reboot", "leaf1", for_s=10)
    lab.fault("clear", "leaf1")
    assert machine.reachable(lab.now) == ""
    assert leaf.call("GET", "/system")[0] == 200


@pytest.mark.parametrize(
    ("tree", "drops"),
    [
        (CHANGE, False),
        ({"interface": {"eth0": {"description": "management"}}}, True),
        ({"system": {"api": {"token-expiration": 30}}}, True),
        ({"vrf": {"mgmt": {"router": {"static": {"0.0.0.0/0": {"address-family": "ipv4-unicast"}}}}}}, True),
    ],
)
def test_reloading_what_carries_the_api_drops_its_connections(lab, tree, drops):
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    revision = leaf.load(tree)
    leaf.start(revision)
    states = {}
    for _ in range(12):
        states.setdefault(leaf.revision(revision)["state"], machine.reachable(lab.now))
        lab.advance(0.1)
    assert states.pop("reloading") == ("refuse" if drops else "")
    assert set(states.values()) == {""}


def test_unreachable_for_a_while(lab):
    machine = lab.world.machines["leaf1"]
    lab.fault("unreachable", "leaf1", how="silent", for_s=10)
    assert machine.reachable(lab.now) == "silent"
    lab.advance(11)
    assert machine.reachable(lab.now) == ""


def test_slow_answers_carry_their_delay(lab):
    lab.fault("slow", "leaf1", delay_s=2.5)
    leaf = lab.client("leaf1")
    assert lab.api.handle("leaf1", Request("GET", "/nvue_v1/system", leaf.headers)).delay_s == 2.5


def test_a_change_by_hand_is_in_force_at_once(lab):
    leaf = lab.client("leaf1")
    before = leaf.revision("applied")["last-apply"]["rev_id"]
    lab.fault(
        "change-by-hand", "leaf1", set={"interface.swp5.description": "by hand", "/interface/swp6/link/mtu": 9000}
    )
    held = leaf.applied()["interface"]
    assert held["swp5"] == {"type": "swp", "description": "by hand"}
    assert held["swp6"]["link"]["mtu"] == 9000
    assert leaf.revision("applied")["last-apply"]["rev_id"] != before
    lab.fault("change-by-hand", "leaf1", unset=["interface.swp5", "interface.swp6.link.mtu"])
    held = leaf.applied()["interface"]
    assert "swp5" not in held
    assert held["swp6"] == {"type": "swp"}


@pytest.mark.parametrize(
    ("kind", "device", "options", "words"),
    [
        ("melt", "leaf1", {}, "no fault is called 'melt'"),
        ("slow", "leaf9", {}, "no switch 'leaf9'"),
        ("slow", "leaf1", {"delay_s": "long"}, "delay_s must be a number"),
        ("unreachable", "leaf1", {"how": "loud"}, "how is refuse or silent"),
        ("apply-fail", "leaf1", {"state": "melted"}, "state is one of verify_error"),
        ("change-by-hand", "leaf1", {}, "needs set="),
        ("change-by-hand", "leaf1", {"set": {"interface.swp5.link.mtu": "big"}}, "/interface/swp5/link/mtu"),
        ("change-by-hand", "leaf1", {"set": {"interface.swp5.vrf": "NONE"}}, "vrf NONE is not defined"),
        ("change-by-hand", "leaf1", {"unset": ["nothing.there"]}, "does not exist"),
        ("swap-cable", "leaf1", {"port": "swp60"}, "no cable at leaf1:swp60"),
        ("swap-cable", "leaf1", {"port": "swp1s0", "with_port": "swp1s0"}, "no other cable"),
        ("pull-cable", "leaf1", {}, "no cable at leaf1:"),
    ],
)
def test_a_fault_that_cannot_be_says_why(lab, kind, device, options, words):
    leaf = lab.client("leaf1")
    before, count = leaf.applied(), len(leaf.get("/revision"))
    with pytest.raises(IntentError) as caught:
        lab.fault(kind, device, **options)
    assert words in caught.value.message
    assert (leaf.applied(), len(leaf.get("/revision"))) == (before, count)


def test_every_standing_fault_is_shown_and_cleared(lab):
    for kind in STANDING:
        lab.fault(kind, "leaf1")
    assert sorted(lab.world.machines["leaf1"].faults.words()) == sorted(STANDING)
    lab.fault("clear", "leaf1")
    assert lab.world.machines["leaf1"].faults.words() == []
    assert not set(STANDING) & set(EVENTS)
