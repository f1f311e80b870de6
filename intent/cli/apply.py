"""`intent apply`: carries out a plan, in waves, kept only where the checks pass."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import (
    HERE,
    AllowRemovals,
    Json,
    Lab,
    Patience,
    PlanFile,
    Reason,
    Site,
    State,
    WorkspacePath,
    Yes,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("apply", help=apply.__doc__)(apply)


def apply(
    plan: PlanFile = None,
    workspace: WorkspacePath = HERE,
    site: Site = "",
    lab: Lab = False,
    state: State = None,
    yes: Yes = False,
    reason: Reason = "",
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the change report, one HTML page, here.")
    ] = None,
    patience: Patience = None,
    allow_removals: AllowRemovals = False,
    as_json: Json = False,
) -> int:
    """Carry out a plan: that plan and nothing else.

    A plan that is not what the workspace compiles to is refused, and so is a device that changed since it was made.
    Waves begin with a canary and never touch two planes at once. Each device is changed with a confirm timer: checks
    over new connections decide whether it is kept or put back, and a device we lose puts itself back. Ctrl-C stops
    after what is in flight; twice leaves it to the timers. Every step is in the journal before it is made.

    Examples:
      intent apply --lab                      the last plan of this workspace, on the lab
      intent apply window.plan.json --reason 'CHG-1041' --report report.html
    """
    from intent.change.planfile import read_plan
    from intent.cli.ask import ask
    from intent.cli.output import show
    from intent.cli.running import Manner, carry_out
    from intent.operate.context import open_site, targets
    from intent.operate.current import require_ours
    from intent.report.plan import headline

    work = open_site(workspace, state, site, allow_recabling=True)
    chosen = read_plan(plan or work.workspace.state / "plan.json")
    require_ours(work, chosen, work.compiled.artifacts, targets(work.compiled))
    if not as_json:
        show(headline(chosen))
    if chosen.to_change:
        ask(f"Change {len(chosen.to_change)} devices of {chosen.scope.site}?", yes=yes)
    manner = Manner(lab, reason, report, patience, as_json, allow_removals)
    return carry_out(work, chosen, manner)
