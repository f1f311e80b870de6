"""The actor, the observations and the counters against the lab's switches over real TLS connections."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_switch import Journal

from intent.core.tree import copy, put
from intent.device.actor import Outcome, Problem, Request, Status, Target, Wanted
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.nvue.actor import NvueActor
from intent.device.observe import gather
from intent.device.secrets import SecretStore
from intent.lab.inprocess import LabServer
from intent.lab.wiring import End, Link, Switch, Wiring

LEAF, SPINE, OLD = "leaf01", "spine01", "leaf02"
RELEASES = {LEAF: "5.16.4", SPINE: "5.16.4", OLD: "5.14.0"}
WIRING = Wiring(
    tuple(Switch(name, "SN5600", release) for name, release in RELEASES.items()),
    (),
    (Link(End(LEAF, "swp1"), End(SPINE, "swp1")), Link(End(OLD, "swp1"), End(SPINE, "swp2"))),
)
UNICAST = {"state": "enabled", "redistribute": {"connected": {"state": "enabled"}}}
OWNED = (("interface",), ("router",), ("vrf", "default"), ("qos",), ("system", "hostname"))


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(WIRING) as running:
        yield running


class Rig:
    """An actor pointed at a lab through its state file, as `--lab` does."""

    def __init__(self, lab: LabServer, known: Mapping[str, str] | None = None) -> None:
        self.lab = lab
        self.secrets = SecretStore(known=known, environment={})
        endpoints = Endpoints.load(None, secrets=self.secrets, lab=lab.info.state_dir / "lab.json")
        self.fleet = Fleet(endpoints)
        self.targets = {name: Target(name, "", "nvue", release, "SN5600") for name, release in RELEASES.items()}
        self.actor = NvueActor(self.fleet, tuple(self.targets.values()), closing_s=20)
        self.journal = Journal()

    def wanted(self, name: str, **options: Any) -> Wanted:
        peer_asn = 4200000101 if name == LEAF else 4200000011
        body: dict[str, Any] = {
            "system": {"hostname": name},
            "interface": {
                "eth0": {"type": "eth", "ipv4": {"address": {"dhcp": {}}}, "vrf": "mgmt"},
                "lo": {"type": "loopback", "ipv4": {"address": {f"10.255.0.{1 if name == LEAF else 2}/32": {}}}},
                "swp1": {"type": "swp", "link": {"mtu": 9216, "state": {"up": {}}}},
                "swp2": {"type": "swp", "link": {"mtu": 9216, "state": {"up": {}}}},
            },
            "qos": {"roce": {"state": "enabled", "mode": "lossless"}},
            "router": {
                "bgp": {
                    "state": "enabled",
                    "autonomous-system": 4200000011 if name == LEAF else 4200000101,
                    "router-id": f"10.255.0.{1 if name == LEAF else 2}",
                },
            },
            "vrf": {
                "default": {
                    "router": {
                        "bgp": {
                            "state": "enabled",
                            "neighbor": {"swp1": {"type": "unnumbered", "remote-as": peer_asn}},
                            "address-family": {
                                "ipv4-unicast": {
                                    "state": "enabled",
                                    "redistribute": {"connected": {"state": "enabled"}},
                                }
                            },
                        }
                    }
                }
            },
        }
        for path, value in options.items():
            put(body, tuple(path.split("__")), value)
        return Wanted(self.targets[name], body, OWNED)

    def requests(self, *wanted: Wanted, confirm_s: int = 60, deadline_s: float = 30.0) -> list[Request]:
        seen = self.actor.observe(wanted)
        result = []
        for item in wanted:
            held = seen[item.target.name]
            assert held.problem is None, held.detail
            found = self.actor.difference(item, held)
            result.append(Request(item, found, held.digest, confirm_s, deadline_s))
        return result

    def apply(self, *wanted: Wanted, **options: Any) -> Mapping[str, Outcome]:
        return self.actor.apply(self.requests(*wanted, **options), self.journal)

    def settled(self, outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
        pending = {name: item.handle for name, item in outcomes.items()}
        return self.actor.confirm(pending, self.journal)

    def writes(self, name: str) -> int:
        return int(self.lab.status()["switches"][name]["writes"])


def statuses(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    return {name: f"{item.status}: {item.detail}" for name, item in outcomes.items()}


def good(outcomes: Mapping[str, Outcome], status: Status) -> bool:
    return all(item.status is status for item in outcomes.values())


def test_apply_confirm_observe_and_a_second_run_that_writes_nothing(lab: LabServer) -> None:
    rig = Rig(lab)
    both = (rig.wanted(LEAF), rig.wanted(SPINE))
    outcomes = rig.apply(*both)
    assert good(outcomes, Status.AWAITING), statuses(outcomes)
    confirmed = rig.settled(outcomes)
    assert good(confirmed, Status.CONFIRMED), statuses(confirmed)
    assert max(rig.fleet.requests.values()) <= 20, rig.fleet.requests
    assert max(rig.fleet.connections.values()) <= 3, rig.fleet.connections

    before = {name: rig.writes(name) for name in (LEAF, SPINE)}
    again = rig.apply(*both)
    assert good(again, Status.UNCHANGED), statuses(again)
    assert {name: rig.writes(name) for name in (LEAF, SPINE)} == before  # D19

    seen = gather(rig.fleet, [rig.targets[LEAF], rig.targets[SPINE]])
    leaf = seen[LEAF]
    assert leaf.problems == {}
    assert leaf.system is not None
    assert (leaf.system.hostname, leaf.system.release) == (LEAF, "5.16.4")
    assert leaf.links is not None
    assert leaf.links["swp1"].oper == "up"
    assert leaf.links["swp1"].mtu == 9216
    assert leaf.links["swp2"].oper == "down"
    assert leaf.lldp is not None
    assert [(item.system, item.remote_port) for item in leaf.lldp["swp1"]] == [(SPINE, "swp1")]
    assert leaf.bgp is not None
    assert [(item.neighbor, item.state, item.remote_asn) for item in leaf.bgp] == [("swp1", "established", 4200000101)]
    assert leaf.roce is not None
    assert leaf.roce.mode == "lossless"
    assert leaf.roce.pfc_priorities == (3,)


def test_revert_puts_the_old_configuration_back(lab: LabServer) -> None:
    rig = Rig(lab)
    (before,) = rig.requests(rig.wanted(LEAF))
    outcomes = rig.actor.apply([before], rig.journal)
    assert good(outcomes, Status.AWAITING), statuses(outcomes)
    back = rig.actor.revert({LEAF: outcomes[LEAF].handle}, rig.journal)
    assert good(back, Status.REVERTED), statuses(back)
    assert rig.requests(rig.wanted(LEAF))[0].digest == before.digest


def test_a_process_that_died_is_settled_by_another(lab: LabServer) -> None:
    rig = Rig(lab)
    outcomes = rig.apply(rig.wanted(LEAF))
    pending = {LEAF: outcomes[LEAF].handle}
    other = Rig(lab)
    assert other.actor.settle(pending)[LEAF].status is Status.AWAITING
    assert good(other.actor.revert(pending, other.journal), Status.REVERTED)
    assert other.actor.settle(pending)[LEAF].status is Status.REVERTED


def test_the_timer_of_the_switch_reverts_without_us(lab: LabServer) -> None:
    rig = Rig(lab)
    outcomes = rig.apply(rig.wanted(LEAF), confirm_s=1)
    assert good(outcomes, Status.AWAITING), statuses(outcomes)
    pending = {LEAF: outcomes[LEAF].handle}
    ends = time.monotonic() + 10
    while rig.actor.settle(pending)[LEAF].status is Status.AWAITING and time.monotonic() < ends:
        threading.Event().wait(0.1)
    assert rig.actor.confirm(pending, rig.journal)[LEAF].status is Status.REVERTED


def test_a_switch_lost_after_apply_is_unknown_and_settles_as_reverted(lab: LabServer) -> None:
    rig = Rig(lab)
    asked = rig.requests(rig.wanted(LEAF), confirm_s=3, deadline_s=2.0)
    lab.fault("lost-after-apply", LEAF)
    outcomes = rig.actor.apply(asked, rig.journal)
    assert outcomes[LEAF].status is Status.UNKNOWN, statuses(outcomes)
    ends = time.monotonic() + 20
    while rig.actor.settle({LEAF: "2"})[LEAF].status is Status.UNKNOWN and time.monotonic() < ends:
        threading.Event().wait(0.2)
    assert rig.actor.settle({LEAF: outcomes[LEAF].handle})[LEAF].status is Status.REVERTED


@pytest.mark.parametrize("ask", [False, True])
def test_apply_fail_leaves_the_old_configuration_and_no_candidate(lab: LabServer, ask: bool) -> None:
    rig = Rig(lab)
    asked = rig.requests(rig.wanted(LEAF))
    lab.fault("apply-fail", LEAF, **({"ask": True} if ask else {}))
    outcomes = rig.actor.apply(asked, rig.journal)
    assert outcomes[LEAF].status is Status.FAILED, statuses(outcomes)
    assert "old configuration is in force" in outcomes[LEAF].detail
    lab.fault("clear", LEAF)
    assert good(rig.apply(rig.wanted(LEAF)), Status.AWAITING)


def test_a_hung_apply_is_unknown(lab: LabServer) -> None:
    rig = Rig(lab)
    asked = rig.requests(rig.wanted(LEAF), deadline_s=1.0)
    lab.fault("hung-apply", LEAF)
    outcomes = rig.actor.apply(asked, rig.journal)
    assert outcomes[LEAF].status is Status.UNKNOWN, statuses(outcomes)


def test_a_change_by_hand_is_stale_in_scope(lab: LabServer) -> None:
    rig = Rig(lab)
    asked = rig.requests(rig.wanted(LEAF))
    lab.fault("change-by-hand", LEAF, set={"interface.swp9.link.mtu": 1500})
    writes = rig.writes(LEAF)
    outcomes = rig.actor.apply(asked, rig.journal)
    assert outcomes[LEAF].status is Status.STALE, statuses(outcomes)
    assert rig.writes(LEAF) == writes


def test_semantic_errors_arrive_only_at_apply_with_their_place(lab: LabServer) -> None:
    rig = Rig(lab)
    outcomes = rig.apply(rig.wanted(LEAF, interface__swp3s0={"type": "swp", "link": {"mtu": 9216}}))
    assert outcomes[LEAF].status is Status.FAILED, statuses(outcomes)
    assert "swp3s0" in outcomes[LEAF].detail


def test_schema_errors_are_told_before_anything_is_applied(lab: LabServer) -> None:
    rig = Rig(lab)
    outcomes = rig.apply(rig.wanted(LEAF, interface__swp1__link__mtu=99999))
    assert outcomes[LEAF].status is Status.FAILED, statuses(outcomes)
    assert "/interface/swp1/link/mtu" in outcomes[LEAF].detail


def test_ranges_in_answers_are_no_difference(lab: LabServer) -> None:
    rig = Rig(lab)
    assert good(rig.settled(rig.apply(rig.wanted(LEAF))), Status.CONFIRMED)
    lab.fault("ranges", LEAF)
    assert good(rig.apply(rig.wanted(LEAF)), Status.UNCHANGED)


def test_unreachable_is_a_problem_not_an_empty_device(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("unreachable", LEAF, how="refuse")
    seen = rig.actor.observe([rig.wanted(LEAF), rig.wanted(SPINE)])
    assert seen[LEAF].problem is Problem.UNREACHABLE
    assert seen[SPINE].problem is None
    observed = gather(rig.fleet, [rig.targets[LEAF]])[LEAF]
    assert set(observed.problems) == {"device"}
    assert observed.links is None


def test_another_release_than_named_is_a_mismatch(lab: LabServer) -> None:
    rig = Rig(lab)
    wanted = rig.wanted(LEAF)
    wrong = Wanted(Target(LEAF, "", "nvue", "5.14.0", "SN5600"), wanted.body, wanted.owned)
    seen = rig.actor.observe([wrong])[LEAF]
    assert seen.problem is Problem.MISMATCH
    assert "5.16.4" in seen.detail


def test_older_dialects_and_revision_names_with_slashes() -> None:
    wiring = Wiring((Switch("old59", "SN4600C", "5.9.0"), Switch("old512", "SN4600C", "5.12.0")))
    with LabServer(wiring) as lab:
        endpoints = Endpoints.load(None, secrets=SecretStore(environment={}), lab=lab.info.state_dir / "lab.json")
        targets = [Target("old59", "", "nvue", "5.9", "SN4600C"), Target("old512", "", "nvue", "5.12.0", "SN4600C")]
        actor, journal = NvueActor(Fleet(endpoints)), Journal()
        wanted = [
            Wanted(target, {"interface": {"swp1": {"type": "swp", "link": {"mtu": 9000}}}}, (("interface", "swp1"),))
            for target in targets
        ]
        seen = actor.observe(wanted)
        asked = [
            Request(item, actor.difference(item, seen[item.target.name]), seen[item.target.name].digest, 60, 20.0)
            for item in wanted
        ]
        outcomes = actor.apply(asked, journal)
        assert good(outcomes, Status.AWAITING), statuses(outcomes)
        kept = actor.confirm({name: item.handle for name, item in outcomes.items()}, journal)
        assert good(kept, Status.CONFIRMED), statuses(kept)
        observed = gather(Fleet(endpoints), targets)
        assert all(not item.problems for item in observed.values()), observed


# --- secrets

CANARY = "$6$rounds$CANARYcanaryCANARYcanary"


def test_no_secret_in_any_outcome_journal_or_observation(lab: LabServer) -> None:
    rig = Rig(lab, {"hash": CANARY, "community": "CANARY-community"})
    body = copy(dict(rig.wanted(LEAF).body))
    put(body, ("system", "aaa", "user", "ops"), {"role": "nvue-monitor", "hashed-password": "$secret:hash$"})
    put(body, ("system", "snmp-server", "readonly-community"), {"$secret:community$": {"access": {"any": {}}}})
    owned = (*OWNED, ("system", "aaa", "user", "ops"), ("system", "snmp-server", "readonly-community"))
    wanted = Wanted(rig.targets[LEAF], body, owned)
    said: list[Any] = []
    outcomes = rig.apply(wanted)
    said += [repr(outcomes)]
    assert good(outcomes, Status.AWAITING), statuses(outcomes)
    kept = rig.settled(outcomes)
    assert good(kept, Status.CONFIRMED), statuses(kept)
    seen = rig.actor.observe([wanted])[LEAF]
    again = rig.apply(wanted)
    assert good(again, Status.UNCHANGED), statuses(again)
    said += [repr(kept), repr(seen), json.dumps(seen.state), repr(rig.journal.steps), repr(rig.secrets), repr(again)]
    said += [repr(rig.fleet.endpoints.lookup(rig.targets[LEAF]))]
    assert not [text for text in said if "CANARY" in text or lab.info.password in text]


def test_the_lab_certificate_is_verified(lab: LabServer, tmp_path: Path) -> None:
    with LabServer(Wiring((Switch("other", "SN5600", "5.16.4"),)), tmp_path / "other") as stranger:
        body = json.loads((lab.info.state_dir / "lab.json").read_text())
        body["ca"] = str(stranger.info.ca)
        file = tmp_path / "lab.json"
        file.write_text(json.dumps(body))
        fleet = Fleet(Endpoints.load(None, secrets=SecretStore(environment={}), lab=file))
        seen = NvueActor(fleet).observe([Rig(lab).wanted(LEAF)])[LEAF]
        assert seen.problem is Problem.UNREACHABLE
        assert "certificate does not verify" in seen.detail
