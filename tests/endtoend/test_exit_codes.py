"""Every exit code that `intent --help` names is left with by a command, for the reason it names."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import pytest
from endtoend import LEAVES, SPINE, Room, outcome, start

from intent.core.exitcode import MEANING, ExitCode


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    made = Room.make(tmp_path_factory.mktemp("codes") / "w").up()
    assert made.plan().code == ExitCode.OK
    assert made.apply().code == ExitCode.OK
    yield made
    made.down()


def test_help_names_them_all() -> None:
    text = outcome(start("--help", env={"COLUMNS": "200"})).out
    flat = " ".join(text.split())
    told = {int(number) for number in re.findall(r"(?:·|:) (\d+) ", flat[flat.index("Exit codes") :])}
    assert told == {int(code) for code in MEANING}


def test_every_code_is_left_with(room: Room) -> None:
    seen: dict[ExitCode, str] = {}

    def note(code: int, expected: ExitCode, what: str) -> None:
        assert code == expected, (what, code)
        seen[expected] = what

    note(room.run("drift", "--lab").code, ExitCode.OK, "in sync")
    note(room.run("why", "nobody").code, ExitCode.ERROR, "no such switch")
    room.by_hand(1500, *LEAVES)
    note(room.run("drift", "--lab").code, ExitCode.CHANGES, "drift")
    note(room.plan("--detailed-exitcode").code, ExitCode.CHANGES, "changes pending")
    note(room.run("verify", "--lab", "--check", "links").code, ExitCode.FINDINGS, "a check failed")
    note(room.run("lint", "--fail-on", "warning").code, ExitCode.FINDINGS, "a warning that counts")
    note(room.apply().code, ExitCode.OK, "applied")
    room.by_hand(1501, *LEAVES)
    Room.make(room.folder, failures=1)
    room.fault("apply-fail", LEAVES[3])
    room.plan()
    note(room.apply().code, ExitCode.PARTIAL, "three of four")
    room.calm()
    Room.make(room.folder)
    room.fault("lost-after-apply", LEAVES[3])
    room.plan()
    note(room.apply().code, ExitCode.ROLLED_BACK, "lost, came back by itself")
    room.calm()
    with sqlite3.connect(room.journal) as book:
        book.execute("INSERT INTO locks VALUES ('lab1', 'carol', 'jump-9', 4242, '77', '2026', '2026')")
    note(room.apply().code, ExitCode.LOCKED, "held by carol")
    with sqlite3.connect(room.journal) as book:
        book.execute("DELETE FROM locks")
    room.plan()
    room.by_hand(1502, LEAVES[3])
    note(room.apply().code, ExitCode.STALE, "changed since")
    room.fault("unreachable", SPINE)
    note(room.plan().code, ExitCode.UNKNOWN, "not reachable")
    room.calm()
    note(room.run("plan", "--no-such-option").code, ExitCode.USAGE, "no such option")
    note(room.run("apply", "--lab").code, ExitCode.USAGE, "nobody to ask")
    assert set(seen) == set(MEANING)
