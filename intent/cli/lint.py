"""`intent lint`: everything that is wrong with an intent, with file and line."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import HERE, WorkspacePath
from intent.core.diagnostic import Severity
from intent.core.exitcode import ExitCode
from intent.report.diagnostics import Format

_RANK = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("lint", help=lint.__doc__)(lint)


def lint(
    workspace: WorkspacePath = HERE,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print the findings.")] = Format.HUMAN,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Least severity that makes the exit code 3.")
    ] = Severity.ERROR,
) -> int:
    """Check an intent: language, names, sizes, addresses, hardware limits and the schema of every release.

    Reads files only. Exit code 0 when nothing at or above --fail-on was found, else 3.

    Examples:
      intent lint
      intent lint --fail-on warning --format github     annotations of a GitHub check; gitlab and sarif likewise
    """
    from intent import __version__
    from intent.catalog.hardware import Catalog
    from intent.cli.output import show, write
    from intent.report.diagnostics import human, render
    from intent.workspace.compile import check
    from intent.workspace.files import Workspace

    checked = check(Workspace.open(workspace), Catalog.load())
    if form is Format.HUMAN:
        show(human(checked.diagnostics, checked.texts))
    else:
        write(render(checked.diagnostics, form, checked.texts, version=__version__))
    worst = max((_RANK[item.severity] for item in checked.diagnostics), default=-1)
    return int(ExitCode.FINDINGS if worst >= _RANK[fail_on] else ExitCode.OK)
