"""Plans: states, digests, grouping, the plan file and what tampering does to it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from fake_change_devices import QUICK, Site, artifact, plan_of, run, two_planes

from intent.change.following import require_current
from intent.change.grouping import groups, show_value
from intent.change.plan import DeviceState, Plan, digest_wanted
from intent.change.planning import make_plan
from intent.change.selection import Scope, select
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import ABSENT, Kind, put
from intent.device.actor import Target


def test_a_plan_reads_and_writes_nothing(site: Site) -> None:
    plan = plan_of(site)
    assert site.actor.writes == 0
    assert site.actor.calls["read"] == len(site.devices)
    device = plan.devices[0]
    assert device.state is DeviceState.CHANGE
    assert [(str(d.kind), d.path) for d in device.differences] == [
        ("change", ("port", "p1", "mtu")),
        ("remove", ("port", "p2", "mtu")),
        ("add", ("port", "p3", "mtu")),
        ("add", ("port", "p3", "name")),
    ]
    assert [str(origin.span) for origin in device.origins if origin] == ["intent.yaml:9:5"] + ["intent.yaml:7:3"] * 3
    assert device.revert == "by its own timer"
    assert {item.scope for item in device.disruptions} == {"port p1", "port p2", "port p3"}


def test_counts_and_exit_codes(site: Site) -> None:
    names = list(site.devices)
    with site.journal() as journal:
        run(site, plan_of(site, names[0]), journal)
    site.devices[names[1]].applied = {}
    site.devices[names[2]].faults = {"unreachable"}
    site.devices[names[3]].model = "BOX-2"
    plan = plan_of(site, known=set(names) - {names[1], names[2]})
    assert str(plan.counts) == "1 new, 2 to change, 1 unchanged, 1 unknown (1 of them new), 1 refused"
    assert plan.counts.total == len(names)
    assert plan.devices[3].detail == "model - expected BOX-1, actual BOX-2"
    assert plan.exit_code() is ExitCode.ERROR
    clean = plan_of(site, names[0])
    assert (clean.exit_code(), clean.exit_code(detailed=True)) == (ExitCode.OK, ExitCode.OK)
    pending = plan_of(site, names[4])
    assert (pending.exit_code(), pending.exit_code(detailed=True)) == (ExitCode.OK, ExitCode.CHANGES)
    assert pending.scope.partial
    assert pending.scope.limit == (names[4],)


def test_d21_what_stands_there_beyond_the_intent_is_exactly_one_removal(site: Site) -> None:
    name = "p1-leaf1"
    site.devices[name].applied = {"vlan": {"10": {"vni": 10010}}, "port": {"p1": {"mtu": 9216, "vrf": "old"}}}
    body = {"vlan": {"10": {"vni": 10010}}, "port": {"p1": {"mtu": 9216}}}
    site.artifacts[name] = dataclasses.replace(artifact(name, body), owned=(("vlan",), ("port",)))
    (found,) = plan_of(site, name).devices[0].differences
    assert (found.kind, found.path) == (Kind.REMOVE, ("port", "p1", "vrf"))


def test_a_short_release_of_the_intent_holds_for_the_devices_long_one(site: Site) -> None:
    name = "p1-leaf1"
    for actual, state in (
        ("1.2", DeviceState.CHANGE),
        ("1.2.9", DeviceState.CHANGE),
        ("1.20", DeviceState.MISMATCH),
        ("1", DeviceState.MISMATCH),
    ):
        site.devices[name].release = actual
        assert plan_of(site, name).devices[0].state is state, actual


def test_digests_follow_content_and_nothing_else(site: Site) -> None:
    plan = plan_of(site)
    site.clock.now += 3600
    again = plan_of(site)
    assert again.created_at != plan.created_at
    assert again.digest == plan.digest
    put(site.devices["p1-leaf1"].applied, ("other", "kept"), False)
    assert plan_of(site).digest == plan.digest, "what is not ours does not count"
    put(site.devices["p1-leaf1"].applied, ("port", "p2", "mtu"), 1600)
    assert plan_of(site).digest != plan.digest
    put(site.devices["p1-leaf1"].applied, ("port", "p2", "mtu"), 1500)
    site.want("p1-leaf2", {"port": {}})
    other = plan_of(site)
    assert other.digest != plan.digest
    changed = {a.name for a, b in zip(plan.devices, other.devices, strict=True) if a.digest != b.digest}
    assert changed == {"p1-leaf2"}


def test_what_cannot_be_planned_is_refused(site: Site) -> None:
    options: dict[str, Any] = {"intent_name": "x", "created_at": "", "settings": QUICK}
    with pytest.raises(IntentError, match="nothing to plan"):
        make_plan(site.artifacts, site.targets, site.actors, scope=Scope("par1", ()), **options)
    with pytest.raises(IntentError, match="ghost - selected"):
        make_plan(site.artifacts, site.targets, site.actors, scope=Scope("par1", ("ghost",)), **options)
    with pytest.raises(IntentError, match="platform 'fake' - no actor"):
        make_plan(site.artifacts, site.targets, {}, scope=site.scope(), **options)
    other = {name: dataclasses.replace(item, platform="other") for name, item in site.artifacts.items()}
    with pytest.raises(IntentError, match="another platform"):
        make_plan(other, site.targets, site.actors, scope=site.scope(), **options)


def test_selection() -> None:
    targets = {n: Target(n, "", "fake", labels=words) for n, words in two_planes(leaves=10).items()}
    assert select(targets, site="s").devices[:3] == ("p1-leaf1", "p1-leaf2", "p1-leaf3")
    assert select(targets, ["plane=1,role=spine", "p2-leaf10"]).devices == ("p1-spine1", "p2-leaf10")
    assert select(targets, ["name=p?-leaf1"]).devices == ("p1-leaf1", "p2-leaf1")
    for words in ("plane=3", "colour=*", "LEAF*", "plane=1,nothing"):
        with pytest.raises(IntentError, match="selects no device of 22"):
            select(targets, ["role=leaf", words])
    with pytest.raises(IntentError, match="nothing to do"):
        select({})


def test_require_current(site: Site) -> None:
    plan = plan_of(site)
    require_current(plan, site.artifacts)
    site.want("p1-leaf2", {"port": {}})
    with pytest.raises(IntentError, match=r"for 1 of 6 devices: p1-leaf2") as stale:
        require_current(plan, site.artifacts)
    assert stale.value.exit_code is ExitCode.STALE


# --- grouping


def test_equal_differences_are_one_group_and_disruptions_are_asked_once(tmp_path: Path) -> None:
    site = Site(tmp_path, {f"leaf{n}": {"role": "leaf"} for n in range(1, 256)})
    for name in site.devices:
        site.want(name, {"port": {"p1": {"mtu": 9216}, "p2": {"mtu": 1500}}})
    plan = plan_of(site)
    (group,) = groups(plan)
    assert len(group.devices) == 255
    assert group.equal
    assert [(line.path, line.before, line.after) for line in group.lines] == [("port.p1.mtu", "1500", "9216")]
    assert site.actor.calls["disruption"] == 1


def test_devices_that_differ_in_own_values_are_one_group_of_alike(tmp_path: Path) -> None:
    site = Site(tmp_path, {f"leaf{n}": {"role": "leaf"} for n in range(1, 5)})
    for n, name in enumerate(site.devices, start=1):
        ports = {f"p{at}": {"mtu": 9216} for at in range(10, 10 + n)}
        site.devices[name].applied = {}
        site.want(name, {"port": {"lo": {f"10.0.0.{n}/32": {}}, "x": {"name": name}, "g": {f"fd00::{n}": {}}, **ports}})
    (group,) = groups(plan_of(site))
    assert not group.equal
    assert group.new
    assert [(line.path, line.after, line.least, line.most) for line in group.lines] == [
        ("port.g.<address>", "", 1, 1),
        ("port.lo.<address>", "", 1, 1),
        ("port.p#.mtu", "9216", 1, 4),
        ("port.x.name", "…", 1, 1),
    ]
    assert str(group.lines[0].origin.span) == "intent.yaml:7:3"  # type: ignore[union-attr]


def test_the_odd_one_out_is_not_hidden_among_its_equals(tmp_path: Path) -> None:
    site = Site(tmp_path, {f"leaf{n}": {"role": "leaf"} for n in range(1, 21)})
    for name in site.devices:
        site.want(name, {"port": {"p1": {"mtu": 9216}}})
    site.want("leaf7", {"port": {"p1": {"mtu": 9000}}})
    first, odd = groups(plan_of(site))
    assert (len(first.devices), first.lines[0].after) == (19, "9216")
    assert (odd.devices, odd.lines[0].after) == (("leaf7",), "9000")


def test_many_small_sets_of_equals_are_one_group_of_alike(tmp_path: Path) -> None:
    site = Site(tmp_path, {f"leaf{n}": {"role": "leaf"} for n in range(1, 41)})
    for at, name in enumerate(site.devices):
        site.want(name, {"port": {"p1": {"mtu": 9000 + at // 2}}})
    (group,) = groups(plan_of(site))
    assert group.devices == tuple(site.devices)
    line = group.lines[0]
    assert (line.path, line.before, line.after) == ("port.p1.mtu", "1500", "…")


def test_every_device_to_change_is_in_one_group(site: Site) -> None:
    site.want("p2-leaf1", {"port": {"p9": {"odd": 1}}})
    found = groups(plan_of(site))
    names = [name for group in found for name in group.devices]
    assert sorted(names) == sorted(site.devices)
    assert [len(group.devices) for group in found] == [5, 1]
    assert found[1].equal


def test_values_in_words() -> None:
    assert [show_value(v) for v in (ABSENT, {}, True, None, 1, "a", [1, False])] == [
        "",
        "",
        "true",
        "null",
        "1",
        "a",
        "1, false",
    ]


# --- file


def test_wanted_digest_covers_scope_and_dialect(site: Site) -> None:
    plan: Plan = plan_of(site, "p1-leaf1")
    wanted = plan.devices[0].wanted
    marks = {
        digest_wanted(wanted),
        digest_wanted(dataclasses.replace(wanted, owned=())),
        digest_wanted(dataclasses.replace(wanted, excepted=(("a",),))),
        digest_wanted(dataclasses.replace(wanted, replace=True)),
        digest_wanted(dataclasses.replace(wanted, body={})),
        digest_wanted(dataclasses.replace(wanted, target=dataclasses.replace(wanted.target, release="9"))),
    }
    assert len(marks) == 6
    moved = dataclasses.replace(wanted, target=dataclasses.replace(wanted.target, address="203.0.113.1"))
    assert digest_wanted(moved) in marks
