"""Settings of a subnet manager over UFM's REST API: read, compared, written, put back, against the lab's server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ufm_bench import NAME, Rig, members, wiring

from intent.core.tree import Difference, digest
from intent.device.actor import Outcome, Problem, Request, Status, Wanted
from intent.device.undo import unpack
from intent.lab.inprocess import LabServer
from intent.lab.tools import Refusal

KEY, OLD_KEY = "0xc0ffee00deadbeef", "0xabad1dea0badf00d"
REFERENCE = "$secret:mk$"


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(wiring()) as running:
        yield running


def wanted(rig: Rig, settings: Mapping[str, Any], partition: Mapping[str, Any] | None = None, **more: Any) -> Wanted:
    body = {"setting": dict(settings), **({"partition": dict(partition)} if partition is not None else {})}
    owned = (*((("partition",),) if partition is not None else ()), *(("setting", name) for name in settings))
    return Wanted(rig.target, body, **{"owned": owned, **more})


def rig_of(lab: LabServer, key: str = KEY, **options: Any) -> Rig:
    return Rig(lab, known={"mk": key}, **options)


def apply(rig: Rig, asked: Wanted, **options: Any) -> Outcome:
    return rig.actor.apply([rig.request(asked, **options)], rig.journal)[NAME]


def held(rig: Rig) -> dict[str, Any]:
    """Settings in the lab's own words."""
    return dict(rig.manager.settings.values)


def test_written_confirmed_and_a_second_apply_writes_nothing(lab: LabServer) -> None:
    rig = rig_of(lab)
    before = held(rig)
    settings = {"sminfo_polling_timeout": "2000", "vl_stall_count": "6", "single_thread": "TRUE", "m_key": REFERENCE}
    asked = wanted(rig, settings)
    assert rig.request(asked).differences == (
        Difference(("setting", "m_key"), "(secret)", REFERENCE),
        Difference(("setting", "single_thread"), "FALSE", "TRUE"),
        Difference(("setting", "sminfo_polling_timeout"), "5000", "2000"),
        Difference(("setting", "vl_stall_count"), "0x7", "6"),
    )
    outcome = apply(rig, asked)
    assert outcome.status is Status.AWAITING, outcome.detail
    new = {"sminfo_polling_timeout": 2000, "vl_stall_count": "6", "single_thread": True, "m_key": KEY}
    assert held(rig) == before | new, "nothing else is written, and each in the form it was shown in"
    assert rig.confirm(outcome).status is Status.CONFIRMED
    assert rig.writes() == 4, "one call each, journalled before it"
    assert rig.journal.words().count("write") == 4
    assert apply(rig, asked).status is Status.UNCHANGED
    assert rig.writes() == 4


def test_only_what_is_asked_for_is_compared_and_values_by_their_meaning(lab: LabServer) -> None:
    rig = rig_of(lab)
    asked = wanted(rig, {"sminfo_polling_timeout": "0x1388", "vl_stall_count": "7", "exit_on_fatal": "TRUE"})
    assert rig.request(asked).differences == ()
    assert rig.actor.observe([asked])[NAME].state == {"setting": dict(asked.body["setting"])}
    assert apply(rig, asked).status is Status.UNCHANGED


def test_settings_are_read_only_where_some_are_asked_for(lab: LabServer) -> None:
    """An account that may not read them still manages partitions."""
    rig = rig_of(lab)
    rig.manager.settings.values["m_key"] = ["no", "key"]
    assert rig.apply({"0x8012": {"member": members(1)}}).status is Status.AWAITING
    seen = rig.actor.observe([wanted(rig, {"m_key": REFERENCE})])[NAME]
    assert seen.problem is Problem.PROTOCOL and "m_key is shown as list" in seen.detail


def test_settings_go_before_partitions_and_a_refused_one_costs_no_port_anything(lab: LabServer) -> None:
    rig = rig_of(lab)
    before = held(rig)
    lab.fault("refuse-writes", NAME, status=400, skip=1)
    settings = {"sminfo_polling_timeout": "2000", "polling_retry_number": "9"}
    outcome = apply(rig, wanted(rig, settings, {"0x8012": {"member": members(1)}}))
    assert outcome.status is Status.FAILED, outcome.detail
    assert "setting sminfo_polling_timeout" in outcome.detail and "old state is in force" in outcome.detail
    assert held(rig) == before
    assert {path for _, path in rig.manager.calls} == {"/app/smconf"}


def test_a_ufm_that_says_yes_and_does_nothing_is_a_failure(lab: LabServer) -> None:
    rig = rig_of(lab)
    lab.fault("settings-ignored", NAME)
    outcome = apply(rig, wanted(rig, {"max_wire_smps": "16"}))
    assert outcome.status is Status.FAILED and "1 changes are not in force" in outcome.detail


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("skip", [0, 1])
def test_a_failover_in_the_middle_is_read_again_and_gone_on_with(lab: LabServer, when: str, skip: int) -> None:
    rig = rig_of(lab)
    lab.fault("lost-write", NAME, when=when, skip=skip, for_s=0.2)
    outcome = apply(rig, wanted(rig, {"max_wire_smps": "16", "m_key": REFERENCE}))
    assert outcome.status is Status.AWAITING, outcome.detail
    assert (held(rig)["max_wire_smps"], held(rig)["m_key"]) == (16, KEY)
    assert rig.writes() <= 3


