"""Names written as ranges: `gpu{01..08}` is eight names, `r{1..2}-n{01..18}` is thirty-six."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import overload

LIMIT = 100_000
"""Most names one text may stand for; more is a slip of the finger or an attack."""

_BRACE = re.compile(r"\{([0-9]{1,9})\.\.([0-9]{1,9})\}")


def expand(text: str) -> tuple[str, ...]:
    """Every name a text stands for, in order; the last brace counts fastest.

    Zeros in front of a bound pad every number to its width: `{01..10}` is 01, 02 … 10.

    Args:
        text: a name, or a name with any number of `{first..last}`.

    Raises:
        ValueError: a brace that is no range, a range that runs backwards, or more than `LIMIT` names.
    """
    return tuple("".join(parts) for parts in product(*_limited(text)))


def edges(text: str) -> tuple[str, str]:
    """The first and the last name a text stands for, without making the others.

    Raises:
        ValueError: as `expand`.
    """
    pieces = _limited(text)
    return "".join(piece[0] for piece in pieces), "".join(piece[-1] for piece in pieces)


def count(text: str) -> int:
    """How many names a text stands for, without making them."""
    total = 1
    for piece in _pieces(text):
        total *= len(piece)
    return total


def _limited(text: str) -> tuple[Sequence[str], ...]:
    pieces = tuple(_pieces(text))
    total = 1
    for piece in pieces:
        total *= len(piece)
        if total > LIMIT:
            raise ValueError(f"more than {LIMIT} names in one range")
    return pieces


class _Numbers(Sequence[str]):
    """The texts of one brace, made when asked for."""

    __slots__ = ("_numbers", "_width")

    def __init__(self, first: str, last: str) -> None:
        self._numbers = range(int(first, 10), int(last, 10) + 1)
        padded = any(len(bound) > 1 and bound.startswith("0") for bound in (first, last))
        self._width = max(len(first), len(last)) if padded else 0

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...

    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self._text(number) for number in self._numbers[at]]
        return self._text(self._numbers[at])

    def __iter__(self) -> Iterator[str]:
        return map(self._text, self._numbers)

    def _text(self, number: int) -> str:
        return f"{number:0{self._width}d}" if self._width else str(number)


def _pieces(text: str) -> Iterator[Sequence[str]]:
    at = 0
    for match in _BRACE.finditer(text):
        yield (_plain(text[at : match.start()]),)
        first, last = match[1], match[2]
        if int(first, 10) > int(last, 10):
            raise ValueError(f"range {match[0]} runs backwards: write {{{last}..{first}}}")
        yield _Numbers(first, last)
        at = match.end()
    yield (_plain(text[at:]),)


def _plain(part: str) -> str:
    if "{" in part or "}" in part:
        raise ValueError("expected a range such as {01..08}: two numbers with two dots between")
    return part
