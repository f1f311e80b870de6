"""Words, safe text and JSON that every rendering shares."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rich.text import Text

from intent.core.span import Span

JSON_VERSION = 1
"""Version of every JSON document we print; raised when a key is renamed or removed."""

# C0 and C1 controls, direction overrides (they reorder what a reader sees) and lone surrogates.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_LAST_NUMBER = re.compile(r"^(.*?)(\d+)(\D*)$", re.DOTALL)


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


def brief(texts: Iterable[str], most: int = 5) -> str:
    """The first few, and how many more there are."""
    items = [one_line(text) for text in texts]
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def fold(names: Iterable[str], most: int = 6) -> str:
    """Names in short, as selectors write them: `leaf{01..15}, spine{1..4}`; at most so many pieces.

    Args:
        names: in the order they are to be told; only neighbours fold.
        most: pieces shown before "and N more".
    """
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    pieces = [piece for run in runs for piece in _run(run)]
    more = sum(len(run) for run in runs) - sum(size for _, size in pieces[:most])
    text = ", ".join(one_line(piece) for piece, _ in pieces[:most])
    return f"{text}, and {more} more" if more else text


def _run(run: list[str]) -> list[tuple[str, int]]:
    if len(run) < 3:
        return [(name, 1) for name in run]
    first, last = _LAST_NUMBER.match(run[0]), _LAST_NUMBER.match(run[-1])
    assert first and last  # noqa: S101 - a run of several is made of names with a number
    return [(f"{first[1]}{{{first[2]}..{last[2]}}}{first[3]}", len(run))]


def _follows(before: str, after: str) -> bool:
    left, right = _LAST_NUMBER.match(before), _LAST_NUMBER.match(after)
    if not left or not right or (left[1], left[3]) != (right[1], right[3]) or len(left[2]) > 18 or "{" in before:
        return False
    width = len(left[2]) if left[2].startswith("0") and len(left[2]) > 1 else 0
    padded = right[2].startswith("0") and len(right[2]) > 1
    same_width = len(right[2]) == width if width else not padded
    return same_width and int(right[2]) == int(left[2]) + 1


def json_text(kind: str, body: Mapping[str, Any]) -> str:
    """One JSON document: its version and kind first, ASCII only, a line end at its end."""
    return json.dumps({"schema_version": JSON_VERSION, "kind": kind, **body}, indent=1, ensure_ascii=True) + "\n"


def span_data(span: Span | None) -> dict[str, Any] | None:
    """A place as JSON; None where there is none."""
    return {"file": span.file, "line": span.line, "column": span.column} if span else None


def joined(lines: Iterable[Text | str]) -> Text:
    """Lines as one text."""
    return Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)
