"""Holds the body of a PATCH against the schema of a release. The lab's own walker: the judge shares no code."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from intent.core.tree import Path, pointer
from intent.lab.ranges import expand, is_range

MAX_ERRORS = 50
MAX_FREE_DEPTH = 6
# Formats of keys that may be ranges.
RANGED = ("interface", "vlan")
_REMEMBERED = 50_000

Node: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaError:
    """One reason to refuse a body.

    Args:
        path: where in the body.
        error: what is wrong with it.
    """

    path: Path
    error: str

    @property
    def location(self) -> str:
        """JSON pointer of the place."""
        return pointer(self.path)


class Schema:
    """The flattened schema of one release, ready to judge trees.

    Args:
        data: what `intent.catalog.releases.release_schema` returns.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.release: str = data["release"]
        self.nodes: list[dict[str, Any]] = data["nodes"]
        self.root: int = data["root"]
        self.ranged = _above(self.nodes, RANGED)
        self._good: set[tuple[int, type, Any]] = set()
        self._patterns: dict[str, re.Pattern[str]] = {}

    def node(self, path: Path) -> Node | None:
        """The node at a path, None where the schema has none."""
        index: int | None = self.root
        for key in path:
            if index is None:
                return None
            index = self.child(index, key)
        return None if index is None else self.nodes[index]

    def knows(self, path: Path) -> bool:
        """True when something may stand at a path; below a part that is left open, anything may."""
        index: int | None = self.root
        for key in path:
            if index is None:
                return False
            if "free" in self.nodes[index]:
                return True
            index = self.child(index, key)
        return index is not None

    def child(self, index: int, key: str) -> int | None:
        """Index of the node below `key`; None when there is none or it is left open."""
        node = self.nodes[index]
        if "keys" in node:
            found: int | None = node["keys"].get(key)
            return found
        return node.get("map")

    def check(self, body: Any, path: Path = ()) -> list[SchemaError]:
        """Why a body may not be merged at a path, `MAX_ERRORS` reasons at most; null is allowed anywhere, it unsets."""
        errors: list[SchemaError] = []
        index = self.root
        for at, key in enumerate(path):
            node = self.nodes[index]
            if "free" in node:
                self._free(node, body, path, errors)
                return errors
            below = self.child(index, key)
            if below is not None:
                index = below
            else:
                return [SchemaError(path[: at + 1], f"'{key}' is not one of {_some(node.get('keys', ()))}")]
        self._value(index, body, path, errors)
        return errors[:MAX_ERRORS]

    def _value(self, index: int, value: Any, path: Path, errors: list[SchemaError]) -> None:
        if value is None or len(errors) >= MAX_ERRORS:
            return
        node = self.nodes[index]
        if "leaf" in node:
            self._leaf(index, node["leaf"], value, path, errors)
            return
        if not isinstance(value, dict):
            errors.append(SchemaError(path, f"{_show(value)} is not of type 'object'"))
        elif "keys" in node:
            known = node["keys"]
            for key, item in value.items():
                below = known.get(key)
                if len(errors) >= MAX_ERRORS:
                    return
                if below is None:
                    errors.append(SchemaError((*path, key), f"'{_short(key)}' is not one of {_some(known)}"))
                else:
                    self._value(below, item, (*path, key), errors)
        elif "map" in node:
            rule, below = node["key"], node["map"]
            for key, item in value.items():
                self._key(rule, key, (*path, key), errors)
                self._value(below, item, (*path, key), errors)
        else:
            self._free(node, value, path, errors)

    def _free(self, node: Node, value: Any, path: Path, errors: list[SchemaError]) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            errors.append(SchemaError(path, f"{_show(value)} is not of type 'object'"))
            return
        for key, item in value.items():
            self._key(node["free"], key, (*path, key), errors)
            if _depth(item, MAX_FREE_DEPTH) > MAX_FREE_DEPTH:
                errors.append(SchemaError((*path, key), "nested too deep"))

    def _key(self, rule: str | None, key: str, path: Path, errors: list[SchemaError]) -> None:
        if rule is None:
            if not key or len(key) > 512 or any(ord(letter) < 32 for letter in key):
                errors.append(SchemaError(path, f"'{_short(key)}' is not a valid key"))
            return
        memo = (-1, str, f"{rule} {key}")
        if memo in self._good:
            return
        try:
            reason = KEY_RULES[rule](key)
        except ValueError as error:
            reason = str(error)
        if reason:
            errors.append(SchemaError(path, f"'{_short(key)}' is not a valid key: {reason}"))
        else:
            self._remember(memo)

    def _leaf(
        self, index: int, alternatives: list[dict[str, Any]], value: Any, path: Path, errors: list[SchemaError]
    ) -> None:
        memo = (index, type(value), value) if isinstance(value, str | int | float) else None
        if memo is not None and memo in self._good:
            return
        reasons = []
        for alternative in alternatives:
            reason = self._mismatch(alternative, value)
            if reason is None:
                if memo is not None:
                    self._remember(memo)
                return
            reasons.append(reason)
        if path and ("secret" in path[-1] or "password" in path[-1]):
            reasons = ["the secret is not valid"]
        errors.append(SchemaError(path, "; ".join(dict.fromkeys(reasons)) or f"{_show(value)} is not allowed here"))

    def _remember(self, memo: tuple[int, type, Any]) -> None:
        if len(self._good) >= _REMEMBERED:
            self._good.clear()
        self._good.add(memo)

    def _mismatch(self, alternative: Node, value: Any) -> str | None:
        kind = alternative["type"]
        if kind == "enum":
            if any(type(item) is type(value) and item == value for item in alternative["values"]):
                return None
            return f"{_show(value)} is not one of {_some(alternative['values'])}"
        if kind == "list":
            return self._list(alternative, value)
        if not _is(kind, value):
            return f"{_show(value)} is not of type '{kind}'"
        if kind == "string":
            return self._text(alternative, value)
        low, high = alternative.get("minimum"), alternative.get("maximum")
        if low is not None and value < low:
            return f"{_show(value)} is less than the minimum of {low}"
        if high is not None and value > high:
            return f"{_show(value)} is greater than the maximum of {high}"
        return None

    def _list(self, alternative: Node, value: Any) -> str | None:
        if not isinstance(value, list):
            return f"{_show(value)} is not of type 'array'"
        for item in value:
            reasons = [self._mismatch(choice, item) for choice in alternative.get("items", ())]
            if reasons and None not in reasons:
                return f"in the list: {reasons[0]}"
        return None

    def _text(self, alternative: Node, value: str) -> str | None:
        if len(value) < alternative.get("min_length", 0):
            return f"{_show(value)} is too short"
        if len(value) > alternative.get("max_length", 1 << 20):
            return f"{_show(value)} is too long"
        pattern = alternative.get("pattern")
        if pattern is not None:
            compiled = self._patterns.get(pattern)
            if compiled is None:
                compiled = self._patterns[pattern] = re.compile(pattern)
            if len(value) > 4096 or not compiled.search(value):
                return f"{_show(value)} does not match '{pattern}'"
        form = alternative.get("format")
        if form is None or form == "secret":
            return None
        try:
            FORMATS[form](value)
        except ValueError:
            return f"{_show(value)} is not a '{form}'"
        return None


