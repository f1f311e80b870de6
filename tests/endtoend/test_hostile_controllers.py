"""A switch, a UFM and an NMX-M that answer anything but what their API says: unknown in time, and never written to.

A front stands before each of a lab's own; all three clients go through the same ways of being hostile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import nmx_bench
import pytest
import ufm_bench
from fake_switch import Journal
from hostile_switch import ANSWERS, Certificates, Front

from intent.device.actor import Actor, Observed, Request, Status, Target, Wanted
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.nmx.actor import NmxActor
from intent.device.nvue.actor import NvueActor
from intent.device.secrets import SecretStore
from intent.device.ufm.actor import UfmActor
from intent.lab.inprocess import LabServer
from intent.lab.wiring import Switch, Wiring

NET = f"127.95.{os.getpid() % 200 + 20}"
OPERATION_S = 0.8
LARGEST = 300_000
CLIENTS = {"nvue": "leaf1", "ufm": ufm_bench.NAME, "nmx": nmx_bench.NAME}
GROUPS = "".join(
    f"{group}:\n  connection_options:\n    {plugin}:\n      extras:\n"
    f"        timeouts: {{connect: 0.5, read: 0.3, write: 0.3, operation: {OPERATION_S}}}\n"
    f"        max_body_bytes: {LARGEST}\n"
    for group, plugin in (("nvue", "nvue"), ("ufm", "ufm-rest"), ("nmx", "nmx-rest"))
)
SLOW = ("drip-body", "drip-head", "drip-chunk", "continue-forever", "silent", "huge")
MODES = (*ANSWERS, *SLOW, "closed", "expired", "wrong-name", "wrong-ca")
WORDS = {
    "redirect": "redirected (302)", "html-200": "not JSON", "cut-json": "not JSON", "nested": "", "html-502": "(502)",
    "huge": f"larger than {LARGEST} bytes", "unauthorized": "401",
    "expired": "expired", "wrong-ca": "does not verify",
}  # fmt: skip
# What a device may rightly say, and what of it the client makes is for other tests.
SENSIBLE = {("nvue", "nothing"), ("nvue", "no-content")}


@dataclass(frozen=True)
class Bench:
    """The three clients, each behind a front."""

    fronts: dict[str, Front]
    actors: dict[str, Actor]
    wanted: dict[str, Wanted]

    def observe(self, client: str) -> tuple[Observed, float]:
        began = time.monotonic()
        seen = self.actors[client].observe([self.wanted[client]])[CLIENTS[client]]
        return seen, time.monotonic() - began


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    (folder / "inventory").mkdir()
    (folder / "inventory" / "groups.yaml").write_text(GROUPS, encoding="utf-8")
    wiring = Wiring((Switch("leaf1", "SN5600", "5.16.4"),), ufm=ufm_bench.wiring().ufm, nmx=nmx_bench.wiring().nmx)
    with LabServer(wiring) as lab:
        info = lab.info
        addresses = {client: f"{NET}.{number}" for number, client in enumerate(CLIENTS, 10)}
        certificates = Certificates(folder / "tls", list(addresses.values()))
        fronts: dict[str, Front] = {}
        places = {**info.switches, **info.controllers}
        try:
            for client, name in CLIENTS.items():
                upstream = (places[name].address, places[name].port, str(info.ca))
                fronts[client] = Front(addresses[client], places[name].port, upstream, certificates)
            moved = {name: replace(places[name], address=addresses[client]) for client, name in CLIENTS.items()}
            state = replace(
                info,
                state_dir=folder,
                ca=certificates.bundle,
                switches={"leaf1": moved["leaf1"]},
                controllers={name: moved[name] for name in info.controllers},
            )
            state.save()
            secrets = SecretStore(environment={})
            endpoints = Endpoints.load(folder / "inventory", secrets=secrets, lab=folder / "lab.json")
            yield _bench(Fleet(endpoints), fronts)
        finally:
            for front in fronts.values():
                front.stop()


def _bench(fleet: Fleet, fronts: dict[str, Front]) -> Bench:
    leaf = Target("leaf1", addresses_of(fronts["nvue"]), "nvue", "5.16.4", "SN5600")
    ufm = Target(ufm_bench.NAME, "", "ufm", labels={"fabric": "ib"})
    nmx = Target(nmx_bench.NAME, "", "nmx")
    actors: dict[str, Actor] = {
        "nvue": NvueActor(fleet, [leaf]),
        "ufm": UfmActor(fleet, [ufm], allow_removals=True, closing_s=OPERATION_S),
        "nmx": NmxActor(fleet, [nmx], allow_removals=True, closing_s=OPERATION_S),
    }
    wanted = {
        "nvue": Wanted(leaf, {"system": {"hostname": "leaf1"}}, (("system", "hostname"),)),
        "ufm": Wanted(ufm, {"partition": {"0x8012": {"member": ufm_bench.members(1)}}}, ufm_bench.OWNED),
        "nmx": Wanted(nmx, {"domain": {nmx_bench.R1: {"partition": {}}}}, (("domain",),)),
    }
    return Bench(fronts, actors, wanted)


def addresses_of(front: Front) -> str:
    return str(front.server_address[0])


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("mode", MODES)
def test_whatever_it_answers_it_is_unknown_in_time_and_nothing_is_written(bench: Bench, client: str, mode: str) -> None:
    front = bench.fronts[client]
    front.methods.clear()
    front.mode = mode
    seen, took = bench.observe(client)
    assert took < OPERATION_S + 4, took
    assert set(front.methods) <= {"GET"}
    if (client, mode) in SENSIBLE:
        return
    assert seen.problem is not None and not seen.state, seen
    assert len(seen.detail) > 10 and WORDS.get(mode, "") in seen.detail, seen.detail
    assert "internal error" not in seen.detail and "Traceback" not in seen.detail


@pytest.mark.parametrize("client", ["ufm", "nmx"])
@pytest.mark.parametrize("mode", ["redirect", "other-shape", "huge", "drip-head", "nested"])
def test_a_change_is_not_begun_on_one_that_turned_hostile(bench: Bench, client: str, mode: str) -> None:
    front, actor, wanted = bench.fronts[client], bench.actors[client], bench.wanted[client]
    front.mode = "relay"
    seen, _ = bench.observe(client)
    assert seen.problem is None, seen.detail
    request = Request(wanted, actor.difference(wanted, seen), seen.digest, 60, OPERATION_S)
    front.methods.clear()
    front.mode = mode
    outcome = actor.apply([request], Journal())[CLIENTS[client]]
    assert outcome.status in (Status.FAILED, Status.NOT_ATTEMPTED, Status.UNKNOWN), outcome
    assert not outcome.handle, "nothing was begun"
    assert set(front.methods) <= {"GET"}
