"""`intent schema`: the JSON Schema of the language, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("schema", help=schema.__doc__)(schema)


def schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; left out, print.")] = None,
    included: Annotated[bool, typer.Option("--included", help="The schema of included files.")] = False,
) -> None:
    """Print the JSON Schema of the intent language.

    Editors with a YAML language server use it through the first line of an intent, which `intent init` writes:

      # yaml-language-server: $schema=intent.schema.json

    Examples:
      intent schema -o intent.schema.json
      intent schema --included -o site.schema.json
    """
    import json

    from intent.schema.export import json_schema
    from intent.workspace.files import write

    text = json.dumps(json_schema(included=included), indent=2, sort_keys=True) + "\n"
    if output:
        write(output, text)
        print(f"wrote {output}")
    else:
        print(text, end="")
