"""Views of NVUE objects: named projections of what a read answers, per release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from intent.catalog.releases import numbers
from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class View:
    """One view of an object.

    Args:
        object: pattern of the object's path, `*` for any key.
        name: as `view=` names it.
        since: first release that offers it.
        where: filter of the members it shows, as `filter=` takes it; empty for all of them.
        shows: pointer patterns below the object of what it shows of each member.
        source: where it stands.
    """

    object: Path
    name: str
    since: str
    where: str
    shows: tuple[str, ...]
    source: str


def nvue_views() -> tuple[View, ...]:
    """Every view of `data/nvue_views.toml`."""
    return tuple(
        View(
            from_pointer(row["object"]),
            row["name"],
            row["from"],
            row.get("where", ""),
            tuple(row["shows"]),
            row["source"],
        )
        for row in read("nvue_views")["view"]
    )


def views_of(table: Iterable[View], path: Path, release: str) -> dict[str, View]:
    """The views an object has in a release, by name.

    Args:
        table: `nvue_views()`.
        path: the object.
        release: such as `5.16.4`.
    """
    held = numbers(release)
    return {
        view.name: view
        for view in table
        if len(view.object) == len(path)
        and all(key in ("*", name) for key, name in zip(view.object, path, strict=True))
        and numbers(view.since) <= held
    }
