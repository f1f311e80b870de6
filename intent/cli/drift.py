"""`intent drift`: what on the devices is not what the intent says."""

from __future__ import annotations

import typer

from intent.cli.options import HERE, Json, Lab, Limit, Site, State, WorkspacePath


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("drift", help=drift.__doc__)(drift)


def drift(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    limit: Limit = [],  # noqa: B006 - typer copies it
    lab: Lab = False,
    state: State = None,
    as_json: Json = False,
) -> int:
    """Compare live configuration with the intent, meaning by meaning, and name the intent line each deviation breaks.

    Sends nothing but GET; a read-only account is enough. Exit code 0 in sync, 2 drift, 8 when a device could not be
    read. Made for cron.

    Examples:
      intent drift --lab
      intent drift --site par1 --json > drift.json
    """
    from intent.change.drift import find_drift
    from intent.change.selection import select
    from intent.cli.output import progress, remark, show, write
    from intent.operate.actors import actors, left_out
    from intent.operate.context import fleet, open_site, targets
    from intent.report import drift as report

    work = open_site(workspace, state, site, allow_recabling=True)
    known = targets(work.compiled, lab=lab)
    if told := left_out(work.compiled, lab=lab):
        remark(told)
    scope = select(known, limit, site=work.compiled.name)
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    with progress("reading devices", len(scope.devices)) as task, way.watched(lambda _name: task.advance()):
        found = find_drift(
            work.compiled.artifacts,
            known,
            actors(way, known.values(), playbooks=work.workspace.overlay("playbooks")),
            scope=scope,
        )
    if as_json:
        write(report.as_json(found))
    else:
        show(report.human(found))
    return int(found.exit_code)
