"""What a value of opensm.conf may be.

What OpenSM 3.3.23 cannot read as a number it tells of in one line on its standard output, where a service has none,
and keeps its default; what is not TRUE is FALSE, without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from intent.catalog.source import near
from intent.catalog.subnet_managers import Manager, Option
from intent.core.secret import referenced

_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)")
_SIGNED = {"int32"}
_LIMITS: Mapping[str, tuple[int, int]] = {
    "uint8": (0, 0xFF),
    "uint16": (0, 0xFFFF),
    "uint32": (0, 0xFFFF_FFFF),
    "int32": (-0x8000_0000, 0x7FFF_FFFF),
    "hex64": (0, 0xFFFF_FFFF_FFFF_FFFF),
    "key64": (0, 0xFFFF_FFFF_FFFF_FFFF),
}
_LEAST = 2


class Wrong(Exception):
    """A value OpenSM would not take as written.

    Args:
        problem: what is wrong, with expected and actual.
        hint: what OpenSM makes of it.
    """

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def check_value(option: Option, text: str, manager: Manager, *, placeholders: bool = False) -> None:
    """Check one value.

    Args:
        option: the option.
        text: its value, without spaces around it.
        manager: the subnet manager that reads it.
        placeholders: a reference to a secret stands for a key.

    Raises:
        Wrong: the manager would read something else.
    """
    if option.secret and placeholders and referenced(text) is not None:
        return
    if option.values and text not in option.values and str(number(text)) not in option.values:
        raise Wrong(f"{text!r} - expected {', '.join(option.values)}", "the manager falls back to its default")
    if option.kind in _LIMITS:
        _number(option, text)
    elif option.kind in _READERS:
        _READERS[option.kind](text)
    elif option.kind == "engines":
        _engines(text, manager)
    if text == "(null)" and option.kind not in _MAY_BE_NULL:
        raise Wrong("(null) where a value is needed", "leave the option out for its default")


def number(text: str) -> int | None:
    """A number as strtoul with base 0 reads it; None where it would stop at a character."""
    return int(text, 16 if "x" in text.lower() else 10) if _NUMBER.fullmatch(text) else None


def _number(option: Option, text: str) -> None:
    value = number(text)
    shown = "the key" if option.secret else repr(text)
    if value is None:
        octal = text.isdigit() and text.startswith("0")
        raise Wrong(
            f"{shown} - expected a number, decimal or 0x…",
            "a leading zero makes it octal" if octal else "the manager prints one line and keeps its default",
        )
    least, most = _LIMITS[option.kind]
    if not least <= value <= most:
        raise Wrong(f"{shown} - expected {least} to {most}", "the manager prints one line and keeps its default")
    least = least if option.minimum is None else option.minimum
    most = most if option.maximum is None else option.maximum
    if not least <= value <= most:
        raise Wrong(f"{shown} - expected {least} to {most}", "the manager falls back to its default, or misbehaves")


def _boolean(text: str) -> None:
    if text not in ("TRUE", "FALSE"):
        raise Wrong(f"{text!r} - expected TRUE or FALSE", "anything but TRUE in capitals is FALSE, without a word")


def _engines(text: str, manager: Manager) -> None:
    for name in text.split(","):
        if name.strip() not in manager.engines and text != "(null)":
            guess = near(name.strip(), manager.engines)
            also = f"; did you mean {' or '.join(guess)}?" if guess else ""
            raise Wrong(
                f"routing engine {name.strip()!r} is not one {manager.title} knows{also}",
                "an unknown engine is skipped and minhop routes instead, without a failure",
            )


def _guids(text: str) -> None:
    for item in text.split(","):
        if not re.fullmatch(r"0x[0-9a-fA-F]{1,16}", item.strip()):
            raise Wrong(f"{item.strip()!r} - expected 0x and 16 hexadecimal digits", "the GUID is read as another one")


def _vlarb(text: str) -> None:
    pairs = text.split(",")
    for pair in pairs:
        lane, colon, weight = pair.partition(":")
        lane_number, weight_number = number(lane), number(weight)
        if not colon or lane_number is None or weight_number is None or not 0 <= lane_number <= 14:
            raise Wrong(f"{pair!r} - expected lane:weight, lane 0 to 14", "the pair is used although it is wrong")
        if not 0 <= weight_number <= 255:
            raise Wrong(f"weight {weight_number} - expected 0 to 255", "only the bits that fit are used")
    if len(pairs) > 64:
        raise Wrong(f"{len(pairs)} pairs - expected at most 64", "the rest is dropped")


def _sl2vl(text: str) -> None:
    lanes = [number(item) for item in text.split(",")]
    if len(lanes) != 16:
        raise Wrong(f"{len(lanes)} lanes - expected 16, one for each service level", "missing ones stay as they were")
    if any(lane is None or not 0 <= lane <= 15 for lane in lanes):
        raise Wrong(f"{text!r} - expected lanes 0 to 15", "a wrong lane is used although it is wrong")


def _mask(text: str) -> None:
    if not re.fullmatch(r"0x[0-9a-fA-F]{1,64}", text):
        raise Wrong(f"{text!r} - expected 0x and up to 64 hexadecimal digits", "the mask is read as another one")


def _cct(text: str) -> None:
    for item in text.split(","):
        if not re.fullmatch(r"\d{1,5}:\d{1,5}", item.strip()):
            raise Wrong(f"{item.strip()!r} - expected shift:multiplier", "the entry is read as another one")


def _per_level(most: int) -> Callable[[str], None]:
    def check(text: str) -> None:
        words = text.split()
        values = [number(word) for word in words]
        good = len(words) == _LEAST and values[0] is not None and values[1] is not None
        if not good or not 0 <= (values[0] or 0) <= 15 or not 0 <= (values[1] or 0) <= most:
            raise Wrong(f"{text!r} - expected a service level and 0 to {most}", "the setting is not made")

    return check


def _path(text: str) -> None:
    if text != "(null)" and not text.startswith("/"):
        raise Wrong(f"{text!r} - expected an absolute path", "it is looked for where the manager was started")


_MAY_BE_NULL = {"path", "text", "engines", "vlarb", "sl2vl", "cct", "guids"}
_READERS: Mapping[str, Callable[[str], None]] = {
    "boolean": _boolean,
    "guids": lambda text: None if text == "(null)" else _guids(text),
    "vlarb": lambda text: None if text == "(null)" else _vlarb(text),
    "sl2vl": lambda text: None if text == "(null)" else _sl2vl(text),
    "mask256": _mask,
    "cct": lambda text: None if text == "(null)" else _cct(text),
    "cct-entry": _cct,
    "sl-uint8": _per_level(0xFF),
    "sl-uint16": _per_level(0xFFFF),
    "path": _path,
}
