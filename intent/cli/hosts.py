"""`intent hosts`: rail addresses, MTU and routes of the nodes and IMEX's list of trays, through Ansible."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Json, Limit, Site, State, WorkspacePath, Yes
from intent.core.exitcode import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intent.change.plan import Plan
    from intent.cli.context import Work
    from intent.device.actor import Target
    from intent.device.hosts import HostActor
    from intent.render.artifact import Artifact

_app = typer.Typer(
    help="Rail interfaces of the nodes, IMEX's lists of trays: planned, written and read back by one Ansible run each.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
_PLAN = "hosts-plan.json"
_PLATFORM = "host"

User = Annotated[str, typer.Option("--user", help="Account on the nodes; left out, ssh's default.")]
Key = Annotated[str, typer.Option("--key", help="Private key file; left out, the agent's.")]
Become = Annotated[bool, typer.Option("--become", help="Become root by sudo without a password.")]
Local = Annotated[bool, typer.Option("--local", help="This machine, without ssh: for an agent on the node itself.")]
Root = Annotated[str, typer.Option("--root", help="Folder on the node that stands for /.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(_app, name="hosts")


@_app.command("plan")
def plan(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    limit: Limit = [],  # noqa: B006 - typer copies it
    state: State = None,
    user: User = "",
    key: Key = "",
    become: Become = False,
    local: Local = False,
    root: Root = "",
    allow_recabling: AllowRecabling = False,
    as_json: Json = False,
) -> int:
    """Say what would change on the nodes: files in check mode, with their differences; nothing is written.

    Trays of tenants get IMEX's nodes_config.cfg where the intent says nvlink.imex; the service is never restarted.
    Addresses of the nodes stand in inventory/nodes.csv (columns name,address); without it their names are resolved.

    Examples:
      intent hosts plan --limit 'gpu01-*' --user root
      intent hosts plan --local --limit gpu01-01
    """
    from intent.change.control import SystemClock, stamp
    from intent.change.plan import make_plan
    from intent.change.planfile import write_plan
    from intent.change.selection import select
    from intent.cli.context import open_site, strategy_of
    from intent.cli.output import progress, show, write
    from intent.report import plan as report

    work = open_site(workspace, state, site, allow_recabling=allow_recabling)
    known = _targets(work)
    scope = select(known, limit, site=work.compiled.name)
    actor = _actor(work, known, user=user, key=key, become=become, local=local, root=root)
    with progress("reading nodes", len(scope.devices)):
        result = make_plan(
            _artifacts(work),
            known,
            {_PLATFORM: actor},
            scope=scope,
            intent_name=work.compiled.document.name,
            created_at=stamp(SystemClock()),
            settings=strategy_of(work.compiled),
        )
    write_plan(work.workspace.state / _PLAN, result)
    if as_json:
        write(report.as_json(result))
    else:
        show(report.human(result))
    return int(result.exit_code())


@_app.command("apply")
def apply(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    state: State = None,
    user: User = "",
    key: Key = "",
    become: Become = False,
    local: Local = False,
    root: Root = "",
    yes: Yes = False,
    reason: Annotated[str, typer.Option("--reason", "-m", help="Why, for the journal.")] = "",
) -> int:
    """Carry out the last plan of `intent hosts plan`: written, read back, put back where not as planned.

    At the end IMEX's lists are read on every tray of the NVLink partitions that were touched: they must be identical.

    Examples:
      intent hosts apply --user root
    """
    from intent.change.planfile import read_plan
    from intent.cli.ask import ask
    from intent.cli.context import open_site
    from intent.cli.output import show
    from intent.report.plan import headline

    work = open_site(workspace, state, site, allow_recabling=True)
    chosen = read_plan(work.workspace.state / _PLAN)
    show(headline(chosen))
    if chosen.to_change:
        ask(f"Change {len(chosen.to_change)} nodes?", yes=yes)
    actor = _actor(work, _targets(work), user=user, key=key, become=become, local=local, root=root)
    return _carry_out(work, chosen, actor, reason)


def _carry_out(work: Work, plan: Plan, actor: HostActor, reason: str) -> int:
    import getpass
    from collections.abc import Sequence

    from intent.change.apply import apply_plan
    from intent.change.control import Stop, SystemClock
    from intent.change.engine import Judgement
    from intent.change.lock import this_process
    from intent.cli.journal import journal
    from intent.cli.output import remark, show
    from intent.core.errors import IntentError
    from intent.core.exitcode import worst
    from intent.core.verdict import Verdict
    from intent.report.changes import human, progress_line

    wanted = {device.name: device.wanted for device in plan.devices}

    def judge(names: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        del in_force
        seen = actor.observe([wanted[name] for name in names])
        verdicts: dict[str, Judgement] = {}
        for name in names:
            if seen[name].problem:
                verdicts[name] = Judgement(Verdict.UNKNOWN, (seen[name].detail,))
            elif actor.difference(wanted[name], seen[name]):
                verdicts[name] = Judgement(Verdict.FAIL, ("Files: read back - not as written",))
            else:
                verdicts[name] = Judgement(Verdict.PASS)
        return verdicts

    clock, stop = SystemClock(), Stop()
    with journal(work.workspace, clock) as book, stop.on_interrupt():
        if book is None:
            raise IntentError("the journal could not be made")
        result = apply_plan(
            plan,
            actors={_PLATFORM: actor},
            journal=book,
            judge=judge,
            holder=this_process(getpass.getuser()),
            clock=clock,
            stop=stop,
            reason=reason,
            emit=lambda event: remark(line) if (line := progress_line(event)) is not None else None,
        )
    show(human(result))
    return int(worst(result.exit_code, _identical(work, plan, actor)))


def _identical(work: Work, plan: Plan, actor: HostActor) -> ExitCode:
    """Hold IMEX's lists of all trays of the partitions a plan touches against each other, by their hashes."""
    from intent.change.plan import wanted_of
    from intent.cli.output import show
    from intent.device.hosts import imex_hashes
    from intent.report.imex import told

    touched = {device.name for device in plan.to_change}
    domains = [item for item in work.compiled.imex.domains if touched.intersection(item.trays)]
    if not domains:
        return ExitCode.OK
    artifacts, known = _artifacts(work), _targets(work)
    hashes = imex_hashes(actor, [wanted_of(artifacts[tray], known[tray]) for item in domains for tray in item.trays])
    said = told(domains, hashes)
    show(said.text)
    return said.exit_code


def _artifacts(work: Work) -> Mapping[str, Artifact]:
    from intent.render.hosts import host_artifacts, host_defaults

    return host_artifacts(work.compiled.fabric, host_defaults(), work.compiled.imex)


def _targets(work: Work) -> dict[str, Target]:
    from intent.device.actor import Target
    from intent.workspace.nodes import node_addresses

    addresses = node_addresses(work.workspace)
    return {
        node.name: Target(node.name, addresses.get(node.name, ""), _PLATFORM, model=node.model, labels=node.labels)
        for node in work.compiled.fabric.nodes
    }


def _actor(
    work: Work, known: Mapping[str, Target], *, user: str, key: str, become: bool, local: bool, root: str
) -> HostActor:
    from intent.device.hosts import HostActor, HostConnection
    from intent.resources import find

    play = find("playbooks", "rails.yml", work.workspace.overlay("playbooks"))
    # On this machine the interpreter we run on is the one that is known to work.
    python = sys.executable if local else ""
    connection = HostConnection(user=user, key_file=key, python=python, become=become, local=local, root=root)
    addresses = {name: target.address or name for name, target in known.items()}
    return HostActor(play.parent, {}, default=connection, addresses=addresses)
