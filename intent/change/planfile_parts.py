"""What a plan's file says many times over, written once: differences, the lines behind them, what they disrupt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from intent.change.reading import Bad, Reader
from intent.core.differences import Differences
from intent.core.span import Span
from intent.core.tree import ABSENT, Difference, Path, Tree
from intent.device.actor import Disruption
from intent.render.artifact import Origin

_WHOLE = frozenset({int})
_Item = TypeVar("_Item")


def dump_differences(items: Sequence[Difference], body: Mapping[str, Any]) -> Any:
    """Differences as JSON: the two parts of the trees, or one record each where two parts cannot say them.

    Args:
        items: the differences.
        body: what the device must hold. Of what leads to nearly all of it only the rest is said.
    """
    parts = items if isinstance(items, Differences) else Differences.of(items)
    if parts is None:
        return [dump_difference(item) for item in items]
    rest = Differences.between(parts.after, body)
    if not rest.before and len(rest) < len(parts):
        return {"before": parts.before, "has": rest.after}
    return {"before": parts.before, "after": parts.after}


def load_differences(value: Any, body: Mapping[str, Any], where: str) -> Sequence[Difference]:
    """The inverse of `dump_differences`.

    Raises:
        Bad: the value is nothing of the kind.
    """
    if isinstance(value, list):
        return tuple(load_difference(item, where) for item in value)
    reader = Reader(value, f"{where}.differences")
    before = reader.tree("before")
    after = _without(body, reader.tree("has")) if "has" in reader.names() else reader.tree("after")
    reader.finish()
    return Differences(before, after)


def _without(tree: Mapping[str, Any], part: Mapping[str, Any]) -> Tree:
    """What of a tree is not in a part of it; shares the branches that are kept whole."""
    kept: Tree = {}
    for key, value in tree.items():
        if key not in part:
            kept[key] = value
        elif part[key] and isinstance(value, Mapping) and isinstance(part[key], Mapping):
            below = _without(value, part[key])
            if below:
                kept[key] = below
    return kept


def dump_difference(item: Difference) -> dict[str, Any]:
    """A difference as JSON; a side that has no value is left out."""
    sides = {key: value for key, value in (("before", item.before), ("after", item.after)) if value is not ABSENT}
    return {"path": list(item.path), **sides}


def load_difference(value: Any, where: str) -> Difference:
    """The inverse of `dump_difference`."""
    reader = Reader(value, where)
    path: Path = reader.texts("path")
    before, after = reader.maybe("before", ABSENT), reader.maybe("after", ABSENT)
    reader.finish()
    if before is ABSENT and after is ABSENT:
        raise Bad(f"{where} - a difference without a value on either side")
    return Difference(path, before, after)


def dump_origins(origins: Sequence[Origin | None]) -> dict[str, Any]:
    """Origins as JSON: each line once, and for each difference the number of its line."""
    lines: dict[Origin | None, int] = {}
    seen: dict[int, int] = {}  # most are the same object: asking for it first spares comparing what it holds
    numbers = [
        seen[id(origin)] if id(origin) in seen else seen.setdefault(id(origin), lines.setdefault(origin, len(lines)))
        for origin in origins
    ]
    return {"lines": [_dump_origin(line) for line in lines], "of": numbers}


def load_origins(reader: Reader) -> tuple[Origin | None, ...]:
    """The inverse of `dump_origins`.

    Raises:
        Bad: a line that is none, or a number of no line.
    """
    lines = [_load_origin(value, reader.where) for value in reader.items("lines")]
    found = _picked_all(lines, reader.items("of"), reader.where)
    reader.finish()
    return found


def _dump_origin(origin: Origin | None) -> list[Any] | None:
    if origin is None:
        return None
    span = origin.span
    return [origin.reason, *([span.file, span.line, span.column] if span else [])]


def _load_origin(value: Any, where: str) -> Origin | None:
    match value:
        case None:
            return None
        case [str() as reason]:
            return Origin(None, reason)
        case [str() as reason, str() as file, int() as line, int() as column]:
            return Origin(Span(file, line, column), reason)
    raise Bad(f"{where} - an origin that cannot be read")


class DumpedImpacts:
    """What changes disrupt, each record once and each set of them once: devices of one role disrupt the same.

    Args:
        found: the disruptions of each device.
    """

    def __init__(self, found: Iterable[tuple[Disruption, ...]]) -> None:
        self._records: dict[Disruption, int] = {}
        self._sets: dict[tuple[Disruption, ...], int] = {}
        for records in found:
            if records not in self._sets:
                self._sets[records] = len(self._sets)
                for record in records:
                    self._records.setdefault(record, len(self._records))

    def number(self, records: tuple[Disruption, ...]) -> int:
        """The number of a set."""
        return self._sets[records]

    def dump(self) -> dict[str, Any]:
        """Fields of the plan's head."""
        return {
            "disruptions": [[item.severity, item.scope, item.reason] for item in self._records],
            "disruption_sets": [[self._records[item] for item in records] for records in self._sets],
        }


def load_impacts(reader: Reader) -> list[tuple[Disruption, ...]]:
    """Sets of disruptions by their number.

    Raises:
        Bad: a record that is none, or a number of no record.
    """
    records = [_load_disruption(value, reader.where) for value in reader.items("disruptions")]
    return [_picked_all(records, numbers, reader.where) for numbers in reader.items("disruption_sets")]


def _load_disruption(value: Any, where: str) -> Disruption:
    match value:
        case [str() as severity, str() as scope, str() as reason]:
            return Disruption(severity, scope, reason)
    raise Bad(f"{where} - a disruption that cannot be read")


def picked(items: Sequence[_Item], number: int, where: str) -> _Item:
    """The item of a number.

    Raises:
        Bad: there is none.
    """
    if not 0 <= number < len(items):
        raise Bad(f"{where} - number {number} of {len(items)} is not there")
    return items[number]


def _picked_all(items: Sequence[_Item], numbers: Any, where: str) -> tuple[_Item, ...]:
    if not isinstance(numbers, list) or not set(map(type, numbers)) <= _WHOLE:
        raise Bad(f"{where} - expected a list of whole numbers")
    if numbers:
        picked(items, min(numbers), where)
        picked(items, max(numbers), where)
    return tuple(map(items.__getitem__, numbers))
