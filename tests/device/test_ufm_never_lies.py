"""Whatever goes wrong with a UFM: what an outcome says is what UFM holds. In memory, with time that only we pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from fake_switch import Clock, Journal
from hypothesis import event, given, settings
from hypothesis import strategies as st
from ufm_bench import OWNED, guid

from intent.core.errors import IntentError
from intent.device.actor import Outcome, Request, Status, Target, Wanted
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.http import Transport
from intent.device.labfile import LabController, LabFile
from intent.device.options import ConnectionSettings
from intent.device.secrets import SecretStore
from intent.device.ufm.actor import UfmActor
from intent.lab.api import Request as LabRequest
from intent.lab.controller import DROPPED
from intent.lab.ufm.manager import UfmManager
from intent.lab.ufm.spec import Ufm

NAME = "ufm01"
TARGET = Target(NAME, "", "ufm", labels={"fabric": "ib"})


class Bench:
    """A UFM of the lab behind a wire that is a function call."""

    def __init__(self, version: str = "6.23.1-6", known: Mapping[str, str] | None = None) -> None:
        self.clock = Clock()
        self.manager = UfmManager(Ufm(NAME, version), self.clock, "CANARY-ufm-password")
        login = self.manager.login()
        way = LabController("ufm", "192.0.2.1", 443, login.username, login.password)
        lab = LabFile("lab.json", "", "", "", {}, {NAME: way})

        def transport(endpoint: Any, *, root: str) -> Transport:
            wire = httpx.MockTransport(lambda request: self.wire(request))
            return Transport(endpoint, root=root, clock=self.clock, sleep=self.clock.sleep, wire=wire)

        secrets = SecretStore(environment={}, known=known)
        endpoints = Endpoints(ConnectionSettings({}, {}), secrets, lab=lab, root=Path(), transport=transport)
        self.fleet = Fleet(endpoints)
        self.journal = Journal()

    def wire(self, request: httpx.Request) -> httpx.Response:
        self.clock.sleep(0.001)
        if self.manager.reachable():
            raise httpx.ConnectError("connection refused")
        headers = {key.lower(): value for key, value in request.headers.items()}
        target = request.url.raw_path.decode()
        answer = self.manager.handle(LabRequest(request.method, target, headers, request.content))
        if answer is DROPPED:
            raise httpx.ReadError("connection reset")
        return httpx.Response(answer.status, json=answer.body, headers=dict(answer.headers))

    def actor(self) -> UfmActor:
        return UfmActor(self.fleet, [TARGET], allow_removals=True, closing_s=30)

    def apply(self, partition: Mapping[str, Any], deadline_s: float = 60.0) -> Outcome:
        wanted, actor = Wanted(TARGET, {"partition": partition}, OWNED), self.actor()
        seen = actor.observe([wanted])[NAME]
        assert seen.problem is None, seen.detail
        request = Request(wanted, actor.difference(wanted, seen), seen.digest, 60, deadline_s)
        return actor.apply([request], self.journal)[NAME]

    def held(self) -> dict[int, Any]:
        """Partitions in the lab's own words, without names: those cannot be put back."""
        return {
            key: (held.ipoib, held.mtu, held.rate, held.level, dict(held.members))
            for key, held in self.manager.model.partitions.items()
            if key != 0x7FFF
        }


kinds = st.builds(
    lambda full, index0: {"membership": "full" if full else "limited", "index0": index0}, st.booleans(), st.booleans()
)
partitions = st.dictionaries(
    st.sampled_from(["0x8001", "0x8002", "0x8003"]),
    st.builds(
        lambda ipoib, mtu, rate, level, member: {
            "ipoib": ipoib, "mtu": mtu, "rate": rate, "service-level": level, "member": member,
        },
        st.booleans(),
        st.sampled_from([2048, 4096]),
        st.sampled_from([2.5, 100, 200]),
        st.integers(0, 15),
        st.dictionaries(st.integers(0, 6).map(guid), kinds, max_size=5),
    ),
    max_size=3,
)  # fmt: skip
times = st.integers(1, 6)
skips = st.integers(0, 6)
faults = st.one_of(
    st.builds(
        lambda when, skip, times, for_s: ("lost-write", {"when": when, "skip": skip, "times": times, "for_s": for_s}),
        st.sampled_from(["before", "after"]), skips, times, st.sampled_from([0, 0.2, 5, 200]),
    ),
    st.builds(lambda skip, times: ("job-errors", {"skip": skip, "times": times}), skips, times),
    st.builds(
        lambda status, skip, times: ("refuse-writes", {"status": status, "skip": skip, "times": times}),
        st.sampled_from([400, 403, 404, 409, 500, 503]), skips, times,
    ),
    st.builds(lambda delay: ("slow-job", {"delay_s": delay}), st.sampled_from([0.5, 4, 300])),
    st.just(("all-full", {})),
)  # fmt: skip


