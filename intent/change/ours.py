"""What of a device is ours, as it is written down: hundreds of paths, the same on devices of one role and model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from intent.change.packing import pack, unpack
from intent.change.reading import Reader
from intent.core.tree import Path
from intent.device.actor import Target, Wanted

# Owned paths, excepted ones, and whether the whole device is ours.
Ours: TypeAlias = tuple[tuple[Path, ...], tuple[Path, ...], bool]


def dump_ours(wanted: Wanted) -> dict[str, Any]:
    """What of a device is ours, as JSON."""
    return _dump(*_ours(wanted))


def load_wanted(target: Target, body: Mapping[str, Any], reader: Reader) -> Wanted:
    """The inverse of `dump_ours`, with target and body."""
    return Wanted(target, body, *_load(reader))


class DumpedOurs:
    """What is ours of many devices, each scope once.

    Args:
        found: the devices.
    """

    def __init__(self, found: Iterable[Wanted]) -> None:
        self._numbers = {ours: at for at, ours in enumerate(dict.fromkeys(map(_ours, found)))}

    def number(self, wanted: Wanted) -> int:
        """The number of a device's scope."""
        return self._numbers[_ours(wanted)]

    def dump(self) -> list[str]:
        """The scopes, packed, by their numbers."""
        return [pack(_dump(*ours)) for ours in self._numbers]


def load_ours(reader: Reader) -> list[Ours]:
    """Scopes by their number.

    Raises:
        Bad: one that is none.
    """
    return [_unpacked(text, f"ours[{at}]") for at, text in enumerate(reader.texts("ours"))]


def _ours(wanted: Wanted) -> Ours:
    return wanted.owned, wanted.excepted, wanted.replace


def _dump(owned: tuple[Path, ...], excepted: tuple[Path, ...], replace: bool) -> dict[str, Any]:
    return {"owned": owned, "excepted": excepted, "replace": replace}


def _load(reader: Reader) -> Ours:
    return reader.paths("owned"), reader.paths("excepted"), reader.boolean("replace")


def _unpacked(text: str, where: str) -> Ours:
    reader = Reader(unpack(text, where), where)
    found = _load(reader)
    reader.finish()
    return found
