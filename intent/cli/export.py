"""`intent export`: files that other systems take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import HERE, AllowRecabling, Limit, Site, WorkspacePath

_app = typer.Typer(help="Files for other systems.", no_args_is_help=True, rich_markup_mode="rich")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(_app, name="export")


@_app.command("ztp")
def ztp(
    url: Annotated[str, typer.Option("--url", help="Where the startup files will be served: URL/DEVICE/startup.yaml.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    workspace: WorkspacePath = HERE,
    site: Site = "",
    limit: Limit = [],  # noqa: B006 - typer copies it
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of all that is configured, the factory's users too.")
    ] = False,
    allow_recabling: AllowRecabling = False,
) -> None:
    """Write a zero-touch script and the startup file it fetches for every switch, with their secrets filled in.

    The startup files hold crypt hashes: the folder is made readable by you alone. The script holds no secret; it checks
    the file's checksum and the switch's release before it installs anything.

    Examples:
      intent export ztp --url https://10.1.0.1/ztp --output ztp
    """
    import hashlib

    from intent.change.selection import select
    from intent.device.secrets import SecretStore
    from intent.formats.nvue.emit import startup_yaml
    from intent.operate.context import open_site, switches
    from intent.render.templates import Templates
    from intent.render.ztp import ztp_script
    from intent.resources import search_path
    from intent.workspace.files import write

    work = open_site(workspace, None, site, allow_recabling=allow_recabling)
    chosen = select(switches(work.compiled), limit, site=work.compiled.name)
    secrets = SecretStore.load(work.workspace.overlay("inventory"))
    templates = Templates(search_path("templates", work.workspace.overlay("templates")))
    files: dict[str, str] = {}
    for name in chosen.devices:
        artifact = work.compiled.artifacts[name]
        release = artifact.release if artifact.release.count(".") > 1 else f"{artifact.release}.0"
        body = secrets.fill(artifact.body)
        startup = startup_yaml(body, model=work.catalog.switch(artifact.model).header_model, release=release)
        files[f"{name}/startup.yaml"] = startup
        files[f"{name}/ztp.sh"] = ztp_script(
            templates,
            work.compiled.fabric.devices[name],
            startup_url=f"{url.rstrip('/')}/{name}/startup.yaml",
            startup_sha256=hashlib.sha256(startup.encode()).hexdigest(),
            replace=replace,
        )
    # All of it is ready before the first file is written.
    output.mkdir(mode=0o700, parents=True, exist_ok=True)
    output.chmod(0o700)
    for path, text in files.items():
        write(output / path, text)
    print(f"{len(chosen.devices)} switches: startup files and scripts written to {output}")
