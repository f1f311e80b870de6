"""`intent recover`: after a run that died, find out where every device stands."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import HERE, Lab, Site, State, WorkspacePath, Yes
from intent.core.exitcode import ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("recover", help=recover.__doc__)(recover)


def recover(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    lab: Lab = False,
    state: State = None,
    break_lock: Annotated[
        bool, typer.Option("--break-lock", help="Take the site's lock from a run on a host that is gone.")
    ] = False,
    yes: Yes = False,
) -> int:
    """Settle changes that never ended: ask each device whether it holds the old or the new state, and write it down.

    What still awaits confirmation is put back. `intent apply` does the same before it begins; this command is for when
    nothing else is to be applied. Exit code 8 when a device could not be asked.

    Examples:
      intent recover
      intent recover --break-lock
    """
    import getpass

    from intent.change.control import SystemClock
    from intent.change.history import unfinished
    from intent.change.lock import break_lock as take
    from intent.change.lock import this_process
    from intent.change.recover import settle_site
    from intent.cli.ask import ask
    from intent.operate.actors import actors
    from intent.operate.context import fleet, open_site, targets
    from intent.operate.journal import journal

    work = open_site(workspace, state, site, allow_recabling=True)
    known, name, clock = targets(work.compiled, lab=lab), work.compiled.name, SystemClock()
    with journal(work.workspace, clock, create=False) as book:
        if book is None:
            print("no change was made from this workspace yet")
            return int(ExitCode.OK)
        if break_lock:
            ask(f"Take the lock of site {name}? A run that still holds it must be dead.", yes=yes)
            held = take(book, name)
            print(f"lock taken from {held.holder.owner} on {held.holder.host}" if held else "nobody held the lock")
        open_changes = unfinished(book, name)
        if not open_changes:
            print(f"every change of site {name} has ended")
            return int(ExitCode.OK)
        way = fleet(work.workspace, lab=lab, site=work.compiled.site)
        found = settle_site(
            book,
            actors(way, known.values(), playbooks=work.workspace.overlay("playbooks")),
            site=name,
            holder=this_process(getpass.getuser()),
            clock=clock,
        )
    for item in found:
        print(f"{item.change} {item.device}: {item.holds} - {item.detail}")
    settled = all(item.settled for item in found)
    print(f"{len(open_changes)} changes, {len(found)} devices looked at, {'all' if settled else 'not all'} settled")
    return int(ExitCode.OK if settled else ExitCode.UNKNOWN)
