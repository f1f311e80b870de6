"""Applying a plan on devices in memory: confirm, revert, stop, and what each device's row says."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest
from fake_change_devices import (
    QUICK,
    FakeActor,
    Site,
    after,
    before,
    plan_of,
    run,
    statuses,
)

from intent.change import steps
from intent.change.apply import precheck
from intent.change.events import DeviceDone, Event, Stopping, Waiting, WaveStarted
from intent.change.history import get_change
from intent.change.plan import DeviceState
from intent.change.result import Row, exit_code
from intent.change.selection import Scope
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import put
from intent.core.verdict import Verdict
from intent.device.actor import Outcome, Status


def wanted_everywhere(site: Site) -> bool:
    return all(d.applied == {**after(n), "other": {"kept": True}} for n, d in site.devices.items())


def test_apply_confirms_every_device_and_keeps_what_is_not_ours(site: Site) -> None:
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
        assert result.exit_code is ExitCode.OK
        assert set(statuses(result).values()) == {Status.CONFIRMED}
        assert [row.device for row in result.rows] == [d.name for d in plan_of(site).devices]
        assert wanted_everywhere(site)
        record = get_change(journal, result.change)
        assert (record.who, record.reason, record.exit_code) == ("ada", "CHG-1", ExitCode.OK)
        assert journal.verify().holds


def test_d19_second_apply_makes_no_write_call_and_no_change(site: Site) -> None:
    with site.journal() as journal:
        plan = plan_of(site)
        run(site, plan, journal)
        writes, entries = site.actor.writes, len(journal.entries())
        again = run(site, plan, journal)
        fresh = run(site, plan_of(site), journal)
        for result in (again, fresh):
            assert (result.exit_code, result.change) == (ExitCode.OK, "")
            assert set(statuses(result).values()) == {Status.UNCHANGED}
        assert site.actor.writes == writes
        assert len(journal.entries()) == entries


def test_waves_never_mix_planes_and_the_canary_goes_first(site: Site) -> None:
    with site.journal() as journal:
        run(site, plan_of(site), journal)
    assert site.judged[0] == ("p1-leaf1",)
    assert [{name[:2] for name in names} for names in site.judged] == [{n[0][:2]} for n in site.judged]


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.SKIPPED])
def test_whatever_is_not_a_pass_reverts_and_stops_the_change(site: Site, verdict: Verdict) -> None:
    site.bad = {"p1-leaf1": verdict}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert result.exit_code is ExitCode.ROLLED_BACK
    found = statuses(result)
    assert found.pop("p1-leaf1") is Status.REVERTED
    assert set(found.values()) == {Status.NOT_ATTEMPTED}
    assert all(device.applied == before() for device in site.devices.values())
    assert "1 failed, 0 allowed" in result.stopped
    row = next(row for row in result.rows if row.device == "p1-leaf1")
    assert "Session: x - down - expected up, actual idle" in row.detail


def test_a_judge_that_breaks_or_forgets_a_device_reverts_it(site: Site) -> None:
    def broken(names: object, in_force: object) -> dict[str, object]:
        raise RuntimeError("hunter2")

    with site.journal() as journal:
        result = run(site, plan_of(site), journal, judge=broken)
        assert statuses(result)["p1-leaf1"] is Status.REVERTED
        assert "hunter2" not in str(result)
        result = run(site, plan_of(site), journal, judge=lambda names, in_force: {})
        assert result.exit_code is ExitCode.ROLLED_BACK
    assert all(device.applied == before() for device in site.devices.values())


def test_d20_the_failed_device_is_reverted_and_every_device_has_a_row(tmp_path: Path) -> None:
    labels = {"site": "par1", "role": "leaf", "plane": "1"}
    site = Site(tmp_path, {"a": labels, "b": labels, "c": labels})
    settings = dataclasses.replace(QUICK, canary=0, batch_percent=100, max_failures=1)
    site.devices["b"].faults = {"apply fails"}
    with site.journal() as journal:
        result = run(site, plan_of(site, settings=settings), journal)
        assert statuses(result) == {"a": Status.CONFIRMED, "b": Status.FAILED, "c": Status.CONFIRMED}
        assert result.exit_code is ExitCode.PARTIAL
        assert site.devices["b"].applied == before()
        site.devices["b"].faults = set()
        second = run(site, plan_of(site, settings=settings), journal)
    assert statuses(second) == {"a": Status.UNCHANGED, "b": Status.CONFIRMED, "c": Status.UNCHANGED}
    assert second.exit_code is ExitCode.OK


@pytest.mark.parametrize(("allowed", "begun"), [(0, 2), (1, 4), (9, 6)])
def test_a_wave_begins_no_further_device_once_too_many_failed(tmp_path: Path, allowed: int, begun: int) -> None:
    labels = {"site": "par1", "role": "leaf", "plane": "1"}
    site = Site(tmp_path, dict.fromkeys("abcdef", labels))
    settings = dataclasses.replace(QUICK, canary=0, batch_percent=100, max_failures=allowed)
    for name in "bd":
        site.devices[name].faults = {"apply fails", "says so"}
    with site.journal() as journal:
        result = run(site, plan_of(site, settings=settings), journal)
    expected = [Status.FAILED if name in "bd" else Status.CONFIRMED for name in "abcdef"[:begun]]
    assert list(statuses(result).values()) == [*expected, *[Status.NOT_ATTEMPTED] * (6 - begun)]
    stopped = "" if allowed > 1 else f"{allowed + 1} failed, {allowed} allowed"
    assert result.stopped == stopped
    assert all(row.detail == stopped for row in result.rows if row.status is Status.NOT_ATTEMPTED)


def test_d20_nothing_selected_is_an_error(site: Site) -> None:
    with pytest.raises(IntentError, match="selects no device"):
        site.scope("nothing*")
    empty = dataclasses.replace(plan_of(site), devices=(), scope=Scope("par1", ()))
    with site.journal() as journal:
        with pytest.raises(IntentError, match="about no device"):
            run(site, empty, journal)
        with pytest.raises(IntentError, match="about no device"):
            precheck(empty, site.actors)
    assert exit_code(()) is ExitCode.ERROR


def test_a_device_changed_by_hand_is_stale_and_the_others_go_on(site: Site) -> None:
    plan = plan_of(site)
    put(site.devices["p1-leaf2"].applied, ("port", "p2", "mtu"), 4000)
    with site.journal() as journal:
        result = run(site, plan, journal)
    assert statuses(result)["p1-leaf2"] is Status.STALE
    assert result.exit_code is ExitCode.STALE
    assert site.devices["p1-leaf2"].applied["port"]["p2"]["mtu"] == 4000
    assert sum(status is Status.CONFIRMED for status in statuses(result).values()) == 5


def test_a_device_that_drifted_though_planned_unchanged_is_stale(site: Site) -> None:
    with site.journal() as journal:
        run(site, plan_of(site), journal)
        plan = plan_of(site)
        assert {d.state for d in plan.devices} == {DeviceState.UNCHANGED}
        put(site.devices["p1-leaf2"].applied, ("port", "p1", "mtu"), 4000)
        result = run(site, plan, journal)
    assert result.exit_code is ExitCode.STALE
    assert result.change == ""


def test_a_change_by_hand_between_precheck_and_apply_is_refused_by_the_actor(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"hand change at apply"}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    assert statuses(result)["p1-leaf1"] is Status.STALE
    assert "p9" in site.devices["p1-leaf1"].applied["port"]


def test_unreadable_and_wrong_devices_are_not_touched_and_not_green(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"unreachable"}
    site.devices["p1-leaf2"].release = "1.3.0"
    site.devices["p1-spine1"].faults = {"mute"}
    plan = plan_of(site)
    states = {d.name: d.state for d in plan.devices}
    assert states["p1-leaf1"] is DeviceState.UNREACHABLE
    assert states["p1-leaf2"] is DeviceState.MISMATCH
    assert states["p1-spine1"] is DeviceState.UNKNOWN
    assert plan.exit_code() is ExitCode.ERROR
    with site.journal() as journal:
        result = run(site, plan, journal)
    found = statuses(result)
    assert found["p1-leaf1"] is found["p1-spine1"] is Status.UNKNOWN
    assert found["p1-leaf2"] is Status.NOT_ATTEMPTED
    assert result.exit_code is ExitCode.PARTIAL
    assert site.devices["p1-leaf2"].applied == before()


def test_an_unreachable_device_alone_is_unknown(site: Site) -> None:
    site.devices["p1-leaf1"].faults = {"unreachable"}
    plan = plan_of(site)
    assert plan.exit_code(detailed=True) is ExitCode.UNKNOWN
    with site.journal() as journal:
        assert run(site, plan, journal).exit_code is ExitCode.UNKNOWN


def test_an_unreachable_device_at_apply_counts_as_a_failure(site: Site) -> None:
    plan = plan_of(site)

    def lost(event: Event) -> None:
        if isinstance(event, WaveStarted):
            site.devices["p1-leaf1"].faults = {"unreachable"}

    with site.journal() as journal:
        result = run(site, plan, journal, emit=lost)
    assert statuses(result)["p1-leaf1"] is Status.FAILED
    assert list(statuses(result).values()).count(Status.NOT_ATTEMPTED) == 5


def test_confirm_timer_must_outlive_apply_and_checks(site: Site) -> None:
    plan = plan_of(site, settings=dataclasses.replace(QUICK, confirm_s=40))
    with site.journal() as journal, pytest.raises(IntentError, match="shorter than apply and checks"):
        run(site, plan, journal)
    assert site.actor.writes == 0


def test_checks_that_take_too_long_revert_instead_of_confirming(site: Site) -> None:
    def slow(names: object, in_force: frozenset[str]) -> object:
        site.clock.now += 58
        return site.judge(names, in_force)  # type: ignore[arg-type]

    with site.journal() as journal:
        result = run(site, plan_of(site), journal, judge=slow)
    assert statuses(result)["p1-leaf1"] is Status.REVERTED
    assert "could have run out" in result.rows[0].detail


def test_what_is_kept_without_a_timer_is_judged_too_and_a_fail_is_not_green(site: Site) -> None:
    apply = site.actor.apply

    def at_once(requests: object, session: object) -> dict[str, Outcome]:
        outcomes = apply(requests, session)  # type: ignore[arg-type]
        for name in outcomes:
            site.devices[name].pending = None
        return {name: Outcome(name, Status.CONFIRMED) for name in outcomes}

    site.actor.apply = at_once  # type: ignore[method-assign]
    site.bad = {"p1-leaf2": Verdict.FAIL}
    with site.journal() as journal:
        result = run(site, plan_of(site), journal)
    rows = {row.device: row for row in result.rows}
    assert (rows["p1-leaf1"].status, rows["p1-leaf1"].verdict) == (Status.CONFIRMED, Verdict.PASS)
    assert (rows["p1-leaf2"].status, rows["p1-leaf2"].verdict) == (Status.CONFIRMED, Verdict.FAIL)
    assert rows["p2-leaf1"].status is Status.NOT_ATTEMPTED
    assert result.exit_code is ExitCode.PARTIAL


def test_an_answer_is_asked_for_each_kind_of_device_apart(tmp_path: Path) -> None:
    site = Site(tmp_path, {name: {"role": "leaf", "site": "par1"} for name in ("a", "b")})
    other = FakeActor(site.devices, site.clock, "other")
    site.actors["other"] = other
    site.targets["b"] = dataclasses.replace(site.targets["b"], platform="other")
    site.artifacts["b"] = dataclasses.replace(site.artifacts["b"], platform="other")
    settings = dataclasses.replace(QUICK, canary=0, batch_percent=100)
    with site.journal() as journal:
        result = run(site, plan_of(site, settings=settings), journal)
    assert set(statuses(result).values()) == {Status.CONFIRMED}
    assert site.judged == [("a",), ("b",)]
    assert (site.actor.writes, other.writes) == (3, 3)


def test_soak_judges_again_and_a_failure_there_stops_the_change(site: Site) -> None:
    settings = dataclasses.replace(QUICK, soak_s=300)
    events: list[Event] = []

    def turn(event: Event) -> None:
        events.append(event)
        if isinstance(event, Waiting) and event.reason == "soak":
            site.bad = {"p1-leaf1": Verdict.FAIL}

    began = site.clock.now
    with site.journal() as journal:
        result = run(site, plan_of(site, settings=settings), journal, emit=turn)
    assert site.clock.now - began >= 300
    row = result.rows[0]
    assert (row.status, row.verdict) == (Status.CONFIRMED, Verdict.FAIL)
    assert "after the soak" in row.detail
    assert result.exit_code is ExitCode.PARTIAL
    assert any(isinstance(event, Stopping) for event in events)
    assert list(statuses(result).values()).count(Status.NOT_ATTEMPTED) == 5


def test_a_broken_progress_display_does_not_break_the_change(site: Site) -> None:
    def broken(event: Event) -> None:
        if isinstance(event, DeviceDone):
            raise ValueError("no terminal")

    with site.journal() as journal:
        result = run(site, plan_of(site), journal, emit=broken)
        trouble = journal.entries(result.change, steps=(steps.TROUBLE,))
    assert result.exit_code is ExitCode.OK
    assert len(trouble) == 1
    assert "goes on without it" in trouble[0].data["text"]


def test_a_journal_that_cannot_be_written_touches_no_device(site: Site) -> None:
    plan = plan_of(site)
    journal = site.journal()
    journal.close()
    with pytest.raises(IntentError, match="journal is closed"):
        run(site, plan, journal)
    assert site.actor.writes == 0


def test_in_force_grows_with_the_waves(site: Site) -> None:
    seen: list[frozenset[str]] = []

    def judge(names: tuple[str, ...], in_force: frozenset[str]) -> object:
        seen.append(in_force)
        return site.judge(names, in_force)

    with site.journal() as journal:
        run(site, plan_of(site), journal, judge=judge)
    assert all(a < b for a, b in pairwise(seen))
    assert seen[-1] == set(site.devices)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ("CU", ExitCode.OK),
        ("CF", ExitCode.PARTIAL),
        ("CR", ExitCode.PARTIAL),
        ("CN", ExitCode.PARTIAL),
        ("R", ExitCode.ROLLED_BACK),
        ("RN", ExitCode.ROLLED_BACK),
        ("F", ExitCode.ERROR),
        ("FN", ExitCode.ERROR),
        ("N", ExitCode.ERROR),
        ("S", ExitCode.STALE),
        ("CS", ExitCode.STALE),
        ("?", ExitCode.UNKNOWN),
        ("C?", ExitCode.UNKNOWN),
        ("A", ExitCode.UNKNOWN),
        ("?N", ExitCode.PARTIAL),
        ("?S", ExitCode.STALE),
    ],
)
def test_exit_codes(found: str, code: ExitCode) -> None:
    words = {
        "C": Status.CONFIRMED,
        "U": Status.UNCHANGED,
        "F": Status.FAILED,
        "R": Status.REVERTED,
        "N": Status.NOT_ATTEMPTED,
        "S": Status.STALE,
        "?": Status.UNKNOWN,
        "A": Status.AWAITING,
    }
    assert exit_code([Row(str(at), words[letter]) for at, letter in enumerate(found)]) is code
