"""A change that is cut off: the device does not answer any more, or somebody stops us."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from fake_change_devices import (
    QUICK,
    FakeDevice,
    Site,
    before,
    holder,
    plan_of,
    run,
    statuses,
)

from intent.change.control import Stop
from intent.change.events import Event, Waiting
from intent.change.history import get_change
from intent.change.lock import acquire
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status


def test_lost_after_apply_and_back_is_asked_judged_and_confirmed(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"blip"}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert result.exit_code is ExitCode.OK
    assert "p1-leaf1" in site.judged[0]


def test_a_device_cut_off_by_its_change_comes_back_by_its_timer(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"cut off by apply"}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert statuses(result)["p1-leaf1"] is Status.REVERTED
    assert result.rows[0].detail == "no answer after apply; it reverted by its own timer"
    assert result.exit_code is ExitCode.ROLLED_BACK


def test_lost_for_good_after_apply_is_unknown(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"blip"}
    site.actor.settle = lambda pending: {}  # type: ignore[method-assign]
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert statuses(result)["p1-leaf1"] is Status.UNKNOWN
    assert result.exit_code is ExitCode.PARTIAL


def test_a_revert_that_is_lost_is_waited_for_until_the_timer_did_it(site: Site) -> None:
    site.bad = {"p1-leaf1": Verdict.FAIL}
    site.devices["p1-leaf1"].faults = {"revert lost"}
    events: list[Event] = []
    with site.journal() as journal:
        result = run(site, plan_of(site), journal, emit=events.append)
    assert statuses(result)["p1-leaf1"] is Status.REVERTED
    assert any(isinstance(e, Waiting) and e.reason == "confirm timer" for e in events)
    assert site.devices["p1-leaf1"].applied == before()


def test_a_lost_confirm_ends_in_the_old_state_by_the_timer(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"confirm lost"}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert statuses(result)["p1-leaf1"] is Status.REVERTED
    assert result.exit_code is ExitCode.ROLLED_BACK


def test_an_actor_that_breaks_leaves_no_device_without_a_row_and_tells_no_secret(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"broken actor"}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
        assert "hunter2" not in str(result) + str(journal.entries())
    assert statuses(result)["p1-leaf1"] is Status.FAILED
    assert "internal error (RuntimeError)" in result.rows[0].detail


def test_first_interrupt_finishes_what_is_in_flight_and_starts_nothing_new(site: Site) -> None:
    stop = Stop()
    site.actor.during_apply.append(lambda name: stop.request("interrupted by the operator"))
    with site.journal() as journal:
        result = run(site, plan_of(site), journal, stop=stop)
        record = get_change(journal, result.change)
    found = statuses(result)
    assert found.pop("p1-leaf1") is Status.CONFIRMED
    assert set(found.values()) == {Status.NOT_ATTEMPTED}
    assert result.exit_code is ExitCode.PARTIAL
    assert record.finished
    assert result.rows[-1].detail == "interrupted by the operator"


def test_stopping_inside_a_wave_leaves_the_rest_of_it_alone(tmp_path: Path) -> None:
    labels = {"role": "leaf", "plane": "1"}
    site = Site(tmp_path, {"a": labels, "b": labels})
    stop = Stop()
    site.actor.during_apply.append(lambda name: stop.request("enough"))
    settings = dataclasses.replace(QUICK, canary=0, batch_percent=100)
    with site.journal() as journal:
        result = run(site, plan_of(site, settings=settings), journal, stop=stop)
    assert statuses(result) == {"a": Status.CONFIRMED, "b": Status.NOT_ATTEMPTED}


def test_stop_before_anything_is_touched(site: Site) -> None:
    stop = Stop()
    stop.request("interrupted by the operator")
    with site.journal() as journal:
        result = run(site, plan_of(site), journal, stop=stop)
    assert set(statuses(result).values()) == {Status.NOT_ATTEMPTED}
    assert (result.exit_code, result.change, site.actor.writes) == (ExitCode.ERROR, "", 0)


def test_second_interrupt_leaves_the_confirm_timer_to_revert(site: Site) -> None:
    def second(names: object, in_force: object) -> object:
        raise KeyboardInterrupt

    with site.journal() as journal:
        result = run(site, plan_of(site), journal, judge=second)
        assert statuses(result)["p1-leaf1"] is Status.UNKNOWN
        assert result.exit_code is ExitCode.PARTIAL
        assert not get_change(journal, result.change).finished
        with pytest.raises(IntentError, match="locked by ada") as held:
            acquire(journal, "par1", holder(78), site.clock, started=lambda pid: f"start-{pid}")
        assert held.value.exit_code is ExitCode.LOCKED
    site.clock.now += 61
    site.devices["p1-leaf1"].tick(site.clock.now)
    assert site.devices["p1-leaf1"].applied == before()


def test_fake_device_reverts_by_its_timer() -> None:
    device = FakeDevice("x", {"a": 2}, pending=("1", {"a": 1}, 10.0))
    device.tick(9.9)
    assert device.applied == {"a": 2}
    device.tick(10.0)
    assert (device.applied, device.pending) == ({"a": 1}, None)
