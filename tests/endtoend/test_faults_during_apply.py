"""What an apply makes of a fault: the row of the device, the rest of the fabric, the exit code, what is in force."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endtoend import ALL, LEAVES, SPINE, Room, wait_until

from intent.core.exitcode import ExitCode


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room.make(tmp_path_factory.mktemp("faults") / "w").up()
    yield room
    room.down()


@pytest.fixture
def room(lab: Room) -> Room:
    """The intent in force everywhere, no fault standing, no failure allowed."""
    Room.make(lab.folder)
    lab.calm()
    lab.settled()
    assert lab.plan().code == ExitCode.OK
    applied = lab.apply()
    assert applied.code == ExitCode.OK, applied.out + applied.err
    return lab


def ready(room: Room, value: int, *devices: str) -> dict[str, str]:
    """Devices changed by hand and a plan that repairs them; what they held before the repair."""
    room.by_hand(value, *devices)
    assert room.plan().code == ExitCode.OK
    return room.held()


def rows(room: Room, *more: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code and row of each device of an apply."""
    said = room.apply("--json", *more)
    body = json.loads(said.out)
    assert body["exit_code"] == said.code
    return said.code, {row["device"]: row for row in body["devices"]}


def test_an_unreachable_canary_stops_before_anything_is_written(room: Room) -> None:
    old = ready(room, 1501, *LEAVES)
    room.fault("unreachable", LEAVES[0])
    before = room.writes()
    code, found = rows(room)
    assert code in (ExitCode.UNKNOWN, ExitCode.PARTIAL)
    assert found[LEAVES[0]]["status"] == "unknown"
    room.calm(LEAVES[0])
    assert room.held()[LEAVES[0]] == old[LEAVES[0]]
    if code == ExitCode.UNKNOWN and all(row["status"] != "confirmed" for row in found.values()):
        assert room.writes() == before


def test_a_slow_switch_is_only_slow(room: Room) -> None:
    ready(room, 1502, LEAVES[1])
    room.fault("slow", LEAVES[1], "delay_s=0.05")
    code, found = rows(room)
    assert (code, found[LEAVES[1]]["status"]) == (ExitCode.OK, "confirmed")


def test_a_switch_too_slow_for_its_deadline_fails_and_keeps_the_old_state(room: Room) -> None:
    old = ready(room, 1503, LEAVES[1])
    room.fault("slow", LEAVES[1], "delay_s=1.2")
    code, found = rows(room)
    assert code != ExitCode.OK
    assert found[LEAVES[1]]["status"] in ("failed", "unknown", "reverted")
    room.calm(LEAVES[1])
    room.settled()
    assert room.held()[LEAVES[1]] == old[LEAVES[1]]


def test_an_apply_that_hangs_is_unknown_and_the_rest_is_not_begun(room: Room) -> None:
    old = ready(room, 1504, LEAVES[0], LEAVES[1])
    room.fault("hung-apply", LEAVES[0])
    code, found = rows(room)
    assert found[LEAVES[0]]["status"] == "unknown", found
    assert code == ExitCode.PARTIAL, "one was touched and nobody knows what it will hold; the rest was held back"
    assert found[LEAVES[1]]["status"] == "not attempted"
    room.calm(LEAVES[0])
    room.settled()
    held = room.held()
    assert held[LEAVES[1]] == old[LEAVES[1]]
    assert held[LEAVES[0]] == old[LEAVES[0]], "nobody confirmed it, so it went back"


def test_an_apply_that_fails_is_failed_and_within_the_budget_the_rest_goes_on(room: Room) -> None:
    old = ready(room, 1505, *LEAVES)
    room.fault("apply-fail", LEAVES[0])
    code, found = rows(room)
    assert code == ExitCode.ERROR
    assert found[LEAVES[0]]["status"] == "failed"
    assert {found[name]["status"] for name in LEAVES[1:]} == {"not attempted"}
    assert room.held() == old
    Room.make(room.folder, failures=1)
    assert room.plan().code == ExitCode.OK
    code, found = rows(room)
    assert code == ExitCode.PARTIAL
    assert found[LEAVES[0]]["status"] == "failed"
    assert {found[name]["status"] for name in LEAVES[1:]} == {"confirmed"}


def test_a_switch_lost_by_its_change_comes_back_by_itself(room: Room) -> None:
    old = ready(room, 1506, LEAVES[0], LEAVES[1])
    room.fault("lost-after-apply", LEAVES[0])
    code, found = rows(room)
    assert found[LEAVES[0]]["status"] == "reverted", found[LEAVES[0]]
    assert found[LEAVES[1]]["status"] == "not attempted"
    assert code == ExitCode.ROLLED_BACK
    assert room.held() == old


