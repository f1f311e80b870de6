"""`intent hosts`: rail addresses, MTU and routes of the nodes and IMEX's list of trays, through Ansible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Json, Limit, Reason, Site, State, WorkspacePath, Yes
from intent.operate.nodes import PLATFORM, node_actor, node_artifacts, node_targets

if TYPE_CHECKING:
    from intent.change.plan import Plan
    from intent.device.hosts import HostActor
    from intent.operate.context import Work

_app = typer.Typer(
    help="Rail interfaces of the nodes, IMEX's lists of trays: planned, written and read back by one Ansible run each.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
_PLAN = "hosts-plan.json"

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
    from intent.change.planfile import write_plan
    from intent.change.planning import make_plan
    from intent.change.selection import select
    from intent.cli.output import progress, show, write
    from intent.operate.context import open_site, strategy_of
    from intent.report import plan as report

    work = open_site(workspace, state, site, allow_recabling=allow_recabling)
    known = node_targets(work)
    scope = select(known, limit, site=work.compiled.name)
    actor = node_actor(work, known, user=user, key=key, become=become, local=local, root=root)
    with progress("reading nodes", len(scope.devices)):
        result = make_plan(
            node_artifacts(work),
            known,
            {PLATFORM: actor},
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
    reason: Reason = "",
) -> int:
    """Carry out the last plan of `intent hosts plan`: written, read back, put back where not as planned.

    A plan that is not what the workspace compiles to is refused. At the end IMEX's lists are read on every tray of the
    NVLink partitions that were touched: they must be identical.

    Examples:
      intent hosts apply --user root
    """
    from intent.change.planfile import read_plan
    from intent.cli.ask import ask
    from intent.cli.output import show
    from intent.operate.context import open_site
    from intent.operate.current import require_ours
    from intent.report.plan import headline

    work = open_site(workspace, state, site, allow_recabling=True)
    chosen, known = read_plan(work.workspace.state / _PLAN), node_targets(work)
    require_ours(work, chosen, node_artifacts(work), known)
    show(headline(chosen))
    if chosen.to_change:
        ask(f"Change {len(chosen.to_change)} nodes?", yes=yes)
    actor = node_actor(work, known, user=user, key=key, become=become, local=local, root=root)
    return _carry_out(work, chosen, actor, reason)


def _carry_out(work: Work, plan: Plan, actor: HostActor, reason: str) -> int:
    import getpass

    from intent.change.apply import apply_plan
    from intent.change.control import Stop, SystemClock
    from intent.change.lock import this_process
    from intent.cli.output import interrupted, remark, show
    from intent.core.errors import IntentError
    from intent.core.exitcode import worst
    from intent.operate.journal import journal
    from intent.operate.nodes import identical_lists, judge_nodes
    from intent.report.changes import human, progress_line

    clock, stop = SystemClock(), Stop()
    with journal(work.workspace, clock) as book, stop.on_interrupt(interrupted):
        if book is None:
            raise IntentError("the journal could not be made")
        result = apply_plan(
            plan,
            actors={PLATFORM: actor},
            journal=book,
            judge=judge_nodes(plan, actor),
            holder=this_process(getpass.getuser()),
            clock=clock,
            stop=stop,
            reason=reason,
            emit=lambda event: remark(line) if (line := progress_line(event)) is not None else None,
        )
    show(human(result))
    lists = identical_lists(work, plan, actor)
    if lists is None:
        return int(result.exit_code)
    show(lists.text)
    return int(worst(result.exit_code, lists.exit_code))
