"""`intent show`: what an intent compiles to, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Json, Site, WorkspacePath

if TYPE_CHECKING:
    from intent.operate.context import Work
    from intent.render.artifact import Artifact


class What(StrEnum):
    """What can be shown."""

    DEVICES = "devices"
    LINKS = "links"
    ALLOCATIONS = "allocations"
    CABLING = "cabling"
    CONFIG = "config"
    HOSTS = "hosts"
    TOPOLOGY = "topology"
    PARTITIONS = "partitions"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show", help=show.__doc__)(show)


def show(
    what: Annotated[What, typer.Argument(help="What to show.")] = What.DEVICES,
    device: Annotated[
        str, typer.Argument(help="Only rows of this device; needed for config. With topology: FABRIC/FILE.")
    ] = "",
    workspace: WorkspacePath = HERE,
    site: Site = "",
    as_json: Json = False,
    nodes: Annotated[bool, typer.Option("--nodes", help="With devices: list the nodes too.")] = False,
    commands: Annotated[bool, typer.Option("--commands", help="With config: print it as nv set commands.")] = False,
    allow_recabling: AllowRecabling = False,
) -> None:
    """Show devices, links, allocations, cabling, hosts, configurations, topology files, partitions of tenants.

    Examples:
      intent show                             devices of the site
      intent show cabling east-west-p1-r1-l01
      intent show config east-west-p1-r1-l01 --commands
      intent show partitions                  of tenants: keys, members, what is not learnt; NVLink
      intent show topology                    files of InfiniBand fabrics; with FABRIC/FILE, that file
    """
    from intent.cli.output import show_table, write
    from intent.operate.context import open_site
    from intent.report import tables

    work = open_site(workspace, None, site, allow_recabling=allow_recabling)
    if what is What.CONFIG:
        _config(work.compiled.artifacts, device, as_json=as_json, commands=commands)
        return
    if what is What.HOSTS:
        import json

        from intent.render.hosts import host_data, host_defaults

        hosts = host_data(work.compiled.fabric, host_defaults(), work.compiled.imex)
        write(json.dumps({device: hosts[device]} if device in hosts else hosts, indent=1, sort_keys=True))
        return
    if what is What.TOPOLOGY:
        _topology(work, device, as_json=as_json)
        return
    fabric = work.compiled.fabric
    table = {
        What.DEVICES: lambda: tables.devices(fabric, nodes=nodes),
        What.LINKS: lambda: tables.links(fabric),
        What.ALLOCATIONS: lambda: tables.allocations(work.compiled.lock),
        What.CABLING: lambda: tables.cabling(fabric),
        What.PARTITIONS: lambda: tables.partitions(work.compiled.partitions, work.compiled.nvlink),
    }[what]()
    if device:
        table = replace(table, rows=tuple(row for row in table.rows if device in row))
    show_table(table, as_json=as_json)


def _topology(work: Work, wanted: str, *, as_json: bool) -> None:
    from intent.cli.near import near
    from intent.cli.output import remark, show_table, write
    from intent.core.errors import IntentError
    from intent.render.ib import topology_files
    from intent.report import tables

    made = topology_files(work.compiled.fabric, work.catalog)
    texts = {f"{each.fabric}/{name}": text for each in made for name, text in each.files.items()}
    if not wanted:
        show_table(tables.files(texts), as_json=as_json)
        for note in (note for each in made for note in each.notes):
            remark(note)
    elif wanted in texts:
        write(texts[wanted])
    else:
        raise IntentError(f"no topology file {wanted!r}", hint=near(wanted, texts))


def _config(artifacts: Mapping[str, Artifact], device: str, *, as_json: bool, commands: bool) -> None:
    from intent.cli.near import near
    from intent.cli.output import write
    from intent.core.errors import IntentError
    from intent.formats.nvue.emit import json_text, nv_set_script, yaml_text

    artifact = artifacts.get(device)
    if artifact is None:
        raise IntentError(f"no switch {device!r}", hint=near(device, artifacts))
    text = nv_set_script if commands else json_text if as_json else yaml_text
    write(text(artifact.body))
