"""`intent why`: which line of the intent a setting comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Site, WorkspacePath


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("why", help=why.__doc__)(why)


def why(
    device: Annotated[str, typer.Argument(help="Name of a switch, controller or node; intent show lists them.")],
    path: Annotated[str, typer.Argument(help="Path in its configuration, such as interface.swp33s0.link.mtu.")] = "",
    workspace: WorkspacePath = HERE,
    site: Site = "",
    allow_recabling: AllowRecabling = False,
) -> int:
    """Show what a device must hold at a path, and the intent line behind it.

    The path is dotted or a JSON pointer; keys with a dot stand in brackets. Left out: all the switch must hold.

    Examples:
      intent why east-west-p1-r1-l01 interface.swp33s0.link.mtu
      intent why east-west-p1-r1-l01 interface.lo.ipv4.address[10.255.0.1/32]
      intent why gpu01-01 imex.addresses      trays that share memory with this one
    """
    from intent.cli.near import near
    from intent.core.errors import IntentError
    from intent.core.exitcode import ExitCode
    from intent.core.tree import ABSENT, dotted, from_dotted, get, leaves
    from intent.operate.context import open_site
    from intent.render.hosts import host_artifacts, host_defaults

    work = open_site(workspace, None, site, allow_recabling=allow_recabling)
    artifacts = {**work.compiled.artifacts}
    if device not in artifacts:
        # A host of a subnet manager may be a node too: what it holds as a controller comes first.
        nodes = host_artifacts(work.compiled.fabric, host_defaults(), work.compiled.imex)
        artifacts = nodes | artifacts
    artifact = artifacts.get(device)
    if artifact is None:
        raise IntentError(f"no device {device!r}", hint=near(device, artifacts))
    at = from_dotted(path)
    value = get(artifact.body, at)
    if value is ABSENT:
        around = get(artifact.body, at[:-1])
        inside = list(around) if isinstance(around, dict) else []
        raise IntentError(f"{device} holds nothing at {dotted(at)}", hint=near(at[-1] if at else "", inside))
    rows = list(leaves(value, at)) if isinstance(value, dict) and value else [(at, value)]
    for leaf, text in rows:
        origin = artifact.why(leaf)
        place = str(origin.span) if origin and origin.span else "the program's default"
        shown = "" if text == {} else f" = {text}"
        print(f"{dotted(leaf)}{shown}\n    {place}  ({origin.reason if origin else 'always set'})")
    return int(ExitCode.OK)
