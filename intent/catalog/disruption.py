"""What changed paths do to traffic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from intent.catalog.patterns import Table
from intent.catalog.source import read
from intent.core.tree import Path, dotted

SEVERITIES = ("none", "flap", "reload", "reboot")


class Effect(NamedTuple):
    """One effect of a change.

    Args:
        severity: `none`, `flap` (one port, session or service), `reload` (data path daemon, all buffers), `reboot`.
        scope: what is hit.
        reason: a path that causes it, why, and the source of the rule.
    """

    severity: str
    scope: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: see `data/disruption.toml`."""

    severity: str
    scope: str
    reason: str
    source: str


# Severity and scope of what a path causes, and the rule that says so.
_Hit: TypeAlias = tuple[tuple[str, str], Rule]


class DisruptionTable:
    """The rules, read once by whoever holds it."""

    def __init__(self) -> None:
        rows = read("disruption")["rule"]
        self._table = Table([(path, _rule(row)) for row in rows for path in row["paths"]])
        # Devices have most of their paths in common, and most paths hit no rule.
        self._hits: dict[Path, _Hit | None] = {}
        self._effects: dict[tuple[Path, int], Effect] = {}

    def effects(self, paths: Iterable[Path]) -> tuple[Effect, ...]:
        """Effects of changing these paths: worst first, one for each severity and scope.

        Args:
            paths: paths of a device's tree, in any dialect.
        """
        counts: dict[tuple[str, str], int] = {}
        firsts: list[tuple[Path, _Hit]] = []
        known = self._hits
        for path in paths:
            hit = known[path] if path in known else self._look_up(path)
            if hit is None:
                continue
            key = hit[0]
            if key in counts:
                counts[key] += 1
            else:
                counts[key] = 1
                firsts.append((path, hit))
        effects = [self._effect(*first, count) for first, count in zip(firsts, counts.values(), strict=True)]
        return tuple(sorted(effects, key=lambda effect: -SEVERITIES.index(effect.severity)))

    def _look_up(self, path: Path) -> _Hit | None:
        hit = self._table.find(path)
        found = None if hit is None else ((hit.entry.severity, hit.entry.scope.format(*hit.keys)), hit.entry)
        self._hits[path] = found
        return found

    def _effect(self, path: Path, hit: _Hit, count: int) -> Effect:
        """The effect of a path, and of `count - 1` more that have the same."""
        known = self._effects.get((path, count))
        if known is None:
            (severity, scope), rule = hit
            known = self._effects[path, count] = Effect(severity, scope, _reason(path, rule, count))
        return known


def disruptions(paths: Iterable[Path]) -> tuple[Effect, ...]:
    """Effects of changing these paths: worst first. Reads the table; hold a `DisruptionTable` to ask often."""
    return DisruptionTable().effects(paths)


def _rule(row: dict[str, str]) -> Rule:
    return Rule(row["severity"], row["scope"], row["reason"], row["source"])


def _reason(path: Path, rule: Rule, count: int) -> str:
    more = f" and {count - 1} more" if count > 1 else ""
    return f"{dotted(path)}{more}: {rule.reason} ({rule.source})"
