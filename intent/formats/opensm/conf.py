"""Reads an opensm.conf strictly. OpenSM skips what it does not know and reads on; here every such line is a finding.

The file is `key value` per line, `#` begins a comment anywhere, inside quotes too. A word behind a value is part of it:
`qos TRUE on` is not TRUE and so is FALSE. Established by running OpenSM 3.3.23, which echoes each value it took.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from intent.catalog.source import near
from intent.catalog.subnet_managers import Manager, Option
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import DiagnosticError
from intent.formats.opensm.values import Wrong, check_value
from intent.formats.opensm.values import number as number_of
from intent.formats.partitions.findings import Findings

LARGEST_BYTES = 4 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Setting:
    """One line that sets an option.

    Args:
        name: the option.
        value: its value as the manager sees it: without spaces and quotes around it.
        line: line number, from 1.
    """

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class ConfReading:
    """What a file says and what is wrong with it.

    Args:
        settings: lines that set something, in order.
        diagnostics: findings in order of place.
    """

    settings: tuple[Setting, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def accepted(self) -> bool:
        """The manager takes the file as it is written: no finding is an error."""
        return not has_errors(self.diagnostics)

    @property
    def values(self) -> dict[str, str]:
        """Value of each option; the last line decides."""
        return {item.name: item.value for item in self.settings}


def read_conf(data: bytes, manager: Manager, file: str = "opensm.conf", *, placeholders: bool = False) -> ConfReading:
    """Read a file and say everything that is wrong with it.

    Args:
        data: the file as it lies on disk.
        manager: the subnet manager that is to read it.
        file: its name, for the places of findings.
        placeholders: references to secrets may stand for keys.
    """
    found = Findings(file)
    if len(data) > LARGEST_BYTES:
        found.add("O001", 0, 0, f"{len(data)} bytes - expected at most {LARGEST_BYTES}", hint="this is no opensm.conf")
        return ConfReading((), found.all())
    settings: list[Setting] = []
    first: dict[str, int] = {}
    for number, raw in enumerate(data.decode("latin-1").split("\n"), start=1):
        line = _clean(raw, number, manager, found)
        name, value = _split(line)
        if not name:
            continue
        option = _option(name, line, number, manager, found)
        if option is None:
            continue
        _duplicate(option, value, number, first, found)
        _judge(option, value, number, manager, found, placeholders=placeholders)
        settings.append(Setting(name, value, number))
    _compare(settings, manager, found)
    return ConfReading(tuple(settings), found.all())


def read_conf_strict(
    data: bytes, manager: Manager, file: str = "opensm.conf", *, placeholders: bool = False
) -> dict[str, str]:
    """The options of a file that must be right.

    Raises:
        DiagnosticError: the manager would not take it as written.
    """
    reading = read_conf(data, manager, file, placeholders=placeholders)
    if not reading.accepted:
        raise DiagnosticError(reading.diagnostics)
    return reading.values


def _compare(settings: list[Setting], manager: Manager, found: Findings) -> None:
    """Options that must not be below another one, defaults included."""
    held = {item.name: item for item in settings}

    def effective(name: str) -> int | None:
        return number_of(held[name].value if name in held else manager.options[name].default or "")

    for option in manager.options.values():
        lines = [held[name].line for name in (option.name, option.at_least) if name in held]
        if not option.at_least or not lines:
            continue
        value, least = effective(option.name), effective(option.at_least)
        if value is not None and least is not None and value < least:
            message = f"{option.name} is {value}, below {option.at_least} {least}"
            found.add("O011", max(lines), 1, message, hint="the manager takes the larger one for both, in one line")


def _clean(raw: str, number: int, manager: Manager, found: Findings) -> str:
    if len(raw) > manager.line_bytes:
        found.add(
            "O002",
            number,
            manager.line_bytes + 1,
            f"line of {len(raw)} bytes - expected at most {manager.line_bytes}",
            hint="the manager reads the rest as a line of its own",
        )
        raw = raw[: manager.line_bytes]
    odd = next((at for at, mark in enumerate(raw) if not (" " <= mark <= "~" or mark == "\t")), None)
    if odd is not None:
        ends = raw[odd:] == "\r"
        word = "carriage return at the line's end" if ends else f"byte 0x{ord(raw[odd]):02x}"
        found.add(
            "O003",
            number,
            odd + 1,
            f"{word} - expected printable ASCII and Unix line ends",
            hint="convert it with dos2unix" if ends else "it becomes part of the option's name or value",
            severity=Severity.WARNING if ends else Severity.ERROR,
        )
        raw = "".join(mark if " " <= mark <= "~" or mark == "\t" else " " for mark in raw)
    return raw


def _split(line: str) -> tuple[str, str]:
    words = line.partition("#")[0].split(None, 1)
    if not words:
        return "", ""
    value = words[1].strip() if len(words) > 1 else ""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return words[0], value


def _option(name: str, line: str, number: int, manager: Manager, found: Findings) -> Option | None:
    option = manager.options.get(name)
    if option is not None:
        return option
    column = line.index(name) + 1
    stem, equals, _ = name.partition("=")
    if equals and stem in manager.options:
        found.add("O004", number, column, f"{stem}: '=' - expected a space", hint="the manager skips the whole line")
        return None
    guess = near(name, manager.options)
    hint = f"did you mean {' or '.join(guess)}?" if guess else "the manager skips the line"
    shown = name if _NAME.fullmatch(name) else repr(name[:40])
    found.add("O005", number, column, f"{manager.title} has no option {shown}", hint=hint)
    return None


def _duplicate(option: Option, value: str, number: int, first: dict[str, int], found: Findings) -> None:
    key = f"{option.name} {value.split(maxsplit=1)[0] if value else ''}" if option.repeats else option.name
    before = first.setdefault(key, number)
    if before != number:
        found.add(
            "O006",
            number,
            1,
            f"{key.strip()} is set a second time",
            hint="the last line decides",
            related=((before, 1, "set here first"),),
        )


def _judge(option: Option, value: str, number: int, manager: Manager, found: Findings, *, placeholders: bool) -> None:
    if not value:
        found.add("O007", number, 1, f"{option.name} has no value", hint="the manager takes it for 0 or for nothing")
        return
    if value.startswith("="):
        found.add("O004", number, 1, f"{option.name}: '=' - expected a space", hint="'=' becomes part of the value")
        return
    if option.instead:
        found.add(
            "O010",
            number,
            1,
            f"{option.name} is deprecated",
            hint=f"use {option.instead}",
            severity=Severity.WARNING,
        )
    if value[0] in "\"'" and (len(value) == 1 or value[-1] != value[0]):
        found.add(
            "O008",
            number,
            1,
            f"{option.name}: a quote that does not end before the line or its comment does",
            hint="'#' begins a comment inside quotes too",
        )
        return
    try:
        check_value(option, value, manager, placeholders=placeholders)
    except Wrong as wrong:
        found.add("O009", number, 1, f"{option.name}: {wrong.problem}", hint=wrong.hint)
