"""Scalars of a release schema: what is accepted, what was wanted, what a written text means."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from intent.core.secret import referenced

Alternative: TypeAlias = Mapping[str, Any]
Test: TypeAlias = Callable[[Any], bool]

# Addresses and texts seen are remembered so that a second switch costs nothing; the memory is bounded.
_REMEMBERED = 8192
_INTEGER = re.compile(r"^-?(0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?\Z")
_TRUE = frozenset({"on", "yes", "true", "enabled", "enable"})
_FALSE = frozenset({"off", "no", "false", "disabled", "disable"})
_FORMATS: Mapping[str, Callable[[str], object]] = {
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "ipv4-prefix": ipaddress.IPv4Network,
    "ipv6-prefix": ipaddress.IPv6Network,
}


def acceptor(alternatives: Sequence[Alternative]) -> Test:
    """A test for the values of a leaf: true when one alternative takes the value without coercion."""
    words = {v for a in alternatives if a["type"] == "enum" for v in a["values"] if isinstance(v, str)}
    others = [v for a in alternatives if a["type"] == "enum" for v in a["values"] if not isinstance(v, str)]
    integers = [_bounds(a) for a in alternatives if a["type"] == "integer"]
    numbers = [_bounds(a) for a in alternatives if a["type"] == "number"]
    texts = [_text_test(a) for a in alternatives if a["type"] == "string"]
    lists = [acceptor(a.get("items", ())) for a in alternatives if a["type"] == "list"]
    anything = any(test is _any_text for test in texts)
    remembered = set(words)

    def text(value: str) -> bool:
        if anything or value in remembered:
            return True
        if any(test(value) for test in texts) or (texts and referenced(value) is not None):
            if len(remembered) > _REMEMBERED:
                remembered.intersection_update(words)
            remembered.add(value)
            return True
        return False

    def accept(value: Any) -> bool:
        kind = value.__class__
        if kind is str:
            return text(value)
        if kind is int or kind is float:
            if kind is int and any(low <= value <= high for low, high in integers):
                return True
            if numbers and math.isfinite(value) and any(low <= value <= high for low, high in numbers):
                return True
        elif kind is list:
            return any(all(accepts(item) for item in value) for accepts in lists)
        return any(other.__class__ is kind and other == value for other in others)

    return accept


def _bounds(alternative: Alternative) -> tuple[float, float]:
    return alternative.get("minimum", -math.inf), alternative.get("maximum", math.inf)


def _any_text(value: Any) -> bool:  # noqa: ARG001 - the shape of a test
    return True


def _text_test(alternative: Alternative) -> Test:
    pattern = alternative.get("pattern")
    search = re.compile(pattern).search if pattern else None
    shape = _FORMATS.get(alternative.get("format", ""))
    low, high = alternative.get("min_length", 0), alternative.get("max_length", math.inf)
    if search is None and shape is None and low == 0 and high == math.inf:
        return _any_text

    def test(value: str) -> bool:
        if not low <= len(value) <= high or (search and not search(value)):
            return False
        if shape:
            try:
                shape(value)
            except ValueError:
                return False
        return True

    return test


def wanted(alternatives: Sequence[Alternative]) -> str:
    """What a leaf takes, in words."""
    return " or ".join(dict.fromkeys(_words(a) for a in alternatives)) or "nothing"


def _words(alternative: Alternative) -> str:
    kind = alternative["type"]
    if kind == "enum":
        values = [str(value) for value in alternative["values"]]
        return "|".join(values[:12]) + ("|…" if len(values) > 12 else "")
    if kind == "list":
        return f"a list of {wanted(alternative.get('items', ()))}"
    if kind in ("integer", "number"):
        low, high = alternative.get("minimum"), alternative.get("maximum")
        if low is None and high is None:
            return f"an {kind}" if kind == "integer" else f"a {kind}"
        return f"{kind} {'' if low is None else low}..{'' if high is None else high}"
    text = {"ipv4": "an IPv4 address", "ipv6": "an IPv6 address", "ipv4-prefix": "an IPv4 prefix"}
    text |= {"ipv6-prefix": "an IPv6 prefix"}
    named = text.get(alternative.get("format", ""), "a text")
    if "max_length" in alternative:
        named += f" of at most {alternative['max_length']} characters"
    return named + (f" like {alternative['pattern']}" if "pattern" in alternative else "")


def words_of(alternatives: Iterable[Alternative]) -> list[str]:
    """Every word an enumeration among the alternatives knows."""
    return [str(v) for a in alternatives if a["type"] == "enum" for v in a["values"]]


def typed(text: str, alternatives: Sequence[Alternative], accept: Test) -> Any:
    """The value a written text means for a leaf; the text itself when nothing fits.

    A word of an enumeration comes first, then a number where the leaf takes one, then the text. A boolean word
    (`on`, `yes`, `true` and their opposites) takes the form the release wants.
    """
    words = words_of(alternatives)
    if text in words:
        return text
    for pattern, convert in ((_INTEGER, int), (_NUMBER, float)):
        if len(text) < 40 and pattern.match(text):
            number = convert(text)
            if accept(number):
                return number
    for family in (_TRUE, _FALSE):
        if text.lower() in family:
            fitting = [word for word in words if word in family]
            if len(fitting) == 1:
                return fitting[0]
    return text
