"""Which release brings which feature, in words for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intent.catalog.patterns import Table
from intent.catalog.releases import numbers
from intent.catalog.source import read
from intent.core.tree import Path


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature.

    Args:
        name: what people call it.
        since: first release that has it.
        values: where the path is older than the feature, the values that belong to it; empty for all.
    """

    name: str
    since: str
    values: tuple[Any, ...] = ()

    def in_release(self, release: str) -> bool:
        """True when a release has it."""
        return numbers(release) >= numbers(self.since)


class FeatureTable:
    """The features, read once by whoever holds it."""

    def __init__(self) -> None:
        rows = read("features")["feature"]
        made = [(row, Feature(row["name"], row["since"], tuple(row.get("values", ())))) for row in rows]
        self._by_value = {
            value: Table([(path, feature) for row, feature in made if value in feature.values for path in row["paths"]])
            for value in {value for _, feature in made for value in feature.values}
        }
        self._table = Table([(path, f) for row, f in made if not f.values for path in row["paths"]])

    def needed(self, path: Path, value: Any = None) -> Feature | None:
        """The feature a path, or a value at it, belongs to; None when no row names it.

        Args:
            path: in the form of 5.15 and later.
            value: the scalar that stands there.
        """
        by_value = self._by_value.get(value) if isinstance(value, str) else None
        hit = (by_value.find(path) if by_value else None) or self._table.find(path)
        return hit.entry if hit else None
