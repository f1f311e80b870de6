"""Nodes that no fabric attaches.

Bad:
    nodes: [{name: "gpu{01..08}", type: dgx-b300}, {name: login01, type: dgx-b300}]
    # and the only fabric says: attach: {nodes: "gpu*"}

Good:
    # attach: {nodes: "gpu* login*"}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.members import attached, members
from intent.lint.rule import Context, Finding, Rule
from intent.schema.sources import Location


def rule() -> Rule:
    """The rule."""
    return Rule("L109", "unused-node", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        if not site.fabrics:
            continue
        nodes = members(name, site, context.catalog)
        used = {node.name for fabric in site.fabrics for node in attached(name, site, fabric, nodes)}
        left: dict[Location, list[str]] = {}
        for node in nodes:
            if node.name not in used:
                left.setdefault(node.path, []).append(node.name)
        for path, names in left.items():
            what = f"node {names[0]} is" if len(names) == 1 else f"{len(names)} nodes ({names[0]} …) are"
            yield Finding(f"{what} attached to no fabric", path, hint="attach them, or take them out")
