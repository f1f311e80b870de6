"""`intent precheck`: may this plan be applied now, and how do the devices stand before it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from intent.cli.options import HERE, Json, Lab, PlanFile, Site, State, WorkspacePath
from intent.core.exitcode import ExitCode

if TYPE_CHECKING:
    from intent.core.verdict import Verdict
    from intent.device.actor import Status


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("precheck", help=precheck.__doc__)(precheck)


def precheck(
    plan: PlanFile = None,
    workspace: WorkspacePath = HERE,
    site: Site = "",
    lab: Lab = False,
    state: State = None,
    as_json: Json = False,
) -> int:
    """Hold a plan against the devices as they are now, and run the checks that make sense before a change. Reads only.

    Says which devices are ready, which changed since the plan was made, and what is wrong with them already: what is
    broken before a change is not held against it afterwards. A plan that apply would refuse is refused here too. Exit
    code 7 stale, 8 unknown, 3 findings.

    Examples:
      intent precheck
      intent precheck change-0815.json --json
    """
    from intent.change.apply import precheck as hold
    from intent.change.control import SystemClock
    from intent.change.history import known_devices
    from intent.change.planfile import read_plan
    from intent.cli.output import progress, remark, show, write
    from intent.core.exitcode import worst
    from intent.operate.actors import actors
    from intent.operate.context import fleet, open_site, targets
    from intent.operate.current import require_ours
    from intent.operate.journal import journal
    from intent.operate.verifying import check_before
    from intent.report import readiness, verdicts

    work = open_site(workspace, state, site, allow_recabling=True)
    chosen = read_plan(plan or work.workspace.state / "plan.json")
    require_ours(work, chosen, work.compiled.artifacts, targets(work.compiled))
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    with journal(work.workspace, SystemClock(), create=False) as book:
        reached = known_devices(book, chosen.scope.site) if book else frozenset[str]()
    doers = actors(
        way, [device.wanted.target for device in chosen.devices], playbooks=work.workspace.overlay("playbooks")
    )
    with progress("reading devices", len(chosen.devices)) as task, way.watched(lambda _name: task.advance()):
        found = hold(chosen, doers)
        results = check_before(work, chosen, way, reached, remark)
    states, judged = _codes()
    codes = [ExitCode.OK, *(states[row.status] for row in found.rows if row.status in states)]
    codes += [judged[item.verdict] for item in results if item.verdict in judged]
    if as_json:
        write(readiness.as_json(found, results))
    else:
        show(readiness.table(found))
        show(f"{len(found.ready)} ready, {len(found.rows)} left alone")
        if results:
            show(verdicts.human(results))
    return int(worst(*codes))


def _codes() -> tuple[dict[Status, ExitCode], dict[Verdict, ExitCode]]:
    """What the state of a device and what a verdict say to the shell."""
    from intent.core.verdict import Verdict
    from intent.device.actor import Status

    states = {Status.STALE: ExitCode.STALE, Status.UNKNOWN: ExitCode.UNKNOWN, Status.NOT_ATTEMPTED: ExitCode.ERROR}
    verdicts = {Verdict.FAIL: ExitCode.FINDINGS, Verdict.UNKNOWN: ExitCode.UNKNOWN, Verdict.ERROR: ExitCode.UNKNOWN}
    return states, verdicts
