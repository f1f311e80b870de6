"""`intent history`: what was changed, by whom, and how it ended."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import HERE, Json, State, WorkspacePath
from intent.core.exitcode import ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("history", help=history.__doc__)(history)


def history(
    change: Annotated[str, typer.Argument(help="One change: every step of it.")] = "",
    workspace: WorkspacePath = HERE,
    state: State = None,
    site: Annotated[str, typer.Option("--site", help="Only changes of this site.")] = "",
    device: Annotated[str, typer.Option("--device", "-d", help="Only changes of this device.")] = "",
    limit: Annotated[int, typer.Option("--last", "-n", help="How many, the newest first.", min=1)] = 20,
    check: Annotated[bool, typer.Option("--check", help="Check that the journal was not tampered with.")] = False,
    as_json: Json = False,
) -> int:
    """List the changes made from this workspace, or every step of one.

    The journal is written before each step; every entry holds the digest of the one before, so a change to it shows.

    Examples:
      intent history --last 5
      intent history 20261130-174608          every step of one change, by the beginning of its number
      intent history --check
    """
    from intent.change.control import SystemClock
    from intent.change.history import get_change, list_changes, trail
    from intent.cli.output import show, show_table, write
    from intent.operate.journal import journal
    from intent.report import changes as report
    from intent.workspace.files import Workspace

    place = Workspace.open(workspace, state)
    with journal(place, SystemClock(), create=False) as book:
        if book is None:
            print("no change was made from this workspace yet")
            return int(ExitCode.OK)
        if check:
            verdict = book.verify()
            print(verdict)
            return int(ExitCode.OK if verdict.holds else ExitCode.ERROR)
        if change:
            record = get_change(book, change)
            show(f"{record.id}: {report.outcome(record)}")
            show_table(report.rows(record), as_json=as_json)
            show_table(report.trail(trail(book, record.id, device)), as_json=as_json)
            return int(ExitCode.OK)
        changes = list_changes(book, site=site, device=device, limit=limit)
        if as_json:
            write(report.history_json(changes))
        else:
            show(report.history(changes))
    return int(ExitCode.OK)
