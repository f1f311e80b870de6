"""UFM's partitions end to end: plan, write, read back, keep or put back, against the lab's REST server."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from ufm_bench import NAME, Rig, guid, members, wiring

from intent.device.actor import Problem, Status
from intent.lab.inprocess import LabServer


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(wiring()) as running:
        yield running


def tenant(*numbers: int, **more: object) -> dict[str, object]:
    return {"ipoib": True, "member": members(*numbers), **more}


def test_made_confirmed_and_a_second_apply_writes_nothing(lab: LabServer) -> None:
    rig = Rig(lab)
    want = {
        "0x8012": {
            "name": "tenant-a",
            "ipoib": False,
            "mtu": 4096,
            "rate": 200,
            "service-level": 1,
            "member": {**members(1, 2), **members(3, membership="limited"), **members(4, index0=True)},
        }
    }
    outcome = rig.apply(want)
    assert outcome.status is Status.AWAITING, outcome.detail
    held = rig.manager.model.partitions[0x12]
    assert (held.name, held.ipoib, held.mtu, held.rate, held.level) == ("tenant-a", False, 4, 200, 1)
    assert rig.held(0x12) == {
        "0002c90300000001": ("full", False),
        "0002c90300000002": ("full", False),
        "0002c90300000003": ("limited", False),
        "0002c90300000004": ("full", True),
    }
    assert rig.confirm(outcome).status is Status.CONFIRMED
    before = rig.writes()
    assert rig.apply(want).status is Status.UNCHANGED
    assert rig.writes() == before == 4  # add, and one for each kind of member


def test_a_change_of_k_members_costs_k_over_100_writes(lab: LabServer) -> None:
    rig = Rig(lab)
    assert rig.apply({"0x8012": tenant(*range(1000))}).status is Status.AWAITING
    assert rig.writes() == 1 + 10
    rig = Rig(lab, allow_removals=True)
    assert rig.apply({"0x8012": tenant(*range(450, 1000))}).status is Status.AWAITING
    assert rig.writes() == 11 + 5


def test_mixed_memberships_are_honoured_per_guid_and_others_stay(lab: LabServer) -> None:
    """Members added in one call must not all become full (what D17 of the collected reports is about)."""
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    mixed = {**members(1, 2), **members(3, membership="limited")}
    outcome = rig.apply({"0x8012": {"member": mixed}})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert {kind for kind, _ in rig.held(0x12).values()} == {"full", "limited"}
    assert len(rig.held(0x12)) == 3


def test_a_manager_that_makes_everybody_full_is_a_failure_and_put_back(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    lab.fault("all-full", NAME)
    want = {"0x8012": {"member": {**members(1), **members(2, membership="limited")}}}
    outcome = rig.apply(want)
    assert outcome.status is Status.FAILED, outcome.detail
    assert f"port {guid(2)} is full, neither absent nor limited" in outcome.detail
    assert rig.held(0x12) == {"0002c90300000001": ("full", False)}


def test_what_only_ufm_knows_is_shown_and_removed_only_when_allowed(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    lab.fault("add-member", NAME, pkey="0x12", guid="0002c90300000077")
    wanted = rig.wanted({"0x8012": tenant(1)})
    shown = rig.request(wanted).differences
    assert {item.path[3] for item in shown} == {guid(0x77)} and {str(item.kind) for item in shown} == {"remove"}
    before = rig.writes()
    refused = rig.actor.apply([rig.request(wanted)], rig.journal)[NAME]
    assert refused.status is Status.FAILED and "--allow-removals" in refused.detail
    assert rig.writes() == before
    allowed = Rig(lab, allow_removals=True)
    assert allowed.apply({"0x8012": tenant(1)}).status is Status.AWAITING
    assert list(rig.held(0x12)) == ["0002c90300000001"]


def test_a_member_known_only_to_ufm_can_be_left_alone(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    lab.fault("add-member", NAME, pkey="0x12", guid="0002c90300000077")
    wanted = rig.wanted({"0x8012": tenant(1)}, excepted=(("partition", "0x12", "member", "0002c90300000077"),))
    assert rig.request(wanted).differences == ()


def test_only_owned_partitions_are_compared(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("add-member", NAME, pkey="0x99", guid="0002c90300000077")
    wanted = rig.wanted({"0x8012": tenant(1)}, owned=(("partition", "0x8012"),))
    request = rig.request(wanted)
    assert {item.path[1] for item in request.differences} == {"0x8012"}
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.AWAITING
    assert 0x99 in rig.manager.model.partitions


def test_partitions_of_another_fabric_are_refused_and_nothing_is_sent(lab: LabServer) -> None:
    rig = Rig(lab, fabric="compute")
    for wanted in (
        rig.wanted({"0x8012": tenant(1, fabric="storage")}),
        rig.wanted({"0x8012": tenant(1)}, fabric="storage"),
    ):
        seen = rig.actor.observe([wanted])[NAME]
        assert seen.problem is Problem.MISMATCH and "storage" in seen.detail
    assert rig.writes() == 0
    assert rig.actor.observe([rig.wanted({"0x8012": tenant(1, fabric="compute")})])[NAME].problem is None


@pytest.mark.parametrize(
    ("partition", "words"),
    [
        ({"12": {}}, "not hexadecimal"),
        ({"0x0": {}}, "no partition"),
        ({"0x8000": {}}, "no partition"),
        ({"0x7fff": {}}, "default partition"),
        ({"0x12": {}, "0x8012": {}}, "twice"),
        ({"0x8012": {"member": {"0x12": {}}}}, "sixteen"),
        ({"0x8012": {"member": {guid(1): {}, guid(1)[2:]: {}}}}, "twice"),
        ({"0x8012": {"member": {guid(1): {"membership": "ful1"}}}}, "full or limited"),
        ({"0x8012": {"member": {guid(1): {"membership": "both"}}}}, "full or limited"),
        ({"0x8012": {"mtu": 9000}}, "mtu"),
        ({"0x8012": {"rate": 3}}, "rate"),
        ({"0x8012": {"service-level": 16}}, "service-level"),
        ({"0x8012": {"ipiob": True}}, "unknown key"),
        ({"0x8012": {"ipoib": "yes"}}, "ipoib"),
        ({"0x8012": {"member": []}}, "mapping"),
        ({"0x8012": {"index0": 1}}, "index0"),
    ],
)
def test_trees_that_make_no_sense_are_said_and_nothing_is_sent(
    lab: LabServer, partition: dict[str, object], words: str
) -> None:
    rig = Rig(lab)
    seen = rig.actor.observe([rig.wanted(partition)])[NAME]
    assert seen.problem is Problem.MISMATCH and words in seen.detail


def test_attributes_that_are_not_asked_for_are_left_alone(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1, ipoib=False, mtu=4096, rate=100)})
    outcome = rig.apply({"0x8012": {"member": members(1, 2)}})
    assert outcome.status is Status.AWAITING, outcome.detail
    held = rig.manager.model.partitions[0x12]
    assert (held.ipoib, held.mtu, held.rate) == (False, 4, 100)


def test_ipoib_and_qualities_change_without_touching_members(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1, 2)})
    rig.apply({"0x8013": {"ipoib": True}, "0x8012": tenant(1, 2)})
    outcome = rig.apply({"0x8012": tenant(1, 2, ipoib=False, rate=25), "0x8013": {"ipoib": False}})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert not rig.manager.model.partitions[0x12].ipoib and not rig.manager.model.partitions[0x13].ipoib
    assert rig.manager.model.partitions[0x12].rate == 25
    assert rig.held(0x12) == {"0002c90300000001": ("full", False), "0002c90300000002": ("full", False)}


def test_a_change_between_plan_and_apply_is_stale(lab: LabServer) -> None:
    rig = Rig(lab)
    request = rig.request(rig.wanted({"0x8012": tenant(1)}))
    lab.fault("add-member", NAME, pkey="0x12", guid="0002c90300000077")
    before = rig.writes()
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.STALE
    assert rig.writes() == before


def test_a_job_that_completed_with_errors_is_a_failure_and_put_back(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    lab.fault("job-errors", NAME)
    outcome = rig.apply({"0x8012": tenant(*range(1, 9))})
    assert outcome.status is Status.FAILED, outcome.detail
    assert "Completed With Errors" in outcome.detail and "old state is in force" in outcome.detail
    assert list(rig.held(0x12)) == ["0002c90300000001"]


def test_slow_jobs_are_waited_for(lab: LabServer) -> None:
    lab.fault("slow-job", NAME, delay_s=0.1)
    rig = Rig(lab)
    outcome = rig.apply({"0x8012": tenant(1, 2)})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert len(rig.held(0x12)) == 2


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("skip", [0, 1, 2])
def test_a_failover_in_the_middle_of_writing_is_read_again_and_gone_on_with(
    lab: LabServer, when: str, skip: int
) -> None:
    rig = Rig(lab)
    lab.fault("lost-write", NAME, when=when, skip=skip, for_s=0.2)
    outcome = rig.apply({"0x8012": tenant(*range(150), name="a")})
    assert outcome.status is Status.AWAITING, outcome.detail
    assert len(rig.held(0x12)) == 150
    assert rig.manager.failovers == 1
    # What was in force is not sent again: one call more than without the loss, at most.
    assert rig.writes() <= 4


def test_a_job_lost_by_a_failover_is_decided_by_reading(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("slow-job", NAME, delay_s=0.3)

    class Failing(type(rig.journal)):  # type: ignore[misc]
        def record(self, device: str, step: str, data: object = None) -> None:
            super().record(device, step, data)  # type: ignore[arg-type]
            if step == "write" and len([word for word in self.words() if word == "write"]) == 2:
                lab.fault("clear", NAME)
                lab.fault("failover", NAME, for_s=0.1)

    journal = Failing()
    outcome = rig.actor.apply([rig.request(rig.wanted({"0x8012": tenant(1, 2)}))], journal)[NAME]
    assert outcome.status is Status.AWAITING, outcome.detail
    assert len(rig.held(0x12)) == 2


def test_ufm_that_stays_away_is_unknown_never_green_and_is_settled_later(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("lost-write", NAME, when="after", skip=1, for_s=3600)
    outcome = rig.apply({"0x8012": tenant(*range(150))}, deadline_s=1.0)
    assert outcome.status is Status.UNKNOWN and outcome.handle
    assert rig.fresh().settle({NAME: outcome.handle})[NAME].status is Status.UNKNOWN
    lab.fault("clear", NAME)
    settled = rig.fresh().settle({NAME: outcome.handle})[NAME]
    assert settled.status is Status.AWAITING and "changes are in force" in settled.detail
    # A part is not kept ...
    assert rig.fresh().confirm({NAME: outcome.handle}, rig.journal)[NAME].status is Status.UNKNOWN
    # ... and is put back by a process that knows nothing but the handle.
    back = rig.fresh().revert({NAME: outcome.handle}, rig.journal)[NAME]
    assert back.status is Status.REVERTED, back.detail
    assert set(rig.manager.model.partitions) == {0x7FFF}
    assert rig.fresh().settle({NAME: outcome.handle})[NAME].status is Status.REVERTED


def test_revert_puts_back_removed_partitions_memberships_and_attributes(lab: LabServer) -> None:
    rig = Rig(lab, allow_removals=True)
    old = {
        "0x8012": tenant(1, 2, name="a", mtu=4096, rate=100, **{"service-level": 3}),
        "0x8013": {"member": {**members(3, membership="limited"), **members(4, index0=True)}},
    }
    rig.apply(old)
    before = json.dumps(rig.actor.observe([rig.wanted({})])[NAME].state)
    outcome = rig.apply({"0x8013": {"ipoib": False, "member": members(3, 5)}, "0x8014": tenant(6)})
    assert outcome.status is Status.AWAITING, outcome.detail
    back = rig.revert(outcome)
    assert back.status is Status.REVERTED, back.detail
    assert json.dumps(rig.actor.observe([rig.wanted({})])[NAME].state) == before


def test_revert_leaves_alone_what_somebody_else_changed_since(lab: LabServer) -> None:
    rig = Rig(lab)
    rig.apply({"0x8012": tenant(1)})
    outcome = rig.apply({"0x8012": tenant(1, 2, 3)})
    lab.fault("add-member", NAME, pkey="0x12", guid="0002c90300000003", membership="limited")
    lab.fault("add-member", NAME, pkey="0x12", guid="0002c90300000077")
    back = rig.revert(outcome)
    assert back.status is Status.UNKNOWN and guid(3) in back.detail
    assert rig.held(0x12) == {
        "0002c90300000001": ("full", False),
        "0002c90300000003": ("limited", False),
        "0002c90300000077": ("full", False),
    }


def test_a_refused_write_is_put_back(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("refuse-writes", NAME, status=400, skip=1)
    outcome = rig.apply({"0x8012": tenant(*range(150))})
    assert outcome.status is Status.FAILED, outcome.detail
    assert "400" in outcome.detail
    assert set(rig.manager.model.partitions) == {0x7FFF}


def test_wrong_credentials_are_said_without_the_secret(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.controller(NAME).accounts.password = "another"  # type: ignore[attr-defined]
    seen = rig.actor.observe([rig.wanted({})])[NAME]
    assert seen.problem is Problem.AUTHENTICATION
    assert lab.info.controllers[NAME].password not in seen.detail


def test_access_tokens_speak_to_the_third_root() -> None:
    with LabServer(wiring(authentication="token")) as lab:
        rig = Rig(lab)
        assert lab.info.controllers[NAME].token
        assert rig.apply({"0x8012": tenant(1)}).status is Status.AWAITING


@pytest.mark.parametrize("version", ["6.15.6-4", "6.17.2", "6.21.0", "6.24.1"])
def test_every_version_is_given_what_it_understands(version: str) -> None:
    with LabServer(wiring(version)) as lab:
        rig = Rig(lab, release=version)
        want = {"0x8012": tenant(1, 2, name="tenant-a", mtu=4096)}
        outcome = rig.apply(want)
        assert outcome.status is Status.AWAITING, outcome.detail
        held = rig.manager.model.partitions[0x12]
        assert held.mtu == 4
        assert held.name == ("tenant-a" if version >= "6.22" else "api_pkey_0x12")
        assert rig.apply(want).status is Status.UNCHANGED


def test_another_version_than_the_intent_names_is_a_mismatch(lab: LabServer) -> None:
    for release, problem in (("6.23", None), ("6.23.1", None), ("6.23.1-6", None), ("6.22", Problem.MISMATCH)):
        rig = Rig(lab, release=release)
        assert rig.actor.observe([rig.wanted({})])[NAME].problem is problem


def test_an_account_that_may_only_read_is_told_before_anything_is_written(lab: LabServer) -> None:
    rig = Rig(lab)
    lab.fault("read-only", NAME)
    outcome = rig.apply({"0x8012": tenant(1)})
    assert outcome.status is Status.FAILED and "POST" in outcome.detail and "nothing was written" in outcome.detail
    assert rig.writes() == 0


def test_stopped_before_it_was_begun(lab: LabServer) -> None:
    rig = Rig(lab)
    request = rig.request(rig.wanted({"0x8012": tenant(1)}))
    rig.journal.stop = True
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.NOT_ATTEMPTED
    assert rig.writes() == 0


def test_disruption_speaks_of_partitions_and_of_known_faults(lab: LabServer) -> None:
    rig = Rig(lab, release="6.15.3")
    wanted = rig.wanted({"0x8012": tenant(1)})
    found = rig.actor.disruption(wanted, Rig(lab).request(Rig(lab).wanted({"0x8012": tenant(1)})).differences)
    assert found[0].severity == "reload" and "4040154" in found[0].reason
    assert any(item.scope == "partition 0x8012" for item in found)
    assert "compensating writes" in rig.actor.revert_words(wanted)
