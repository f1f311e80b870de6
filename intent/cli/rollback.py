"""`intent rollback`: back to what devices held before a change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import HERE, AllowRemovals, Json, Lab, Patience, Reason, Site, State, WorkspacePath, Yes


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rollback", help=rollback.__doc__)(rollback)


def rollback(
    change: Annotated[str, typer.Argument(help="Number of the change, or its beginning (see intent history).")],
    workspace: WorkspacePath = HERE,
    site: Site = "",
    device: Annotated[list[str], typer.Option("--device", "-d", help="Only these devices of the change.")] = [],  # noqa: B006
    over_later: Annotated[
        bool, typer.Option("--over-later", help="Also undo later changes of the same devices.")
    ] = False,
    lab: Lab = False,
    state: State = None,
    yes: Yes = False,
    reason: Reason = "",
    report: Annotated[Path | None, typer.Option("--report", help="Write the change report here.")] = None,
    patience: Patience = None,
    allow_removals: AllowRemovals = False,
    as_json: Json = False,
) -> int:
    """Put devices back to what they held before a change: planned, shown, applied in waves, checked like any change.

    Take the number of the change from `intent history`; its beginning is enough.

    Examples:
      intent rollback 20261130-174608 --lab
      intent rollback 20261130-174608 --device east-west-p1-r1-l01
    """
    from intent.change.control import SystemClock, stamp
    from intent.change.rollback import rollback_plan
    from intent.cli.ask import ask
    from intent.cli.output import show
    from intent.cli.running import Manner, carry_out
    from intent.core.errors import IntentError
    from intent.operate.actors import actors
    from intent.operate.context import fleet, open_site, strategy_of, targets
    from intent.operate.journal import journal
    from intent.report.plan import human

    work = open_site(workspace, state, site, allow_recabling=True)
    known = targets(work.compiled, lab=lab)
    clock = SystemClock()
    with journal(work.workspace, clock, create=False) as book:
        if book is None:
            raise IntentError("no change was ever made from this workspace", hint="the journal is in --state DIR")
        plan = rollback_plan(
            book,
            change,
            actors(
                fleet(work.workspace, lab=lab, site=work.compiled.site),
                known.values(),
                playbooks=work.workspace.overlay("playbooks"),
            ),
            created_at=stamp(clock),
            settings=strategy_of(work.compiled),
            devices=device,
            over_later=over_later,
        )
    if not as_json:
        show(human(plan))
    if plan.to_change:
        ask(f"Put {len(plan.to_change)} devices back?", yes=yes)
    why = reason or f"rollback of {plan.rolls_back}"
    manner = Manner(lab, why, report, patience, as_json, allow_removals)
    return carry_out(work, plan, manner)
