"""Picking things by name or label: `gpu*`, `role=leaf,plane=1`, `par1/gpu{01..02} par1/gpu03-*`.

A selector is a list of alternatives apart by spaces. An alternative is a list of conditions apart by commas, all of
which must hold. A condition is `label=pattern`, or a bare pattern, which holds when the `name` or the `rack` of a thing
fits. Patterns know `*`, `?` and ranges in braces. `site/pattern` asks for the site too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from intent.core.ranges import count, expand

_LABEL = re.compile(r"[a-z][a-z_]*")
_PATTERN = re.compile(r"[A-Za-z0-9_.*?-]+")
_LONGEST, _STARS, _OPTIONS, _WILD_OPTIONS, _WORDS = 255, 6, 20_000, 1000, 1000


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: some label among `labels` fits the pattern.

    Args:
        labels: names of the labels, any of which may fit.
        names: values that fit, where they can be listed.
        pattern: compiled pattern the whole value must fit, where they cannot.
        weight: how narrow it is: 0 for `*`, then by letters for a pattern, more for a range, most for one value.
    """

    labels: tuple[str, ...]
    names: frozenset[str]
    pattern: re.Pattern[str] | None
    weight: int

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether a thing with these labels fits."""
        return any(self._fits(labels[label]) for label in self.labels if label in labels)

    def _fits(self, value: str) -> bool:
        return value in self.names or (self.pattern is not None and self.pattern.fullmatch(value) is not None)


@dataclass(frozen=True, slots=True)
class Selector:
    """Alternatives of conditions.

    Args:
        text: as written.
        alternatives: at least one of which must hold in all its conditions.
    """

    text: str
    alternatives: tuple[tuple[Condition, ...], ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether a thing with these labels (`name`, `rack`, `role`, `plane` …) is picked."""
        return any(all(condition.holds(labels) for condition in each) for each in self.alternatives)

    @property
    def specificity(self) -> int:
        """How narrow it is: where several selectors pick a thing, the highest wins; `*` alone has 0."""
        return min(sum(condition.weight for condition in each) for each in self.alternatives)

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Selector:
    """The selector a text stands for.

    Raises:
        ValueError: empty text, an empty condition, a letter no name has, a range that is wrong.
    """
    words = text.split()
    if not words:
        raise ValueError("expected a selector such as gpu* or role=leaf,plane=1")
    if len(words) > _WORDS:
        raise ValueError(f"a selector has at most {_WORDS} words")
    return Selector(text, tuple(_alternative(word) for word in words))


def best(selectors: Iterable[str], labels: Mapping[str, str]) -> str | None:
    """Of several selector texts the narrowest that picks a thing, the later among equals; None where none does."""
    chosen, rank = None, -1
    for text in selectors:
        selector = parse(text)
        if selector.matches(labels) and selector.specificity >= rank:
            chosen, rank = text, selector.specificity
    return chosen


def _alternative(word: str) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    # A comma inside braces cannot occur: a range is two numbers and two dots.
    for part in word.split(","):
        label, equals, value = part.rpartition("=")
        if equals and not _LABEL.fullmatch(label):
            raise ValueError(f"{part!r}: expected label=pattern such as role=leaf")
        if equals:
            conditions.append(_condition((label,), value))
            continue
        site, slash, name = part.rpartition("/")
        if slash:
            conditions.append(_condition(("site",), site))
        conditions.append(_condition(("name", "rack"), name))
    return tuple(conditions)


def _condition(labels: tuple[str, ...], pattern: str) -> Condition:
    if not pattern:
        raise ValueError("an empty condition in a selector: write a name, a pattern or label=pattern")
    # Runs of stars count as one, and there are few, so that no pattern can make matching slow.
    pattern = re.sub(r"\*+", "*", pattern)
    if len(pattern) > _LONGEST or pattern.count("*") > _STARS:
        raise ValueError(f"a selector's pattern has at most {_LONGEST} letters and {_STARS} stars")
    if count(pattern) > _OPTIONS:
        raise ValueError(f"a range in a selector stands for at most {_OPTIONS} names: use a pattern such as gpu*")
    options = expand(pattern)
    if not _PATTERN.fullmatch(options[0]):
        raise ValueError(f"{pattern!r}: a selector holds letters, digits, '-', '_', '.', '*', '?' and ranges")
    if "*" not in pattern and "?" not in pattern:
        return Condition(labels, frozenset(options), None, _weight(pattern))
    if len(options) > _WILD_OPTIONS:
        raise ValueError(f"a range beside a wildcard stands for at most {_WILD_OPTIONS} patterns")
    compiled = re.compile("|".join(_translate(option) for option in options))
    return Condition(labels, frozenset(), compiled, _weight(pattern))


def _translate(option: str) -> str:
    return "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in option)


def _weight(pattern: str) -> int:
    if pattern == "*":
        return 0
    if "*" in pattern or "?" in pattern:
        return 100 + min(len(pattern.replace("*", "").replace("?", "")), 99)
    return 200 if "{" in pattern else 300
