"""Actions of the NVUE REST API and what they do to a switch."""

from __future__ import annotations

from dataclasses import dataclass

from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    Args:
        path: pattern of the path it is posted to, `*` for any key.
        name: its name, without the @.
        since: first release that has it.
        needs: parameters that must be true.
        effect: `reboot`, `factory-reset`, `end-sessions` or `none`.
        source: where it stands.
    """

    path: Path
    name: str
    since: str
    needs: tuple[str, ...]
    effect: str
    source: str


def nvue_actions() -> tuple[Action, ...]:
    """Every action of `data/nvue_actions.toml`."""
    return tuple(
        Action(from_pointer(row["path"]), row["action"], row["from"], tuple(row["needs"]), row["effect"], row["source"])
        for row in read("nvue_actions")["action"]
    )
