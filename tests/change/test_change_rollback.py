"""Rollback: apply, roll back, be where you started."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fake_change_devices import QUICK, FakeClock, Site, after, artifact, before, plan_of, run, statuses
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.change.control import stamp
from intent.change.history import get_change
from intent.change.journal import Journal
from intent.change.plan import Plan
from intent.change.planfile import dump_plan, load_plan
from intent.change.rollback import rollback_plan
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import copy
from intent.core.verdict import Verdict
from intent.device.actor import Status


def back(site: Site, journal: Journal, change: str, **options: Any) -> Plan:
    return rollback_plan(journal, change, site.actors, created_at=stamp(site.clock), settings=QUICK, **options)


def test_apply_then_rollback_is_where_it_started(site: Site) -> None:
    with site.journal() as journal:
        change = run(site, plan_of(site), journal).change
        site.devices["p1-leaf1"].applied["other"] = {"kept": "changed meanwhile, not ours"}
        plan = back(site, journal, change)
        assert (plan.kind, plan.rolls_back) == ("rollback", change)
        assert str(plan.counts) == "0 new, 6 to change, 0 unchanged, 0 unknown"
        assert plan.devices[0].origins[0].reason == f"state before change {change}"  # type: ignore[union-attr]
        assert load_plan(dump_plan(plan)) == plan
        result = run(site, plan, journal)
        assert result.exit_code is ExitCode.OK
        assert get_change(journal, result.change).rolls_back == change
    assert all(device.applied["port"] == before()["port"] for device in site.devices.values())
    assert site.devices["p1-leaf1"].applied["other"] == {"kept": "changed meanwhile, not ours"}


trees = st.recursive(
    st.integers(0, 3) | st.booleans() | st.lists(st.integers(0, 2), max_size=2) | st.just({}),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
bodies = st.dictionaries(st.sampled_from(["port", "vlan", "other"]), st.dictionaries(st.sampled_from("ab"), trees))


@given(live=bodies, wanted=bodies, replace=st.booleans())
@settings(max_examples=60, deadline=None)
def test_law_apply_then_rollback_is_identity(live: dict[str, Any], wanted: dict[str, Any], replace: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder), {"leaf1": {"role": "leaf"}}, clock=FakeClock())
        site.devices["leaf1"].applied = copy(live)
        owned = (("port",), ("vlan",))
        site.artifacts["leaf1"] = dataclasses.replace(artifact("leaf1", wanted), owned=owned, replace=replace)
        with site.journal() as journal:
            change = run(site, plan_of(site), journal).change
            if change:
                assert run(site, back(site, journal, change), journal).exit_code is ExitCode.OK
            assert journal.verify().holds
        assert _full(site.devices["leaf1"].applied) == _full(live)


def _full(tree: dict[str, Any]) -> dict[str, Any]:
    """An owned subtree that holds nothing is no subtree: there is nothing to put back."""
    return {key: value for key, value in tree.items() if value}


def test_rolling_back_a_partial_change_touches_only_what_it_changed(site: Site) -> None:
    site.bad = {"p1-leaf2": Verdict.FAIL}
    with site.journal() as journal:
        first = run(site, plan_of(site), journal)
        assert statuses(first)["p1-leaf2"] is Status.REVERTED
        site.bad = {}
        plan = back(site, journal, first.change)
        assert {d.name: str(d.state) for d in plan.devices} == {"p1-leaf1": "change", "p1-leaf2": "unchanged"}
        assert run(site, plan, journal).exit_code is ExitCode.OK
    assert all(device.applied == before() for device in site.devices.values())


def test_some_devices_only_and_beginnings_of_numbers(site: Site) -> None:
    with site.journal() as journal:
        change = run(site, plan_of(site), journal).change
        plan = back(site, journal, change[:12], devices=["p1-leaf1"])
        assert [device.name for device in plan.devices] == ["p1-leaf1"]
        assert plan.scope.partial
        with pytest.raises(IntentError, match="did not touch ghost"):
            back(site, journal, change, devices=["ghost"])
        with pytest.raises(IntentError, match="is not in the journal"):
            back(site, journal, "2020")
        with pytest.raises(IntentError, match="is not in the journal"):
            back(site, journal, "")


def test_later_changes_of_the_same_devices_need_consent(site: Site) -> None:
    with site.journal() as journal:
        first = run(site, plan_of(site), journal).change
        site.want("p1-leaf1", {"port": {"p1": {"mtu": 4000}}})
        site.clock.now += 60
        second = run(site, plan_of(site, "p1-leaf1"), journal).change
        with pytest.raises(IntentError, match=f"also undoes change {second} on p1-leaf1"):
            back(site, journal, first)
        assert back(site, journal, first, devices=["p1-leaf2"]).notes == ()
        plan = back(site, journal, first, over_later=True)
        assert plan.notes == (f"also undoes change {second} on p1-leaf1",)
        assert run(site, plan, journal).exit_code is ExitCode.OK
    assert all(device.applied == before() for device in site.devices.values())


def test_a_rollback_can_be_rolled_back(site: Site) -> None:
    with site.journal() as journal:
        first = run(site, plan_of(site), journal).change
        site.clock.now += 60
        second = run(site, back(site, journal, first), journal).change
        site.clock.now += 60
        assert run(site, back(site, journal, second), journal).exit_code is ExitCode.OK
    assert site.devices["p1-leaf1"].applied == {**after("p1-leaf1"), "other": {"kept": True}}


def test_a_change_that_touched_nothing_cannot_be_rolled_back(site: Site) -> None:
    with site.journal() as journal:
        journal.append("c1", "", "change.begin", {"site": "par1", "devices": ["p1-leaf1"]})
        with pytest.raises(IntentError, match="never ended"):
            back(site, journal, "c1")
        journal.append("c1", "", "change.end", {"exit_code": 1})
        with pytest.raises(IntentError, match="touched no device"):
            back(site, journal, "c1")


def test_an_old_secret_that_was_never_known_stays_and_is_named(site: Site) -> None:
    name = "p1-leaf1"
    device = site.devices[name]
    device.applied = {"port": {"p1": {"mtu": 1500, "auth-key": "(secret)"}}}
    site.want(name, {"port": {"p1": {"mtu": 9216, "auth-key": "$secret:bgp$"}}})
    with site.journal() as journal:
        change = run(site, plan_of(site, name), journal).change
        plan = back(site, journal, change)
        assert plan.notes == (f"{name}: port.p1.auth-key stays as it is: its old value is a secret we never knew",)
        assert [item.path for item in plan.devices[0].differences] == [("port", "p1", "mtu")]
        run(site, plan, journal)
    assert device.applied == {"port": {"p1": {"mtu": 1500, "auth-key": "$secret:bgp$"}}}
