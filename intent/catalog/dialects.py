"""How the NVUE tree of 5.15 and later is said in older releases: the rows of the data file."""

from __future__ import annotations

from dataclasses import dataclass

from intent.catalog.releases import numbers
from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class Move:
    """One subtree that stands elsewhere, or in another form, in a release.

    Args:
        source: path in the form of 5.15 and later, `*` for any key.
        target: path in the release; `{0}` is the first key a `*` stands for. Empty when the subtree dissolves.
        shape: name of the function that says it in the release's form; empty for a plain move.
    """

    source: Path
    target: Path
    shape: str = ""


def moves(release: str) -> tuple[Move, ...]:
    """Every row that holds for a release, in the file's order; none from 5.15 on.

    Raises:
        IntentError: the text is no release number.
    """
    data = read("nvue_dialects")
    return tuple(
        Move(from_pointer(row["from"]), from_pointer(row["to"]), row.get("by", ""))
        for row in (*data["move"], *data["shape"])
        if numbers(release) <= numbers(row["until"])
    )
