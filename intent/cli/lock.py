"""`intent lock`: the allocations of a site."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import HERE, Site, WorkspacePath, Yes

_WIDEST = 60
_app = typer.Typer(
    help="Check and prune the allocations of a site, kept in sites/SITE.lock.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(_app, name="lock")


@_app.command("check")
def check(workspace: WorkspacePath = HERE, site: Site = "") -> None:
    """Fail when the committed lock is not what the intent compiles to. For CI.

    Examples:
      intent lock check --site par1
    """
    from intent.operate.context import open_site

    work = open_site(workspace, None, site, allow_recabling=True, locked=True)
    print(f"{work.workspace.lock_name(work.compiled.name)} is up to date")


@_app.command("prune")
def prune(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be let go.")] = False,
) -> None:
    """Let go of values whose owners are gone, so that they may be given out again.

    Names, addresses and AS numbers of devices and nodes that left the intent stay reserved until this is run.

    Examples:
      intent lock prune --dry-run
      intent lock prune --yes
    """
    from intent.cli.ask import ask
    from intent.fabric.lock import dump
    from intent.operate.context import open_site
    from intent.workspace.compile import after_prune

    work = open_site(workspace, None, site, allow_recabling=True)
    lock = work.compiled.lock
    count = sum(len(owners) for owners in lock.released.values())
    for kind, owners in sorted(lock.released.items()):
        for owner, value in sorted(owners.items()):
            print(f"{kind} {value[:_WIDEST]}{'…' if len(value) > _WIDEST else ''}  was {owner}'s")
    growth = after_prune(work.compiled, work.catalog).growth
    print(f"{count} values reserved for owners that are gone")
    if growth.removed or growth.moves:
        print(f"the next compile would then remove {len(growth.removed)} switches and move {len(growth.moves)} cables")
    if dry_run or dump(lock.pruned()) == dump(work.compiled.lock_before):
        return
    ask(f"Let {count} values go? They may then be given to others.", yes=yes)
    work.workspace.write_lock(work.compiled.name, dump(lock.pruned()))
    print(f"{count} values let go; {work.workspace.lock_name(work.compiled.name)} updated: commit it")
