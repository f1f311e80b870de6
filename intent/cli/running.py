"""Runs a plan with progress, judgement, journal and report: what apply and rollback share."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.cli.checks import Judging, checks_of
from intent.cli.context import Work, actors, fleet, targets
from intent.cli.journal import journal
from intent.core.errors import IntentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intent.change.events import Event
    from intent.change.plan import Plan
    from intent.change.result import Result


def carry_out(work: Work, plan: Plan, *, lab: bool, reason: str, report: Path | None) -> int:
    """Apply a plan and print what came of it; returns the exit code."""
    from intent.change.apply import apply_plan
    from intent.change.control import Stop, SystemClock
    from intent.change.history import known_devices
    from intent.change.lock import this_process
    from intent.cli.output import remark, show
    from intent.report.changes import human, progress_line

    if plan.scope.site != work.compiled.name:
        raise IntentError(f"the plan is for site {plan.scope.site}, this is {work.compiled.name}", hint="say --site")
    clock, stop = SystemClock(), Stop()
    known = targets(work.compiled)
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    judging = Judging(work.compiled, checks_of(work.workspace), way, known, clock, plan.strategy.checks_s)
    seen: list[Event] = []

    def watch(event: Event) -> None:
        seen.append(event)
        line = progress_line(event)
        if line is not None:
            remark(line)

    with journal(work.workspace, clock) as book, stop.on_interrupt():
        if book is None:
            raise IntentError("the journal could not be made")
        changing = [device.name for device in plan.to_change]
        if changing:
            remark("looking at the devices before the change")
            judging.remember(changing, known_devices(book, plan.scope.site), [item.name for item in plan.devices])
        result = apply_plan(
            plan,
            actors=actors(way, [device.wanted.target for device in plan.devices]),
            journal=book,
            judge=judging,
            holder=this_process(getpass.getuser()),
            clock=clock,
            stop=stop,
            reason=reason,
            emit=watch,
        )
    show(human(result))
    if report:
        _write_report(work, plan, result, seen, report)
    return int(result.exit_code)


def _write_report(work: Work, plan: Plan, result: Result, seen: Sequence[Event], file: Path) -> None:
    from intent.report.html import change_report
    from intent.resources import search_path
    from intent.workspace.files import write

    folders = search_path("templates", work.workspace.overlay("templates"))
    write(file, change_report(plan, result, work.compiled.fabric, seen, folders))
    print(f"report written to {file}")
