"""A device would revert while it is still being changed or checked.

A switch that is not confirmed in time takes its change back. The timer begins with the apply, which may take as long
as `deadline`; then the checks may wait as long as `checks` for the fabric to converge. An apply with a shorter timer is
refused, so it is better known now.

Bad:
    strategy: {confirm: 1m}

Good:
    strategy: {confirm: 1m, deadline: 30s, checks: 20s}
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from intent.core.diagnostic import Severity
from intent.core.timers import SLACK_S, needed_confirm_s
from intent.core.units import Duration
from intent.lint.rule import Context, Finding, Rule
from intent.schema.effective import changes_of
from intent.schema.policy import Strategy
from intent.schema.sources import Location

_KEYS = ("confirm", "deadline", "checks")


def rule() -> Rule:
    """The rule."""
    return Rule("L118", "confirm-too-short", _check, __doc__ or "", Severity.ERROR)


def _check(context: Context) -> Iterator[Finding]:
    for path, strategy in _strategies(context):
        least = needed_confirm_s(strategy.deadline.seconds, strategy.checks.seconds)
        if strategy.confirm.seconds < least:
            message = (
                f"confirm after {strategy.confirm} - expected at least {Duration(ceil(least) * 10**6)}: deadline "
                f"{strategy.deadline}, checks {strategy.checks} and {SLACK_S:g}s to spare"
            )
            yield Finding(message, path, hint="raise confirm, or lower deadline and checks")


def _strategies(context: Context) -> Iterator[tuple[Location, Strategy]]:
    document = context.document
    yield from _written(("changes",), document.changes.strategy, document.changes.strategy)
    for name, site in document.sites.items():
        if site.changes:
            found = changes_of(document, name).strategy
            yield from _written(("sites", name, "changes"), site.changes.strategy, found)


def _written(path: Location, own: Strategy, effective: Strategy) -> Iterator[tuple[Location, Strategy]]:
    """The strategy that holds, at the first key written here that has a say in it."""
    key = next((key for key in _KEYS if key in own.model_fields_set), None)
    if key:
        yield (*path, "strategy", key), effective
