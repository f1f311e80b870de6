"""Words between commas, with their columns, and the numbers OpenSM would silently misread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,32}")
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class Word:
    """`name`, `name=value` or nothing.

    Args:
        name: what stands left of `=`, stripped.
        value: what stands right of it, stripped; None without `=`.
        line: line number, from 1.
        column: column of the name, from 1.
    """

    name: str
    value: str | None
    line: int
    column: int

    @property
    def text(self) -> str:
        """The word as written, spaces aside, shortened for messages."""
        whole = self.name if self.value is None else f"{self.name}={self.value}"
        return whole if len(whole) <= 60 else f"{whole[:60]}…"


def words(text: str, line: int, column: int) -> Iterator[Word]:
    """Split at commas.

    Args:
        text: a piece of a line.
        line: its line number.
        column: column of its first byte.
    """
    for part in text.split(","):
        name, equals, value = part.partition("=")
        lead = len(part) - len(part.lstrip(" \t"))
        yield Word(name.strip(" \t"), value.strip(" \t") if equals else None, line, column + lead)
        column += len(part) + 1


def hexadecimal(text: str) -> int | None:
    """A number written `0x…`; None for everything else."""
    return int(text, 16) if _HEX.fullmatch(text) else None


def number(text: str) -> int | None:
    """A hexadecimal number, or a decimal one without leading zero (`010` is octal for OpenSM); else None."""
    return int(text) if _DECIMAL.fullmatch(text) else hexadecimal(text)