def test_revert_puts_back_what_was_before_in_the_form_it_had(lab: LabServer) -> None:
    rig = rig_of(lab)
    rig.manager.settings.values["m_key"] = OLD_KEY
    before = held(rig)
    settings = {"m_key": REFERENCE, "vl_stall_count": "5", "disable_multicast": "TRUE", "max_wire_smps": "4"}
    outcome = apply(rig, wanted(rig, settings))
    assert outcome.status is Status.AWAITING and held(rig) != before
    back = rig.revert(outcome)
    assert back.status is Status.REVERTED, back.detail
    assert held(rig) == before, "the very process that replaced a key still knows it"


def test_another_process_puts_back_everything_but_a_key_nobody_has_any_more(lab: LabServer) -> None:
    rig = rig_of(lab)
    rig.manager.settings.values["m_key"] = OLD_KEY
    outcome = apply(rig, wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4"}))
    other = rig_of(lab)
    assert other.actor.settle({NAME: outcome.handle})[NAME].status is Status.AWAITING
    back = other.revert(outcome)
    assert back.status is Status.UNKNOWN, back.detail
    assert "setting m_key stays as written: the key it replaced is written down nowhere" in back.detail
    assert (held(rig)["max_wire_smps"], held(rig)["m_key"]) == (8, KEY)


def test_another_process_puts_back_the_key_that_everybody_knows(lab: LabServer) -> None:
    rig = rig_of(lab)
    before = held(rig)
    outcome = apply(rig, wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4"}))
    back = rig_of(lab).revert(outcome)
    assert back.status is Status.REVERTED, back.detail
    assert held(rig) == before


def test_a_process_that_died_before_its_first_write_left_the_old_state(lab: LabServer) -> None:
    rig = rig_of(lab)
    rig.manager.settings.values["m_key"] = OLD_KEY
    outcome = apply(rig, wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4"}))
    rig.manager.settings.values |= {"m_key": OLD_KEY, "max_wire_smps": 8}
    assert rig_of(lab).actor.settle({NAME: outcome.handle})[NAME].status is Status.REVERTED


def test_what_somebody_else_set_since_is_left_alone_and_told_of(lab: LabServer) -> None:
    rig = rig_of(lab)
    outcome = apply(rig, wanted(rig, {"max_wire_smps": "4", "polling_retry_number": "9"}))
    lab.fault("set-by-hand", NAME, setting="max_wire_smps", value="12")
    kept = rig.confirm(outcome)
    assert kept.status is Status.UNKNOWN and "setting max_wire_smps is 12, neither 8 nor 4" in kept.detail
    assert rig_of(lab).actor.settle({NAME: outcome.handle})[NAME].status is Status.UNKNOWN
    back = rig.revert(outcome)
    assert back.status is Status.UNKNOWN
    assert (held(rig)["max_wire_smps"], held(rig)["polling_retry_number"]) == (12, 4)


def test_a_change_between_plan_and_apply_is_stale(lab: LabServer) -> None:
    rig = rig_of(lab)
    request = rig.request(wanted(rig, {"max_wire_smps": "4"}))
    lab.fault("set-by-hand", NAME, setting="max_wire_smps", value="12")
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.STALE
    assert rig.writes() == 0


def test_a_setting_ufm_does_not_show_is_said_and_never_written(lab: LabServer) -> None:
    rig = rig_of(lab)
    request = rig.request(wanted(rig, {"max_wire_smps": "4", "polling_retry_number": "9"}))
    lab.fault("hidden-setting", NAME, setting="max_wire_smps")
    seen = rig.actor.observe([request.wanted])[NAME]
    assert seen.problem is Problem.MISMATCH
    assert "UFM shows no max_wire_smps" in seen.detail and "manage: {except: [/setting/max_wire_smps]}" in seen.detail
    assert rig.actor.apply([request], rig.journal)[NAME].status is Status.STALE
    assert rig.writes() == 0
    blind = Request(wanted(rig, {"max_wire_smps": "4"}), (), digest({}), 60, 20.0)
    told = rig.actor.apply([blind], rig.journal)[NAME]
    assert told.status is Status.FAILED and "UFM shows no max_wire_smps" in told.detail, "whatever a plan says"
    assert rig.writes() == 0
    left = wanted(rig, {"max_wire_smps": "4", "polling_retry_number": "9"}, excepted=(("setting", "max_wire_smps"),))
    assert apply(rig, left).status is Status.AWAITING
    assert held(rig)["polling_retry_number"] == 9


def test_a_version_that_is_not_known_to_take_them_is_told() -> None:
    with LabServer(wiring("6.15.6-4")) as lab:
        rig = rig_of(lab)
        seen = rig.actor.observe([wanted(rig, {"max_wire_smps": "4"})])[NAME]
        assert seen.problem is Problem.MISMATCH
        assert "UFM 6.15.6-4 is not known to take max_wire_smps by REST" in seen.detail


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"routing_engine": "ar_updn"}, "not known to take it"),
        ({"root_guid_file": "/x"}, "not known to take it"),
        ({"max_wire_smps": "many"}, "expected a number"),
        ({"vl_stall_count": "8"}, "expected 1 to 7"),
        ({"single_thread": "true"}, "expected TRUE or FALSE"),
        ({"m_key": OLD_KEY}, "by reference, never in the open"),
        ({"max_wire_smps": 4}, "expected text"),
    ],
)
def test_settings_that_make_no_sense_are_said_and_nothing_is_sent(
    lab: LabServer, settings: dict[str, Any], words: str
) -> None:
    rig = rig_of(lab)
    seen = rig.actor.observe([wanted(rig, settings)])[NAME]
    assert seen.problem is Problem.MISMATCH and words in seen.detail
    assert OLD_KEY not in seen.detail


