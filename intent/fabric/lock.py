"""The site's lock: allocations that must never move, and the allocator that honours it.

One lock per site, committed by the user beside the site's file. A value is `released` when its owner is gone;
it stays reserved, and comes back to the same owner, until the user prunes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from itertools import islice, pairwise
from typing import Any

from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.fabric.kinds import KINDS, is_owner

SCHEMA_VERSION = 1
_MAX_BYTES = 64 * 1024 * 1024
# Enough to see what is wrong; looking up the line of each finding reads the text again.
_MAX_FINDINGS = 20

# Kinds whose values belong to one owner only.
EXCLUSIVE = tuple(name for name, kind in KINDS.items() if kind.exclusive)

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
        """The lock without its released values, and free to shrink.

        Sizes that never fall by themselves (the number of spines) are left out too: the next compilation computes
        them for what is attached then, and lists the cables that move for it.
        """
        return Lock(self.site, {kind: owners for kind, owners in self.held.items() if not _sticky(kind)}, {})


def _sticky(kind: str) -> bool:
    return kind in KINDS and KINDS[kind].sticky


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
    if text.startswith("<<<<<<< ") or "\n<<<<<<< " in text:
        line = text[: text.find("<<<<<<< ")].count("\n") + 1
        return Lock(site), (_bad(file, line, "not a lock: an unresolved merge", hint=_MERGE),)
    try:
        raw = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        return Lock(site), (_bad(file, error.lineno, f"not a lock: {error.msg}", error.colno),)
    except _Twice as error:
        line = _line(text, f"{json.dumps(error.key)}:", last=True)
        return Lock(site), (_bad(file, line, f"not a lock: key {_shown(error.key)} given twice"),)
    except (ValueError, RecursionError):
        return Lock(site), (_bad(file, 1, "not a lock: a number or a nesting no lock has"),)
    problems = tuple(_shape(raw, file, site)) or tuple(islice(_values(raw, text, file), _MAX_FINDINGS))
    if problems:
        return Lock(site), problems
    lock = Lock(site, raw["held"], raw["released"])
    return lock, tuple(islice(_doubles(lock, text, file), _MAX_FINDINGS))


class _Twice(ValueError):
    """A key stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _Twice(key)
        result[key] = value
    return result


def _shape(raw: Any, file: str, site: str) -> Iterable[Diagnostic]:
    if not isinstance(raw, dict) or set(raw) != {"schema_version", "site", "held", "released"}:
        yield _bad(file, 1, "not a lock: expected the keys schema_version, site, held, released")
        return
    version = raw["schema_version"]
    if version != SCHEMA_VERSION or not isinstance(version, int) or isinstance(version, bool):
        yield _bad(file, 1, f"lock version {_shown(version)} - this program reads version {SCHEMA_VERSION}")
    if raw["site"] != site:
        yield _bad(file, 1, f"lock of another site - expected {site!r}, found {_shown(raw['site'])}")
    for part in ("held", "released"):
        kinds = raw[part]
        if not isinstance(kinds, dict) or not all(
            isinstance(owners, dict) and all(isinstance(value, str) for value in owners.values())
            for owners in kinds.values()
        ):
            yield _bad(file, 1, f"lock part {part!r} - expected kind → owner → text")


def _values(raw: Mapping[str, Mapping[str, Mapping[str, str]]], text: str, file: str) -> Iterator[Diagnostic]:
    for part in ("held", "released"):
        for name, owners in raw[part].items():
            kind = KINDS.get(name)
            if kind is None:
                line = _line(text, f"{json.dumps(name, ensure_ascii=False)}:")
                yield _bad(file, line, f"kind {_shown(name)} - expected one of {', '.join(KINDS)}")
                continue
            for owner, value in owners.items():
                if not is_owner(owner) or not kind.valid(value):
                    line = _line(text, f"{json.dumps(owner, ensure_ascii=False)}:")
                    yield _bad(file, line, f"{name} of {_shown(owner)} - expected {kind.expected}, got {_shown(value)}")
        for owner in raw[part].get("wiring", {}) if part == "released" else ():
            yield _bad(file, _line(text, f'"{owner}":', last=True), f"wiring of {owner} - never released")
    for name in sorted(raw["held"].keys() & raw["released"].keys()):
        for owner in sorted(raw["held"][name].keys() & raw["released"][name].keys()):
            line = _line(text, f'"{owner}":', last=True)
            yield _bad(file, line, f"{name} of {owner} - both held and released")


def _doubles(lock: Lock, text: str, file: str) -> Iterator[Diagnostic]:
    for kind in EXCLUSIVE:
        owners: dict[str, str] = {}
        for part in (lock.held, lock.released):
            for owner, value in part.get(kind, {}).items():
                first = owners.setdefault(value, owner)
                if first != owner:
                    line = _line(text, f'"{owner}": "{value}"')
                    yield _bad(file, line, f"{kind} {value} - held by both {first} and {owner}")
        if kind == "host-prefix":
            yield from _overlaps(owners, text, file)


def _overlaps(owners: Mapping[str, str], text: str, file: str) -> Iterator[Diagnostic]:
    prefixes = sorted((IPv4Network(value), owner) for value, owner in owners.items())
    for (wide, first), (narrow, second) in pairwise(prefixes):
        if wide.overlaps(narrow):
            line = _line(text, f'"{second}": "{narrow}"')
            yield _bad(file, line, f"host-prefix {narrow} of {second} - overlaps {wide} of {first}")


def _line(text: str, needle: str, *, last: bool = False) -> int:
    at = text.rfind(needle) if last else text.find(needle)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def _shown(value: object) -> str:
    """A value as text for a message, whatever it holds: ASCII, and short."""
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


_RESTORE = "restore the lock from version control; it is written by the compiler, not by hand"
_MERGE = "take the lock of the branch that was merged first, whole, and compile again: what is new gets free values"


def _bad(file: str, line: int, message: str, column: int = 1, hint: str = _RESTORE) -> Diagnostic:
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

    def claim(self, kind: str, owner: str, proposal: str) -> str | None:
        """The owner's value: the locked one, else the proposal; None when another owner has or had that.

        Args:
            kind: kind of value.
            owner: who gets it.
            proposal: value that follows from the document.
        """
        return self.take(kind, owner, (proposal,))

    def given(self, kind: str, owner: str) -> str | None:
        """What an owner was given in this compilation; None when nothing yet."""
        return self._given.get(kind, {}).get(owner)

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
        for kind in sorted({*self._lock.held, *self._lock.released}):
            given = self._given.get(kind, {})
            for part in (self._lock.released, self._lock.held):
                for owner, value in part.get(kind, {}).items():
                    if owner not in given:
                        released.setdefault(kind, {})[owner] = value
        return Lock(self._lock.site, self._given, released)
