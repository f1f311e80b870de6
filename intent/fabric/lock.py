"""The site's lock: allocations that must never move, and the allocator that honours it.

One lock per site, committed by the user beside the site's file. A value is `released` when its owner is gone;
it stays reserved, and comes back to the same owner, until the user prunes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span

SCHEMA_VERSION = 1
_MAX_BYTES = 64 * 1024 * 1024

# Kinds whose values belong to one owner only.
EXCLUSIVE = ("asn", "loopback", "management", "host-prefix", "slot")

Allocations = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Lock:
    """What has been given out.

    Args:
        site: the site it belongs to.
        held: kind → owner → value, for owners that exist.
        released: the same, for owners that are gone; reserved until pruned.
    """

    site: str
    held: Allocations = field(default_factory=dict)
    released: Allocations = field(default_factory=dict)

    def value(self, kind: str, owner: str) -> str | None:
        """What an owner holds, or held before it went; None when it never had any."""
        found = self.held.get(kind, {}).get(owner)
        return found if found is not None else self.released.get(kind, {}).get(owner)

    def pruned(self) -> Lock:
        """The lock without its released values."""
        return Lock(self.site, self.held, {})


def dump(lock: Lock) -> str:
    """The lock's text: sorted, one owner a line, so that a merge request shows who got what."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "site": lock.site,
        "held": {kind: dict(sorted(owners.items())) for kind, owners in sorted(lock.held.items()) if owners},
        "released": {kind: dict(sorted(owners.items())) for kind, owners in sorted(lock.released.items()) if owners},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def parse(text: str, file: str, site: str) -> tuple[Lock, tuple[Diagnostic, ...]]:
    """Read a lock strictly.

    Args:
        text: content of the lock file.
        file: its name, for diagnostics.
        site: the site it must belong to.

    Returns:
        The lock (empty when it cannot be read) and what is wrong with it.
    """
    if len(text) > _MAX_BYTES:
        return Lock(site), (_bad(file, 1, f"lock of {len(text)} characters - expected at most {_MAX_BYTES}"),)
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        return Lock(site), (_bad(file, error.lineno, f"not a lock: {error.msg}", error.colno),)
    except (ValueError, RecursionError) as error:
        return Lock(site), (_bad(file, 1, f"not a lock: {error}"),)
    problems = list(_shape(raw, file, site))
    if problems:
        return Lock(site), tuple(problems)
    lock = Lock(site, raw["held"], raw["released"])
    return lock, tuple(_doubles(lock, text, file))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"key {key!r} given twice")
        result[key] = value
    return result


def _shape(raw: Any, file: str, site: str) -> Iterable[Diagnostic]:
    if not isinstance(raw, dict) or set(raw) != {"schema_version", "site", "held", "released"}:
        yield _bad(file, 1, "not a lock: expected the keys schema_version, site, held, released")
        return
    if raw["schema_version"] != SCHEMA_VERSION:
        yield _bad(file, 1, f"lock version {raw['schema_version']!r} - this program reads version {SCHEMA_VERSION}")
    if raw["site"] != site:
        yield _bad(file, 1, f"lock of another site - expected {site!r}, found {raw['site']!r}")
    for part in ("held", "released"):
        kinds = raw[part]
        if not isinstance(kinds, dict) or not all(
            isinstance(owners, dict) and all(isinstance(value, str) for value in owners.values())
            for owners in kinds.values()
        ):
            yield _bad(file, 1, f"lock part {part!r} - expected kind → owner → text")


def _doubles(lock: Lock, text: str, file: str) -> Iterable[Diagnostic]:
    for kind in EXCLUSIVE:
        owners: dict[str, str] = {}
        for part in (lock.held, lock.released):
            for owner, value in part.get(kind, {}).items():
                first = owners.setdefault(value, owner)
                if first != owner:
                    line = _line(text, f'"{owner}": "{value}"')
                    yield _bad(file, line, f"{kind} {value} - held by both {first} and {owner}")


def _line(text: str, needle: str) -> int:
    at = text.find(needle)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def _bad(file: str, line: int, message: str, column: int = 1) -> Diagnostic:
    hint = "restore the lock from version control; it is written by the compiler, not by hand"
    return Diagnostic("A001", message, Span(file, line, column), hint=hint)


class Allocator:
    """Gives out values: what the lock knows stays, what is new takes the next free one.

    Args:
        lock: the lock as committed.
    """

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self._given: dict[str, dict[str, str]] = {}
        self._taken: dict[str, set[str]] = {}
        self._cursor: dict[tuple[str, int], tuple[Iterable[str], Iterator[str]]] = {}

    def take(self, kind: str, owner: str, candidates: Iterable[str]) -> str | None:
        """The owner's value: the locked one, else the first candidate nobody holds or held.

        Args:
            kind: kind of value.
            owner: who gets it.
            candidates: values in the order of preference; pass the same object for all owners of one pool, it is
                walked once.

        Returns:
            The value, or None when the pool is exhausted.
        """
        given = self._given.setdefault(kind, {})
        if owner in given:
            return given[owner]
        value = self._lock.value(kind, owner)
        if value is None:
            value = self._next(kind, candidates)
        if value is not None:
            given[owner] = value
        return value

    def keep(self, kind: str, owner: str, value: str) -> None:
        """Note a value that is derived, not chosen from a pool."""
        self._given.setdefault(kind, {})[owner] = value

    def _next(self, kind: str, candidates: Iterable[str]) -> str | None:
        taken = self._taken.get(kind)
        if taken is None:
            held, released = self._lock.held.get(kind, {}), self._lock.released.get(kind, {})
            taken = self._taken[kind] = {*held.values(), *released.values()}
        # The candidates are kept beside their iterator, so that their identity is not reused while we live.
        _, cursor = self._cursor.setdefault((kind, id(candidates)), (candidates, iter(candidates)))
        for value in cursor:
            if value not in taken:
                taken.add(value)
                return value
        return None

    def result(self) -> Lock:
        """The lock after this compilation: what was not asked for again is released, nothing is forgotten."""
        released: dict[str, dict[str, str]] = {}
        for kind in {*self._lock.held, *self._lock.released}:
            given = self._given.get(kind, {})
            for part in (self._lock.released, self._lock.held):
                for owner, value in part.get(kind, {}).items():
                    if owner not in given:
                        released.setdefault(kind, {})[owner] = value
        return Lock(self._lock.site, self._given, released)
