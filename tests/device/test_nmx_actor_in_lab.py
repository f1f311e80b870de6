"""NVLink partitions end to end: plan, operations, read back, keep or put back, against the lab's REST server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nmx_bench import DEFAULT, NAME, R1, R2, Rig, trays, wiring

from intent.device.actor import Problem, Status
from intent.lab.inprocess import LabServer


@pytest.fixture(params=["ID_BASED", "LOCATION_BASED"])
def lab(request: pytest.FixtureRequest) -> Iterator[LabServer]:
    with LabServer(wiring(request.param)) as running:
        yield running


@pytest.fixture
def one() -> Iterator[LabServer]:
    with LabServer(wiring()) as running:
        yield running


def test_a_rack_is_split_default_first_and_a_second_apply_writes_nothing(lab: LabServer) -> None:
    rig = Rig(lab)
    want = {R1: {"tenant-a": trays(1, 9), "tenant-b": trays(10, 18)}}
    outcome = rig.apply(want)
    assert outcome.status is Status.AWAITING, outcome.detail
    assert rig.held() == {DEFAULT: 0, "tenant-a": 36, "tenant-b": 36}
    methods = [method for method, _ in rig.writes()]
    assert methods == ["PUT", "POST", "POST"]  # the default partition shrinks before anything is made
    assert rig.held(R2)[DEFAULT] == 72
    assert rig.actor.confirm({NAME: outcome.handle}, rig.journal)[NAME].status is Status.CONFIRMED
    assert rig.apply(want).status is Status.UNCHANGED
    assert len(rig.writes()) == 3


def test_the_plan_shows_gpus_leaving_the_default_partition(one: LabServer) -> None:
    found = Rig(one).request(Rig(one).wanted({R1: {"a": trays(1, 1)}})).differences
    words = {(item.path[3], str(item.kind)) for item in found}
    assert words == {(DEFAULT, "remove"), ("a", "add")} and len(found) == 8


def test_gpus_move_between_tenants_without_being_in_two(one: LabServer) -> None:
    rig = Rig(one)
    rig.apply({R1: {"a": trays(1, 9), "b": trays(10, 18)}})
    outcome = rig.apply({R1: {"a": [*trays(1, 8), *trays(18, 18)], "b": trays(9, 17)}})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert rig.held() == {DEFAULT: 0, "a": 36, "b": 36}
    back = rig.fresh().revert({NAME: outcome.handle}, rig.journal)[NAME]
    assert back.status is Status.REVERTED, back.detail
    assert not rig.request(rig.wanted({R1: {"a": trays(1, 9), "b": trays(10, 18)}})).differences


def test_revert_gives_the_default_partition_its_gpus_back(lab: LabServer) -> None:
    rig = Rig(lab)
    outcome = rig.apply({R1: {"a": trays(1, 9), "b": trays(10, 18)}})
    back = rig.fresh().revert({NAME: outcome.handle}, rig.journal)[NAME]
    assert back.status is Status.REVERTED, back.detail
    assert rig.held() == {DEFAULT: 72}


def test_partitions_known_only_to_nmx_are_shown_and_removed_only_when_allowed(one: LabServer) -> None:
    rig = Rig(one)
    rig.apply({R1: {"a": trays(1, 2), "b": trays(3, 4)}})
    before = len(rig.writes())
    refused = rig.apply({R1: {"a": trays(1, 2)}})
    assert refused.status is Status.FAILED and "--allow-removals" in refused.detail
    assert len(rig.writes()) == before
    rig = Rig(one, allow_removals=True)
    outcome = rig.apply({R1: {"a": trays(1, 2)}})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert rig.held() == {DEFAULT: 56, "a": 8}
    assert rig.fresh().revert({NAME: outcome.handle}, rig.journal)[NAME].status is Status.REVERTED
    assert rig.held() == {DEFAULT: 56, "a": 8, "b": 8}


def test_only_owned_partitions_are_touched(one: LabServer) -> None:
    rig = Rig(one)
    rig.apply({R1: {"theirs": trays(1, 2)}})
    mine = (("domain", R1, "partition", "mine"),)
    outcome = rig.actor.apply([rig.request(rig.wanted({R1: {"mine": trays(3, 4)}}, mine))], rig.journal)[NAME]
    assert outcome.status is Status.AWAITING, outcome.detail
    assert rig.held() == {DEFAULT: 56, "theirs": 8, "mine": 8}
    seen = rig.actor.observe([rig.wanted({R1: {"mine": trays(2, 4)}}, mine)])[NAME]
    assert seen.problem is Problem.MISMATCH and "theirs" in seen.detail


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("skip", [0, 1])
def test_a_failover_in_the_middle_is_read_again_and_gone_on_with(one: LabServer, when: str, skip: int) -> None:
    rig = Rig(one)
    one.fault("lost-write", NAME, when=when, skip=skip, for_s=0.1)
    outcome = rig.apply({R1: {"a": trays(1, 9), "b": trays(10, 18)}})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert rig.held() == {DEFAULT: 0, "a": 36, "b": 36}


@pytest.mark.parametrize("skip", [0, 1, 2])
def test_an_operation_that_fails_is_put_back(one: LabServer, skip: int) -> None:
    rig = Rig(one)
    one.fault("operation-fails", NAME, skip=skip)
    outcome = rig.apply({R1: {"a": trays(1, 9), "b": trays(10, 18)}})
    assert outcome.status is Status.FAILED, outcome.detail
    assert "not ready" in outcome.detail and "old state is in force" in outcome.detail
    assert rig.held() == {DEFAULT: 72}


def test_slow_operations_are_waited_for_and_too_slow_ones_are_unknown(one: LabServer) -> None:
    rig = Rig(one)
    one.fault("slow-operation", NAME, delay_s=0.1)
    assert rig.apply({R1: {"a": trays(1, 1)}}).status is Status.AWAITING
    one.fault("slow-operation", NAME, delay_s=3600)
    outcome = rig.apply({R1: {"a": trays(1, 2)}}, deadline_s=0.5)
    assert outcome.status is Status.UNKNOWN and outcome.handle
    settled = rig.fresh().settle({NAME: outcome.handle})[NAME]
    assert settled.status is Status.UNKNOWN and "not over" in settled.detail  # it may still happen
    one.fault("failover", NAME, for_s=0.01)
    assert rig.fresh().settle({NAME: outcome.handle})[NAME].status is Status.REVERTED


def test_a_gpu_moved_by_hand_is_drift_and_makes_a_plan_stale(one: LabServer) -> None:
    rig = Rig(one)
    want = {R1: {"a": trays(1, 2)}}
    rig.apply(want)
    request = rig.request(rig.wanted({R1: {"a": trays(1, 3)}}))
    one.fault("move-gpu", NAME, domain=R1, place="1.9.1.1", partition="a")
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.STALE
    drift = rig.request(rig.wanted(want)).differences
    assert [(item.path[3], item.path[5]) for item in drift] == [("a", "1.9.1.1")]


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({"domain": {R1: {"partition": {"a": {"member": {"1.1": {}}}}}}}, "chassis.slot.host.gpu"),
        ({"domain": {R1: {"partition": {"": {"member": {}}}}}}, "printable"),
        ({"domain": {R1: {"partition": {"é": {"member": {}}}}}}, "printable"),
        ({"domain": {R1: {"partition": []}}}, "mapping"),
        ({"domain": {R1: {"partitions": {}}}}, "unknown key"),
        ({"partition": {}}, "unknown key"),
        ({"domain": {R1: {"partition": {"a": {"member": {"1.99.1.1": {}}}}}}}, "no GPU 1.99.1.1"),
        ({"domain": {"nowhere": {"partition": {"a": {"member": {"1.1.1.1": {}}}}}}}, "no GPU"),
        (
            {"domain": {R1: {"partition": {n: {"member": {"1.1.1.1": {}}} for n in ("a", "b")}}}},
            "one partition",
        ),
    ],
)
def test_trees_that_make_no_sense_are_said_and_nothing_is_sent(
    one: LabServer, tree: dict[str, object], words: str
) -> None:
    rig = Rig(one)
    wanted = rig.wanted({})
    seen = rig.actor.observe([type(wanted)(wanted.target, tree, wanted.owned)])[NAME]
    assert seen.problem is Problem.MISMATCH and words in seen.detail, seen.detail
    assert rig.writes() == []


def test_words_of_disruption_and_of_coming_back(one: LabServer) -> None:
    rig = Rig(one)
    request = rig.request(rig.wanted({R1: {"a": trays(1, 1)}}))
    found = rig.actor.disruption(request.wanted, request.differences)
    assert [item.severity for item in found] == ["flap", "flap", "none"]
    assert (
        found[-1].scope == "order of writes" and "the default partition of a domain shrinks first" in found[-1].reason
    )
    assert "compensating writes" in rig.actor.revert_words(request.wanted)
