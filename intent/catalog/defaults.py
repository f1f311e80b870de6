"""Values a switch shows where nothing is configured: the few that have a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class Default:
    """One default.

    Args:
        path: pattern of the path, `*` for any key, in the form of 5.15 and later.
        when: type of interface it holds for; empty for all.
        value: a scalar, or a tree.
        source: where it stands.
    """

    path: Path
    when: str
    value: Any
    source: str


def nvue_defaults() -> tuple[Default, ...]:
    """Every default of `data/nvue_defaults.toml`."""
    return tuple(
        Default(from_pointer(row["path"]), row.get("when", ""), row["value"], row["source"])
        for row in read("nvue_defaults")["default"]
    )