def test_a_key_that_cannot_be_had_is_not_compared_and_one_that_is_none_is_not_written(lab: LabServer) -> None:
    rig = Rig(lab)
    seen = rig.actor.observe([wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "8"})])[NAME]
    assert seen.problem is None and seen.not_compared == (("setting", "m_key"),)
    outcome = apply(rig, wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4"}))
    assert outcome.status is Status.AWAITING, "what can be compared is written"
    assert held(rig)["m_key"] == "0x0000000000000000"
    broken = Rig(lab, known={"mk": "letmein-please"})
    refused = apply(broken, wanted(broken, {"m_key": REFERENCE}))
    assert refused.status is Status.FAILED and "no key of 64 bits; nothing was written" in refused.detail.replace(
        " (store a number such as 0x and sixteen hexadecimal digits)", ""
    )
    assert "letmein" not in refused.detail


def test_an_account_that_may_only_read_is_told_before_anything_is_written(lab: LabServer) -> None:
    rig = rig_of(lab)
    lab.fault("read-only", NAME)
    outcome = apply(rig, wanted(rig, {"max_wire_smps": "4"}))
    assert outcome.status is Status.FAILED and "does not offer PUT on settings" in outcome.detail
    assert rig.writes() == 0


def test_no_key_old_or_new_in_any_word(lab: LabServer) -> None:
    """Neither in what is observed and planned, nor in the journal, a handle or what UFM says of a refusal."""
    rig = rig_of(lab)
    rig.manager.settings.values["m_key"] = OLD_KEY
    asked = wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4"})
    seen = rig.actor.observe([asked])[NAME]
    request = Request(asked, rig.actor.difference(asked, seen), seen.digest, 60, 20.0)
    good = rig.actor.apply([request], rig.journal)[NAME]
    back = rig.revert(good)
    rig.manager.settings.take = _quoting  # type: ignore[method-assign]
    bad = rig.actor.apply([request], rig.journal)[NAME]
    assert (good.status, back.status, bad.status) == (Status.AWAITING, Status.REVERTED, Status.FAILED)
    assert "no good" in bad.detail
    said = json.dumps([str(seen), str(request), str(good), str(back), str(bad), str(rig.journal.steps)]).lower()
    said += str(unpack("ufm1", good.handle)).lower()
    for key in (KEY, OLD_KEY):
        for text in (key.removeprefix("0x"), str(int(key, 16))):
            assert text not in said


def _quoting(body: Mapping[str, Any]) -> None:
    old = int(OLD_KEY, 16)
    said = "; ".join(f"{name}={str(value).upper()} is no good" for name, value in body.items())
    raise Refusal(400, f"{said}, it was {old}, {old:X}")


def test_what_a_change_does_is_in_the_plan_with_its_source(lab: LabServer) -> None:
    rig = rig_of(lab)
    asked = wanted(rig, {"m_key": REFERENCE, "max_wire_smps": "4", "vl_stall_count": "5"})
    told = rig.actor.disruption(asked, rig.request(asked).differences)
    assert {item.severity for item in told} == {"reload", "flap", "none"}
    assert all("(" in item.reason for item in told)
    assert "only this very run can put it back" in rig.actor.revert_words(asked)
    assert "key" not in rig.actor.revert_words(wanted(rig, {"max_wire_smps": "4"}))


def test_known_faults_of_partitions_are_told_of_partitions_alone(lab: LabServer) -> None:
    rig = rig_of(lab, release="6.15.2")
    asked = Wanted(rig.target, {})
    setting = Difference(("setting", "max_wire_smps"), "8", "4")
    port = Difference(("partition", "0x8012", "member", "0x0002c90300000001", "membership"), "full", "limited")
    told = [
        any("4040154" in item.reason for item in rig.actor.disruption(asked, found)) for found in ([setting], [port])
    ]
    assert told == [False, True]
