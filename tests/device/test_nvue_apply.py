"""Applying on one and on several switches: order of calls, what each failure leads to, what is never done."""

from __future__ import annotations

import httpx
import pytest
from fake_switch import Bench, FakeSwitch, Journal
from one_switch import LIVE, OWNED, one, request, wanted

from intent.core.secret import reference
from intent.core.tree import copy, put
from intent.device.actor import Status, Wanted


def test_a_change_is_applied_confirmed_and_costs_few_requests() -> None:
    bench, journal = one(), Journal()
    switch = bench.switches["leaf01"]
    what = wanted(bench, interface__swp1__link__mtu=9000)
    outcome = bench.actor.apply([request(bench, what)], journal)["leaf01"]
    assert outcome.status is Status.AWAITING, outcome.detail
    assert journal.words() == ["create", "load", "apply"]
    assert switch.applied["interface"]["swp1"]["link"]["mtu"] == 9000
    assert "swp9" not in switch.applied["interface"]
    confirmed = bench.actor.confirm({"leaf01": outcome.handle}, journal)["leaf01"]
    assert confirmed.status is Status.CONFIRMED, confirmed.detail
    assert len(switch.calls) <= 18
    assert len(bench.opened) == 3  # observe, apply, and a new one for confirm
    assert ("PATCH", "/revision/applied") not in switch.calls  # it saves by itself
    apply_body = next(body for body in switch.bodies if body and body.get("state") == "apply")
    assert apply_body == {"state": "apply", "auto-prompt": {"ays": "ays_yes"}, "state-controls": {"confirm": 120}}


def test_one_body_carries_removals_and_additions_of_different_objects() -> None:
    bench = one()
    switch = bench.switches["leaf01"]
    bench.actor.apply([request(bench, wanted(bench, interface__swp1__link__mtu=9000))], Journal())
    loads = [
        body
        for (method, path), body in zip(switch.writes, switch.bodies, strict=True)
        if (method, path) == ("PATCH", "/")
    ]
    assert loads == [{"interface": {"swp9": None, "swp1": {"link": {"mtu": 9000}}}}]


def test_d19_applying_nothing_writes_nothing() -> None:
    bench, journal = one(), Journal()
    what = Wanted(bench.target("leaf01"), {"interface": copy(LIVE["interface"]), "qos": copy(LIVE["qos"])}, OWNED)
    for _ in range(2):
        outcome = bench.actor.apply([request(bench, what)], journal)["leaf01"]
        assert outcome.status is Status.UNCHANGED
    assert bench.switches["leaf01"].writes == []
    assert journal.steps == []
    assert list(bench.switches["leaf01"].revisions) == ["1"]


def test_d18_the_state_goes_on_to_applied_and_saved_between_two_polls() -> None:
    bench = one(states=["ready", "applying", "applied_and_saved"])
    outcome = bench.actor.apply([request(bench, wanted(bench), confirm_s=0)], Journal())["leaf01"]
    assert outcome.status is Status.AWAITING
    assert bench.actor.confirm({"leaf01": outcome.handle}, Journal())["leaf01"].status is Status.CONFIRMED


@pytest.mark.parametrize("word", ["invalid", "apply_fail", "verify_error", "brand_new_failure"])
def test_d18_states_that_name_a_failure_end_the_wait_at_once(word: str) -> None:
    issue = {"00000": {"code": "config_invalid", "data": {"location": "interface.swp1s0", "reason": "no breakout"}}}
    bench = one(states=["checking", word], issues=issue)
    before = bench.clock.now
    outcome = bench.actor.apply([request(bench, wanted(bench))], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert word in outcome.detail
    assert "interface.swp1s0: no breakout" in outcome.detail
    assert "old configuration is in force" in outcome.detail
    assert bench.clock.now - before < 5
    assert list(bench.switches["leaf01"].revisions) == ["1"]  # the dead candidate is gone


def test_d18_an_unknown_word_until_the_deadline_is_unknown_and_read_back() -> None:
    bench = one(states=["pondering"])
    outcome = bench.actor.apply([request(bench, wanted(bench), deadline_s=40)], Journal())["leaf01"]
    assert outcome.status is Status.UNKNOWN
    assert "pondering" in outcome.detail
    assert "old configuration is in force" in outcome.detail
    assert outcome.handle == "2"
    assert bench.switches["leaf01"].calls[-1] == ("GET", "/")


def test_a_question_is_answered_no_and_fails() -> None:
    bench, journal = one(states=["ignore_fail"]), Journal()
    outcome = bench.actor.apply([request(bench, wanted(bench))], journal)["leaf01"]
    assert outcome.status is Status.FAILED
    assert "ignore_fail" in outcome.detail
    assert {"state": "ignore_fail_no"} in bench.switches["leaf01"].bodies
    assert journal.words() == ["create", "load", "apply", "refuse", "discard", "failed"]


def test_a_device_changed_since_the_plan_is_stale_and_untouched() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].applied["interface"]["swp1"]["link"]["mtu"] = 1500
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.STALE
    assert bench.switches["leaf01"].writes == []


