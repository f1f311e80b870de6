"""What changed paths do to traffic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

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


class DisruptionTable:
    """The rules, read once by whoever holds it."""

    def __init__(self) -> None:
        rows = read("disruption")["rule"]
        self._table = Table([(path, _rule(row)) for row in rows for path in row["paths"]])
        # Devices have most of their paths in common, and most paths hit no rule.
        self._hits: dict[Path, tuple[tuple[str, str], Rule] | None] = {}

    def effects(self, paths: Iterable[Path]) -> tuple[Effect, ...]:
        """Effects of changing these paths: worst first, one for each severity and scope.

        Args:
            paths: paths of a device's tree, in any dialect.
        """
        found: dict[tuple[str, str], tuple[Path, Rule, int]] = {}
        for path in paths:
            hit = self._hit(path)
            if hit is None:
                continue
            key, rule = hit
            first, kept, count = found.get(key, (path, rule, 0))
            found[key] = (first, kept, count + 1)
        effects = (
            Effect(severity, scope, _reason(path, rule, count))
            for (severity, scope), (path, rule, count) in found.items()
        )
        return tuple(sorted(effects, key=lambda effect: -SEVERITIES.index(effect.severity)))

    def _hit(self, path: Path) -> tuple[tuple[str, str], Rule] | None:
        if path not in self._hits:
            hit = self._table.find(path)
            key = hit and (hit.entry.severity, hit.entry.scope.format(*hit.keys))
            self._hits[path] = (key, hit.entry) if hit and key else None
        return self._hits[path]


def disruptions(paths: Iterable[Path]) -> tuple[Effect, ...]:
    """Effects of changing these paths: worst first. Reads the table; hold a `DisruptionTable` to ask often."""
    return DisruptionTable().effects(paths)


def _rule(row: dict[str, str]) -> Rule:
    return Rule(row["severity"], row["scope"], row["reason"], row["source"])


def _reason(path: Path, rule: Rule, count: int) -> str:
    more = f" and {count - 1} more" if count > 1 else ""
    return f"{dotted(path)}{more}: {rule.reason} ({rule.source})"
