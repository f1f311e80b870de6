"""Names that become host names hold letters, digits and '-' only.

A switch refuses a host name with a dot or an underscore (NVUE: `system.hostname`), and so do many resolvers.

Bad:
    fabrics: {east_west: {...}}

Good:
    fabrics: {east-west: {...}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location

_HINT = "use '-' instead"


def rule() -> Rule:
    """The rule."""
    return Rule("L102", "host-names", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for path, what, text in _names(context):
        wrong = [letter for letter in "._" if letter in _literal(text)]
        if wrong:
            letters = " and ".join(repr(letter) for letter in wrong)
            yield Finding(f"{what} {text!r} makes host names with {letters}, which switches refuse", path, hint=_HINT)


def _names(context: Context) -> Iterator[tuple[Location, str, str]]:
    for name, site in context.document.sites.items():
        base: Location = ("sites", name)
        for key, template in (("leaf", site.names.leaf), ("spine", site.names.spine), ("node", site.names.node)):
            if template and (*base, "names", key) in context.sources:
                yield (*base, "names", key), f"template of {key} names", template
        if not (site.names.leaf and site.names.spine):
            for fabric in site.fabrics:
                yield (*base, "fabrics", fabric), "fabric", fabric
        for number, nodes in enumerate(site.nodes):
            yield (*base, "nodes", number, "name"), "node", nodes.name
        for number, racks in enumerate(site.racks):
            yield (*base, "racks", number, "name"), "rack", racks.name


def _literal(text: str) -> str:
    """The text without what stands in braces: two dots there are a range."""
    result, depth = "", 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        result += "" if depth else letter
    return result
