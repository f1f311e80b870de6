"""Range keys of NVUE: `swp1-64s0-1` and `10,20,30` stand for many keys."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

LIMIT = 8192

_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,8})")
_RANGE = re.compile(r"(\d+-\d+)")
_WORD = re.compile(r"^[A-Za-z_][A-Za-z_.]*")


def is_range(key: str) -> bool:
    """True when a key may stand for several."""
    return "," in key or ("-" in key and _RANGE.search(key) is not None)


def expand(key: str) -> list[str]:
    """The keys a range key stands for; a part without a word takes the word of the first part.

    Raises:
        ValueError: the range is empty, runs backwards or stands for more than `LIMIT` keys.
    """
    names: list[str] = []
    word = ""
    for part in key.split(","):
        if not part:
            raise ValueError(f"{key!r}: an empty part in a range")
        match = _WORD.match(part)
        if match:
            word = word or match.group()
            text = part
        else:
            text = word + part
        names += _product(text, key, LIMIT - len(names))
    return names


def joined(names: Iterable[str]) -> str:
    """One key for many: numbers that follow each other become a range, the rest stands between commas."""
    parts: list[tuple[str, int, int] | str] = []
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match is None:
            parts.append(name)
            continue
        word, number = match[1], int(match[2])
        last = parts[-1] if parts else ""
        if isinstance(last, tuple) and last[0] == word and last[2] + 1 == number:
            parts[-1] = (word, last[1], number)
        else:
            parts.append((word, number, number))
    return ",".join(_part(part) for part in parts)


def _part(part: tuple[str, int, int] | str) -> str:
    if isinstance(part, str):
        return part
    word, low, high = part
    return f"{word}{low}" if low == high else f"{word}{low}-{high}"


def _product(text: str, key: str, room: int) -> list[str]:
    choices: list[list[str]] = []
    total = 1
    for at, piece in enumerate(_RANGE.split(text)):
        if at % 2 == 0:
            choices.append([piece])
            continue
        low, high = (int(number[:9]) for number in piece.split("-"))
        if high < low:
            raise ValueError(f"{key!r}: the range {piece} runs backwards")
        total *= high - low + 1
        if total > room:
            raise ValueError(f"{key!r}: a range stands for at most {LIMIT} keys")
        choices.append([str(number) for number in range(low, high + 1)])
    return ["".join(combination) for combination in itertools.product(*choices)]
