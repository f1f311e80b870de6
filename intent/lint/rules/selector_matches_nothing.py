"""A selector of switches that picks none.

Bad:
    releases: {cumulus: 5.14.0, "east-west-p3-*": {cumulus: 5.16.4}}      # there are two planes

Good:
    releases: {cumulus: 5.14.0, "east-west-p1-*": {cumulus: 5.16.4}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core import selector
from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule
from intent.schema.model import Site
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L202", "selector-matches-nothing", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        site = context.document.sites.get(fabric.site)
        for path, text, within in _selectors(fabric.site, site) if site else ():
            wanted = selector.parse(text)
            switches = [device for device in fabric.switches if not within or device.fabric == within]
            if switches and not any(wanted.matches(device.labels) for device in switches):
                names = f"{switches[0].name} … {switches[-1].name}"
                yield Finding(f"selector {text!r} picks no switch", path, hint=f"the switches are {names}")


def _selectors(name: str, site: Site) -> Iterator[tuple[Location, str, str]]:
    base: Location = ("sites", name)
    for text in site.releases.selected:
        yield (*base, "releases", text), text, ""
    for text in site.overrides:
        yield (*base, "overrides", text), text, ""
    for key, fabric in site.fabrics.items():
        for text in fabric.qos:
            yield (*base, "fabrics", key, "qos", text), text, key
