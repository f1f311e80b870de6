"""`intent verify`: is the live fabric what the intent says?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import HERE, Lab, Limit, Site, State, WorkspacePath
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict


class VerifyFormat(StrEnum):
    """How to print verdicts."""

    HUMAN = "human"
    JSON = "json"
    JUNIT = "junit"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify", help=verify.__doc__)(verify)


def verify(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    limit: Limit = [],  # noqa: B006 - typer copies it
    check: Annotated[list[str], typer.Option("--check", "-k", help="Only these checks, by name or subject.")] = [],  # noqa: B006
    lab: Lab = False,
    state: State = None,
    form: Annotated[VerifyFormat, typer.Option("--format", "-f", help="How to print.")] = VerifyFormat.HUMAN,
    save: Annotated[Path | None, typer.Option("--save", help="Keep what was observed in this file.")] = None,
) -> int:
    """Run every check against the live devices: links, LLDP against the cabling plan, BGP, RoCE, releases, subnets.

    Reads only; ufm-validation, run when it is named, has UFM run a test of its own. A device that cannot be judged is
    unknown, never green: exit code 8; failures: 3. Your own checks in validators/ run the same way.

    Examples:
      intent verify --lab
      intent verify --check cabling --check link-up --limit 'plane=1'
      intent verify --format junit > verify.xml
    """
    from intent.change.selection import select
    from intent.cli.output import progress, remark, show, write
    from intent.operate.actors import left_out
    from intent.operate.checks import checks_of
    from intent.operate.context import fleet, lab_state, open_site, targets
    from intent.operate.verifying import verify_site
    from intent.report import verdicts as report
    from intent.report.junit import junit
    from intent.verify.snapshot import save as save_snapshot
    from intent.workspace.files import require_writable

    work = open_site(workspace, state, site, allow_recabling=True)
    if save:
        require_writable(save)
    known = targets(work.compiled, lab=lab)
    if told := left_out(work.compiled, lab=lab):
        remark(told)
    scope = select(known, limit, site=work.compiled.name)
    checks = checks_of(work.workspace, check, remark=remark)
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    laboratory = lab_state(work.workspace).parent if lab else None
    with progress("reading devices", len(scope.devices)) as task, way.watched(lambda _name: task.advance()):
        found = verify_site(work, checks, way, known, scope.devices, lab=laboratory, asked=check)
    if save:
        save_snapshot(save, found.observed)
    if form is VerifyFormat.HUMAN:
        show(report.human(found.results))
    else:
        write(junit(found.results) if form is VerifyFormat.JUNIT else report.as_json(found.results))
    verdicts = {item.verdict for item in found.results}
    if verdicts & {Verdict.UNKNOWN, Verdict.ERROR}:
        return int(ExitCode.UNKNOWN)
    return int(ExitCode.FINDINGS if Verdict.FAIL in verdicts else ExitCode.OK)
