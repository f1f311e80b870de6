"""Entry point: gathers the commands."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import NoReturn

import typer

from intent import __version__
from intent.cli import (
    apply,
    cabling,
    compiling,
    demo,
    drift,
    export,
    history,
    hosts,
    init,
    lab,
    lint,
    lock,
    plan,
    precheck,
    recover,
    rollback,
    schema,
    show,
    verify,
    why,
)
from intent.cli.guard import guarded
from intent.cli.helptext import arrange, flowing
from intent.core.exitcode import MEANING

_EPILOG = "Exit codes: " + " · ".join(f"{int(code)} {text}" for code, text in MEANING.items())

_HELP = """One declarative intent for the fabrics of an AI factory: compiled, planned, applied in waves, verified.

[bold]First steps[/bold]

  intent demo                   the whole path on this machine: a minute
  intent init aurora            a workspace of your own, in the folder aurora
  intent lint                   then compile, lab up, plan --lab, apply --lab
"""

app = typer.Typer(
    name="intent",
    help=flowing(_HELP),
    epilog=_EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

COLLECT_AFTER = (50_000, 20, 50)
"""Thresholds of the garbage collector: trees of hundreds of switches live to the end, looking at them is in vain."""


def _version(value: bool) -> None:
    if value:
        typer.echo(f"intent {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Options before the command."""
    del version


_PANELS: tuple[tuple[str, tuple[ModuleType, ...]], ...] = (
    ("Offline: read files, touch no device", (init, lint, compiling, show, why, cabling, export, lock, schema)),
    (
        "Changes: planned, applied in waves, kept only where checks pass",
        (plan, precheck, apply, verify, rollback, recover, history, hosts),
    ),
    ("Day by day: sends nothing but GET", (drift,)),
    ("Practice: switches that speak the real protocol, on this machine", (lab, demo)),
)

for _title, _modules in _PANELS:
    for _module in _modules:
        _module.register(app)
        arrange(app, _title)


def main() -> NoReturn:
    """Run the command and leave with its exit code."""
    gc.set_threshold(*COLLECT_AFTER)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; returns the exit code."""
    return guarded(app, arguments)


if __name__ == "__main__":
    main()
