"""`intent compile`: the exact configuration of every switch, the cabling plan, and the lock."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Locked, Site, WorkspacePath

if TYPE_CHECKING:
    from intent.operate.context import Work

_UFM = "ufm"
_FILES = frozenset({"cabling.csv", "moves.csv", "hosts.json"})
_DEVICE_FILES = frozenset({"startup.yaml", "commands.sh", "config.json", "files", _UFM})
_FABRIC_FILES = frozenset(
    {"topology.net", "switch-to-switch.ndt", "switch-to-host.ndt", "topoconfig.conf", "ib-node-name-map"}
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compile", help=compile_.__doc__)(compile_)


def compile_(
    workspace: WorkspacePath = HERE,
    site: Site = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to write; left out, build/SITE in the workspace.")
    ] = None,
    allow_recabling: AllowRecabling = False,
    locked: Locked = False,
) -> None:
    """Compile an intent and write what each device must hold.

    For every Ethernet switch: startup.yaml (as `nv config replace` takes it), commands.sh (nv set), config.json. For
    every InfiniBand fabric: its topology as ibnetdiscover prints it, NDT, topoconfig, node name map; under ufm/ what
    UFM's own files must say, once every GUID of roots and managers is known. For trays of tenants IMEX's
    nodes_config.cfg, where nvlink.imex asks for it. For the site: cabling.csv, moves.csv and hosts.json. Byte-identical
    for equal input; no secret in any of them. Allocations go to the site's lock, which belongs in version control.

    Examples:
      intent compile                          writes build/SITE
      intent compile --locked -o /tmp/build   as CI does: fails when the committed lock would change
    """
    from intent.cli.output import progress
    from intent.operate.context import keep_lock, open_site

    with progress("compiling"):
        work = open_site(workspace, None, site, allow_recabling=allow_recabling, locked=locked)
    folder = output or work.workspace.root / "build" / work.compiled.name
    _only_ours(folder.absolute())
    with progress("writing", len(work.compiled.artifacts)) as task:
        _write(work, folder.absolute(), task.advance)
    written = keep_lock(work)
    _tell(work, folder, written)


def _only_ours(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier output: it is replaced as a whole.

    Raises:
        IntentError: something else lies there.
    """
    from intent.core.errors import IntentError

    if not folder.name or folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise IntentError(f"{folder}: not a folder that can be replaced", hint="name a new folder with --output")
    for item in sorted(folder.iterdir()) if folder.exists() else ():
        inside = {each.name for each in item.iterdir()} if item.is_dir() and not item.is_symlink() else set()
        if item.name not in _FILES and not (inside and inside <= _DEVICE_FILES | _FABRIC_FILES):
            raise IntentError(
                f"{folder}: holds {item.name!r}, which no earlier output of ours does; nothing was written",
                hint="it would be replaced as a whole: name a new folder with --output",
            )


def _write(work: Work, folder: Path, advance: Callable[[], None]) -> None:
    """Write into a new folder and put it in place at the end, so that no mixture of two runs is ever seen."""
    from intent.formats.nvue.emit import json_text, nv_set_script, startup_yaml
    from intent.render.hosts import host_data, host_defaults
    from intent.render.ib import topology_files
    from intent.render.imex import imex_facts
    from intent.render.ufm.files import fragments
    from intent.report.cabling import cabling_csv, moves_csv
    from intent.workspace.files import write

    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    compiled = work.compiled
    for name, artifact in compiled.artifacts.items():
        if name in compiled.controllers:
            write(new / name / "config.json", json_text(artifact.body))
            for path, text in artifact.body.get("files", {}).items():
                write(new / name / "files" / path.lstrip("/"), text)
            advance()
            continue
        model = work.catalog.switch(artifact.model).header_model
        release = artifact.release if artifact.release.count(".") > 1 else f"{artifact.release}.0"
        write(new / name / "startup.yaml", startup_yaml(artifact.body, model=model, release=release))
        write(new / name / "commands.sh", nv_set_script(artifact.body))
        write(new / name / "config.json", json_text(artifact.body))
        advance()
    for each in topology_files(compiled.fabric, work.catalog):
        for name, text in each.files.items():
            write(new / each.fabric / name, text)
    for fabric, settings in compiled.ufm.items():
        for path, text in fragments(settings).items():
            write(new / fabric / _UFM / path, text)
    write(new / "cabling.csv", cabling_csv(compiled.fabric))
    write(new / "moves.csv", moves_csv(compiled.growth))
    hosts = host_data(compiled.fabric, host_defaults(), compiled.imex)
    write(new / "hosts.json", json.dumps(hosts, indent=1, sort_keys=True) + "\n")
    path = imex_facts().path.lstrip("/")
    for tray, shared in compiled.imex.by_tray.items():
        write(new / tray / "files" / path, shared.text)
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _tell(work: Work, folder: Path, written: bool) -> None:
    from intent.cli.output import show
    from intent.render.ib import topology_files
    from intent.report import diagnostics, growth

    compiled = work.compiled
    if compiled.diagnostics:
        show(diagnostics.human(compiled.diagnostics))
    show(growth.human(compiled.growth))
    print(f"{len(compiled.artifacts)} devices, {len(compiled.fabric.links)} links written to {folder}")
    for each in topology_files(compiled.fabric, work.catalog):
        print(f"InfiniBand fabric {each.fabric}: {', '.join(each.files)} in {folder / each.fabric}")
        for note in each.notes:
            print(f"  {note}")
        if each.fabric in compiled.ufm:
            print(f"  {_UFM}/: settings of UFM's files; UFM reads most of them when it starts")
    if compiled.imex.domains:
        trays, count = len(compiled.imex.by_tray), len(compiled.imex.domains)
        print(f"IMEX: nodes_config.cfg of {trays} trays in {count} NVLink partitions; `intent hosts plan` pushes them")
    if written:
        print(f"{work.workspace.lock_name(compiled.name)} updated: commit it")
