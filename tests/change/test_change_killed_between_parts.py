"""Killed in a change of two revisions: recovery says what the switch holds, and the way back is there."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_change_devices import QUICK, FakeClock, Killed, MortalJournal, holder
from fake_switch import Bench, FakeSwitch

from intent.change.apply import apply_plan
from intent.change.control import Stop, stamp
from intent.change.engine import Judgement
from intent.change.history import list_changes, unfinished
from intent.change.journal import Journal, open_journal
from intent.change.plan import Plan
from intent.change.planning import plan_wanted
from intent.change.recover import Holds, Recovered, recover
from intent.change.result import Result
from intent.change.rollback import rollback_plan
from intent.change.selection import Scope
from intent.core.exitcode import ExitCode
from intent.core.tree import Tree
from intent.core.verdict import Verdict
from intent.device.actor import Status, Wanted
from intent.device.nvue.actor import NvueActor

NAME = "leaf01"


def split(parts: int) -> Tree:
    """A cage split into parts, each with an MTU: another split takes two revisions."""
    held: Tree = {"swp2": {"type": "swp", "link": {"breakout": {f"{parts}x": {}}}}}
    return {"interface": held | {f"swp2s{n}": {"type": "swp", "link": {"mtu": 9216}} for n in range(parts)}}


FIRST_PART = {"interface": {"swp2": {"type": "swp"}}}


class House:
    """One switch that is to be split anew, its journal, and processes that may die."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.file = folder / "journal.db"
        self.bench = Bench({NAME: FakeSwitch(split(4), fault=self._anew)})
        self.switch = self.bench.switches[NAME]

    def _anew(self, method: str, path: str, switch: FakeSwitch) -> httpx.Response | None:
        if (method, path) == ("POST", "/revision"):
            switch.states = ["apply", "confirm"]
        return None

    def actors(self) -> dict[str, NvueActor]:
        """Of a new process: it remembers nothing."""
        return {"nvue": NvueActor(self.bench.fleet, closing_s=60)}

    def journal(self) -> Journal:
        return open_journal(self.file, self.clock)

    def plan(self) -> Plan:
        return plan_wanted(
            {NAME: Wanted(self.bench.target(NAME), split(2), (("interface",),))},
            self.actors(),
            scope=Scope("par1", (NAME,), (), 1),
            intent_name="aurora",
            created_at=stamp(self.clock),
            settings=dataclasses.replace(QUICK, canary=0),
            why=lambda name, path: None,
        )

    def apply(self, plan: Plan, journal: Journal, pid: int = 77) -> Result:
        return apply_plan(
            plan,
            actors=self.actors(),
            journal=journal,
            judge=lambda names, in_force: dict.fromkeys(names, Judgement(Verdict.PASS)),
            holder=holder(pid),
            clock=self.clock,
            stop=Stop(),
        )

    def killed_at(self, point: int) -> bool:
        """Run until the process dies at a write to the journal; False when it came to its end before."""
        journal = self.journal()
        journal.__class__ = MortalJournal
        plan = self.plan()
        journal.arm(point)  # type: ignore[attr-defined]
        try:
            self.apply(plan, journal)
        except Killed:
            return True
        finally:
            journal.close()
        return False

    def holds(self) -> Holds:
        known: list[tuple[Any, Holds]] = [(split(4), Holds.OLD), (split(2), Holds.NEW), (FIRST_PART, Holds.OTHER)]
        return next(holds for tree, holds in known if tree == self.switch.applied)

    def recovered(self, journal: Journal) -> tuple[Recovered, ...]:
        """What recovery says once nothing is under way any more."""
        while True:
            found = recover(journal, self.actors(), site="par1", clock=self.clock, revert=True)
            if all(item.settled for item in found):
                return found


def test_every_kill_point_of_a_staged_change_is_told_as_it_is(tmp_path: Path) -> None:
    seen: Counter[Holds] = Counter()
    for point in range(1, 100):
        (folder := tmp_path / str(point)).mkdir()
        house = House(folder)
        if not house.killed_at(point):
            break
        with house.journal() as journal:
            for item in house.recovered(journal):
                assert item.holds is house.holds(), (point, item)
                seen[item.holds] += 1
                if item.holds is Holds.OTHER:
                    assert item.status is Status.UNKNOWN
                    assert "neither the old nor the new state" in item.detail
                    assert "a first part of the change is in force" in item.detail
            assert not unfinished(journal, "par1")
    else:
        pytest.fail("the change never came to its end")
    assert {Holds.OLD, Holds.NEW, Holds.OTHER} <= set(seen), seen


def test_a_switch_left_between_two_parts_is_led_back_by_a_rollback(tmp_path: Path) -> None:
    for point in range(1, 100):
        (folder := tmp_path / str(point)).mkdir()
        house = House(folder)
        assert house.killed_at(point), "no process died between the two parts"
        with house.journal() as journal:
            if [item.holds for item in house.recovered(journal)] != [Holds.OTHER]:
                continue
            (change,) = list_changes(journal)
            settings = dataclasses.replace(QUICK, canary=0)
            plan = rollback_plan(journal, change.id, house.actors(), created_at=stamp(house.clock), settings=settings)
            assert house.apply(plan, journal, pid=78).exit_code is ExitCode.OK
        assert house.switch.applied == split(4)
        return
