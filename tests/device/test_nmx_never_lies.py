"""Whatever goes wrong with an NMX-M: what an outcome says is what it holds, and no GPU is ever in two partitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from fake_switch import Clock, Journal
from hypothesis import event, given, settings
from hypothesis import strategies as st
from nmx_bench import R1

from intent.device.actor import Outcome, Request, Status, Target, Wanted
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.http import Transport
from intent.device.labfile import LabController, LabFile
from intent.device.nmx.actor import NmxActor
from intent.device.options import ConnectionSettings
from intent.device.secrets import SecretStore
from intent.lab.api import Request as LabRequest
from intent.lab.controller import DROPPED
from intent.lab.nmx.manager import NmxManager
from intent.lab.nmx.spec import Domain, Nmx

NAME = "nmx01"
TARGET = Target(NAME, "", "nmx")
GPUS = [f"1.{slot}.1.{gpu}" for slot in (1, 2) for gpu in (1, 2)]


class Bench:
    """An NMX-M of the lab with four GPUs, behind a wire that is a function call."""

    def __init__(self, kind: str) -> None:
        self.clock = Clock()
        spec = Nmx(NAME, "85.1.1000", default_kind=kind, domains=(Domain(R1, trays=2, gpus=2),))
        self.manager = NmxManager(spec, self.clock, "CANARY-nmx-password")
        login = self.manager.login()
        way = LabController("nmx", "192.0.2.1", 443, login.username, login.password)
        lab = LabFile("lab.json", "", "", "", {}, {NAME: way})

        def transport(endpoint: Any, *, root: str) -> Transport:
            wire = httpx.MockTransport(self.wire)
            return Transport(endpoint, root=root, clock=self.clock, sleep=self.clock.sleep, wire=wire)

        secrets = SecretStore(environment={})
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
        everybody = [spot for held in self.manager.model.partitions.values() for spot in held.spots]
        assert len(everybody) == len(set(everybody))
        if answer is DROPPED:
            raise httpx.ReadError("connection reset")
        return httpx.Response(answer.status, json=answer.body, headers=dict(answer.headers))

    def actor(self) -> NmxActor:
        return NmxActor(self.fleet, [TARGET], allow_removals=True, closing_s=30)

    def apply(self, split: Mapping[str, list[str]], deadline_s: float = 60.0) -> Outcome:
        partition = {name: {"member": {gpu: {} for gpu in gpus}} for name, gpus in split.items()}
        wanted = Wanted(TARGET, {"domain": {R1: {"partition": partition}}}, (("domain",),))
        actor = self.actor()
        seen = actor.observe([wanted])[NAME]
        assert seen.problem is None, seen.detail
        request = Request(wanted, actor.difference(wanted, seen), seen.digest, 60, deadline_s)
        return actor.apply([request], self.journal)[NAME]

    def held(self) -> dict[str, set[str]]:
        """GPUs by name of partition, in the lab's own words."""
        return {
            held.name: {".".join(map(str, spot[1:])) for spot in held.spots}
            for held in self.manager.model.partitions.values()
        }


def _split(owners: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for gpu, owner in zip(GPUS, owners, strict=True):
        if owner:
            found.setdefault(owner, []).append(gpu)
    return found


splits = st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=4, max_size=4).map(_split)
times, skips = st.integers(1, 5), st.integers(0, 5)
faults = st.one_of(
    st.builds(
        lambda when, skip, times, for_s: ("lost-write", {"when": when, "skip": skip, "times": times, "for_s": for_s}),
        st.sampled_from(["before", "after"]), skips, times, st.sampled_from([0, 0.2, 200]),
    ),
    st.builds(lambda skip, times: ("operation-fails", {"skip": skip, "times": times}), skips, times),
    st.builds(lambda delay: ("slow-operation", {"delay_s": delay}), st.sampled_from([0.5, 4, 300])),
)  # fmt: skip


@given(st.sampled_from(["ID_BASED", "LOCATION_BASED"]), splits, splits, st.lists(faults, min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_what_an_outcome_says_is_what_nmx_holds(kind: str, old: Any, new: Any, wrong: list[tuple[str, Any]]) -> None:
    bench = Bench(kind)
    bench.apply(old)
    before = bench.held()
    for name, options in wrong:
        bench.manager.fault(name, options)
    outcome = bench.apply(new)
    event(str(outcome.status))
    if outcome.status in (Status.AWAITING, Status.UNCHANGED):
        after = {name: gpus for name, gpus in bench.held().items() if name != "Default Partition"}
        assert after == {name: set(gpus) for name, gpus in new.items()}
        return
    if outcome.status is Status.FAILED:
        assert bench.held() == before, outcome.detail
        return
    assert outcome.status is Status.UNKNOWN and outcome.handle, outcome
    bench.clock.sleep(4000)
    bench.manager.fault("clear", {})
    settled = bench.actor().settle({NAME: outcome.handle})[NAME]
    if settled.status is Status.REVERTED:
        assert bench.held() == before
        return
    assert settled.status is Status.AWAITING, settled
    back = bench.actor().revert({NAME: outcome.handle}, bench.journal)[NAME]
    assert back.status is Status.REVERTED, back.detail
    assert bench.held() == before


@given(splits)
@settings(max_examples=20, deadline=None)
def test_a_second_apply_writes_nothing(split: Any) -> None:
    bench = Bench("ID_BASED")
    bench.apply(split)
    before = bench.manager.counters.writes
    assert bench.apply(split).status is Status.UNCHANGED
    assert bench.manager.counters.writes == before
