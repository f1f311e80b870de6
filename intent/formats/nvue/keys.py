"""Formats of map keys: which key may stand in which map."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

# Says what is wrong with a key, "" when nothing is.
KeyRule: TypeAlias = Callable[[str], str]

_NUMBER = re.compile(r"^(0|[1-9][0-9]*)\Z")
_INTERFACE = re.compile(r"^[A-Za-z][A-Za-z0-9_./-]{0,14}\Z")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4_INTERFACE = re.compile(rf"(?:{_OCTET}\.){{3}}{_OCTET}/(?:3[0-2]|[12]?[0-9])\Z")
_PROFILE = re.compile(r"^[A-Za-z][A-Za-z0-9_-]{0,63}\Z")


def _numbers(low: int, high: int, *words: str) -> KeyRule:
    def rule(key: str) -> str:
        if key in words:
            return ""
        for part in key.split(","):
            first, _, last = part.partition("-")
            for number in (first, last or first):
                if not _NUMBER.match(number):
                    return f"{number!r} is not a number written without leading zeros"
                if not low <= int(number) <= high:
                    return f"{number} is outside {low} to {high}"
        return ""

    return rule


def _one_of(*words: str) -> KeyRule:
    def rule(key: str) -> str:
        return "" if key in words else f"one of {', '.join(words)} is needed"

    return rule


def _interface(key: str) -> str:
    parts = key.split(",")
    named = _INTERFACE.match(parts[0]) and all(p[:1].isdigit() or _INTERFACE.match(p) for p in parts[1:])
    return "" if named else "not an interface name (a letter first, 15 characters at most)"


def _ip_interface(key: str) -> str:
    # Every host port has an address of its own: the usual form is told without parsing it, at a tenth of the cost.
    if _IPV4_INTERFACE.match(key) or key == "dhcp":
        return ""
    if "/" not in key:
        return "an address needs its prefix length"
    try:
        ipaddress.ip_interface(key)
    except ValueError as error:
        return str(error)
    return ""


def _prefix(key: str) -> str:
    try:
        ipaddress.ip_network(key, strict=True)
    except ValueError as error:
        return str(error)
    return ""


def _profile(key: str) -> str:
    return "" if _PROFILE.match(key) else "not a profile name (a letter first, then letters, digits, '_', '-')"


KEY_RULES: Mapping[str, KeyRule] = MappingProxyType(
    {
        "interface": _interface,
        "ip-interface": _ip_interface,
        "prefix": _prefix,
        "vlan": _numbers(1, 4094),
        "vni": _numbers(1, 16777215, "auto"),
        "breakout": _one_of("1x", "2x", "4x", "8x", "disabled", "loopback"),
        "switch-priority": _numbers(0, 7),
        "traffic-class": _numbers(0, 7),
        "dscp": _numbers(0, 63),
        "pcp": _numbers(0, 7),
        "profile": _profile,
        "traffic-pool": _one_of("default-lossy", "default-lossless", "mc-lossy", "roce-lossless", "roce-lossy"),
        "default-global": _one_of("default-global"),
        "link-state": _one_of("up", "down"),
    }
)
