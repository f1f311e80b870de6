"""Runs a plan with progress, judgement, journal and report: what apply and rollback share."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.core.errors import IntentError
from intent.operate.actors import SWITCHES, actors
from intent.operate.checks import Answering, Judging, checks_of
from intent.operate.context import Work, fleet, lab_state, targets
from intent.operate.controllers import ByPlatform, ReadBack
from intent.operate.journal import journal
from intent.operate.nvlinks import Nvlinks
from intent.operate.subnets import Subnets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intent.change.events import Event
    from intent.change.plan import Plan
    from intent.change.result import Result


@dataclass(frozen=True, slots=True)
class Manner:
    """How a plan is carried out.

    Args:
        lab: on the lab.
        reason: why, for the journal.
        report: where to write the change report; None for no report.
        patience_s: seconds the checks of a wave may take; None for the strategy's.
        as_json: print the result as JSON.
        allow_removals: what only a controller knows may be removed.
    """

    lab: bool = False
    reason: str = ""
    report: Path | None = None
    patience_s: float | None = None
    as_json: bool = False
    allow_removals: bool = False


def carry_out(work: Work, plan: Plan, manner: Manner) -> int:
    """Apply a plan and print what came of it; returns the exit code."""
    from intent.change.apply import apply_plan
    from intent.change.control import Stop, SystemClock
    from intent.change.history import known_devices
    from intent.change.lock import this_process
    from intent.cli.output import remark, show, write
    from intent.report.changes import as_json, human, progress_line

    if plan.scope.site != work.compiled.name:
        raise IntentError(f"the plan is for site {plan.scope.site}, this is {work.compiled.name}", hint="say --site")
    if plan.intent_name != work.compiled.document.name:
        raise IntentError(
            f"the plan is for the intent {plan.intent_name!r}, this workspace is {work.compiled.document.name!r}",
            hint="make the plan in this workspace",
        )
    clock, stop = SystemClock(), Stop()
    known = targets(work.compiled, lab=manner.lab)
    way = fleet(work.workspace, lab=manner.lab, site=work.compiled.site, keep=True)
    patience_s = plan.strategy.checks_s
    if manner.patience_s is not None:
        patience_s = min(patience_s, manner.patience_s)
    checks = checks_of(work.workspace, remark=remark)
    judging = Judging(work.compiled, checks, way, known, clock, patience_s)
    platforms = {device.name: device.wanted.target.platform for device in plan.devices}
    # Everybody's, not only the plan's: an earlier change that died is settled first.
    everybody = {**known, **{device.name: device.wanted.target for device in plan.devices}}
    doers = actors(
        way, everybody.values(), allow_removals=manner.allow_removals, playbooks=work.workspace.overlay("playbooks")
    )
    changing_hosts = [device.name for device in plan.to_change]
    # What a rollback restores is what was before, and that need not be what the intent says now.
    lab = lab_state(work.workspace).parent if manner.lab else None
    subnets: Subnets | None = None
    nvlinks = None if plan.kind == "rollback" else Nvlinks(work.compiled, checks, way, known)
    if plan.kind != "rollback":
        subnets = Subnets(
            work.compiled, checks, doers, known, changing=changing_hosts, lab=lab, clock=clock, patience_s=patience_s
        )
    seen: list[Event] = []

    def watch(event: Event) -> None:
        seen.append(event)
        line = progress_line(event)
        if line is not None:
            remark(line)

    with way, journal(work.workspace, clock) as book, stop.on_interrupt():
        if book is None:
            raise IntentError("the journal could not be made")
        changing = [device.name for device in plan.to_change if platforms[device.name] == SWITCHES]
        if changing and plan.kind != "rollback":
            remark("looking at the devices before the change")
            judging.remember(changing, known_devices(book, plan.scope.site), [item.name for item in plan.devices])
        if subnets is not None:
            subnets.remember()
        result = apply_plan(
            plan,
            actors=doers,
            journal=book,
            judge=ByPlatform(
                Answering(way, known) if plan.kind == "rollback" else judging,
                ReadBack(doers, [device.wanted for device in plan.devices], subnets, nvlinks),
                platforms,
            ),
            holder=this_process(getpass.getuser()),
            clock=clock,
            stop=stop,
            reason=manner.reason,
            emit=watch,
        )
    if manner.as_json:
        write(as_json(result))
    else:
        show(human(result))
    if manner.report:
        _write_report(work, plan, result, seen, manner.report)
    return int(result.exit_code)


def _write_report(work: Work, plan: Plan, result: Result, seen: Sequence[Event], file: Path) -> None:
    from intent.cli.output import remark
    from intent.report.html import change_report
    from intent.resources import search_path
    from intent.workspace.files import write

    folders = search_path("templates", work.workspace.overlay("templates"))
    write(file, change_report(plan, result, work.compiled.fabric, seen, folders))
    remark(f"report written to {file}")
