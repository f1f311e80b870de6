"""A device reverts before the checks after a change can have run.

A switch that is not confirmed in time takes its change back. Sessions need up to a minute to come up, and the checks
wait for them.

Bad:
    strategy: {confirm: 20s}

Good:
    strategy: {confirm: 10m}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.core.units import Duration
from intent.lint.rule import Context, Finding, Rule
from intent.schema.policy import Changes
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L118", "confirm-too-short", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    least = Duration(60 * 10**6)
    for path, changes in _changes(context):
        confirm = changes.strategy.confirm
        if confirm < least:
            message = f"confirm after {confirm} - expected at least {least}"
            yield Finding(message, (*path, "strategy", "confirm"), hint="checks wait for sessions to come up")


def _changes(context: Context) -> Iterator[tuple[Location, Changes]]:
    yield ("changes",), context.document.changes
    for name, site in context.document.sites.items():
        if site.changes:
            yield ("sites", name, "changes"), site.changes
