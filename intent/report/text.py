"""Words, safe text and JSON that every rendering shares."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from rich.text import Text

from intent.core.span import Span

JSON_VERSION = 1
"""Version of every JSON document we print; raised when a key is renamed or removed."""

# C0 and C1 controls, direction overrides (they reorder what a reader sees) and lone surrogates.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_NUMBER = re.compile(r"(?<![0-9])([0-9]{1,9})(?![0-9])")


def clean(text: object) -> str:
    """Text safe for a terminal: what would move the cursor or reorder the line shows as its escape."""
    return _UNSAFE.sub(lambda found: _escape(found[0]), str(text))


def one_line(text: object) -> str:
    """`clean`, and line ends and tabs show as escapes too: for names and table cells."""
    return clean(text).replace("\n", "\\n").replace("\t", "\\t")


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\r":
        return "\\r"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 device`, `2 devices`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}".replace(",", " ")


def lasting(seconds: float) -> str:
    """`45 s`, `8 min`, `2 h 10 min`: whole units, the two largest, never less than it is."""
    whole = ceil(seconds)
    if whole >= 3600:
        whole = ceil(whole / 60) * 60
    minutes, rest = divmod(whole, 60)
    parts = ((minutes // 60, "h"), (minutes % 60, "min"), (rest, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def brief(texts: Iterable[str], most: int = 5) -> str:
    """The first few, and how many more there are."""
    items = [one_line(text) for text in texts]
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def fold(names: Iterable[str], most: int = 6) -> str:
    """Names in short, as selectors write them: `p{1..2}-r{1..8}-l01, spine1`; at most so many pieces.

    Args:
        names: in the order they are to be told; only neighbours fold.
        most: pieces shown before "and N more".
    """
    pieces = [_Piece(_tokens(name), 1) for name in names]
    for position in range(1, max((len(piece.tokens) for piece in pieces), default=0), 2)[::-1]:
        pieces = _merged(pieces, position)
    # Two names read better than a range of two.
    told = [part for piece in pieces for part in (_spread(piece) if piece.names == 2 else [piece])]
    text = ", ".join(one_line(_write(piece)) for piece in told[:most])
    more = sum(piece.names for piece in told[most:])
    return f"{text}, and {more} more" if more else text


_Token = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Names that read alike: at odd positions numbers, first and last of a range; else words, twice the same."""

    tokens: tuple[_Token, ...]
    names: int


def _tokens(name: str) -> tuple[_Token, ...]:
    if "{" in name or "}" in name:
        return ((name, name),)
    return tuple((part, part) for part in _NUMBER.split(name))


def _merged(pieces: list[_Piece], position: int) -> list[_Piece]:
    """Neighbours that differ at one position only, by one, become one piece."""
    found: list[_Piece] = []
    for piece in pieces:
        if found and _follows(found[-1].tokens, piece.tokens, position):
            last = found[-1]
            first, end = last.tokens[position][0], piece.tokens[position][1]
            tokens = (*last.tokens[:position], (first, end), *last.tokens[position + 1 :])
            found[-1] = _Piece(tokens, last.names + piece.names)
        else:
            found.append(piece)
    return found


def _follows(left: tuple[_Token, ...], right: tuple[_Token, ...], position: int) -> bool:
    if len(left) != len(right) or position >= len(left):
        return False
    if left[:position] != right[:position] or left[position + 1 :] != right[position + 1 :]:
        return False
    (first, last), after = left[position], right[position][0]
    padded = first.startswith("0") and len(first) > 1
    same_width = len(after) == len(first) if padded else not (after.startswith("0") and len(after) > 1)
    return same_width and int(after) == int(last) + 1


def _spread(piece: _Piece) -> list[_Piece]:
    """The two names of a piece of two."""
    at = next(at for at, (first, last) in enumerate(piece.tokens) if first != last)
    ends = piece.tokens[at]
    return [_Piece((*piece.tokens[:at], (end, end), *piece.tokens[at + 1 :]), 1) for end in ends]


def _write(piece: _Piece) -> str:
    return "".join(first if first == last else f"{{{first}..{last}}}" for first, last in piece.tokens)


def json_text(kind: str, body: Mapping[str, Any]) -> str:
    """One JSON document: its version and kind first, ASCII only, a line end at its end."""
    return json.dumps({"schema_version": JSON_VERSION, "kind": kind, **body}, indent=1, ensure_ascii=True) + "\n"


def span_data(span: Span | None) -> dict[str, Any] | None:
    """A place as JSON; None where there is none."""
    return {"file": span.file, "line": span.line, "column": span.column} if span else None


def joined(lines: Iterable[Text | str]) -> Text:
    """Lines as one text."""
    return Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)
