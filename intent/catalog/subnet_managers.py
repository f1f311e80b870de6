"""What each subnet manager knows, from `data/subnet_managers.toml`: engines, options of its file, abilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from intent.catalog.source import UnknownName, read


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the manager's file.

    Args:
        name: as written in the file.
        kind: kind of value, in the words of the data file.
        default: what holds when it is not written; None when not known.
        minimum: least number it takes.
        maximum: largest number it takes.
        values: words it takes; empty when it is no choice.
        live: read again on SIGHUP; otherwise only when the manager starts.
        repeats: may stand several times, for one service level each.
        instead: option that has taken its place; empty when it is not deprecated.
        at_least: option whose value it must not be below; empty for none.
    """

    name: str
    kind: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    values: tuple[str, ...] = ()
    live: bool = True
    repeats: bool = False
    instead: str = ""
    at_least: str = ""

    @property
    def secret(self) -> bool:
        """True when the value is a key that stands in no plan, log or artefact."""
        return self.kind == "key64"


@dataclass(frozen=True, slots=True)
class Engine:
    """A routing engine.

    Args:
        name: as in `routing_engine`.
        roots: takes the top switches from a file.
        adaptive: turns adaptive routing on.
        lanes: data lanes it needs to be free of deadlock.
        plain: engine without adaptive routing that a laboratory runs in its place; empty when it is plain itself.
        unfit: design → what it does there.
    """

    name: str
    roots: bool
    adaptive: bool
    lanes: int
    plain: str
    unfit: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to traffic: severity, what is hit, and why with the source."""

    severity: str
    scope: str
    reason: str


@dataclass(frozen=True, slots=True)
class Manager:
    """A subnet manager.

    Args:
        name: catalog name.
        title: how messages name it.
        generations: generations of InfiniBand it runs.
        why_not: why it runs no other, with the source.
        features: abilities beyond plain routing and partitions.
        experimental: those of them it calls experimental itself.
        on: feature → options that turn it on.
        gv: feature → settings of UFM's gv.cfg that turn it on.
        engines: routing engines by name.
        only: generation → the only engines supported on it.
        options: options of its file by name.
        paths: names of its files, and the folder they lie in.
        effects: what changing a file, named as in `paths`, or a restart does to traffic.
        line_bytes: longest line of its file.
    """

    name: str
    title: str
    generations: tuple[str, ...]
    why_not: str
    features: frozenset[str]
    experimental: frozenset[str]
    on: Mapping[str, Mapping[str, str]]
    gv: Mapping[str, Mapping[str, str]]
    engines: Mapping[str, Engine]
    only: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Option]
    paths: Mapping[str, str]
    effects: Mapping[str, Effect]
    line_bytes: int

    def runs(self, engine: str, generation: str) -> bool:
        """True when it knows an engine and supports it on a generation."""
        known = engine in self.engines and generation in self.generations
        return known and engine in self.only.get(generation, self.engines)


class SubnetManagers:
    """The table, read once by whoever holds it."""

    def __init__(self) -> None:
        data = read("subnet_managers")
        plain = {name: dict(_options(row)) for name, row in data.items()}
        self._managers = {
            name: _manager(name, row, {**_inherited(row, plain), **plain[name]}) for name, row in data.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Managers there are."""
        return tuple(self._managers)

    def manager(self, name: str) -> Manager:
        """One manager.

        Raises:
            UnknownName: there is none of that name.
        """
        found = self._managers.get(name)
        if found is None:
            raise UnknownName("subnet manager", name, self._managers)
        return found

    def plain_engine(self, engine: str) -> str:
        """The engine that stands for another one in a laboratory; itself when it needs none."""
        found = next((item.engines[engine] for item in self._managers.values() if engine in item.engines), None)
        return found.plain or engine if found else engine


def _inherited(row: Mapping[str, Any], plain: Mapping[str, Mapping[str, Option]]) -> dict[str, Option]:
    gone = set(row.get("without", ()))
    return {name: option for name, option in plain.get(row.get("based_on", ""), {}).items() if name not in gone}


def _options(row: Mapping[str, Any]) -> Iterator[tuple[str, Option]]:
    for name, entry in row["options"].items():
        yield (
            name,
            Option(
                name=name,
                kind=entry["kind"],
                default=entry.get("default"),
                minimum=entry.get("minimum"),
                maximum=entry.get("maximum"),
                values=tuple(entry.get("values", ())),
                live=entry.get("live", True),
                repeats=entry.get("repeats", False),
                instead=entry.get("instead", ""),
                at_least=entry.get("at_least", ""),
            ),
        )
    for kind, names in row.get("further", {}).items():
        for name in names:
            yield name, Option(name=name, kind=kind)


def _manager(name: str, row: Mapping[str, Any], options: Mapping[str, Option]) -> Manager:
    why = f"{row['why_not']} ({row['why_not_source']})" if "why_not" in row else ""
    return Manager(
        name=name,
        title=row["title"],
        generations=tuple(row["generations"]),
        why_not=why,
        features=frozenset(row["features"]),
        experimental=frozenset(row.get("experimental", ())),
        on=MappingProxyType(row.get("on", {})),
        gv=MappingProxyType(row.get("gv", {})),
        engines={key: _engine(key, entry) for key, entry in row["engines"].items()},
        only={key: tuple(names) for key, names in row.get("only", {}).items()},
        options=MappingProxyType(dict(options)),
        paths=MappingProxyType(row["paths"]),
        effects={key: Effect(**entry) for key, entry in row["effects"].items()},
        line_bytes=row["line_bytes"],
    )


def _engine(name: str, row: Mapping[str, Any]) -> Engine:
    return Engine(
        name=name,
        roots=row.get("roots", False),
        adaptive=row.get("adaptive", False),
        lanes=row.get("lanes", 1),
        plain=row.get("plain", ""),
        unfit=MappingProxyType(row.get("unfit", {})),
    )