def test_a_reboot_in_the_middle_ends_in_the_old_state(room: Room) -> None:
    """The new configuration was never saved: what comes up is the old one, and the row says so."""
    old = ready(room, 1507, LEAVES[0])
    room.fault("hung-apply", LEAVES[0])
    process = room.start("apply", "--lab", "--yes", "--json")
    wait_until(lambda: (LEAVES[0], "actor.apply") in room.steps()[-4:], 30, "apply is sent")
    room.fault("reboot", LEAVES[0], "for_s=0.5")
    out, err = process.communicate(timeout=60)
    body = json.loads(out)
    assert "Traceback" not in err
    assert body["exit_code"] == process.returncode != 0
    assert body["devices"][0]["status"] in ("failed", "reverted", "unknown")
    room.calm(LEAVES[0])
    room.settled()
    assert room.held() == old
    assert room.plan().code == ExitCode.OK
    assert room.apply().code == ExitCode.OK


SWAP = ("swap-cable", LEAVES[0], "port=swp63s0", f"with_device={LEAVES[1]}", "with_port=swp63s1")


def test_a_cable_in_the_wrong_place_is_refused_once_both_ends_are_in_force(tmp_path: Path) -> None:
    """Nobody could see it before the switches were configured; the last device of the cable is not kept."""
    fresh = Room.make(tmp_path / "w").up()
    try:
        fresh.fault(*SWAP)
        assert fresh.plan().code == ExitCode.OK
        old = fresh.held()
        code, found = rows(fresh)
        assert {found[name]["status"] for name in LEAVES} == {"confirmed"}, "their far end was not in force yet"
        spine = found[SPINE]
        assert spine["status"] == "reverted", spine
        text = "Port: swp1s0 - wrong cable - expected east-west-r1-l01 swp63s0, actual east-west-r2-l01 swp63s1"
        assert text in spine["messages"], spine
        assert code == ExitCode.PARTIAL
        assert fresh.held()[SPINE] == old[SPINE]
    finally:
        fresh.down()


def test_what_was_wrong_before_does_not_stop_a_repair_and_is_told(room: Room) -> None:
    ready(room, 1508, LEAVES[0])
    room.fault(*SWAP)
    try:
        code, found = rows(room)
        row = found[LEAVES[0]]
        assert (code, row["status"], row["verdict"]) == (ExitCode.OK, "confirmed", "pass"), row
        assert any("swp63s0 - wrong cable" in text and "as before the change" in text for text in row["messages"]), row
    finally:
        room.fault(*SWAP)


def test_a_wrong_asn_by_hand_on_the_spine_takes_its_sessions_down_and_is_told(room: Room) -> None:
    """Down before the change, so the repair of the leaf is kept; and said, at the leaf and by verify."""
    room.by_hand(65_001, SPINE, path="router.bgp.autonomous-system")
    room.by_hand(1509, LEAVES[0])
    assert room.plan("--limit", LEAVES[0]).code == ExitCode.OK
    verified = room.run("verify", "--lab", "--check", "bgp-sessions")
    assert verified.code == ExitCode.FINDINGS, verified.out
    assert SPINE in verified.out
    code, found = rows(room)
    assert set(found) == {LEAVES[0]}
    assert (code, found[LEAVES[0]]["status"]) == (ExitCode.OK, "confirmed"), found
    assert any("swp63s0" in text and "as before" in text for text in found[LEAVES[0]]["messages"]), found
    assert room.run("drift", "--lab").code == ExitCode.CHANGES


def test_a_wrong_asn_in_the_plan_itself_is_not_kept(room: Room) -> None:
    """The number of one leaf is changed in the lock: only its own side is planned."""
    lock = room.folder / "sites" / "lab1.lock"
    kept = lock.read_text(encoding="utf-8")
    old = room.held()
    lock.write_text(kept.replace('"4200100000"', '"4200100777"', 1), encoding="utf-8")
    try:
        planned = room.plan("--limit", "role=leaf")
        assert planned.code == ExitCode.OK, planned.err
        code, found = rows(room)
        changed = [row for row in found.values() if row["status"] != "unchanged"]
        assert len(changed) == 1
        assert changed[0]["status"] == "reverted", changed
        assert any("session" in text.lower() for text in changed[0]["messages"]), changed
        assert code == ExitCode.ROLLED_BACK
        assert room.held() == old
    finally:
        lock.write_text(kept, encoding="utf-8")


def test_a_limited_apply_touches_nothing_else(room: Room) -> None:
    old = ready(room, 1510, *LEAVES)
    said = room.plan("--limit", "east-west-r2-*", "--limit", "east-west-r3-*")
    assert said.code == ExitCode.OK
    assert "limit" in said.out.lower() or "part" in said.out.lower(), "a partial plan says so"
    code, found = rows(room)
    assert code == ExitCode.OK
    assert set(found) == {LEAVES[1], LEAVES[2]}
    held = room.held()
    for name in (LEAVES[0], LEAVES[3], SPINE):
        assert held[name] == old[name]


def test_devices_that_a_budget_kept_back_are_told_by_name(room: Room) -> None:
    ready(room, 1511, *ALL)
    for name in (LEAVES[0], LEAVES[1]):
        room.fault("apply-fail", name)
    Room.make(room.folder, failures=1)
    assert room.plan().code == ExitCode.OK
    said = room.apply()
    assert said.code in (ExitCode.ERROR, ExitCode.PARTIAL)
    for name in (LEAVES[2], LEAVES[3], SPINE):
        assert name in said.out or "east-west-" in said.out
    assert "2 failed, 1 allowed" in said.out
