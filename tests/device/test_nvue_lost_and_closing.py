"""Connections lost in the middle, and the end of a change: confirm, revert, settle."""

from __future__ import annotations

import httpx
import pytest
from fake_switch import Bench, FakeSwitch, Journal
from one_switch import LIVE, one, request, wanted

from intent.core.tree import copy
from intent.device.actor import Status


def lost(when: tuple[str, str], times: int, *, carried_out: bool) -> object:
    left = [times]

    def fault(method: str, path: str, fake: FakeSwitch) -> None:
        if (method, path) == when and left[0]:
            left[0] -= 1
            if carried_out:
                fake.order(path.removeprefix("/revision/"), {"state": "apply"})
            raise httpx.ReadError("reset by peer")

    return fault


def test_connection_lost_during_apply_goes_on_by_reading_the_revision() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].fault = lost(("PATCH", "/revision/2"), 1, carried_out=True)
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.AWAITING
    assert bench.switches["leaf01"].writes.count(("PATCH", "/revision/2")) == 1  # never sent twice


def test_an_order_that_never_arrived_is_found_out_and_the_candidate_discarded() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].fault = lost(("PATCH", "/revision/2"), 1, carried_out=False)
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.FAILED
    assert "nothing was applied" in outcome.detail
    assert list(bench.switches["leaf01"].revisions) == ["1"]


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(502, text="<html>Bad Gateway</html>"), httpx.Response(200, text="<html>"), httpx.Response(500)],
)
@pytest.mark.parametrize(("carried_out", "expected"), [(True, Status.AWAITING), (False, Status.FAILED)])
def test_an_answer_that_says_nothing_is_settled_by_the_revision(
    answer: httpx.Response, carried_out: bool, expected: Status
) -> None:
    """A gateway answers 502 while the daemon behind it restarts, and may have passed the order on."""
    bench = one()
    asked = request(bench, wanted(bench))
    left = [1]

    def fault(method: str, path: str, fake: FakeSwitch) -> httpx.Response | None:
        if (method, path) != ("PATCH", "/revision/2") or not left[0]:
            return None
        left[0] = 0
        if carried_out:
            fake.order("2", {"state": "apply"})
        return answer

    bench.switches["leaf01"].fault = fault
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is expected, outcome.detail
    assert bench.switches["leaf01"].writes.count(("PATCH", "/revision/2")) == 1


def test_polling_survives_a_reload_that_cuts_the_connection() -> None:
    bench = one()
    asked = request(bench, wanted(bench))
    bench.switches["leaf01"].fault = lost(("GET", "/revision/2"), 7, carried_out=False)
    assert bench.actor.apply([asked], Journal())["leaf01"].status is Status.AWAITING


def test_a_switch_that_never_comes_back_is_unknown_never_green() -> None:
    bench = one()
    asked = request(bench, wanted(bench), deadline_s=60)
    switch = bench.switches["leaf01"]

    def gone(method: str, path: str, fake: FakeSwitch) -> None:
        if (method, path) == ("PATCH", "/revision/2"):
            raise httpx.ReadError("reset by peer")
        if ("PATCH", "/revision/2") in fake.calls:
            raise httpx.ConnectError("no route to host")

    switch.fault = gone
    outcome = bench.actor.apply([asked], Journal())["leaf01"]
    assert outcome.status is Status.UNKNOWN
    assert "reverts by itself within 120 s" in outcome.detail
    assert outcome.handle == "2"


def awaiting(bench: Bench) -> dict[str, str]:
    outcome = bench.actor.apply([request(bench, wanted(bench))], Journal())["leaf01"]
    assert outcome.status is Status.AWAITING
    return {"leaf01": outcome.handle}


def test_revert_is_reported_only_when_the_old_state_is_seen() -> None:
    bench, journal = one(), Journal()
    outcome = bench.actor.revert(awaiting(bench), journal)["leaf01"]
    assert outcome.status is Status.REVERTED
    assert bench.switches["leaf01"].applied == LIVE
    assert journal.words() == ["revert"]


def test_revert_that_lands_somewhere_else_is_unknown() -> None:
    bench = one()
    pending = awaiting(bench)
    bench.switches["leaf01"].before["qos"] = {}
    outcome = bench.actor.revert(pending, Journal())["leaf01"]
    assert outcome.status is Status.UNKNOWN
    assert "neither" in outcome.detail


def test_revert_of_a_switch_whose_timer_already_ran_out() -> None:
    bench = one()
    pending = awaiting(bench)
    switch = bench.switches["leaf01"]
    switch.revisions["2"]["state"] = "inactive"
    switch.applied = copy(switch.before)
    journal = Journal()
    assert bench.actor.revert(pending, journal)["leaf01"].status is Status.REVERTED
    assert journal.steps == []
    assert bench.actor.confirm(pending, journal)["leaf01"].status is Status.REVERTED


def test_revert_without_an_answer_is_unknown() -> None:
    bench = one()
    pending = awaiting(bench)

    def gone(method: str, path: str, fake: FakeSwitch) -> None:
        raise httpx.ConnectError("no route to host")

    bench.switches["leaf01"].fault = gone
    assert bench.actor.revert(pending, Journal())["leaf01"].status is Status.UNKNOWN
    assert bench.actor.confirm(pending, Journal())["leaf01"].status is Status.UNKNOWN
    assert bench.actor.settle(pending)["leaf01"].status is Status.UNKNOWN


def test_confirm_saves_where_the_device_does_not() -> None:
    bench, journal = one(after_confirm=["applied"]), Journal()
    outcome = bench.actor.confirm(awaiting(bench), journal)["leaf01"]
    assert outcome.status is Status.CONFIRMED
    assert journal.words() == ["confirm", "save"]
    assert ("PATCH", "/revision/applied") in bench.switches["leaf01"].calls


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("confirm", Status.AWAITING),
        ("applied", Status.CONFIRMED),
        ("reloading", Status.UNKNOWN),
        ("odd", Status.UNKNOWN),
    ],
)
def test_settle_reads_only(state: str, status: Status) -> None:
    bench = one()
    pending = awaiting(bench)
    switch = bench.switches["leaf01"]
    switch.revisions["2"]["state"] = state
    switch.queue.clear()
    before = len(switch.writes)
    assert bench.actor.settle(pending)["leaf01"].status is status
    assert len(switch.writes) == before


def test_settle_of_what_was_never_applied_and_of_what_went_back() -> None:
    bench = one()
    assert bench.actor.settle({"leaf01": ""})["leaf01"].status is Status.NOT_ATTEMPTED
    pending = awaiting(bench)
    switch = bench.switches["leaf01"]
    switch.revisions["2"]["state"], switch.applied = "inactive", copy(switch.before)
    assert bench.actor.settle(pending)["leaf01"].status is Status.REVERTED
    assert bench.actor.settle({"leaf01": "77"})["leaf01"].status is Status.UNKNOWN
