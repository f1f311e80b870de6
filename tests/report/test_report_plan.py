"""Plans, results, drift and growth as people and machines read them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from report_samples import (
    FLAP,
    HOSTILE,
    MTU,
    MTU_ORIGIN,
    VLAN,
    device_plan,
    plan_of,
    sample_drift,
    sample_plan,
    sample_result,
)
from rich.console import Console

from intent.change import events
from intent.change.history import ChangeRecord
from intent.change.plan import DevicePlan, DeviceState
from intent.change.result import Result, Row
from intent.change.waves import Wave
from intent.core.exitcode import ExitCode
from intent.core.tree import ABSENT, Difference
from intent.core.verdict import Verdict
from intent.device.actor import Disruption, Status
from intent.fabric.growth import CableMove, Growth
from intent.report import changes, drift, growth
from intent.report import plan as plan_report
from intent.report.impacts import impact_lines, worst
from intent.report.tables import table_csv, table_json

GROWTH = Growth(
    tuple(f"ew-l{n:02}" for n in range(17, 33)) + tuple(f"ew-s{n:02}" for n in range(9, 17)),
    tuple(f"ew-l{n:02}" for n in range(1, 17)) + tuple(f"ew-s{n:02}" for n in range(1, 9)),
    (),
    (),
    tuple(CableMove(n, "ew-l01", f"swp{n}s0", ("ew-s01", f"swp{n}s0"), ("ew-s09", "swp1s0")) for n in range(1, 513)),
    False,
)


def test_plan_for_people() -> None:
    plan = sample_plan()
    assert plan_report.human(plan).plain == "\n".join(
        [
            "[1] leaf{01..15}: same on 15 devices",
            "    ~ interface.swp1s0.link.mtu 1500 → 9216   # sites/par1.yaml:12 (link mtu)",
            "    + bridge.domain.br_default.vlan.10   # default (default)",
            "    - system.aaa.user.eve   # default (default)",
            "    ! flap: port swp1s0 - interface.*.link.mtu: the port is set down and up",
            "    reverts: by its own timer after 600 s",
            "",
            "[2] leaf16: new",
            "    + bridge.domain.br_default.vlan.10   # default (default)",
            "    reverts: by its own timer after 600 s",
            "",
            "unreachable: leaf18 - timeout: no answer in 10 s",
            "mismatch: leaf19 - model - expected SN5600, actual SN4700",
            "16 to change (1 new), 1 unchanged, 1 unreachable, 1 mismatch",
            "disruption: flap on 15 devices",
            "waves: 16, of at most 1 device, a canary of 1 first; "
            "5 min of soak after each but the last: 1 h 15 min at least",
            f"plan {plan.digest}",
        ]
    )


def test_a_partial_plan_says_so_first_and_last() -> None:
    text = plan_report.human(plan_of(device_plan("leaf01", MTU), total=24, notes=("restores change c-1",))).plain
    assert text.startswith("PARTIAL PLAN: 1 of 24 devices (--limit leaf*); the others are neither read nor changed")
    assert "1 to change, 0 unchanged, 0 unreachable - partial: 1 of 24 devices" in text
    assert "note: restores change c-1" in text


def test_a_plan_without_changes_is_one_line_and_its_digest() -> None:
    text = plan_report.human(plan_of(device_plan("leaf01"))).plain
    assert text.split("\n")[0] == "0 to change, 1 unchanged, 0 unreachable"
    assert "disruption" not in text


def test_long_groups_and_values_are_cut_with_a_count() -> None:
    many = [Difference(("interface", f"swp{n}", "x"), ABSENT, "v" * 999) for n in range(100)]
    text = plan_report.human(plan_of(device_plan("leaf01", *many)), most_lines=10).plain
    assert "… +90 more lines; --json has all" in text
    assert max(len(line) for line in text.split("\n")) < 260
    assert text.count("    + ") == 10
    full = plan_report.human(plan_of(device_plan("leaf01", *many)), most_lines=0).plain
    assert full.count("    + ") == 100


def test_an_unheard_of_severity_counts_as_the_worst() -> None:
    found = [Disruption("flap", "a", "b"), Disruption("meltdown", "c", "d")]
    assert worst(found) == "meltdown"
    assert worst([]) == "none"


def test_equal_effects_of_many_ports_are_one_line() -> None:
    why = "the link is taken down to change it (IF)"
    ports = [
        Disruption("flap", f"port swp{n}s{part}", f"interface.swp{n}s{part}.link.mtu and 3 more: {why}")
        for n in (10, 2, 1, *range(3, 10))
        for part in (0, 1)
    ]
    other = Disruption("flap", "port swp7s0", "interface.swp7s0.type: names what the port is (ENG)")
    reload = Disruption("reload", "switchd", "qos.roce.mode: buffers are carved anew (QOS)")
    lines = [text.plain for text in impact_lines([other, *ports, reload])]
    assert lines == [
        "    ! reload: switchd - qos.roce.mode: buffers are carved anew (QOS)",
        "    ! flap: port swp7s0 - interface.swp7s0.type: names what the port is (ENG)",
        f"    ! flap: 20 x port swp{{1..10}}s{{0..1}} - {why}",
    ]


def test_gaps_of_ports_show_and_hostile_scopes_stay_on_their_line() -> None:
    found = [Disruption("flap", f"port swp{n}", f"interface.swp{n}.x: why") for n in (1, 2, 3, 7)]
    assert impact_lines(found)[0].plain == "    ! flap: 4 x port swp{1..3}, port swp7 - why"
    assert len(impact_lines([Disruption("flap", "a\nb\x1b[2J", "no rule")])[0].plain.split("\n")) == 1
    assert impact_lines([]) == []


def test_alike_devices_name_the_one_whose_ports_are_shown() -> None:
    first = Difference(("interface", "swp1s0", "link", "mtu"), 1500, 9216)
    second = Difference(("interface", "swp2s0", "link", "mtu"), 1500, 9216)
    devices = [replace(device_plan(f"leaf{n}", item), disruptions=(FLAP,)) for n, item in ((1, first), (2, second))]
    text = plan_report.human(plan_of(*devices)).plain
    assert "    on leaf1, and alike on the others:\n    ! flap: port swp1s0" in text


def test_plan_names_secrets_that_could_not_be_compared() -> None:
    unread = DevicePlan(
        device_plan("leaf01").wanted, DeviceState.UNCHANGED, "w", "l", not_compared=(("system", "snmp"),)
    )
    plan = plan_of(unread)
    assert "secrets could not be compared on leaf01" in plan_report.human(plan).plain
    assert json.loads(plan_report.as_json(plan))["devices"][0]["not_compared"] == ["system.snmp"]


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ({"soak_s": 0}, "waves: 3, of at most 2 devices, a canary of 1 first"),
        (
            {"soak_s": 90, "canary": 0},
            "waves: 3, of at most 2 devices; 1 min 30 s of soak after each but the last: 3 min at least",
        ),
        ({"soak_s": 90, "canary": 0, "batch_percent": 100}, "waves: 1, of at most 5 devices"),
    ],
)  # fmt: skip
def test_waves_and_the_least_they_take(strategy: dict[str, float], words: str) -> None:
    item = Difference(("interface", "swp1s0", "link", "mtu"), 1500, 9216)
    plan = plan_of(*(device_plan(f"leaf{n}", item) for n in range(1, 6)))
    told = replace(plan, strategy=replace(plan.strategy, **{"batch_percent": 40} | strategy))  # type: ignore[arg-type]
    assert words in plan_report.human(told).plain.split("\n")
    assert not [row for row in plan_report.human(replace(told, devices=())).plain.split("\n") if "waves" in row]


def test_plan_as_json() -> None:
    plan = sample_plan()
    found = json.loads(plan_report.as_json(plan))
    assert found["digest"] == plan.digest
    assert found["counts"] == {
        "change": 16, "unchanged": 1, "unreachable": 1, "unknown": 0, "mismatch": 1, "new": 1,
    }  # fmt: skip
    assert found["changes_pending"] is True
    assert found["waves"][0] == {"number": 1, "canary": True, "devices": ["leaf01"]}
    assert sorted(name for wave in found["waves"] for name in wave["devices"]) == [f"leaf{n:02}" for n in range(1, 17)]
    assert [len(group["devices"]) for group in found["groups"]] == [15, 1]
    first = found["devices"][0]["differences"][0]
    assert first == {
        "path": ["interface", "swp1s0", "link", "mtu"],
        "dotted": "interface.swp1s0.link.mtu",
        "kind": "change",
        "before": 1500,
        "after": 9216,
        "origin": {
            "span": {"file": "sites/par1.yaml", "line": 12, "column": 7},
            "reason": "link mtu",
        },
    }
    added = found["devices"][0]["differences"][1]
    assert "before" not in added
    assert added["after"] == {}


def test_hostile_names_reach_no_terminal() -> None:
    odd = Difference((HOSTILE, "x"), HOSTILE, HOSTILE + "2")
    text = plan_report.human(plan_of(device_plan(HOSTILE, odd))).plain
    assert "\x1b" not in text
    assert "\r" not in text


def test_result_for_people_tells_trouble_first() -> None:
    assert changes.human(sample_result()).plain == "\n".join(
        [
            "reverted: leaf16 - checks failed - checks: fail",
            "  Port: swp1s0 - down",
            "not attempted: leaf17",
            "confirmed: leaf{01..15} (15 devices)",
            "stopped: budget spent",
            "1 reverted, 1 not attempted, 15 confirmed in 84.2 s - partly applied: budget hit, stopped, interrupted "
            "after something was touched (exit code 4)",
            f"change c-20261130-1, plan {'d' * 64}",
        ]
    )


def test_a_result_without_rows_is_no_success() -> None:
    assert changes.human(Result("", "d", ())).plain.startswith("no device was touched")


def test_result_has_one_row_per_device() -> None:
    table = changes.rows(sample_result())
    assert len(table.rows) == 17
    assert table.rows[15] == ("leaf16", "2", "reverted", "fail", "checks failed; Port: swp1s0 - down")
    found = json.loads(changes.as_json(sample_result()))
    assert found["exit_code"] == 4
    assert found["counts"]["confirmed"] == 15
    assert found["devices"][15]["verdict"] == "fail"


def test_history_marks_what_never_ended() -> None:
    done = ChangeRecord(
        "c-1", "apply", "", "par1", "aurora", "d", "ops", "growth", "2026-11-30T22:00:00Z", "2026-11-30T22:05:00Z",
        ExitCode.OK, (Row("leaf01", Status.CONFIRMED),), 600,
    )  # fmt: skip
    dead = ChangeRecord(
        "c-2", "rollback", "c-1", "par1", "aurora", "d", "ops", "", "2026-11-30T23:00:00Z", "", None,
        (Row("leaf01", Status.AWAITING),), 600,
    )  # fmt: skip
    table = changes.history([dead, done])
    assert table.rows[0][2:4] == ("never", "rollback of c-1")
    assert table.rows[0][7] == "unfinished: 1 awaiting confirm"
    assert table.rows[1][7] == "1 confirmed"
    assert [item["exit_code"] for item in json.loads(changes.history_json([dead, done]))["changes"]] == [None, 0]


def test_every_event_of_a_change_has_a_line_or_none() -> None:
    wave = Wave(1, ("leaf01", "leaf02"), True, ("par1", "east-west", "1", "leaf"))
    found = [
        changes.progress_line(event)
        for event in (
            events.Checking(24),
            events.ChangeStarted("c-1", 24, 5),
            events.WaveStarted(wave),
            events.DeviceStep("leaf01", "patch"),
            events.Judging(("leaf01",)),
            events.DeviceJudged("leaf01", Verdict.PASS, ()),
            events.DeviceJudged("leaf02", Verdict.FAIL, ("Port: swp1 - down",)),
            events.DeviceDone("leaf02", Status.REVERTED, "checks failed"),
            events.Waiting("soak", 30.0, ("leaf01",)),
            events.Stopping("budget spent"),
            events.ChangeEnded("c-1"),
        )
    ]
    assert [line.plain if line else None for line in found] == [
        "comparing 24 devices with the plan",
        "change c-1: 24 devices in 5 waves",
        "wave 1 (canary): fabric east-west, plane 1, role leaf: 2 devices: leaf01, leaf02",
        None,
        "  checking 1 device over new connections",
        None,
        "  leaf02: checks fail - Port: swp1 - down",
        "  leaf02: reverted - checks failed",
        "  waiting 30 s: soak (leaf01)",
        "stopping: budget spent",
        "change c-1 ended",
    ]


def test_drift_names_path_both_values_and_the_line_of_the_intent() -> None:
    report = sample_drift()
    assert drift.human(report).plain == "\n".join(
        [
            "drift: leaf{01..04}",
            "    interface.swp1s0.link.mtu - expected 9216, actual 1500   # sites/par1.yaml:12 (link mtu)",
            "    system.aaa.user.eve - expected nothing, actual present",
            "unknown: leaf06 - timeout: no answer",
            "1 in sync, 4 drift, 1 unknown",
        ]
    )
    found = json.loads(drift.as_json(report))
    assert found["exit_code"] == ExitCode.UNKNOWN
    deviation = found["devices"][0]["deviations"][0]
    assert (deviation["expected"], deviation["actual"]) == (9216, 1500)
    assert deviation["origin"]["span"]["line"] == MTU_ORIGIN.span.line  # type: ignore[union-attr]


def test_growth_says_what_moves_before_anything_is_touched() -> None:
    text = growth.human(GROWTH, most_moves=2).plain
    assert text == "\n".join(
        [
            "against the lock: 24 devices new, 24 changed, 0 renumbered, 512 cables to move",
            "  new: ew-l{17..32}, ew-s{09..10}".replace("ew-s{09..10}", "ew-s{09..16}"),
            "  changed: ew-l{01..16}, ew-s{01..08}",
            "  1. ew-l01 swp1s0: from ew-s01 swp1s0 to ew-s09 swp1s0",
            "  2. ew-l01 swp2s0: from ew-s01 swp2s0 to ew-s09 swp1s0",
            "  … and 510 cables more, in the order of the moves' CSV",
        ]
    )
    assert json.loads(growth.as_json(GROWTH))["counts"]["moves"] == 512
    planned = Growth(GROWTH.new, GROWTH.changed, (), (), (), False)
    assert growth.headline(planned).plain == "24 devices new, 24 changed, 0 renumbered, no cable to move"


def test_a_first_build_lists_no_names() -> None:
    first = Growth(GROWTH.new, (), (), (), (), True)
    assert growth.human(first).plain == "against the lock: 24 devices new, 0 changed, 0 renumbered, no cable to move"


def test_renumbered_is_never_hidden() -> None:
    odd = Growth((), (), ("old",), ("asn leaf01: 1 → 2",), (), False)
    text = growth.human(odd).plain
    assert "1 renumbered" in text
    assert "renumbered: asn leaf01: 1 → 2" in text
    assert "1 removed" in text


def test_every_style_is_one_the_console_knows() -> None:
    console = Console(force_terminal=True, color_system="truecolor", width=200)
    shown = (
        plan_report.human(sample_plan()),
        changes.human(sample_result()),
        drift.human(sample_drift()),
        growth.human(GROWTH),
        plan_report.human(plan_of(device_plan("leaf01", MTU, VLAN), total=9)),
    )
    for text in shown:
        for span in text.spans:
            console.get_style(span.style)
        if text.style:
            console.get_style(text.style)
    assert "leaf16" in table_csv(changes.rows(sample_result()))
    assert json.loads(table_json(changes.rows(sample_result())))["kind"] == "change"
