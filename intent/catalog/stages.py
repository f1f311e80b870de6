"""Which changes cannot be carried out in one revision."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from intent.catalog.source import read
from intent.core.tree import Path, from_pointer


@dataclass(frozen=True, slots=True)
class StageRule:
    """A row of `data/nvue_stages.toml`.

    Args:
        name: what it is about.
        changed: patterns of paths whose change calls for it.
        removed: patterns of paths whose removal then goes first; `{1}` is what the first `*` of `changed` stands for.
        drop: patterns of subtrees that are then taken out first and put back, likewise.
        reason: why.
        source: where it stands.
    """

    name: str
    changed: tuple[Path, ...]
    removed: tuple[Path, ...]
    drop: tuple[Path, ...]
    reason: str
    source: str

    def bound(self, changed: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]] | None:
        """The patterns `removed` and `drop` for a changed path; None when the path does not call for them."""
        for pattern in self.changed:
            if fits(pattern, changed):
                key = next((key for want, key in zip(pattern, changed, strict=False) if "*" in want), "")
                return _bound(self.removed, key), _bound(self.drop, key)
        return None


def _bound(patterns: tuple[Path, ...], key: str) -> tuple[Path, ...]:
    return tuple(tuple(part.replace("{1}", key) for part in pattern) for pattern in patterns)


def stage_rules() -> tuple[StageRule, ...]:
    """Every rule, in the file's order."""
    return tuple(
        StageRule(
            row["name"],
            _paths(row, "changed"),
            _paths(row, "removed"),
            _paths(row, "drop"),
            row["reason"],
            row["source"],
        )
        for row in read("nvue_stages")["rule"]
    )


def _paths(row: dict[str, Any], key: str) -> tuple[Path, ...]:
    return tuple(from_pointer(text) for text in row.get(key, ()))


def fits(pattern: Path, path: Path) -> bool:
    """True when a path matches a pattern whose keys are matched as in a shell."""
    rest = bool(pattern) and pattern[-1] == "**"
    fixed = pattern[:-1] if rest else pattern
    if len(path) < len(fixed) or (not rest and len(path) != len(fixed)):
        return False
    for want, key in zip(fixed, path, strict=False):
        if want not in (key, "*") and not ("*" in want and fnmatchcase(key, want)):
            return False
    return True
