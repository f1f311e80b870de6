"""Ctrl-C once and twice, and two applies at the same time."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from endtoend import ALL, LEAVES, Room, no_trace, outcome, wait_until

from intent.core.exitcode import ExitCode


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room.make(tmp_path_factory.mktemp("stop") / "w").up(apply_s=0.6)
    yield room
    room.down()


@pytest.fixture
def room(lab: Room) -> Room:
    lab.settled()
    assert lab.plan().code == ExitCode.OK
    assert lab.apply().code == ExitCode.OK
    return lab


def begun(room: Room, value: int, step: str = "actor.apply") -> tuple[dict[str, str], dict[str, str], object]:
    """Old and new states, and an apply that has just taken a step on its canary."""
    new = room.held()
    room.by_hand(value, *ALL)
    old = room.held()
    assert room.plan().code == ExitCode.OK
    rows = room.rows()
    process = room.start("apply", "--lab", "--yes", "--reason", "rehearsal")
    wait_until(lambda: any(s == step for _, s in room.steps()[rows:]), 30, f"{step} of the canary", 0.005)
    return old, new, process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_finishes_what_is_in_flight_and_begins_nothing_new(room: Room, number: int) -> None:
    old, new, process = begun(room, 1501)
    process.send_signal(number)
    said = outcome(process)
    assert said.err.count("\nstopping: nothing new is begun, what is in flight is finished") == 1
    assert said.code == ExitCode.PARTIAL, said.out + said.err
    assert "interrupted by the operator" in said.out
    assert no_trace(said.out + said.err)
    held = room.held()
    assert held[LEAVES[0]] == new[LEAVES[0]], "what was in flight is judged and kept"
    assert all(held[name] == old[name] for name in ALL[1:])
    assert room.changes()[0]["ended"]


def test_ctrl_c_twice_leaves_it_to_the_timers_and_says_so(room: Room) -> None:
    old, _, process = begun(room, 1502)
    process.send_signal(signal.SIGINT)
    wait_until(lambda: process.poll() is not None or _handled(process.pid), 5, "the first is taken")
    process.send_signal(signal.SIGINT)
    said = outcome(process)
    assert said.code in (ExitCode.PARTIAL, ExitCode.UNKNOWN), said.out + said.err
    assert no_trace(said.out + said.err)
    assert re.search(r"abandoned|interrupted", said.out + said.err)
    room.settled()
    assert room.held() == old, "nobody confirmed, so the canary put itself back"
    assert room.plan().code == ExitCode.OK
    carried_on = room.apply()
    assert carried_on.code == ExitCode.OK, "the lock of the dead run is taken over: " + carried_on.err


def _handled(pid: int) -> bool:
    """True once the kernel holds no SIGINT pending for a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    pending = [line.split()[1] for line in lines if line.startswith(("SigPnd", "ShdPnd"))]
    return not any(int(text, 16) & (1 << (signal.SIGINT - 1)) for text in pending)


def test_ctrl_c_before_anything_was_touched(room: Room) -> None:
    room.by_hand(1503, LEAVES[0])
    assert room.plan().code == ExitCode.OK
    before, rows = room.writes(), room.rows()
    process = room.start("apply", "--lab", "--yes")
    os.kill(process.pid, 0)
    wait_until(lambda: b"apply" in _command(process.pid), 5, "it started")
    process.send_signal(signal.SIGINT)
    said = outcome(process)
    assert said.code != ExitCode.OK
    assert room.writes() == before
    assert room.rows() == rows


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_second_apply_is_locked_out_and_told_by_whom(room: Room) -> None:
    _, new, process = begun(room, 1504)
    before = room.writes()
    second = room.apply()
    assert second.code == ExitCode.LOCKED
    assert f"process {process.pid}" in second.err
    assert socket.gethostname() in second.err
    del before
    said = outcome(process)
    assert said.code == ExitCode.OK, said.out + said.err
    assert room.held() == new
    assert room.apply().code == ExitCode.OK, "the lock is free again"


def test_a_lock_of_another_host_is_not_taken_over(room: Room) -> None:
    room.by_hand(1505, LEAVES[0])
    assert room.plan().code == ExitCode.OK
    with sqlite3.connect(room.journal) as book:
        book.execute(
            "INSERT OR REPLACE INTO locks VALUES ('lab1', 'carol', 'jump-9', 4242, '77', '2026-01-01', '2026-01-01')"
        )
    before = room.writes()
    said = room.apply()
    assert said.code == ExitCode.LOCKED
    assert "carol on jump-9 (process 4242)" in said.err
    assert room.writes() == before
    with sqlite3.connect(room.journal) as book:
        book.execute("DELETE FROM locks")
    assert room.apply().code == ExitCode.OK


@pytest.mark.parametrize("row", ["('lab1', 'x', HOST, 1, '', '', '')", "('lab1', '', HOST, -1, 'x', '\x1b[31m', '')"])
def test_a_hostile_lock_row_is_a_clear_answer(room: Room, row: str) -> None:
    """A lock row with nonsense in it: held or taken over, never a trace, never control codes on the terminal."""
    with sqlite3.connect(room.journal) as book:
        book.execute("INSERT OR REPLACE INTO locks VALUES " + row.replace("HOST", repr(socket.gethostname())))
    said = room.apply()
    assert said.code in (ExitCode.OK, ExitCode.LOCKED), said.err
    assert "\x1b" not in said.err
    with sqlite3.connect(room.journal) as book:
        book.execute("DELETE FROM locks")


def test_json_of_an_interrupted_apply_is_whole(room: Room) -> None:
    room.by_hand(1506, *ALL)
    assert room.plan().code == ExitCode.OK
    rows = room.rows()
    process = room.start("apply", "--lab", "--yes", "--json")
    wait_until(lambda: any(s == "actor.apply" for _, s in room.steps()[rows:]), 30, "apply is sent", 0.005)
    process.send_signal(signal.SIGTERM)
    said = outcome(process)
    body = json.loads(said.out)
    assert body["exit_code"] == said.code == ExitCode.PARTIAL
    assert {row["device"] for row in body["devices"]} == set(ALL)
