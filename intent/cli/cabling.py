"""`intent cabling`: what is plugged where, and what has to move."""

from __future__ import annotations

import typer

from intent.cli.options import HERE, AllowRecabling, Site, WorkspacePath

_app = typer.Typer(
    help="Cabling plan, and the cables that have to move when the fabric grows.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(_app, name="cabling")


@_app.command("plan")
def plan(workspace: WorkspacePath = HERE, site: Site = "", allow_recabling: AllowRecabling = False) -> None:
    """Print the cabling plan as CSV: one row per link with cage, sub-port and cable.

    Examples:
      intent cabling plan > cabling.csv
    """
    from intent.operate.context import open_site
    from intent.report.cabling import cabling_csv

    work = open_site(workspace, None, site, allow_recabling=allow_recabling)
    print(cabling_csv(work.compiled.fabric), end="")


@_app.command("moves")
def moves(workspace: WorkspacePath = HERE, site: Site = "") -> None:
    """Print the cables that have to move against the committed lock, in the order to move them, as CSV.

    Reads files only; nothing is written, neither to the lock nor to a device.

    Examples:
      intent cabling moves > moves.csv
    """
    from intent.operate.context import open_site
    from intent.report.cabling import moves_csv

    work = open_site(workspace, None, site, allow_recabling=True)
    print(moves_csv(work.compiled.growth), end="")
