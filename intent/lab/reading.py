"""Reads of a switch: which tree or state is meant, and how the query narrows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from intent.catalog.defaults import Default, nvue_defaults
from intent.catalog.views import View, nvue_views, views_of
from intent.core.tree import Path, pointer
from intent.lab import trees as lab_trees
from intent.lab import views
from intent.lab.machine import Machine
from intent.lab.operational import Operational
from intent.lab.store import Blob
from intent.lab.tools import Refusal
from intent.lab.trees import MISSING, Json
from intent.lab.world import World

Query: TypeAlias = Mapping[str, list[str]]


class Reading:
    """Answers reads of any switch of a lab.

    Args:
        world: the lab.
    """

    def __init__(self, world: World) -> None:
        self._operational = Operational(world)
        self._defaults: tuple[Default, ...] = nvue_defaults()
        self._views: tuple[View, ...] = nvue_views()

    def read(self, machine: Machine, path: Path, query: Query) -> Any:
        """The value at a path, as the query wants it.

        Raises:
            Refusal: there is none, or the query makes no sense.
        """
        include = views.patterns_of(query.get("include", []))
        omit = views.patterns_of(query.get("omit", []))
        view = self._view(machine, path, query)
        if view is not None and (include or omit):
            raise Refusal(400, "view excludes include and omit")
        rev = one(query, "rev") or "operational"
        if rev == "operational":
            patterns = view.shows if view is not None else include
            # A filter may look at anything.
            wanted = views.looked_at(path, patterns) if patterns and "filter" not in query else None
            value = self._operational.read(machine, path, wanted)
        else:
            value = self._configuration(machine, rev, path, query)
        if value is MISSING:
            raise Refusal(404, f"The requested item {pointer(path)[:200] or '/'} does not exist")
        try:
            for text in query.get("filter", []):
                value = views.filtered(value, text)
        except ValueError as error:
            raise Refusal(400, str(error)) from None
        if view is not None:
            return views.projected(value, view)
        if include:
            value = views.include(value, include)
        return views.omit(value, omit) if omit else value

    def _view(self, machine: Machine, path: Path, query: Query) -> View | None:
        name = one(query, "view")
        if not name:
            return None
        offered = views_of(self._views, path, machine.spec.release)
        if not offered:
            raise Refusal(400, f"{pointer(path)[:200] or '/'} has no views")
        if name not in offered:
            raise Refusal(400, f"view {name[:40]!r} is not one of {', '.join(sorted(offered))}")
        return offered[name]

    def _configuration(self, machine: Machine, rev: str, path: Path, query: Query) -> Any:
        tree = machine.tree(blob_of(machine, rev))
        against = one(query, "diff")
        if against:
            other = machine.tree(blob_of(machine, against))
            here, there = lab_trees.at(tree, path), lab_trees.at(other, path)
            value: Any = lab_trees.diff(_object(here), _object(there))
        else:
            if one(query, "filled") != "false":
                tree = views.filled(machine.schema, tree, self._defaults)
            value = lab_trees.at(tree, path)
        written_out = machine.dialect.expand and one(query, "expand") == "true"
        if machine.faults.ranges and not written_out and isinstance(value, dict):
            value = lab_trees.collapsed(machine.schema, value, path)
        return value


def blob_of(machine: Machine, rev: str) -> Blob:
    """The tree a `rev=` names.

    Raises:
        Refusal: there is none.
    """
    if rev == "empty":
        return machine.tools.trees.empty
    if rev in ("applied", "startup"):
        return machine.store.applied if rev == "applied" else machine.store.startup
    if rev == "pending":
        pending = [item for item in machine.store.revisions.values() if item.state == "pending"]
        if not pending:
            raise Refusal(404, "There is no pending revision")
        return pending[-1].blob
    return machine.revision(rev).blob


def one(query: Query, key: str) -> str:
    """The last value of a parameter, empty when it is not given."""
    values = query.get(key)
    return values[-1] if values else ""


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
