"""Which devices a command is about: `--limit leaf0*`, `--limit plane=1,role=leaf`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.device.actor import Target

_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a plan is about.

    Args:
        site: site whose lock the change takes.
        devices: names of the selected devices, in order.
        limit: the words that selected them; empty when all are.
        total: devices the intent has; larger than the selection when the plan is partial.
    """

    site: str
    devices: tuple[str, ...]
    limit: tuple[str, ...] = ()
    total: int = 0

    @property
    def partial(self) -> bool:
        """True when the plan leaves devices of the intent out."""
        return len(self.devices) < self.total


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts `leaf2` before `leaf10`."""
    return tuple((1, int(part), part) if part.isdigit() else (0, 0, part) for part in _NUMBER.split(name) if part)


def select(targets: Mapping[str, Target], limit: Sequence[str] = (), *, site: str = "") -> Scope:
    """The scope that the words of `--limit` pick.

    Args:
        targets: every device of the intent by name.
        limit: alternatives; each is a list of terms joined by commas that must all hold: `label=pattern` or a
            pattern of names, with `*`, `?`, `[…]`. None at all picks everything.
        site: name of the site.

    Raises:
        IntentError: an alternative picks nothing, or there is nothing to pick from.
    """
    words = tuple(word.strip() for word in limit if word.strip())
    chosen: set[str] = set()
    for word in words:
        found = {name for name, target in targets.items() if all(_holds(term, target) for term in word.split(","))}
        if not found:
            raise IntentError(
                f"limit {word!r} selects no device of {len(targets)}",
                hint=f"labels in use: {', '.join(sorted({key for t in targets.values() for key in t.labels}))}",
                exit_code=ExitCode.ERROR,
            )
        chosen |= found
    names = sorted(chosen if words else targets, key=natural)
    if not names:
        raise IntentError("no device is selected: there is nothing to do", hint="the intent has no device to configure")
    return Scope(site=site, devices=tuple(names), limit=words, total=len(targets))


def _holds(term: str, target: Target) -> bool:
    key, equals, pattern = term.strip().partition("=")
    if not equals:
        return fnmatchcase(target.name, key)
    actual = target.name if key == "name" else target.labels.get(key.strip(), "")
    return bool(actual) and fnmatchcase(actual, pattern.strip())
