"""`intent lab`: a rehearsal room of switches that speak the real protocol."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intent.cli.options import HERE, AddressBase, Json, Site, State, WorkspacePath
from intent.lab.state import ADDRESS_BASE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intent.operate.context import Work
    from intent.report.tables import Table


class Engine(StrEnum):
    """What stands for the subnet managers of the site."""

    INTERNAL = "internal"
    OPENSM = "opensm"


_app = typer.Typer(
    help="Switches on this machine that speak NVUE, wired as the intent says. No root needed; Linux.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(_app, name="lab")


@_app.command("up")
def up(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    state: State = None,
    factory: Annotated[
        bool, typer.Option("--factory", help="Switches as they come from the factory: 403 until the password is set.")
    ] = False,
    apply_seconds: Annotated[
        float, typer.Option("--apply-seconds", help="Seconds a switch takes to apply a configuration.", min=0)
    ] = 0.1,
    address_base: AddressBase = ADDRESS_BASE,
    engine: Annotated[
        Engine,
        typer.Option("--engine", help="Subnet managers: a model of UFM, or real OpenSM behind UFM and on its hosts."),
    ] = Engine.INTERNAL,
) -> None:
    """Start the lab: one address and one TLS certificate per switch, all in one process.

    The switches are those of the intent, wired as its cabling plan says. They hold nothing yet: plan and apply.

    Examples:
      intent lab up
      intent lab up --factory --apply-seconds 5
      intent lab up --engine opensm
    """
    from collections import Counter

    from intent.cli.output import progress
    from intent.lab import process
    from intent.operate.context import lab_state, open_site

    work = open_site(workspace, state, site, allow_recabling=True)
    folder = lab_state(work.workspace).parent
    wiring = _wired(work, folder, engine)
    with progress("starting the lab"):
        info = process.up(wiring, folder, factory=factory, apply_s=apply_seconds, address_base=address_base)
    places = [(each.address, each.port) for each in info.switches.values()]
    places += [(each.address, each.port) for each in info.controllers.values()]
    counted = [f"{len(info.switches)} switches"]
    kinds = Counter(each.kind.upper() for each in info.controllers.values())
    counted += [f"{number} {kind}" for kind, number in kinds.items()]
    counted += [f"{len(info.managers)} hosts of OpenSM"] if info.managers else []
    first = f", the first at https://{places[0][0]}:{places[0][1]}" if places else ""
    print(f"lab is up: {', '.join(counted)}{first}")
    print("Any device command takes --lab. `intent lab down` stops it.")


def _wired(work: Work, folder: Path, engine: Engine) -> Path:
    """Write the wiring of a site's lab, and the topologies it names; the wiring's file."""
    import json

    from intent.core.errors import IntentError
    from intent.lab.subnet import programs
    from intent.render.lab_subnet import lab_subnets
    from intent.render.wiring import lab_wiring
    from intent.workspace.files import write

    compiled = work.compiled
    document = lab_wiring(compiled.fabric, compiled.controllers.values(), compiled.site.nvlink)
    if engine is Engine.OPENSM:
        programs.require()
        managers = {
            name: text.subnet_manager for name, text in compiled.site.fabrics.items() if text.kind == "infiniband"
        }
        subnets = lab_subnets(
            compiled.fabric, compiled.controllers.values(), managers, work.catalog, compiled.artifacts
        )
        if not subnets:
            raise IntentError(
                "--engine opensm: no fabric of the site has a UFM or a host of OpenSM to configure",
                hint="leave the option out",
            )
        for each in subnets:
            write(folder / each.file, each.topology)
        document["subnet"] = [each.wiring() for each in subnets]
    elif not any(document.get(key) for key in ("switches", "ufm", "nmx")):
        raise IntentError(
            "nothing of the site has a stand-in without a subnet manager",
            hint="`intent lab up --engine opensm` simulates the fabrics whose hosts run OpenSM",
        )
    write(folder / "wiring.json", json.dumps(document))
    return folder / "wiring.json"


@_app.command("down")
def down(workspace: WorkspacePath = HERE, state: State = None) -> None:
    """Stop the lab; what its switches held is gone.

    Examples:
      intent lab down
    """
    from intent.lab import process
    from intent.operate.context import lab_state
    from intent.workspace.files import Workspace

    was_up = process.down(lab_state(Workspace.open(workspace, state)).parent)
    print("lab is down" if was_up else "no lab was running")


@_app.command("status")
def status(workspace: WorkspacePath = HERE, state: State = None, as_json: Json = False) -> None:
    """Show what each switch, controller and subnet manager of the lab is doing: revision, writes, faults, role, engine.

    Examples:
      intent lab status
    """
    from intent.cli.output import show, show_table
    from intent.lab import process
    from intent.operate.context import lab_state
    from intent.workspace.files import Workspace

    answer = process.status(lab_state(Workspace.open(workspace, state)).parent)
    shown = [(name, facts) for kind in ("switches", "controllers", "managers") for name, facts in answer[kind].items()]
    if as_json:
        show_table(_status(shown), as_json=True)
        return
    kinds: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for name, facts in shown:
        kinds.setdefault(str(facts.get("kind", "")), []).append((name, facts))
    for number, items in enumerate(kinds.values()):
        if number:
            show("")
        show(_status(items))


def _status(items: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    """What devices do, with the columns that any of them has."""
    from intent.report.tables import Table

    columns = tuple(dict.fromkeys(("name", *(key for _, facts in items for key in facts))))
    return Table(
        "lab", columns, tuple((name, *(_cell(facts.get(key)) for key in columns[1:])) for name, facts in items)
    )


@_app.command("fault")
def fault(
    kind: Annotated[str, typer.Argument(help="What goes wrong; `list` shows all kinds.")],
    device: Annotated[str, typer.Argument(help="Switch, controller or host it happens to.")] = "",
    option: Annotated[list[str], typer.Argument(help="Options of the fault: key=value.")] = [],  # noqa: B006
    workspace: WorkspacePath = HERE,
    state: State = None,
) -> None:
    """Let something go wrong on a switch, controller or host of the lab; `intent lab fault list` shows what can.

    Examples:
      intent lab fault list
      intent lab fault change-by-hand LEAF interface.swp33s0.link.mtu=1500
      intent lab fault unreachable SPINE how=silent
      intent lab fault partitions-by-hand UFM file=partitions.conf
      intent lab fault link-down IB-LEAF port=IB1/5
      intent lab fault sm-kill HOST
      intent lab fault clear SPINE
    """
    from intent.core.errors import IntentError
    from intent.lab import process
    from intent.lab.faults import EVENTS, STANDING
    from intent.lab.subnet.faults import KINDS as SUBNET
    from intent.lab.ufm.faults import KINDS as UFM
    from intent.operate.context import lab_state
    from intent.workspace.files import Workspace

    if kind == "list":
        groups = (
            ("", {**STANDING, **EVENTS}),
            ("\nof a UFM:", UFM),
            ("\nof a simulated subnet, at a switch or a host of its manager:", SUBNET),
        )
        for title, kinds in groups:
            if title:
                print(title)
            for name, what in kinds.items():
                print(f"{name:18} {what}")
        return
    if not device:
        raise IntentError("which switch?", hint="intent lab fault KIND DEVICE [key=value …]")
    options = by_hand(option) if kind == "change-by-hand" else dict(_pair(text) for text in option)
    if isinstance(options.get("file"), str):
        options["file"] = str(Path(str(options["file"])).resolve())  # the lab works elsewhere
    print(process.fault(lab_state(Workspace.open(workspace, state)).parent, kind, device, **options))


def by_hand(changes: list[str]) -> dict[str, object]:
    """A change by hand: `path=value` sets, a bare path unsets."""
    from intent.core.tree import from_dotted, pointer

    sets = {pointer(from_dotted(path)): value for path, value in map(_pair, (c for c in changes if "=" in c))}
    unsets = [pointer(from_dotted(change)) for change in changes if "=" not in change]
    return {key: value for key, value in (("set", sets), ("unset", unsets)) if value}


def _pair(text: str) -> tuple[str, object]:
    from intent.core.errors import IntentError

    key, equals, value = text.partition("=")
    if not equals:
        raise IntentError(f"option {text!r} - expected key=value")
    if value.lower() in ("true", "false"):
        return key, value.lower() == "true"
    for number in (int, float):
        try:
            return key, number(value)
        except ValueError:
            continue
    return key, value


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
