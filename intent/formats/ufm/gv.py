"""gv.cfg, UFM's own settings: single ones are read and edited, everything else of the file stays as it is.

The file is one of Python's ConfigParser: `[Section]`, `key = value` or `key: value`, comments on lines of their own; an
indented line goes on with the value before it; names of keys are the same in any case.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

Setting = tuple[str, str]
"""Section and key."""

_SECTION = re.compile(r"\[(?P<name>.+)\]")
_ENTRY = re.compile(r"(?P<key>.*?)(?P<sign>\s*[=:]\s*)(?P<value>.*)$")
_WORDS = ("true", "false")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One setting of the file: its lines from `first` to before `end`, its value over all of them."""

    section: str
    key: str
    head: str
    value: str
    first: int
    end: int

    @property
    def name(self) -> Setting:
        """By which it is found."""
        return self.section, self.key.lower()


def read_gv(text: str, wanted: Collection[Setting]) -> dict[Setting, str]:
    """Values of single settings; one that is not in the file is left out.

    Args:
        text: the file.
        wanted: section and key of each.

    Returns:
        By setting as it was asked for; `true` and `false` in small letters.
    """
    held = {entry.name: entry.value for entry in _entries(text.split("\n"))}
    named = {(section, key): (section, key.lower()) for section, key in wanted}
    return {setting: _word(held[name]) for setting, name in named.items() if name in held}


def edit_gv(text: str, values: Mapping[Setting, str], gone: Collection[Setting] = ()) -> str:
    """The file with single settings changed, added or taken away; every other byte of it as it was.

    A setting that stands there twice is changed in both places: which of them counts depends on who reads it.

    Args:
        text: the file.
        values: value by section and key.
        gone: settings to take away.
    """
    lines = text.split("\n")
    end = "\r" if lines[0].endswith("\r") else ""
    sought = {(section, key.lower()): value for (section, key), value in values.items()}
    removed = {(section, key.lower()) for section, key in gone}
    found: set[Setting] = set()
    for entry in reversed([*_entries(lines)]):
        found.add(entry.name)
        if entry.name in removed:
            del lines[entry.first : entry.end]
        elif entry.name in sought and _word(entry.value) != sought[entry.name]:
            lines[entry.first : entry.end] = [f"{entry.head}{sought[entry.name]}{end}"]
    missing = {name: value for name, value in values.items() if (name[0], name[1].lower()) not in found}
    for (section, key), value in missing.items():
        _insert(lines, section, f"{key} = {value}{end}", end)
    return "\n".join(lines)


def _insert(lines: list[str], section: str, line: str, end: str) -> None:
    """A new line as the last one of its section, which is made at the end where there is none.

    It is set in like the line it follows, or the one that follows it: any other could turn into a part of its value.
    """
    last = next((entry for entry in reversed([*_entries(lines)]) if entry.section == section), None)
    if last is not None:
        lines.insert(last.end, " " * _indent(lines[last.first]) + line)
        return
    for number, text in enumerate(lines):
        head = _SECTION.match(text.strip())
        if head and head["name"] == section:
            after = next((each for each in lines[number + 1 :] if not _no_content(each.strip())), "")
            lines.insert(number + 1, " " * _indent(after) + line)
            return
    if not lines[-1]:
        lines.pop()
    elif end and not lines[-1].endswith(end):
        lines[-1] += end
    lines += [f"[{section}]{end}", line, ""]


def _entries(lines: list[str]) -> Iterator[_Entry]:
    section, number = "", 0
    while number < len(lines):
        text = lines[number].strip()
        number += 1
        if _no_content(text):
            continue
        head, entry = _SECTION.match(text), _ENTRY.match(text)
        if head:
            section = head["name"]
        elif entry and section:
            first, indent = number - 1, _indent(lines[number - 1])
            more, number = _continued(lines, number, indent)
            start = lines[first][:indent] + entry["key"] + entry["sign"]
            start += "" if entry["value"] else " "
            value = "\n".join([entry["value"], *more])
            yield _Entry(section, entry["key"], start, value, first, number)


def _continued(lines: list[str], start: int, indent: int) -> tuple[list[str], int]:
    """Lines that go on with a value, and where it ends: those set in further than its first line.

    Empty lines between them belong to the value, comments do not, as ConfigParser reads them.
    """
    found: list[str] = []
    between: list[str] = []
    end = start
    for number in range(start, len(lines)):
        text = lines[number].strip()
        if _no_content(text):
            between += [] if text else [""]
            continue
        if _indent(lines[number]) <= indent:
            break
        found += [*between, text]
        between, end = [], number + 1
    return found, end


def _no_content(text: str) -> bool:
    return not text or text[0] in "#;"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _word(value: str) -> str:
    return value.lower() if value.lower() in _WORDS else value
