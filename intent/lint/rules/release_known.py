"""A release whose configuration language the program does not know.

Nothing could be checked before it is pushed.

Bad:
    releases: {cumulus: 4.4.0}

Good:
    releases: {cumulus: 5.16.4}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.catalog.releases import RELEASES, numbers
from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L115", "release-known", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    known = {numbers(release) for release in RELEASES}
    for path, release in _releases(context):
        if numbers(release) not in known:
            message = f"Cumulus Linux {release} is not known"
            yield Finding(message, path, hint=f"known are {RELEASES[0]} to {RELEASES[-1]}")


def _releases(context: Context) -> Iterator[tuple[Location, str]]:
    for name, site in context.document.sites.items():
        base: Location = ("sites", name, "releases")
        yield (*base, "cumulus"), site.releases.cumulus
        for selector, releases in site.releases.selected.items():
            if releases.cumulus:
                yield (*base, selector, "cumulus"), releases.cumulus
