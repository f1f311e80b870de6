"""How help texts are laid out: paragraphs flow to the width of the terminal, indented lines stay as written."""

from __future__ import annotations

from inspect import cleandoc

import typer


def flowing(text: str) -> str:
    """Join the lines of each paragraph; lines that are indented are examples and stay.

    Args:
        text: a docstring.
    """
    return "\n\n".join(_paragraph(part) for part in cleandoc(text).split("\n\n"))


def arrange(app: typer.Typer, panel: str) -> None:
    """Put every command that has no panel yet into this one, and let its help flow.

    Args:
        app: the root command.
        panel: title above the commands in `intent --help`.
    """
    for command in app.registered_commands:
        if not isinstance(command.rich_help_panel, str):
            command.rich_help_panel = panel
            command.help = _help(command.help, command.callback)
    for group in app.registered_groups:
        if not isinstance(group.rich_help_panel, str):
            group.rich_help_panel = panel
            for command in group.typer_instance.registered_commands if group.typer_instance else ():
                command.help = _help(command.help, command.callback)


def _help(text: str | None, callback: object) -> str:
    return flowing(text or callback.__doc__ or "")


def _paragraph(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and not line.startswith(" ") and not lines[-1].startswith(" "):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines)
