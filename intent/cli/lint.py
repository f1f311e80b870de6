"""`intent lint`: everything that is wrong with an intent, with file and line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from intent.cli.lint_file import FileKind, kind_of, lint_file
from intent.cli.options import HERE, WorkspacePath
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.exitcode import ExitCode
from intent.report.diagnostics import Format
from intent.report.sarif import Rule

_RANK = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("lint", help=lint.__doc__)(lint)


def lint(
    file: Annotated[
        Path | None,
        typer.Argument(help="A partitions.conf of OpenSM to check instead; any, not only ours.", show_default=False),
    ] = None,
    workspace: WorkspacePath = HERE,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print the findings.")] = Format.HUMAN,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Least severity that makes the exit code 3.")
    ] = Severity.ERROR,
    kind: Annotated[FileKind | None, typer.Option("--as", help="What FILE is, where its name does not say.")] = None,
) -> int:
    """Check an intent: language, names, sizes, addresses, hardware limits and the schema of every release.

    Reads files only. Exit code 0 when nothing at or above --fail-on was found, else 3.

    Examples:
      intent lint
      intent lint --fail-on warning --format github     annotations of a GitHub check; gitlab and sarif likewise
      intent lint /etc/opensm/partitions.conf           what OpenSM would drop or misread, with the line
    """
    from intent import __version__
    from intent.cli.output import show, write
    from intent.report.diagnostics import human, render

    known = kind_of(file, kind) if file is not None else None
    if file is not None and known is not None:
        found, texts = lint_file(file, known)
    else:
        found, texts = _lint_workspace(file or workspace)
    if form is Format.HUMAN:
        show(human(found, texts))
    else:
        write(render(found, form, texts, rules=_rules(form), version=__version__))
    worst = max((_RANK[item.severity] for item in found), default=-1)
    return int(ExitCode.FINDINGS if worst >= _RANK[fail_on] else ExitCode.OK)


def _rules(form: Format) -> tuple[Rule, ...]:
    """What is known of every code, where the format has room for it."""
    if form is not Format.SARIF:
        return ()
    from intent.report.codes import every_code

    return every_code()


def _lint_workspace(path: Path) -> tuple[tuple[Diagnostic, ...], Mapping[str, str]]:
    from intent.catalog.hardware import Catalog
    from intent.workspace.compile import check
    from intent.workspace.files import Workspace

    checked = check(Workspace.open(path), Catalog.load())
    return tuple(checked.diagnostics), checked.texts
