"""`intent verify`: is the live fabric what the intent says?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, Lab, Limit, Site, State, WorkspacePath
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict

if TYPE_CHECKING:
    from intent.verify.engine import CheckResult


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
    from intent.cli.checks import checks_of, expected_of, parts_of
    from intent.cli.context import actors, fleet, lab_state, open_site, targets
    from intent.cli.controllers import SWITCHES, left_out, read_back
    from intent.cli.nvlinks import Nvlinks
    from intent.cli.output import progress, remark, show, write
    from intent.cli.subnets import Subnets
    from intent.device.observe import gather
    from intent.report import verdicts as report
    from intent.report.junit import junit
    from intent.verify.api import Phase
    from intent.verify.engine import run
    from intent.verify.snapshot import save as save_snapshot

    work = open_site(workspace, state, site, allow_recabling=True)
    known = targets(work.compiled, lab=lab)
    told = left_out(work.compiled, lab=lab)
    if told:
        remark(told)
    scope = select(known, limit, site=work.compiled.name)
    checks = checks_of(work.workspace, check)
    way = fleet(work.workspace, lab=lab, site=work.compiled.site)
    with progress("reading devices", len(scope.devices)) as task, way.watched(lambda _name: task.advance()):
        judged = [name for name in scope.devices if known[name].platform == SWITCHES]
        seen = gather(way, [known[name] for name in judged], parts_of(checks)) if judged else {}
    results: tuple[CheckResult, ...] = ()
    if judged:
        results = run(
            checks,
            work.compiled.fabric,
            seen,
            phase=Phase.VERIFY,
            expected=expected_of(work.compiled),
            devices=judged,
        )
    others = {name: known[name] for name in scope.devices if known[name].platform != SWITCHES}
    doers = actors(way, others.values(), playbooks=work.workspace.overlay("playbooks"))
    results += read_back(work.compiled.artifacts, others, doers)
    of_subnets, seen_by_hosts = Subnets(
        work.compiled, checks, doers, known, lab=lab_state(work.workspace).parent if lab else None, asked=check
    ).results(others, Phase.VERIFY)
    of_racks, seen_by_nmx = Nvlinks(work.compiled, checks, way, known).results(others, Phase.VERIFY)
    results += of_subnets + of_racks
    if save:
        save_snapshot(save, [*seen.values(), *seen_by_hosts.values(), *seen_by_nmx.values()])
    if form is VerifyFormat.HUMAN:
        show(report.human(results))
    else:
        write(junit(results) if form is VerifyFormat.JUNIT else report.as_json(results))
    verdicts = {item.verdict for item in results}
    if verdicts & {Verdict.UNKNOWN, Verdict.ERROR}:
        return int(ExitCode.UNKNOWN)
    return int(ExitCode.FINDINGS if Verdict.FAIL in verdicts else ExitCode.OK)
