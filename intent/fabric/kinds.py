"""The kinds of value a lock keeps: what each looks like, and whether two owners may share one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,250}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value.

    Args:
        expected: what a value looks like, for a message.
        valid: whether a text is such a value.
        exclusive: no two owners share a value.
        sticky: a size that never falls by itself; only a prune lets it be computed anew.
    """

    expected: str
    valid: Callable[[str], bool]
    exclusive: bool = False
    sticky: bool = False


def is_owner(text: str) -> bool:
    """Whether a text can be the name of an owner."""
    return _OWNER.fullmatch(text) is not None


def _fits(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _address(text: str) -> bool:
    try:
        return str(IPv4Address(text)) == text
    except ValueError:
        return False


def _prefix(text: str) -> bool:
    try:
        return str(IPv4Network(text)) == text
    except ValueError:
        return False


def _asn(text: str) -> bool:
    return len(text) <= 10 and text.isascii() and text.isdigit() and text[0] != "0" and int(text) <= 4_294_967_294


KINDS: Mapping[str, Kind] = {
    "asn": Kind("an AS number", _asn, exclusive=True),
    "loopback": Kind("an IPv4 address", _address, exclusive=True),
    "management": Kind("an IPv4 address", _address, exclusive=True),
    "host-prefix": Kind("an IPv4 prefix", _prefix, exclusive=True),
    "name": Kind("a host name", _fits(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"), exclusive=True),
    "slot": Kind("fabric:block.place", _fits(r"[A-Za-z0-9._-]{1,63}:[1-9]\d{0,5}\.[1-9]\d{0,5}"), exclusive=True),
    "manager": Kind("fabric:block.rail.port", _fits(r"[A-Za-z0-9._-]{1,63}:\d{1,6}\.\d{1,4}\.\d{1,6}"), exclusive=True),
    "pkey": Kind(
        "fabric:0x8001 to 0xfffe",
        _fits(r"[A-Za-z0-9._-]{1,63}:0x(?!8000|ffff)[89a-f][0-9a-f]{3}"),
        exclusive=True,
    ),
    "shape": Kind("key=value …", _fits(r"[a-z-]+=[A-Za-z0-9:-]+(?: [a-z-]+=[A-Za-z0-9:-]+){0,20}")),
    "spines": Kind("a number", _fits(r"\d{1,4}"), sticky=True),
    "uplinks": Kind("spine.port …", _fits(r"[1-9]\d{0,3}\.\d{1,4}(?: [1-9]\d{0,3}\.\d{1,4}){0,1023}")),
    "wiring": Kind("a digest", _fits(r"[0-9a-f]{16}")),
}
"""Every kind by the name it has in the lock."""