@given(partitions, partitions, st.lists(faults, min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_what_an_outcome_says_is_what_ufm_holds(old: Any, new: Any, wrong: list[tuple[str, dict[str, Any]]]) -> None:
    goal = Bench()
    goal.apply(new)
    bench = Bench()
    bench.apply(old)
    before, after = bench.held(), goal.held()
    for kind, options in wrong:
        bench.manager.fault(kind, options)
    outcome = bench.apply(new)
    event(str(outcome.status))
    if outcome.status is Status.UNCHANGED:
        assert before == after
    elif outcome.status is Status.AWAITING:
        assert bench.held() == after
    elif outcome.status is Status.FAILED:
        assert bench.held() == before, outcome.detail
    else:
        assert outcome.status is Status.UNKNOWN and outcome.handle, outcome
        if not bench.manager.reachable():  # what is still under way is never taken for decided
            early = bench.actor().settle({NAME: outcome.handle})[NAME]
            moving = [job for job in bench.manager.jobs.all() if job.status == "Running"]
            assert early.status is Status.UNKNOWN or not moving, early
        _put_back(bench, outcome, before)


def _put_back(bench: Bench, outcome: Outcome, before: Mapping[int, Any]) -> None:
    """Once UFM answers again, another process finds out where it stands, and puts it back."""
    bench.clock.sleep(4000)
    bench.manager.fault("clear", {})
    settled = bench.actor().settle({NAME: outcome.handle})[NAME]
    if settled.status is Status.REVERTED:
        assert bench.held() == before
        return
    assert settled.status in (Status.AWAITING, Status.UNKNOWN)
    back = bench.actor().revert({NAME: outcome.handle}, bench.journal)[NAME]
    if back.status is Status.REVERTED:
        assert bench.held() == before, back.detail
    else:  # what UFM made of a call is neither old nor new: said, never green
        assert back.status is Status.UNKNOWN and back.detail


@given(partitions)
@settings(max_examples=30, deadline=None)
def test_a_second_apply_writes_nothing(partition: Any) -> None:
    bench = Bench()
    bench.apply(partition)
    before = bench.manager.counters.writes
    assert bench.apply(partition).status is Status.UNCHANGED
    assert bench.manager.counters.writes == before


@given(st.integers(1, 900), st.integers(1, 900))
@settings(max_examples=15, deadline=None)
def test_calls_are_in_the_order_of_members_by_a_hundred(old: int, new: int) -> None:
    bench = Bench()
    kind = {"membership": "full", "index0": False}
    bench.apply({"0x8001": {"member": {guid(number): kind for number in range(old)}}})
    before = bench.manager.counters.writes
    bench.apply({"0x8001": {"member": {guid(number): kind for number in range(new)}}})
    assert bench.manager.counters.writes - before <= abs(new - old) / 100 + 1


def test_no_secret_and_no_handle_in_any_word() -> None:
    bench = Bench()
    bench.manager.fault("refuse-writes", {"status": 401, "times": -1})
    outcome = bench.apply({"0x8001": {"member": {guid(1): {}}}})
    said = f"{outcome.detail} {bench.journal.steps}"
    assert "CANARY" not in said
    assert outcome.status is Status.FAILED


def test_faults_that_make_no_sense_are_said() -> None:
    for kind, options in (("none", {}), ("add-member", {}), ("lost-write", {"times": "many"})):
        try:
            Bench().manager.fault(kind, options)
        except IntentError:
            continue
        raise AssertionError(kind)


# --- settings of the subnet manager

SETTINGS = {
    "max_wire_smps": st.integers(1, 64).map(str),
    "polling_retry_number": st.sampled_from(["1", "0x9", "4"]),
    "vl_stall_count": st.sampled_from(["1", "0x7", "5"]),
    "single_thread": st.sampled_from(["TRUE", "FALSE"]),
    "m_key": st.sampled_from(["$secret:one$", "$secret:two$"]),
}
asked = st.fixed_dictionaries({}, optional=SETTINGS)  # type: ignore[arg-type]
faults_of_settings = st.one_of(faults, st.just(("settings-ignored", {})))
KEYS = {"one": "0x1111c0ffee111111", "two": "2459565876494606882"}


def _apply(bench: Bench, settings: Mapping[str, str], actor: UfmActor) -> Outcome:
    owned = tuple(("setting", name) for name in settings)
    wanted = Wanted(TARGET, {"setting": settings}, owned)
    seen = actor.observe([wanted])[NAME]
    assert seen.problem is None, seen.detail
    request = Request(wanted, actor.difference(wanted, seen), seen.digest, 60, 60.0)
    return actor.apply([request], bench.journal)[NAME]


def _values(bench: Bench) -> dict[str, Any]:
    """Settings by what they mean."""
    return {
        name: int(value, 0) if isinstance(value, str) and value[:1].isdigit() else value
        for name, value in bench.manager.settings.values.items()
    }


def _meant(settings: Mapping[str, str]) -> dict[str, Any]:
    words = {"TRUE": True, "FALSE": False, **{f"$secret:{name}$": int(key, 0) for name, key in KEYS.items()}}
    return {name: words[value] if value in words else int(value, 0) for name, value in settings.items()}


@given(asked, asked, st.lists(faults_of_settings, max_size=2))
@settings(max_examples=60, deadline=None)
def test_what_an_outcome_says_of_settings_is_what_ufm_holds(
    old: dict[str, str], new: dict[str, str], wrong: list[tuple[str, dict[str, Any]]]
) -> None:
    bench = Bench(known=KEYS)
    assert _apply(bench, old, bench.actor()).status in (Status.AWAITING, Status.UNCHANGED)
    before = _values(bench)
    after = before | _meant(new)
    for kind, options in wrong:
        bench.manager.fault(kind, options)
    actor = bench.actor()
    outcome = _apply(bench, new, actor)
    event(str(outcome.status))
    if outcome.status is Status.UNCHANGED:
        assert before == after
    elif outcome.status is Status.AWAITING:
        assert _values(bench) == after
    elif outcome.status is Status.FAILED:
        assert _values(bench) == before, outcome.detail
    else:
        assert outcome.status is Status.UNKNOWN and outcome.handle, outcome
    if outcome.handle:
        bench.clock.sleep(4000)
        bench.manager.fault("clear", {})
        back = actor.revert({NAME: outcome.handle}, bench.journal)[NAME]
        assert back.status is Status.REVERTED, back.detail
        assert _values(bench) == before
    said = f"{outcome} {bench.journal.steps}".lower()
    assert not [key for key in KEYS.values() if key.removeprefix("0x") in said]


def test_an_answer_that_is_no_json_is_not_taken_for_a_refusal() -> None:
    """The guide shows no answer of the update of settings; that of gv.cfg is text."""
    bench = Bench()
    spoken = bench.wire

    def wire(request: httpx.Request) -> httpx.Response:
        answer = spoken(request)
        plain = request.method == "PUT" and answer.status_code == 200
        return httpx.Response(200, text="Updated successfully") if plain else answer

    bench.wire = wire  # type: ignore[method-assign]
    outcome = _apply(bench, {"max_wire_smps": "16", "polling_retry_number": "9"}, bench.actor())
    assert outcome.status is Status.AWAITING, outcome.detail
    assert (_values(bench)["max_wire_smps"], _values(bench)["polling_retry_number"]) == (16, 9)
