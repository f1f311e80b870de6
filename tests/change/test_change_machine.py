"""A state machine of operators, faults and kills against the engine's promises."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

from fake_change_devices import (
    QUICK,
    FakeClock,
    Killed,
    MortalJournal,
    Site,
    plan_of,
    run,
    statuses,
    two_planes,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from intent.change.control import stamp
from intent.change.history import list_changes, unfinished
from intent.change.plan import DeviceState, Plan
from intent.change.recover import recover
from intent.change.result import Result
from intent.change.rollback import rollback_plan
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.core.tree import copy, put
from intent.core.verdict import Verdict
from intent.device.actor import Status

NAMES = sorted(two_planes(leaves=1, spines=1))
FAULTS = [
    "unreachable",
    "mute",
    "apply fails",
    "blip",
    "cut off by apply",
    "revert lost",
    "confirm lost",
    "broken actor",
]
names = st.sampled_from(NAMES)


class Changes(RuleBasedStateMachine):
    """Promises: a confirmed device holds what its plan wanted; every other row of a finished change that is not
    unknown holds what it held before; nothing awaits confirmation after recovery; the chain always holds.
    """

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.site = Site(Path(self.folder.name), two_planes(leaves=1, spines=1), clock=FakeClock())
        self.plan: Plan | None = None
        self.pid = 100
        self.settings = dataclasses.replace(QUICK, max_failures=1)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(name=names, mtu=st.integers(1500, 1503), extra=st.booleans())
    def intend(self, name: str, mtu: int, extra: bool) -> None:
        self.site.want(name, {"port": {"p1": {"mtu": mtu}, **({"p5": {"up": True}} if extra else {})}})

    @rule(name=names, mtu=st.integers(1500, 1503))
    def change_by_hand(self, name: str, mtu: int) -> None:
        put(self.site.devices[name].applied, ("port", "p1", "mtu"), mtu)

    @rule(name=names, fault=st.sampled_from(FAULTS))
    def break_device(self, name: str, fault: str) -> None:
        self.site.devices[name].faults = {fault}

    @rule(name=names)
    def mend(self, name: str) -> None:
        self.site.devices[name].faults = set()

    @rule(name=names, verdict=st.sampled_from(Verdict))
    def judge_as(self, name: str, verdict: Verdict) -> None:
        self.site.bad[name] = verdict

    @rule(seconds=st.integers(1, 200))
    def wait(self, seconds: int) -> None:
        self.site.clock.now += seconds
        self._tick()

    @rule()
    def make_plan(self) -> None:
        self.plan = plan_of(self.site, settings=self.settings)

    @rule()
    def apply(self) -> None:
        if self.plan is None:
            return
        before = {name: copy(device.applied) for name, device in self.site.devices.items()}
        busy = any(device.pending for device in self.site.devices.values())
        self.pid += 1
        with self.site.journal() as journal:
            result = run(self.site, self.plan, journal, pid=self.pid)
        if not busy:
            self._check(result, before)

    @rule()
    def apply_twice(self) -> None:
        """A second apply of what is in force writes nothing."""
        plan = plan_of(self.site, settings=self.settings)
        self.pid += 1
        with self.site.journal() as journal:
            if run(self.site, plan, journal, pid=self.pid).exit_code is not ExitCode.OK:
                return
            writes = self.site.actor.writes
            again = run(self.site, plan, journal, pid=self.pid)
        assert set(statuses(again).values()) == {Status.UNCHANGED}
        assert self.site.actor.writes == writes

    @rule(point=st.integers(1, 40), afterwards=st.booleans())
    def apply_and_die(self, point: int, afterwards: bool) -> None:
        plan = plan_of(self.site, settings=self.settings)
        before = {name: copy(device.applied) for name, device in self.site.devices.items()}
        busy = any(device.pending for device in self.site.devices.values())
        self.pid += 1
        journal = self.site.journal()
        journal.__class__ = MortalJournal
        journal.arm(point, after=afterwards)  # type: ignore[attr-defined]
        try:
            run(self.site, plan, journal, pid=self.pid)
        except Killed:
            for device in () if busy else plan.to_change:
                ours = self.site.devices[device.name].applied
                wanted = {**before[device.name], "port": device.wanted.body["port"]}
                assert ours in (before[device.name], wanted)
        finally:
            journal.close()

    @rule()
    def recover_all(self) -> None:
        for device in self.site.devices.values():
            device.faults = set()
        with self.site.journal() as journal:
            found = recover(journal, self.site.actors, site="par1", clock=self.site.clock, revert=True)
            assert all(item.settled for item in found), found
            assert not unfinished(journal, "par1")
        assert not any(device.pending for device in self.site.devices.values())

    @rule()
    def roll_back(self) -> None:
        with self.site.journal() as journal:
            done = [change for change in list_changes(journal) if change.finished]
            if not done:
                return
            try:
                self.plan = rollback_plan(
                    journal,
                    done[0].id,
                    self.site.actors,
                    created_at=stamp(self.site.clock),
                    settings=self.settings,
                )
            except IntentError as error:
                assert "touched no device" in error.message or "also undoes" in error.message

    @invariant()
    def chain_holds(self) -> None:
        if hasattr(self, "site") and self.site.file.exists():
            with self.site.journal() as journal:
                assert journal.verify().holds

    def _tick(self) -> None:
        for device in self.site.devices.values():
            device.tick(self.site.clock.now)

    def _check(self, result: Result, before: dict[str, object]) -> None:
        assert self.plan is not None
        assert [row.device for row in result.rows] == [device.name for device in self.plan.devices]
        wanted = {device.name: device for device in self.plan.devices}
        for row in result.rows:
            holds = self.site.devices[row.device].applied
            if row.status in (Status.CONFIRMED, Status.UNCHANGED):
                assert holds["port"] == wanted[row.device].wanted.body["port"]
                assert row.status is Status.UNCHANGED or wanted[row.device].state is DeviceState.CHANGE
            elif row.status is not Status.UNKNOWN:
                assert holds == before[row.device], row
        green = {row.status for row in result.rows} <= {Status.CONFIRMED, Status.UNCHANGED}
        assert (result.exit_code is ExitCode.OK) == green


TestChanges = Changes.TestCase
TestChanges.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
