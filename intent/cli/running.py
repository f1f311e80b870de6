"""Runs a plan with progress, judgement, journal and report: what apply and rollback share."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.core.errors import IntentError
from intent.operate.actors import actors
from intent.operate.context import Work, fleet, targets
from intent.operate.current import require_site
from intent.operate.journal import journal
from intent.operate.judges import Way, judges_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """Apply a plan and print what came of it; returns the exit code.

    Raises:
        IntentError: the plan is of another site, or the report could not be written where it is asked for. No device
            was spoken to.
    """
    from intent.cli.output import remark, show, write
    from intent.report.changes import as_json, human, progress_line
    from intent.workspace.files import require_writable

    require_site(work, plan)
    if manner.report:
        require_writable(manner.report)
    seen: list[Event] = []

    def watch(event: Event) -> None:
        seen.append(event)
        line = progress_line(event)
        if line is not None:
            remark(line)

    result = _applied(work, plan, manner, watch)
    if manner.as_json:
        write(as_json(result))
    else:
        show(human(result))
    if manner.report:
        _write_report(work, plan, result, seen, manner.report)
    return int(result.exit_code)


def _applied(work: Work, plan: Plan, manner: Manner, watch: Callable[[Event], None]) -> Result:
    from intent.change.apply import apply_plan
    from intent.change.control import Stop, SystemClock
    from intent.change.history import known_devices
    from intent.change.lock import this_process
    from intent.cli.output import interrupted, remark

    clock, stop = SystemClock(), Stop()
    known = targets(work.compiled, lab=manner.lab)
    # Everybody's, not only the plan's: an earlier change that died is settled first.
    everybody = {**known, **{device.name: device.wanted.target for device in plan.devices}}
    way = fleet(work.workspace, lab=manner.lab, site=work.compiled.site, keep=True)
    doers = actors(
        way, everybody.values(), allow_removals=manner.allow_removals, playbooks=work.workspace.overlay("playbooks")
    )
    reached = Way(way, known, doers, manner.lab)
    judges = judges_of(work, plan, reached, clock, patience_s=manner.patience_s, remark=remark)
    with way, journal(work.workspace, clock) as book, stop.on_interrupt(interrupted):
        if book is None:
            raise IntentError("the journal could not be made")
        if plan.to_change:
            judges.remember(known_devices(book, plan.scope.site))
        return apply_plan(
            plan,
            actors=doers,
            journal=book,
            judge=judges.judge,
            holder=this_process(getpass.getuser()),
            clock=clock,
            stop=stop,
            reason=manner.reason,
            emit=watch,
        )


def _write_report(work: Work, plan: Plan, result: Result, seen: Sequence[Event], file: Path) -> None:
    from intent.cli.output import remark
    from intent.report.html import change_report
    from intent.resources import search_path
    from intent.workspace.files import write

    folders = search_path("templates", work.workspace.overlay("templates"))
    page = change_report(plan, result, work.compiled.fabric, seen, folders)
    try:
        write(file, page)
    except IntentError as problem:  # the disk filled meanwhile; what became of the devices is told, and stays told
        remark(f"the report is missing: {problem.message}")
    else:
        remark(f"report written to {file}")
