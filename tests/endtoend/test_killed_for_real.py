"""`intent apply` killed at any moment: every switch ends in its old or its new state, and the next run knows."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from endtoend import ALL, Room, RowCounter, no_trace, outcome

from intent.core.exitcode import ExitCode

# Rows of the journal an undisturbed apply of the five switches writes, about.
ROWS = 60


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Room]]:
    """Four workspaces, each with a lab of its own, the intent in force in all of them."""
    base = tmp_path_factory.mktemp("killed")
    made = [Room.make(base / f"w{number}").up(apply_s=0.1) for number in range(4)]
    for room in made:
        assert room.plan().code == 0
        assert room.apply().code == 0
    yield made
    for room in made:
        room.down()


class Victim:
    """One apply that will be killed.

    Args:
        room: where.
        value: MTU the devices hold by hand before it.
    """

    def __init__(self, room: Room, value: int) -> None:
        self.room = room
        self.new = room.held()
        room.by_hand(value, *ALL)
        self.old = room.held()
        assert room.plan().code == 0
        self.rows = room.rows()
        self.before = {row["change"] for row in room.changes()} if room.rows() else set()
        self.process: subprocess.Popen[str] | None = None

    def begin(self) -> None:
        """Start the apply."""
        self.process = self.room.start("apply", "--lab", "--yes")

    def kill_at(self, *, row: int | None = None, after_s: float | None = None) -> None:
        """Kill it once it wrote so many rows, or after a time; it may have ended before."""
        assert self.process is not None
        end = time.monotonic() + (60 if after_s is None else after_s)
        with RowCounter(self.room.journal) as rows:
            while self.process.poll() is None and time.monotonic() < end:
                if row is not None and rows() >= self.rows + row:
                    break
                time.sleep(0.001 if row is not None and rows() > self.rows else 0.01)
        self.process.send_signal(signal.SIGKILL)
        said = outcome(self.process)
        assert no_trace(said.out + said.err)

    def check_states(self) -> dict[str, str]:
        """Old or new once all timers have run out."""
        self.room.settled()
        found = {}
        for name, text in self.room.held().items():
            assert text in (self.old[name], self.new[name]), f"{name} holds neither the old nor the new state"
            found[name] = "new" if text == self.new[name] else "old"
        return found

    def check_recovery(self, found: dict[str, str]) -> None:
        """The next plan and apply carry it on; the journal says of each device what it really held."""
        planned = self.room.plan()
        assert planned.code == 0, planned.err
        stays = sum(1 for word in found.values() if word == "new")
        assert f"{len(ALL) - stays} to change, {stays} unchanged" in planned.out.replace(" (0 new)", "")
        self.carry_on()
        assert self.room.held() == self.new
        assert self.room.run("history", "--check").code == ExitCode.OK
        assert all(row["ended"] for row in self.room.changes()), "every change is closed"

    def carry_on(self) -> None:
        """Apply until it is done: on a machine with much to do the short timers of this workspace may run out first."""
        for _ in range(4):
            applied = self.room.apply()
            if applied.code != ExitCode.ROLLED_BACK or "confirm timer could have run out" not in applied.out:
                break
            assert self.room.plan().code == ExitCode.OK
        assert applied.code == ExitCode.OK, applied.out + applied.err

    def check_journal(self, found: dict[str, str]) -> None:
        """What the journal says of the killed change is what the switches held when its timers had run out."""
        killed = [row for row in self.room.changes() if row["change"] not in self.before]
        for row in killed[1:] if len(killed) > 1 else []:
            for device in row["devices"]:
                word = "new" if device["status"] in ("confirmed", "unchanged") else "old"
                assert found[device["device"]] == word, (device, found)


def check(victims: list[Victim], at_once: Collection[Victim] = ()) -> list[dict[str, str]]:
    states = [victim.check_states() for victim in victims]
    for victim, found in zip(victims, states, strict=True):
        victim.check_recovery(found)
        if victim not in at_once:
            victim.check_journal(found)
    return states


@pytest.mark.parametrize("turn", [0, 1])
def test_killed_at_rows_of_the_journal(rooms: list[Room], turn: int) -> None:
    """Eight kills spread over the rows of one apply: from before the first write to after the last confirm."""
    victims = [Victim(room, 1500 + 10 * turn + at) for at, room in enumerate(rooms)]
    for at, victim in enumerate(victims):
        victim.begin()
        victim.kill_at(row=1 + (2 * at + turn) * ROWS // (2 * len(victims)))
    states = check(victims)
    assert any("old" in found.values() for found in states)


def test_killed_at_random_and_carried_on_at_once(rooms: list[Room]) -> None:
    """Four more, at random rows; here nobody waits for timers: the next apply finds what is pending."""
    chance = random.Random(20_26)
    victims = [Victim(room, 1600 + at) for at, room in enumerate(rooms)]
    for victim in victims:
        victim.begin()
        victim.kill_at(row=chance.randrange(1, ROWS))
    for victim in victims:
        said = victim.room.apply()
        assert said.code in (ExitCode.OK, ExitCode.STALE, ExitCode.UNKNOWN), said.out + said.err
        victim.check_recovery(victim.check_states())


@pytest.mark.nightly
@pytest.mark.parametrize("turn", range(50))
def test_killed_two_hundred_times(rooms: list[Room], turn: int) -> None:
    """50 rounds of four: half at rows of the journal, half at times; half recovered after the timers, half at once."""
    chance = random.Random(turn)
    victims = [Victim(room, 2000 + turn * 10 + at) for at, room in enumerate(rooms)]
    for at, victim in enumerate(victims):
        victim.begin()
        if at % 2:
            victim.kill_at(after_s=chance.uniform(0.6, 4.0))
        else:
            victim.kill_at(row=chance.randrange(1, ROWS + 5))
    at_once = [victim for at, victim in enumerate(victims) if turn % 2 == at // 2]
    for victim in at_once:
        said = victim.room.apply()
        assert said.code in (ExitCode.OK, ExitCode.STALE, ExitCode.UNKNOWN), said.out + said.err
    states = check(victims, at_once)
    sys.stderr.write(f"round {turn}: " + " ".join("".join(w[0] for w in f.values()) for f in states) + "\n")


def test_a_folder_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    """Killed while it holds the lock: the next apply takes the lock over and says nothing of being locked."""
    room = Room.make(tmp_path / "w").up(apply_s=0.3)
    try:
        assert room.plan().code == 0
        victim = room.start("apply", "--lab", "--yes")
        while room.rows() < 12:
            assert victim.poll() is None, outcome(victim)
            time.sleep(0.001)
        victim.kill()
        outcome(victim)
        room.settled()
        assert room.plan().code == 0
        said = room.apply()
        assert said.code == ExitCode.OK, said.out + said.err
        newest, oldest = room.changes()
        assert [row["status"] for row in newest["devices"]] == ["confirmed"] * 5, newest
        assert oldest["ended"], oldest
    finally:
        room.down()
