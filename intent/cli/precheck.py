"""`intent precheck`: may this plan be applied now, and how do the devices stand before it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, Json, Lab, Site, State, WorkspacePath
from intent.core.exitcode import ExitCode

if TYPE_CHECKING:
    from intent.change.plan import Plan
    from intent.cli.context import Work
    from intent.core.verdict import Verdict
    from intent.device.actor import Status
    from intent.device.fanout import Fleet
    from intent.verify.engine import CheckResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("precheck", help=precheck.__doc__)(precheck)


def precheck(
    plan: Annotated[
        Path | None,
        typer.Argument(help="The plan file; left out, the last plan of this workspace.", show_default=False),
    ] = None,
    workspace: WorkspacePath = HERE,
    site: Site = "",
    lab: Lab = False,
    state: State = None,
    as_json: Json = False,
) -> int:
    """Hold a plan against the devices as they are now, and run the checks that make sense before a change. Reads only.

    Says which devices are ready, which changed since the plan was made, and what is wrong with them already: what is
    broken before a change is not held against it afterwards. Exit code 7 stale, 8 unknown, 3 findings.

    Examples:
      intent precheck
      intent precheck change-0815.json --json
    """
    from intent.change.apply import precheck as hold
    from intent.change.planfile import read_plan
    from intent.cli.context import actors, fleet, open_site
    from intent.cli.output import progress, show, write
    from intent.core.exitcode import worst
    from intent.report import readiness, verdicts

    work = open_site(workspace, state, site, allow_recabling=True)
    chosen = read_plan(plan or work.workspace.state / "plan.json")
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    with progress("reading devices", len(chosen.devices)):
        found = hold(chosen, actors(way, [device.wanted.target for device in chosen.devices]))
        results = _results(work, chosen, way)
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


def _results(work: Work, plan: Plan, way: Fleet) -> tuple[CheckResult, ...]:
    """Checks before the change: all of them on what an earlier change of ours reached, the system's on what is new."""
    from intent.change.control import SystemClock
    from intent.change.history import known_devices
    from intent.cli.checks import checks_of, expected_of, parts_of
    from intent.cli.journal import journal
    from intent.cli.nvlinks import Nvlinks
    from intent.device.observe import gather
    from intent.verify.api import Phase
    from intent.verify.engine import run

    with journal(work.workspace, SystemClock(), create=False) as book:
        reached = known_devices(book, plan.scope.site) if book else frozenset[str]()
    switches = {device.name for device in work.compiled.fabric.switches}
    checks = tuple(check for check in checks_of(work.workspace) if Phase.PRE in check.phases)
    system = tuple(check for check in checks if check.parts == ("system",) and check.name != "hostname")
    results: tuple[CheckResult, ...] = ()
    for chosen, old in ((checks, True), (system, False)):
        wanted = [d.wanted.target for d in plan.to_change if d.name in switches and (d.name in reached) is old]
        if wanted and chosen:
            seen = gather(way, wanted, parts_of(chosen))
            results += run(
                chosen,
                work.compiled.fabric,
                seen,
                phase=Phase.PRE,
                expected=expected_of(work.compiled),
                devices=[target.name for target in wanted],
            )
    known = {device.name: device.wanted.target for device in plan.to_change}
    of_racks, _ = Nvlinks(work.compiled, checks, way, known).results([*known], Phase.PRE)
    return results + of_racks
