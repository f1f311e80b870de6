"""Drift reads only and names the intent's line; history filters what the journal holds."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from fake_change_devices import Site, artifact, plan_of, run, two_planes

from intent.change.drift import DriftState, find_drift
from intent.change.history import get_change, known_devices, list_changes, trail
from intent.change.selection import Scope
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import put
from intent.core.verdict import Verdict
from intent.device.actor import Observed, Status


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path, two_planes())
    with site.journal() as journal:
        run(site, plan_of(site), journal)
    return site


def drift(site: Site, *limit: str):  # type: ignore[no-untyped-def]
    return find_drift(site.artifacts, site.targets, site.actors, scope=site.scope(*limit))


def test_in_sync(site: Site) -> None:
    writes = site.actor.writes
    report = drift(site)
    assert report.exit_code is ExitCode.OK
    assert report.counts == {DriftState.IN_SYNC: 6}
    assert site.actor.writes == writes


def test_a_change_by_hand_is_found_with_the_intents_line_by_reading_only(site: Site) -> None:
    put(site.devices["p1-leaf1"].applied, ("port", "p1", "mtu"), 1400)
    put(site.devices["p1-leaf1"].applied, ("port", "p7"), {"up": True})
    put(site.devices["p1-leaf2"].applied, ("other", "kept"), "not ours")
    site.actor.calls.clear()
    report = drift(site)
    assert set(site.actor.calls) == {"read"}
    assert report.exit_code is ExitCode.CHANGES
    first, second = report.devices[:2]
    assert (first.state, second.state) == (DriftState.DRIFT, DriftState.IN_SYNC)
    found = [(d.difference.before, d.difference.after, str(d.origin.span)) for d in first.deviations if d.origin]
    assert found[0] == (1400, 9216, "intent.yaml:9:5")
    assert (first.deviations[1].difference.path, str(first.deviations[1].origin.span)) == (  # type: ignore[union-attr]
        ("port", "p7", "up"),
        "intent.yaml:7:3",
    )


@pytest.mark.parametrize("fault", ["unreachable", "denied", "mute"])
def test_a_device_that_cannot_be_read_is_unknown_never_in_sync(site: Site, fault: str) -> None:
    site.devices["p1-leaf1"].faults = {fault}
    put(site.devices["p1-leaf2"].applied, ("port", "p1", "mtu"), 1400)
    report = drift(site)
    assert report.devices[0].state is DriftState.UNKNOWN
    assert report.devices[0].detail
    assert report.exit_code is ExitCode.UNKNOWN


def test_another_release_is_unknown(site: Site) -> None:
    site.devices["p1-leaf1"].release = "2.0"
    device = drift(site, "p1-leaf1").devices[0]
    assert (device.state, device.detail) == (DriftState.UNKNOWN, "release - expected 1.2, actual 2.0")


def test_secrets_that_cannot_be_compared_are_told_and_are_no_drift(site: Site) -> None:
    observe = site.actor.observe

    def reading(wanted):  # type: ignore[no-untyped-def]
        return {
            name: Observed(**{**_fields(found), "not_compared": (("port", "p1", "key"),)})
            for name, found in observe(wanted).items()
        }

    site.actor.observe = reading  # type: ignore[method-assign]
    device = drift(site, "p1-leaf1").devices[0]
    assert (device.state, device.not_compared) == (DriftState.IN_SYNC, (("port", "p1", "key"),))


def _fields(found: Observed) -> dict[str, object]:
    return {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}


def test_nothing_selected_is_an_error(site: Site) -> None:
    with pytest.raises(IntentError, match="nothing was compared"):
        find_drift(site.artifacts, site.targets, site.actors, scope=Scope("par1", ()))
    with pytest.raises(IntentError, match="ghost - selected"):
        find_drift(site.artifacts, site.targets, site.actors, scope=Scope("par1", ("ghost",)))


def test_history(site: Site) -> None:
    site.clock.now += 3600
    site.want("p1-leaf1", {"port": {"p1": {"mtu": 4000}}})
    site.want("p1-leaf2", {"port": {"p1": {"mtu": 4000}}})
    site.bad = {"p1-leaf2": Verdict.FAIL}
    with site.journal() as journal:
        second = run(site, plan_of(site, "role=leaf"), journal, reason="CHG-2")
        changes = list_changes(journal)
        assert [change.reason for change in changes] == ["CHG-2", "CHG-1"]
        assert changes[0].counts == {Status.CONFIRMED: 1, Status.REVERTED: 1}
        assert changes[0].exit_code is second.exit_code is ExitCode.PARTIAL
        assert changes[0].row("p1-leaf2").messages == ("Session: x - down - expected up, actual idle",)  # type: ignore[union-attr]
        assert changes[0].row("p2-leaf1") is None
        assert changes[0].plan_digest == second.plan_digest
        assert list_changes(journal, device="p2-leaf1") == changes[1:]
        assert list_changes(journal, status=Status.REVERTED) == changes[:1]
        assert list_changes(journal, device="p1-leaf1", status=Status.REVERTED) == ()
        assert list_changes(journal, since="2026-11-30T22:30") == changes[:1]
        assert list_changes(journal, until="2026-11-30T22:30") == changes[1:]
        assert list_changes(journal, who="eve") == list_changes(journal, site="tok1") == ()
        assert list_changes(journal, limit=1) == changes[:1]
        assert get_change(journal, second.change) == changes[0]
        with pytest.raises(IntentError, match="fits 2 changes"):
            get_change(journal, "2026")
        assert {entry.device for entry in trail(journal, second.change, "p1-leaf2")} == {"p1-leaf2"}
        assert known_devices(journal, "par1") == set(site.devices)
        assert known_devices(journal, "tok1") == frozenset()


@pytest.mark.parametrize(
    "data", [{"status": "fine"}, {"status": "failed", "wave": "x"}, {"status": "failed", "messages": 1}]
)
def test_an_entry_that_makes_no_sense_is_an_error_not_a_crash(site: Site, data: dict[str, object]) -> None:
    with site.journal() as journal:
        journal.append(list_changes(journal)[0].id, "p1-leaf1", "device.result", data)
        with pytest.raises(IntentError, match="cannot be read"):
            list_changes(journal)


def test_two_changes_in_one_second_have_two_numbers(site: Site) -> None:
    site.want("p1-leaf1", {"port": {"p1": {"mtu": 4000}}})
    site.bad = {"p1-leaf1": Verdict.FAIL}
    plan = plan_of(site, "p1-leaf1")
    with site.journal() as journal:
        numbers = [run(site, plan, journal).change for _ in range(3)]
    assert numbers == [numbers[0], f"{numbers[0]}-2", f"{numbers[0]}-3"]


def test_artifacts_of_the_fixture_carry_origins() -> None:
    assert str(artifact("x", {}).why(("port", "p1", "mtu")).span) == "intent.yaml:9:5"  # type: ignore[union-attr]
