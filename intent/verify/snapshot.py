"""Observations kept as a file, and what a change took away between two of them."""

from __future__ import annotations

import json
import os
import tempfile
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.device.observation import Observation

FORMAT = "intent-observations"
VERSION = 1
LARGEST_FILE_BYTES = 512_000_000

Record = TypeVar("Record")


class Change(StrEnum):
    """What became of something between two observations."""

    LOST = "lost"
    GAINED = "gained"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is otherwise than before.

    Args:
        device: the device.
        subject: `links`, `bgp`, `lldp`, or the part that could not be compared.
        name: port, session or neighbour.
        change: lost, gained, or unknown where one side was not read.
        before: state before, in words.
        after: state after, in words.
    """

    device: str
    subject: str
    name: str
    change: Change
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.device}: {self.subject}: {self.name} - {self.change} - before {self.before}, after {self.after}"


def save(path: Path, observations: Iterable[Observation]) -> None:
    """Write observations; the file appears whole or not at all, readable by its owner only.

    Raises:
        IntentError: the file cannot be written.
    """
    document = {"format": FORMAT, "version": VERSION, "observations": [asdict(item) for item in observations]}
    text = json.dumps(document, indent=1, sort_keys=True)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text + "\n")
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise IntentError(f"cannot write the snapshot {path}: {error.strerror or error}") from error


def load(path: Path) -> dict[str, Observation]:
    """Read what `save` wrote, by device.

    Raises:
        IntentError: no such file, not a snapshot, of another version, or damaged; the message says where.
    """
    try:
        content = read_regular(path, LARGEST_FILE_BYTES).decode()
        document = json.loads(content, object_pairs_hook=_unique)
    except OSError as error:
        raise IntentError(f"cannot read the snapshot {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise IntentError(f"{path} is not a snapshot: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise IntentError(f"{path} is not a snapshot: no format {FORMAT!r}")
    if document.get("version") != VERSION:
        raise IntentError(f"{path} is a snapshot of version {document.get('version')!r}, this program reads {VERSION}")
    observations: dict[str, Observation] = {}
    try:
        for number, item in enumerate(_typed(list[Any], document.get("observations"), "observations")):
            observation = _record(Observation, item, f"observations[{number}]")
            if observation.device in observations:
                raise ValueError(f"observations[{number}]: device {observation.device!r} twice")
            observations[observation.device] = observation
    except (ValueError, RecursionError) as error:
        raise IntentError(f"{path} is a damaged snapshot: {error}") from error
    return observations


def compare(before: Mapping[str, Observation], after: Mapping[str, Observation]) -> tuple[Difference, ...]:
    """What was lost and gained between two sets of observations: devices, links, BGP sessions, LLDP neighbours.

    A device or part that was read only once is `unknown`, never equal.
    """
    found: list[Difference] = []
    for device in sorted({*before, *after}):
        old, new = before.get(device), after.get(device)
        if old is None or new is None:
            found.append(_unread(device, "device", old is not None, new is not None))
            continue
        for part, states in (("links", _links), ("bgp", _sessions), ("lldp", _neighbors)):
            olds, news = states(old), states(new)
            if olds is None and news is None:
                continue
            if olds is None or news is None:
                found.append(_unread(device, part, olds is not None, news is not None))
            else:
                found += _differences(device, part, olds, news)
    return tuple(found)


# A part that a snapshot of an older version does not know was not read then.
_LATER = frozenset({"ib_ports", "ib_errors", "pkeys", "sm", "lids", "routing", "unhealthy", "nvlink", "own_checks"})
_GOOD = ("up", "established", "seen")


def _links(item: Observation) -> dict[str, str] | None:
    return None if item.links is None else {name: link.oper for name, link in item.links.items()}


def _sessions(item: Observation) -> dict[str, str] | None:
    return None if item.bgp is None else {f"{s.vrf} {s.neighbor}": s.state for s in item.bgp}


def _neighbors(item: Observation) -> dict[str, str] | None:
    if item.lldp is None:
        return None
    return {f"{port} {n.system} {n.remote_port}": "seen" for port, seen in item.lldp.items() for n in seen}


def _differences(device: str, part: str, olds: Mapping[str, str], news: Mapping[str, str]) -> list[Difference]:
    found = []
    for name in sorted({*olds, *news}):
        old, new = olds.get(name, "absent"), news.get(name, "absent")
        if (old in _GOOD) != (new in _GOOD):
            change = Change.LOST if old in _GOOD else Change.GAINED
            found.append(Difference(device, part, name, change, old, new))
    return found


def _unread(device: str, part: str, before: bool, after: bool) -> Difference:
    words = {True: "read", False: "not read"}
    return Difference(device, part, part, Change.UNKNOWN, words[before], words[after])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return result


def _record(kind: type[Record], value: Any, where: str) -> Record:
    hints = typing.get_type_hints(kind)
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]  # a dataclass, by the caller
    value = _typed(dict[str, Any], value, where)
    needed = [name for name in names if kind is not Observation or name not in _LATER]
    strange, missing = [key for key in value if key not in names], [name for name in needed if name not in value]
    if strange or missing:
        raise ValueError(f"{where}: {'unknown' if strange else 'missing'} key {(strange or missing)[0]!r}")
    return kind(**{name: _typed(hints[name], value[name], f"{where}.{name}") for name in names if name in value})


def _typed(kind: Any, value: Any, where: str) -> Any:
    """`value` as the annotated type `kind`, strictly: no number for a text, no true for a one."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        present = [item for item in arguments if item is not type(None)]
        return None if value is None and len(present) < len(arguments) else _typed(present[0], value, where)
    if kind is Any:
        return value
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where)
    if origin in (tuple, list) and isinstance(value, list):
        items = [_typed(arguments[0], item, f"{where}[{number}]") for number, item in enumerate(value)]
        return tuple(items) if origin is tuple else items
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _typed(arguments[1], item, f"{where}.{key}") for key, item in value.items()}
    if kind is float and type(value) is int:
        return float(value)
    if origin is None and type(value) is kind:
        return value
    raise ValueError(f"{where}: expected {getattr(kind, '__name__', kind)}, found {type(value).__name__}")
