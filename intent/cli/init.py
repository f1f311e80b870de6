"""`intent init`: a new workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init", help=init.__doc__)(init)


def init(
    name: Annotated[str, typer.Argument(help="Name of the intent: letters, digits, hyphens, underscores, dots.")],
    folder: Annotated[Path | None, typer.Option("--into", help="Folder to write to; left out, NAME.")] = None,
) -> None:
    """Make a new workspace: an intent that compiles as it is, its JSON Schema, and places for secrets.

    Nothing that exists is overwritten.

    Examples:
      intent init aurora                      writes into the folder aurora
      intent init aurora --into .             writes into this folder
    """
    from intent.core.errors import IntentError
    from intent.schema.skeleton import skeleton
    from intent.workspace.files import write

    target = folder or Path(name)
    try:
        files = skeleton(name)
    except ValueError as error:
        raise IntentError(f"name {name!r}: {error}") from error
    files |= {".gitignore": ".intent/\nbuild/\n", "inventory/secrets.yaml": _SECRETS}
    present = [path for path in files if (target / path).exists()]
    if present:
        raise IntentError(
            f"{target / present[0]} exists already; nothing was written", hint="choose another folder with --into"
        )
    for path, text in files.items():
        write(target / path, text)
        print(f"wrote {target / path}")
    print(f"\nNext:  cd {target}  ·  intent lint  ·  intent compile  ·  intent lab up  ·  intent plan --lab")


_SECRETS = """\
# Where secrets come from. Only references stand here, never a value:
#   name: env:VARIABLE   |   file:/run/secrets/name   |   cmd:[sops, -d, secrets.enc.yaml]
cumulus_hash: env:CUMULUS_HASH
device_password: env:DEVICE_PASSWORD
"""