def test_a_change_outside_our_scope_is_not_stale() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].applied["system"]["message"] = {"pre-login": "hello"}
    assert bench.actor.apply([asked], Journal())["leaf01"].status is Status.AWAITING


def test_a_foreign_difference_stops_before_apply_and_leaves_nothing_behind() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    switch = bench.switches["leaf01"]

    def meddle(method: str, path: str, fake: FakeSwitch) -> None:
        if method == "PATCH" and path == "/":
            put(fake.trees["2"], ("router", "bgp", "state"), "disabled")

    switch.fault = meddle
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "router.bgp.state" in outcome.detail
    assert "not in the plan" in outcome.detail
    assert list(switch.revisions) == ["1"]
    assert switch.applied == LIVE


def test_a_difference_the_device_swallowed_stops_too() -> None:
    bench = one()
    asked = request(bench, wanted(bench, interface__swp1__link__mtu=9000))
    switch = bench.switches["leaf01"]

    def swallow(method: str, path: str, fake: FakeSwitch) -> httpx.Response | None:
        return httpx.Response(200, json={}) if (method, path) == ("PATCH", "/") else None

    switch.fault = swallow
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "reports no change" in outcome.detail


def test_another_change_in_progress_is_busy() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].revisions["7"] = {"state": "confirm"}
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "busy: revision 7 is confirm" in outcome.detail
    assert bench.switches["leaf01"].writes == []


def test_another_release_than_the_intent_names_is_refused() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].release = "5.14.0"
    bench.clock.sleep(61)  # what was read within the last minute is not asked again
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "5.14.0" in outcome.detail
    assert bench.switches["leaf01"].writes == []


def test_schema_errors_name_the_pointer() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    body = {
        "title": "Bad Request",
        "validation": {"selected_errors": [{"error": "not an MTU", "instanceLocation": "/interface/swp1"}]},
    }

    def refuse(method: str, path: str, fake: FakeSwitch) -> httpx.Response | None:
        return httpx.Response(400, json=body) if (method, path) == ("PATCH", "/") else None

    bench.switches["leaf01"].fault = refuse
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "/interface/swp1: not an MTU" in outcome.detail
    assert list(bench.switches["leaf01"].revisions) == ["1"]


# --- several


def test_d20_one_fails_the_others_go_on_and_the_failed_one_is_served_afterwards() -> None:
    switches = {name: FakeSwitch(copy(LIVE), hostname=name) for name in ("leaf01", "leaf02", "leaf03")}
    switches["leaf02"].states = ["apply", "apply_fail"]
    bench, journal = Bench(switches), Journal()
    asked = [request(bench, wanted(bench, name)) for name in switches]
    outcomes = bench.actor.apply(asked, journal)
    assert {name: item.status for name, item in outcomes.items()} == {
        "leaf01": Status.AWAITING,
        "leaf02": Status.FAILED,
        "leaf03": Status.AWAITING,
    }
    # Nothing is skipped because it failed before: not in revert, not in observe, not in a second apply.
    back = bench.actor.revert({name: item.handle or "1" for name, item in outcomes.items()}, journal)
    assert set(back) == set(switches)
    switches["leaf02"].states = ["confirm"]
    again = bench.actor.apply([request(bench, wanted(bench, "leaf02"))], journal)
    assert again["leaf02"].status is Status.AWAITING
    assert bench.actor.apply([], journal) == {}