def _above(nodes: list[dict[str, Any]], rules: tuple[str, ...]) -> frozenset[int]:
    """Indices of the nodes that are, or lead to, a map with keys of one of the formats."""
    found = {at for at, node in enumerate(nodes) if node.get("key", node.get("free")) in rules}
    grown = 0
    while grown != len(found):
        grown = len(found)
        for at, node in enumerate(nodes):
            below = node["keys"].values() if "keys" in node else (node["map"],) if "map" in node else ()
            if at not in found and any(index in found for index in below):
                found.add(at)
    return frozenset(found)


def _is(kind: str, value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) if kind == "integer" else isinstance(value, int | float)


def _depth(value: Any, limit: int) -> int:
    deepest, work = 0, [(value, 1)]
    while work:
        item, depth = work.pop()
        deepest = max(deepest, depth)
        if depth <= limit and isinstance(item, dict | list):
            below = item.values() if isinstance(item, dict) else item
            work += [(inner, depth + 1) for inner in below]
    return deepest


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _show(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return _short(repr(value) if isinstance(value, str) else {None: "null"}.get(value, str(value)))


def _some(names: Any) -> str:
    listed = [str(name) for name in names]
    return str(listed[:12])[:-1] + (", ...]" if len(listed) > 12 else "]")


def _numbers(low: int, high: int) -> Callable[[str], str | None]:
    def check(key: str) -> str | None:
        for number in expand(key) if is_range(key) else [key]:
            if not (number.isascii() and number.isdigit() and len(number) < 12 and low <= int(number) <= high):
                return f"outside {low}..{high}"
        return None

    return check


def _one_of(*names: str) -> Callable[[str], str | None]:
    return lambda key: None if key in names else f"not one of {', '.join(names)}"


_INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_./-]{0,14}")
_PROFILE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _interface(key: str) -> str | None:
    for name in expand(key) if is_range(key) else [key]:
        if not _INTERFACE.fullmatch(name):
            return "not an interface name (15 characters at most)"
    return None


def _ip_interface(key: str) -> str | None:
    if key == "dhcp":
        return None
    if "/" not in key:
        return "an address needs a prefix length"
    ipaddress.ip_interface(key)
    return None


def _prefix(key: str) -> str | None:
    ipaddress.ip_network(key, strict=True)
    return None


def _vni(key: str) -> str | None:
    return None if key == "auto" else _numbers(1, 16_777_215)(key)


FORMATS: dict[str, Callable[[str], object]] = {
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "ipv4-prefix": ipaddress.IPv4Network,
    "ipv6-prefix": ipaddress.IPv6Network,
}

KEY_RULES: dict[str, Callable[[str], str | None]] = {
    "interface": _interface,
    "ip-interface": _ip_interface,
    "prefix": _prefix,
    "vlan": _numbers(1, 4094),
    "vni": _vni,
    "breakout": _one_of("1x", "2x", "4x", "8x", "disabled", "loopback"),
    "switch-priority": _numbers(0, 7),
    "traffic-class": _numbers(0, 7),
    "dscp": _numbers(0, 63),
    "pcp": _numbers(0, 7),
    "profile": lambda key: None if _PROFILE.fullmatch(key) else "bad profile name",
    "traffic-pool": _one_of("default-lossy", "default-lossless", "mc-lossy", "roce-lossless", "roce-lossy"),
    "default-global": _one_of("default-global"),
    "link-state": _one_of("up", "down"),
}
