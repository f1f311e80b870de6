"""Carries out a plan: that plan and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intent.change import steps
from intent.change.asking import actor_for, mismatch, observe
from intent.change.control import Clock, Stop
from intent.change.engine import Engine, Judge, Progress
from intent.change.events import ChangeEnded, ChangeStarted, Checking, Emit, silent
from intent.change.history import change_ids
from intent.change.journal import Journal, Note
from intent.change.lock import Holder, SiteLock, acquire
from intent.change.plan import DevicePlan, DeviceState, Plan
from intent.change.planfile import dump_strategy
from intent.change.recover import Recovered, recover
from intent.change.result import Result, Row, exit_code
from intent.change.waves import Wave, make_waves
from intent.core.errors import IntentError
from intent.device.actor import Actor, Observed, Status


@dataclass(frozen=True, slots=True)
class Readiness:
    """A plan held against the devices as they are now.

    Args:
        ready: devices that can be changed as planned.
        rows: every other device, with why it is left alone.
        live: what the ready devices hold.
    """

    ready: tuple[DevicePlan, ...]
    rows: tuple[Row, ...]
    live: Mapping[str, Observed]


def precheck(plan: Plan, actors: Mapping[str, Actor]) -> Readiness:
    """Read each device of a plan and say which can be changed as planned. Writes nothing.

    A device that holds the wanted state already is unchanged, not stale.

    Raises:
        IntentError: the plan is about no device at all.
    """
    if not plan.devices:
        raise IntentError("the plan is about no device: there is nothing to apply", hint="make a new plan")
    readable = [d for d in plan.devices if d.state in (DeviceState.CHANGE, DeviceState.UNCHANGED)]
    live = observe([device.wanted for device in readable], actors)
    ready: list[DevicePlan] = []
    rows: list[Row] = []
    for device in plan.devices:
        row = _stays(device, live.get(device.name), actors)
        if row is None:
            ready.append(device)
        else:
            rows.append(row)
    return Readiness(tuple(ready), tuple(rows), {device.name: live[device.name] for device in ready})


def _stays(device: DevicePlan, live: Observed | None, actors: Mapping[str, Actor]) -> Row | None:
    """Why a device is left alone; None when it can be changed as planned."""
    name = device.name
    if live is None:
        if device.state is DeviceState.MISMATCH:
            return Row(name, Status.NOT_ATTEMPTED, f"refused: {device.detail}")
        return Row(name, Status.UNKNOWN, f"could not be read when the plan was made: {device.detail}")
    if live.problem:
        return Row(name, Status.UNKNOWN, f"not touched: {live.problem}: {live.detail}".rstrip(": "))
    refusal = mismatch(device.wanted.target, live)
    if refusal:
        return Row(name, Status.NOT_ATTEMPTED, f"refused: {refusal}")
    if live.digest == device.live_digest:  # the same state, so the same differences
        return None if device.differences else Row(name, Status.UNCHANGED)
    if not actor_for(actors, device.wanted.target.platform).difference(device.wanted, live):
        return Row(name, Status.UNCHANGED, "holds it already")
    return Row(name, Status.STALE, "changed since the plan was made; not touched")


def apply_plan(
    plan: Plan,
    *,
    actors: Mapping[str, Actor],
    journal: Journal,
    judge: Judge,
    holder: Holder,
    clock: Clock,
    stop: Stop,
    reason: str = "",
    emit: Emit = silent,
) -> Result:
    """Change the devices of a plan, wave by wave.

    Nothing is written to a device that holds the wanted state, is stale, or could not be read. What an earlier change
    left pending after a kill is put back first; devices that stay unsettled are not touched.

    Args:
        plan: what to do.
        actors: by platform.
        journal: where each step is written before it is done.
        judge: the checks; decides for each device between confirm and revert.
        holder: who does it (`lock.this_process`).
        clock: gives the time.
        stop: the stop button.
        reason: why, for the journal.
        emit: shows progress.

    Raises:
        IntentError: the plan is about no device, the confirm timer is too short, or the site is locked
            (exit code: locked).
    """
    begun = clock.monotonic()
    if not plan.devices:
        raise IntentError("the plan is about no device: there is nothing to apply", hint="make a new plan")
    plan.strategy.check_timer()
    lock = acquire(journal, plan.scope.site, holder, clock)
    keep_lock = False
    try:
        left = recover(journal, actors, site=plan.scope.site, clock=clock, revert=True)
        # A display that breaks here breaks again at the first wave, and is noted then.
        Progress(emit, lambda _: None)(Checking(len(plan.devices)))
        readiness = _without(precheck(plan, actors), left)
        rows = {row.device: row for row in readiness.rows}
        change, stopped = "", ""
        if readiness.ready and not stop.requested():
            run = _Run(plan, actors, journal, judge, clock, stop, emit, lock, reason)
            change, stopped, done, keep_lock = run.carry_out(readiness)
            rows |= done
        else:
            rows |= {d.name: Row(d.name, Status.NOT_ATTEMPTED, stop.reason) for d in readiness.ready}
            stopped = stop.reason
    finally:
        if not keep_lock:
            lock.release()
    ordered = tuple(rows[device.name] for device in plan.devices)
    return Result(change, plan.digest, ordered, stopped, clock.monotonic() - begun)


def _without(readiness: Readiness, left: tuple[Recovered, ...]) -> Readiness:
    """Leave devices alone that an earlier change left in doubt."""
    open_ends = {item.device: item for item in left if not item.settled}
    rows = tuple(
        Row(
            d.name, Status.UNKNOWN, f"not touched: change {open_ends[d.name].change} left it {open_ends[d.name].detail}"
        )
        for d in readiness.ready
        if d.name in open_ends
    )
    ready = tuple(device for device in readiness.ready if device.name not in open_ends)
    return Readiness(ready, readiness.rows + rows, readiness.live)


@dataclass(frozen=True, slots=True)
class _Run:
    plan: Plan
    actors: Mapping[str, Actor]
    journal: Journal
    judge: Judge
    clock: Clock
    stop: Stop
    emit: Emit
    lock: SiteLock
    reason: str

    def carry_out(self, readiness: Readiness) -> tuple[str, str, dict[str, Row], bool]:
        """Returns the change's number, why it ended early, its rows, and whether the lock must stay."""
        change = self._new_change()
        waves = make_waves([device.wanted.target for device in readiness.ready], self.plan.strategy)
        self._begin(change, readiness, waves)
        progress = Progress(self.emit, lambda text: self.journal.append(change, "", steps.TROUBLE, {"text": text}))
        engine = Engine(
            change,
            {device.name: device for device in readiness.ready},
            actors=self.actors,
            journal=self.journal,
            judge=self.judge,
            strategy=self.plan.strategy,
            clock=self.clock,
            stop=self.stop,
            progress=progress,
            in_force=[row.device for row in readiness.rows if row.status is Status.UNCHANGED],
            beat=self.lock.beat,
        )
        progress(ChangeStarted(change, len(readiness.ready), len(waves)))
        engine.run(waves)
        stopped = self.stop.reason
        if not engine.abandoned:
            code = exit_code((*readiness.rows, *engine.rows.values()))
            self.journal.append(change, "", steps.END, {"exit_code": int(code), "stopped": stopped})
        progress(ChangeEnded(change))
        return change, stopped, engine.rows, engine.abandoned

    def _begin(self, change: str, readiness: Readiness, waves: tuple[Wave, ...]) -> None:
        plan = self.plan
        data: dict[str, Any] = {
            "kind": plan.kind,
            "rolls_back": plan.rolls_back,
            "plan": plan.digest,
            "intent": plan.intent_name,
            "site": plan.scope.site,
            "limit": list(plan.scope.limit),
            "who": self.lock.holder.owner,
            "host": self.lock.holder.host,
            "reason": self.reason,
            "strategy": dump_strategy(plan.strategy),
            "confirm_s": plan.strategy.confirm_s,
            "devices": [device.name for device in readiness.ready],
            "left_alone": {row.device: str(row.status) for row in readiness.rows},
            "waves": [list(wave.devices) for wave in waves],
        }
        notes, states = [Note("", steps.BEGIN, data)], dict[str, bytes]()
        for device in readiness.ready:
            note, trees = steps.before_note(device.wanted, readiness.live[device.name])
            notes.append(note)
            states |= trees
        self.journal.append_all(change, notes, states)

    def _new_change(self) -> str:
        taken = change_ids(self.journal)
        base = f"{self.clock.utc():%Y%m%d-%H%M%S}-{self.plan.digest[:6]}"
        return next(name for name in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)