def test_a_stop_leaves_what_was_not_begun_untouched() -> None:
    bench, journal = Bench({f"leaf{n:02}": FakeSwitch(copy(LIVE)) for n in range(1, 6)}), Journal()
    asked = [request(bench, wanted(bench, name)) for name in bench.switches]
    journal.stop = True
    outcomes = bench.actor.apply(asked, journal)
    assert {item.status for item in outcomes.values()} == {Status.NOT_ATTEMPTED}
    assert all(not switch.writes for switch in bench.switches.values())


def test_a_stop_during_load_discards_the_candidate() -> None:
    bench, journal = one(), Journal()
    asked = request(bench, wanted(bench))

    def stop(method: str, path: str, fake: FakeSwitch) -> None:
        if (method, path) == ("PATCH", "/"):
            journal.stop = True

    bench.switches["leaf01"].fault = stop
    outcome = bench.actor.apply([asked], journal)["leaf01"]
    assert outcome.status is Status.NOT_ATTEMPTED
    assert list(bench.switches["leaf01"].revisions) == ["1"]


# --- replace and scope


def test_replace_needs_users_and_api() -> None:
    bench = one()
    what = Wanted(bench.target("leaf01"), {"interface": {"swp1": {"type": "swp"}}}, replace=True)
    outcome = bench.actor.apply([request(bench, what)], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "system.aaa.user" in outcome.detail
    assert bench.switches["leaf01"].writes == []


def test_replace_clears_first() -> None:
    bench = one()
    body = {"system": copy(LIVE["system"]), "interface": {"swp1": {"type": "swp"}}}
    body["system"]["aaa"]["user"]["cumulus"]["hashed-password"] = reference("hash")
    bench.secrets._values["hash"] = "$6$salt$CANARYcanary"
    what = Wanted(bench.target("leaf01"), body, replace=True)
    outcome = bench.actor.apply([request(bench, what)], Journal())["leaf01"]
    assert outcome.status is Status.AWAITING, outcome.detail
    assert bench.switches["leaf01"].writes[1] == ("DELETE", "/")


def test_what_is_excepted_survives_the_removal_around_it() -> None:
    bench = one()
    what = Wanted(
        bench.target("leaf01"), {"qos": LIVE["qos"], "interface": {}}, OWNED, (("interface", "swp2", "link"),)
    )
    outcome = bench.actor.apply([request(bench, what)], Journal())["leaf01"]
    assert outcome.status is Status.AWAITING, outcome.detail
    assert bench.switches["leaf01"].applied["interface"] == {"swp2": {"link": {"mtu": 9216}}}


def test_a_failure_that_left_something_behind_keeps_its_handle_and_is_unknown() -> None:
    bench = one(states=["apply", "apply_fail"])
    asked = request(bench, wanted(bench))

    def half(method: str, path: str, fake: FakeSwitch) -> None:
        if fake.revisions.get("2", {}).get("state") == "apply_fail":
            fake.applied["qos"] = {}

    bench.switches["leaf01"].fault = half
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert (outcome.status, outcome.handle) == (Status.UNKNOWN, "2")
    assert "neither the old nor the new" in outcome.detail


def test_an_error_of_ours_is_unknown_for_that_device_alone_and_tells_no_secret() -> None:
    bench = Bench({"leaf01": FakeSwitch(copy(LIVE)), "leaf02": FakeSwitch(copy(LIVE))}, known={"x": "CANARY-value"})
    asked = [request(bench, wanted(bench, name)) for name in bench.switches]

    def broken(method: str, path: str, fake: FakeSwitch) -> None:
        raise RuntimeError("broken by CANARY-value")

    bench.switches["leaf01"].fault = broken
    outcomes = bench.actor.apply(asked, Journal())
    assert outcomes["leaf01"].status is Status.UNKNOWN
    assert "internal error: RuntimeError: broken by (secret)" in outcomes["leaf01"].detail
    assert outcomes["leaf02"].status is Status.AWAITING
