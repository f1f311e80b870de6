"""Killed at any moment: each device is in its old or its new state, and the journal can say which."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from fake_change_devices import (
    QUICK,
    Killed,
    MortalJournal,
    Site,
    after,
    before,
    holder,
    plan_of,
    run,
    statuses,
    two_planes,
)

from intent.change import steps
from intent.change.history import list_changes, unfinished
from intent.change.lock import lock_row
from intent.change.recover import Holds, Recovered, recover, settle_site
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status

# Writes so far: lock, begin, heartbeat, wave, submit, stage, apply; the next would note that the canary awaits.
FIRST_AWAITS = 8
SETTINGS = dataclasses.replace(QUICK, batch_percent=100, max_failures=2)


def make_site(folder: Path) -> Site:
    site = Site(folder, two_planes(leaves=2, spines=1))
    site.bad = {"p1-leaf2": Verdict.FAIL}
    site.devices["p2-leaf1"].faults = {"apply fails"}
    return site


def count_writes(folder: Path) -> int:
    folder.mkdir()
    site = make_site(folder)
    journal = site.journal()
    journal.__class__ = MortalJournal
    journal.arm(10_000)  # type: ignore[attr-defined]
    run(site, plan_of(site, settings=SETTINGS), journal)
    return 10_000 - journal.left  # type: ignore[attr-defined, no-any-return]


def killed_at(site: Site, point: int, *, afterwards: bool) -> None:
    """Run until the process dies at a write to the journal, before or after it is done."""
    plan = plan_of(site, settings=SETTINGS)
    journal = site.journal()
    journal.__class__ = MortalJournal
    journal.arm(point, after=afterwards)  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        run(site, plan, journal)
    journal.close()


def state_of(site: Site, name: str) -> Holds:
    ours = {**after(name), "other": {"kept": True}}
    applied = site.devices[name].applied
    return Holds.OLD if applied == before() else Holds.NEW if applied == ours else Holds.OTHER


def check_truth(site: Site, found: tuple[Recovered, ...], change_rows: dict[str, Status]) -> None:
    """What recovery and journal say is what the devices hold."""
    for item in found:
        assert item.holds is state_of(site, item.device), item
    for name, status in change_rows.items():
        if status is Status.CONFIRMED:
            assert state_of(site, name) is Holds.NEW, name
        elif status in (Status.REVERTED, Status.FAILED, Status.NOT_ATTEMPTED):
            assert state_of(site, name) is Holds.OLD, (name, status)
        else:
            pytest.fail(f"{name} is {status}: nobody can say what it holds")


def test_every_kill_point_leaves_old_or_new_and_the_journal_says_which(tmp_path: Path) -> None:
    points = count_writes(tmp_path / "count")
    assert points > 50
    for point in range(1, points + 1):
        for afterwards in (False, True):
            site = make_site(_folder(tmp_path, f"{point}-{afterwards}"))
            killed_at(site, point, afterwards=afterwards)
            assert {state_of(site, name) for name in site.devices} <= {Holds.OLD, Holds.NEW}
            with site.journal() as journal:
                assert journal.verify().holds
                assert len(unfinished(journal, "par1")) <= 1
                recover(journal, site.actors, site="par1", clock=site.clock, revert=False)
                found = recover(journal, site.actors, site="par1", clock=site.clock, revert=True)
                assert all(item.settled for item in found), found
                assert not unfinished(journal, "par1")
                for change in list_changes(journal):
                    check_truth(site, found, {row.device: row.status for row in change.rows})
                assert not any(device.pending for device in site.devices.values())


def test_every_kill_point_can_be_carried_on_by_the_next_apply(tmp_path: Path) -> None:
    points = count_writes(tmp_path / "count")
    for point in range(1, points + 1, 3):
        site = make_site(_folder(tmp_path, f"on-{point}"))
        killed_at(site, point, afterwards=False)
        site.bad, site.devices["p2-leaf1"].faults = {}, set()
        with site.journal() as journal:
            # The dead holder is not a process of this host's kernel, so its lock is taken over.
            result = run(site, plan_of(site), journal, pid=78)
            assert result.exit_code in (ExitCode.OK, ExitCode.STALE), (point, result)
            if result.exit_code is ExitCode.STALE:  # planned while a device awaited: put back, then planned anew
                result = run(site, plan_of(site), journal, pid=78)
            assert result.exit_code is ExitCode.OK
            assert all(state_of(site, name) is Holds.NEW for name in site.devices)
            assert journal.verify().holds


def test_without_us_the_timers_bring_every_unconfirmed_device_back(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    killed_at(site, FIRST_AWAITS, afterwards=False)
    with site.journal() as journal:
        found = recover(journal, site.actors, site="par1", clock=site.clock)
        waiting = [item for item in found if item.status is Status.AWAITING]
        assert [(item.device, item.holds) for item in waiting] == [("p1-leaf1", Holds.NEW)]
        assert "comes back by its own timer" in waiting[0].detail
        assert unfinished(journal, "par1")
        site.clock.now += 61
        (item,) = recover(journal, site.actors, site="par1", clock=site.clock)
        assert (item.status, item.holds) == (Status.REVERTED, Holds.OLD)
        assert list_changes(journal)[0].exit_code is ExitCode.ROLLED_BACK


def test_a_site_is_settled_under_its_lock(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    killed_at(site, FIRST_AWAITS, afterwards=False)
    with site.journal() as journal:
        (item,) = settle_site(journal, site.actors, site="par1", holder=holder(78), clock=site.clock)
        assert (item.device, item.status, item.holds) == ("p1-leaf1", Status.REVERTED, Holds.OLD)
        assert lock_row(journal, "par1") is None
        assert settle_site(journal, site.actors, site="par1", holder=holder(78), clock=site.clock) == ()
    assert site.devices["p1-leaf1"].applied == before()


def test_a_device_that_cannot_be_read_stays_unknown_and_is_not_touched(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    killed_at(site, FIRST_AWAITS, afterwards=False)
    site.devices["p1-leaf1"].faults = {"unreachable"}
    site.bad, site.devices["p2-leaf1"].faults = {}, set()
    with site.journal() as journal:
        (item,) = recover(journal, site.actors, site="par1", clock=site.clock)
        assert (item.status, item.holds, item.settled) == (Status.UNKNOWN, Holds.UNKNOWN, False)
        assert unfinished(journal, "par1")
        result = run(site, plan_of(site), journal, pid=78)
        found = statuses(result)
        assert found.pop("p1-leaf1") is Status.UNKNOWN
        assert set(found.values()) == {Status.CONFIRMED}
        assert result.exit_code is ExitCode.UNKNOWN


def test_a_device_in_doubt_is_left_alone_until_its_timer_must_have_run_out(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    killed_at(site, FIRST_AWAITS, afterwards=False)
    device = site.devices["p1-leaf1"]
    device.pending = None  # confirmed by somebody else; the device does not say so
    device.faults = {"forgetful"}
    site.actor.settle = lambda pending: {}  # type: ignore[method-assign]
    with site.journal() as journal:
        plan = plan_of(site, settings=SETTINGS)
        (item,) = recover(journal, site.actors, site="par1", clock=site.clock)
        assert (item.status, item.holds, item.settled) == (Status.UNKNOWN, Holds.NEW, False)
        result = run(site, plan, journal, pid=78)
        assert statuses(result)["p1-leaf1"] is Status.UNCHANGED
        site.clock.now += 121
        (item,) = recover(journal, site.actors, site="par1", clock=site.clock)
        assert (item.status, item.holds) == (Status.CONFIRMED, Holds.NEW)


def test_a_device_changed_by_a_third_hand_after_the_kill_is_told(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    killed_at(site, FIRST_AWAITS, afterwards=False)
    device = site.devices["p1-leaf1"]
    device.pending, device.applied = None, {"port": {"p1": {"mtu": 1}}}
    with site.journal() as journal:
        (item,) = recover(journal, site.actors, site="par1", clock=site.clock)
    assert (item.status, item.holds) == (Status.UNKNOWN, Holds.OTHER)
    assert "changed by someone else" in item.detail


def test_the_entry_is_there_before_the_device_is_called(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    seen: list[str] = []
    with site.journal() as journal:
        site.actor.during_apply.append(
            lambda name: seen.append(next(e.step for e in reversed(journal.entries()) if e.device == name))
        )
        result = run(site, plan_of(site), journal)
        order = [e.step for e in journal.entries(result.change) if e.device == "p1-leaf1"]
    assert seen[0] == steps.ACTOR + "apply"
    assert order == [
        steps.BEFORE,
        steps.SUBMIT,
        "actor.stage",
        "actor.apply",
        steps.PENDING,
        steps.VERDICT,
        steps.CONFIRM,
        "actor.confirm",
        steps.RESULT,
    ]


def _folder(base: Path, name: str) -> Path:
    folder = base / name
    folder.mkdir()
    return folder
