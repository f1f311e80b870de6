"""Changes that need several revisions: parts in order, each checked, and back to the start when a later one fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_switch import Bench, FakeSwitch, Journal

from intent.core.tree import Tree, copy
from intent.device.actor import Outcome, Request, Status, Target, Wanted
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.nvue.actor import NvueActor
from intent.device.nvue.restoring import handle, revisions
from intent.device.nvue.waiting import Pace
from intent.device.secrets import SecretStore
from intent.lab.inprocess import LabServer
from intent.lab.wiring import Switch, Wiring

NAME = "leaf01"
OWNED = (("interface",),)


def split(parts: int) -> Tree:
    """A cage split into parts, with something on each part."""
    names = [f"swp2s{number}" for number in range(parts)]
    held: Tree = {"swp2": {"type": "swp", "link": {"breakout": {f"{parts}x": {}}}}}
    for number, name in enumerate(names):
        held[name] = {"type": "swp", "link": {"mtu": 9216}, "ipv4": {"address": {f"10.0.{parts}.{number * 2}/31": {}}}}
    return {"interface": held}


def requested(actor: NvueActor, target: Target, body: Tree, owned: tuple[tuple[str, ...], ...] = OWNED) -> Request:
    what = Wanted(target, body, owned)
    seen = actor.observe([what])[target.name]
    assert seen.problem is None, seen.detail
    return Request(what, actor.difference(what, seen), seen.digest, 120, 60.0)


class Faked:
    """A change from 4x to 2x on a switch whose second apply may be scripted."""

    def __init__(self, later: list[str] | None = None) -> None:
        self.bench = Bench({NAME: FakeSwitch(split(4), fault=self._scripted)})
        self.switch = self.bench.switches[NAME]
        self.journal = Journal()
        self.later = later
        self.made = 0
        self.request = requested(self.bench.actor, self.bench.target(NAME), split(2))

    def _scripted(self, method: str, path: str, switch: FakeSwitch) -> httpx.Response | None:
        if (method, path) == ("POST", "/revision"):
            self.made += 1
            second = self.made == 2 and self.later is not None
            switch.states = self.later if second and self.later else ["apply", "reloading", "confirm"]
        return None

    def apply(self) -> Outcome:
        return self.bench.actor.apply([self.request], self.journal)[NAME]


def test_each_part_is_a_revision_of_its_own_with_its_own_timer() -> None:
    it = Faked()
    outcome = it.apply()
    assert outcome.status is Status.AWAITING, outcome.detail
    assert outcome.handle == "2+3"
    assert it.journal.words() == ["part", "create", "load", "apply", "keep part", "create", "load", "apply"]
    assert it.switch.trees["2"] == {"interface": {"swp2": {"type": "swp"}}}
    assert it.switch.applied == split(2)
    orders = [body for body in it.switch.bodies if body and body.get("state") == "apply"]
    assert [body["state-controls"] for body in orders] == [{"confirm": 120}] * 2
    # Whoever asks in another process knows what was the first part before it was kept.
    assert [data["revision"] for _, step, data in it.journal.steps if step in ("keep part", "apply")] == [
        "2", "2+", "2+3",
    ]  # fmt: skip
    kept = it.bench.actor.confirm({NAME: outcome.handle}, it.journal)[NAME]
    assert kept.status is Status.CONFIRMED, kept.detail


def test_the_plan_tells_that_there_are_two() -> None:
    it = Faked()
    told = it.bench.actor.disruption(it.request.wanted, it.request.differences)
    (two,) = [item for item in told if item.scope == "2 revisions"]
    assert two.severity == "none" and "parts before their split" in two.reason


def test_the_plan_tells_of_what_only_has_to_be_taken_out_for_a_while() -> None:
    """Nothing of the change is removed, but what stands beside it cannot stay while the change is made."""

    def body(number: int) -> Tree:
        tenant = {"router": {"bgp": {"autonomous-system": number}}, "evpn": {"vni": {"4001": {}}}}
        return {"vrf": {"tenant1": tenant}}

    bench = Bench({NAME: FakeSwitch(body(65001))})
    target, other = bench.target(NAME), NvueActor(bench.fleet)
    request = requested(bench.actor, target, body(65002), (("vrf",),))
    assert [item.path[-1] for item in request.differences] == ["autonomous-system"]
    told = bench.actor.disruption(request.wanted, request.differences)
    (two,) = [item for item in told if item.scope == "2 revisions"]
    assert "AS number with an L3 VNI" in two.reason
    plain = {"vrf": {"tenant1": {"router": {"bgp": {"autonomous-system": 65001}}}}}
    bench.switches[NAME].applied = plain
    without = requested(
        other, target, {"vrf": {"tenant1": {"router": {"bgp": {"autonomous-system": 65002}}}}}, (("vrf",),)
    )
    assert not [item for item in other.disruption(without.wanted, without.differences) if "revisions" in item.scope]


@pytest.mark.parametrize("state", ["apply_fail", "invalid", "verify_error"])
def test_a_later_part_that_fails_puts_back_what_was_before_the_first(state: str) -> None:
    it = Faked(["apply", state])
    outcome = it.apply()
    assert outcome.status is Status.REVERTED, outcome.detail
    assert state in outcome.detail and "put back" in outcome.detail
    assert outcome.handle == ""
    assert it.switch.applied == split(4)
    assert it.journal.words()[-3:] == ["restore", "restore apply", "failed"]


def test_a_stop_between_two_parts_puts_back_what_was_before() -> None:
    it = Faked()
    record = it.journal.record

    def stopping(device: str, step: str, data: Any = None) -> None:
        record(device, step, data)
        it.journal.stop = it.journal.stop or step == "keep part"

    it.journal.record = stopping  # type: ignore[method-assign]
    outcome = it.apply()
    assert outcome.status is Status.REVERTED, outcome.detail
    assert it.switch.applied == split(4)


def test_a_secret_that_cannot_be_read_is_never_replaced_by_its_stars() -> None:
    it = Faked(["apply", "apply_fail"])
    it.switch.applied["interface"]["swp2s0"]["password"] = "****"
    it.request = requested(it.bench.actor, it.bench.target(NAME), split(2))
    outcome = it.apply()
    assert outcome.status is Status.UNKNOWN
    assert outcome.handle == "2+"
    assert "a secret that was removed is not known here" in outcome.detail
    assert not [body for body in it.switch.bodies if "****" in str(body)]


def test_checks_that_fail_put_back_what_was_before_the_first_part() -> None:
    it = Faked()
    outcome = it.apply()
    back = it.bench.actor.revert({NAME: outcome.handle}, it.journal)[NAME]
    assert back.status is Status.REVERTED, back.detail
    assert it.switch.applied == split(4)


def test_another_process_says_that_a_first_part_is_in_force() -> None:
    it = Faked()
    outcome = it.apply()
    other = NvueActor(it.bench.fleet, (it.bench.target(NAME),))
    assert other.settle({NAME: outcome.handle})[NAME].status is Status.AWAITING
    back = other.revert({NAME: outcome.handle}, Journal())[NAME]
    assert back.status is Status.UNKNOWN
    assert "a first part of the change is in force" in back.detail
    left = other.settle({NAME: outcome.handle})[NAME]
    assert left.status is Status.UNKNOWN and "a first part" in left.detail


def test_another_process_finds_a_first_part_that_was_kept_and_no_second() -> None:
    it = Faked(["apply", "apply_fail"])
    it.switch.fault = None
    it.switch.states = ["apply", "confirm"]
    it.switch.after_confirm = ["applied_and_saved"]
    it.apply()
    it.switch.applied = copy(it.switch.trees["2"])
    found = NvueActor(it.bench.fleet, (it.bench.target(NAME),)).settle({NAME: "2+"})[NAME]
    assert found.status is Status.UNKNOWN and "a first part" in found.detail


@pytest.mark.parametrize(
    ("text", "parts"), [("3", ((), "3")), ("2+", (("2",), "")), ("2+3", (("2",), "3")), ("", ((), ""))]
)
def test_handles_of_several_revisions(text: str, parts: tuple[tuple[str, ...], str]) -> None:
    assert revisions(text) == parts
    assert handle(*parts) == text


# --- in the lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    wiring = Wiring((Switch(NAME, "SN5600", "5.16.4"),))
    with LabServer(wiring, tmp_path_factory.mktemp("lab")) as running:
        yield running


def changed(lab: LabServer, body: Tree) -> tuple[Outcome, Outcome | None, Journal]:
    """A change and, where it awaits it, its confirmation."""
    endpoints = Endpoints.load(None, secrets=SecretStore(environment={}), lab=Path(lab.info.state_dir) / "lab.json")
    actor, journal = NvueActor(Fleet(endpoints), pace=Pace(first_s=0.05)), Journal()
    outcome = actor.apply([requested(actor, Target(NAME, "", "nvue", "5.16.4", "SN5600"), body)], journal)[NAME]
    kept = actor.confirm({NAME: outcome.handle}, journal)[NAME] if outcome.status is Status.AWAITING else None
    return outcome, kept, journal


def on_lab(body: Tree) -> Tree:
    """What the lab needs beside: its management port."""
    own = {"eth0": {"type": "eth", "ipv4": {"address": {"dhcp": {}}}, "vrf": "mgmt"}}
    return {"interface": {**body["interface"], **own}}


def test_d12_a_breakout_is_removed_after_what_is_on_its_parts(lab: LabServer) -> None:
    first, kept, _ = changed(lab, on_lab(split(4)))
    assert kept is not None and kept.status is Status.CONFIRMED, first.detail
    second, kept, journal = changed(lab, on_lab(split(2)))
    assert second.status is Status.AWAITING, second.detail
    assert kept is not None and kept.status is Status.CONFIRMED, kept
    assert "+" in second.handle and journal.words().count("apply") == 2


def test_d12_a_second_part_the_switch_refuses_leaves_it_as_it_was(lab: LabServer) -> None:
    changed(lab, on_lab(split(4)))
    wrong = split(2)
    wrong["interface"]["swp2s3"] = {"type": "swp", "link": {"mtu": 9216}, "description": "a part that is not there"}
    outcome, kept, _ = changed(lab, on_lab(wrong))
    assert outcome.status is Status.REVERTED, outcome.detail
    assert "swp2s3 does not exist: swp2 is split into 2" in outcome.detail and kept is None
    again, _, journal = changed(lab, on_lab(split(4)))
    assert again.status is Status.UNCHANGED, again.detail
    assert journal.words() == []
