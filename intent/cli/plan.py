"""`intent plan`: what an apply would change, against the live devices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Json, Lab, Limit, Locked, Site, State, WorkspacePath


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan", help=plan.__doc__)(plan)


def plan(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    limit: Limit = [],  # noqa: B006 - typer copies it
    lab: Lab = False,
    state: State = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to keep the plan; left out, plan.json in the state folder."),
    ] = None,
    allow_recabling: AllowRecabling = False,
    locked: Locked = False,
    detailed_exitcode: Annotated[
        bool, typer.Option("--detailed-exitcode", help="Exit with 2 when there is something to change.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Compare every device with the intent and say what would change; write nothing to any device.

    Equal changes are shown once for all devices that have them, each line with the intent line behind it and what it
    does to traffic. The plan is kept in a file; `intent apply` carries out that plan and nothing else.

    Examples:
      intent plan --lab
      intent plan --limit 'role=leaf,plane=1' --out window.plan.json
      intent plan --detailed-exitcode --json > plan.json
    """
    from intent.change.control import SystemClock, stamp
    from intent.change.history import known_devices
    from intent.change.planfile import write_plan
    from intent.change.planning import make_plan
    from intent.change.selection import select
    from intent.cli.output import progress, remark, show, write
    from intent.core.diagnostic import Severity
    from intent.operate.actors import actors, left_out
    from intent.operate.context import fleet, keep_lock, open_site, strategy_of, targets
    from intent.operate.journal import journal
    from intent.report import growth as growth_report
    from intent.report import plan as plan_report
    from intent.workspace.files import require_writable

    with progress("compiling"):
        work = open_site(workspace, state, site, allow_recabling=allow_recabling, locked=locked)
    compiled, known = work.compiled, targets(work.compiled, lab=lab)
    warnings = sum(item.severity is Severity.WARNING for item in compiled.diagnostics)
    if warnings:
        remark(f"{warnings} warning{'s' * (warnings > 1)} about the intent: `intent lint` says which")
    if told := left_out(compiled, lab=lab):
        remark(told)
    scope = select(known, limit, site=compiled.name)
    file = out or work.workspace.state / "plan.json"
    require_writable(file)
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    clock = SystemClock()
    with journal(work.workspace, clock, create=False) as book:
        reached = known_devices(book, compiled.name) if book else frozenset[str]()
    with progress("reading devices", len(scope.devices)) as task, way.watched(lambda _name: task.advance()):
        result = make_plan(
            compiled.artifacts,
            known,
            actors(way, known.values(), playbooks=work.workspace.overlay("playbooks")),
            scope=scope,
            intent_name=compiled.document.name,
            created_at=stamp(clock),
            settings=strategy_of(compiled),
            known=reached,
        )
    write_plan(file, result)
    keep_lock(work)
    if as_json:
        write(plan_report.as_json(result))
    else:
        show(growth_report.human(compiled.growth))
        show(plan_report.human(result))
        words = ["intent apply", *([str(out)] if out else []), *(["--lab"] if lab else [])]
        print(f"\nPlan written to {file}." + (f" Next: {' '.join(words)}" if result.to_change else ""))
    return int(result.exit_code(detailed=detailed_exitcode))
