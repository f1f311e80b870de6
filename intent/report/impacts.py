"""What a change does to traffic, equal effects told once: a new switch has hundreds of ports that all flap alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.text import Text

from intent.change.selection import natural
from intent.device.actor import Disruption
from intent.report.text import fold, one_line

SEVERITIES = ("reboot", "reload", "flap", "none")
"""Severities of disruptions, the worst first; a word that is none of these is told first of all."""

_STYLES = {"none": "dim", "flap": "bold yellow"}
_DIGITS = re.compile(r"\d+")
_MOST_SCOPES = 4


def worst(disruptions: Sequence[Disruption]) -> str:
    """The worst severity; `none` where nothing is disrupted."""
    return min((item.severity for item in disruptions), key=rank, default="none")


def rank(severity: str) -> int:
    """Place of a severity, the worst lowest."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else -1


def style(severity: str) -> str:
    """Style a severity is shown in."""
    return _STYLES.get(severity, "bold red")


def folded(disruptions: Iterable[Disruption]) -> list[Disruption]:
    """Disruptions of one device, worst first: one for all scopes that one rule hits in the same way.

    Args:
        disruptions: scopes that differ in numbers only and have the same rule become one, with their count. What each
            port owes to which path is in the JSON.
    """
    alike: dict[tuple[str, str, str], list[Disruption]] = {}
    for item in disruptions:
        key = (item.severity, _rule(item.reason), _DIGITS.sub("#", item.scope))
        alike.setdefault(key, []).append(item)
    ordered = sorted(alike.items(), key=lambda entry: rank(entry[0][0]))
    return [_one(severity, rule, items) for (severity, rule, _), items in ordered]


def impact_lines(disruptions: Iterable[Disruption]) -> list[Text]:
    """Folded disruptions as lines for people."""
    return [
        Text(
            f"    {'! ' if item.severity != 'none' else '  '}{one_line(item.severity)}: {one_line(item.scope)}",
            style(item.severity),
        ).append(f" - {one_line(item.reason)}", "not bold")
        for item in folded(disruptions)
    ]


def _one(severity: str, rule: str, items: Sequence[Disruption]) -> Disruption:
    if len(items) == 1:
        return items[0]
    scopes = sorted((item.scope for item in items), key=natural)
    return Disruption(severity, f"{len(items)} x {fold(scopes, _MOST_SCOPES)}", rule)


def _rule(reason: str) -> str:
    """The rule of a reason without the changed path before it."""
    _, _, rule = reason.partition(": ")
    return rule or reason
