"""A NIC port attaches once.

Two fabrics of a site attach the same NICs of the same nodes: a port has one cable.

Bad:
    a: {attach: {nodes: "n*", nics: east-west}, ...}
    b: {attach: {nodes: "n01", nics: east-west}, ...}

Good:
    a: {attach: {nodes: "n*", nics: east-west}, ...}
    b: {attach: {nodes: "n*", nics: north-south}, ...}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.members import attached, members
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L107", "nic-attached-twice", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        nodes = members(name, site, context.catalog)
        first: dict[tuple[str, str], str] = {}
        clashes: dict[tuple[str, str], list[str]] = {}
        for key, fabric in site.fabrics.items():
            for node in attached(name, site, key, nodes):
                before = first.setdefault((node.name, fabric.attach.nics), key)
                if before != key:
                    clashes.setdefault((before, key), []).append(node.name)
        for (before, key), names in clashes.items():
            nics = site.fabrics[key].attach.nics
            yield Finding(
                f"fabric {key} attaches the {nics} NICs of {len(names)} nodes ({names[0]} …) that {before} has already",
                ("sites", name, "fabrics", key, "attach"),
                hint="name other NICs, or other nodes",
                related=((("sites", name, "fabrics", before, "attach"), "attached here first"),),
            )
