"""What is known of UFM Enterprise by version: `data/ufm.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent.catalog.patterns import Table
from intent.catalog.source import read
from intent.core.errors import IntentError
from intent.core.tree import Path, dotted

_VERSION = re.compile(r"^(\d+)\.(\d+)(?:\.(\d+))?(?:[-.](\d+))?")


def version_numbers(text: str) -> tuple[int, int, int, int]:
    """`6.23.1-6` as numbers that compare; parts not given are 0.

    Raises:
        IntentError: it is no version.
    """
    match = _VERSION.match(text.strip())
    if match is None:
        raise IntentError(f"UFM version {text[:40]!r} is not of the form 6.23.1-6")
    first, second, third, fourth = (int(part or 0) for part in match.groups())
    return first, second, third, fourth


@dataclass(frozen=True, slots=True)
class Flaw:
    """A known fault of a span of versions.

    Args:
        id: number in the release notes.
        since: first version that has it.
        fixed: first version that does not.
        words: what happens.
        source: where it is said.
    """

    id: str
    since: str
    fixed: str
    words: str
    source: str

    def in_version(self, version: str) -> bool:
        """True when a version has it."""
        return version_numbers(self.since) <= version_numbers(version) < version_numbers(self.fixed)


@dataclass(frozen=True, slots=True)
class RestSetting:
    """An option of UFM's subnet manager that its REST API takes.

    Args:
        option: its name, in opensm.conf as in the API.
        since: first version known to show it.
        source: where it was seen.
    """

    option: str
    since: str
    source: str


@dataclass(frozen=True, slots=True)
class _Rule:
    severity: str
    scope: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does: severity, what is hit, and why."""

    severity: str
    scope: str
    reason: str


class UfmFacts:
    """The table, read once by whoever holds it."""

    def __init__(self) -> None:
        data = read("ufm")
        self.rates: tuple[float, ...] = tuple(data["rates"])
        self.mtus: tuple[int, ...] = tuple(data["mtus"])
        self.chunk = int(data["chunk"])
        self.validations: tuple[str, ...] = tuple(data["validations"])
        self.validation_bad: tuple[str, ...] = tuple(data["validation_bad"])
        self.validation_good: tuple[str, ...] = tuple(data["validation_good"])
        self.flaws = tuple(Flaw(**row) for row in data["flaw"])
        self.settings = {row["option"]: RestSetting(**row) for row in data["setting"]}
        self._since = {row["name"]: version_numbers(row["since"]) for row in data["feature"]}
        self._rules = Table(
            [
                (path, _Rule(row["severity"], row["scope"], row["reason"], row["source"]))
                for row in data["rule"]
                for path in row["paths"]
            ]
        )

    def has(self, version: str, feature: str) -> bool:
        """True when a version has a feature of the table."""
        return version_numbers(version) >= self._since[feature]

    def takes(self, version: str, option: str) -> bool:
        """True when a version's REST API is known to take an option of its subnet manager."""
        known = self.settings.get(option)
        return known is not None and version_numbers(version) >= version_numbers(known.since)

    def flaws_of(self, version: str) -> tuple[Flaw, ...]:
        """Known faults of a version."""
        return tuple(flaw for flaw in self.flaws if flaw.in_version(version))

    def effects(self, paths: Iterable[Path]) -> tuple[Effect, ...]:
        """What changing these paths does, one for each severity and scope, the worst first."""
        found: dict[tuple[str, str], tuple[Path, _Rule, int]] = {}
        for path in paths:
            hit = self._rules.find(path)
            if hit is None:
                continue
            key = (hit.entry.severity, hit.entry.scope.format(*hit.keys))
            first, rule, count = found.get(key, (path, hit.entry, 0))
            found[key] = (first, rule, count + 1)
        effects = [
            Effect(severity, scope, f"{dotted(path)}{_more(count)}: {rule.reason} ({rule.source})")
            for (severity, scope), (path, rule, count) in found.items()
        ]
        return tuple(sorted(effects, key=lambda effect: effect.severity == "none"))


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""
