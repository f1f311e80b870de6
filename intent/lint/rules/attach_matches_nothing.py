"""A word of `attach` that picks no node or rack.

Bad:
    nodes: [{name: "gpu{01..08}", type: dgx-b300}]
    # and in the fabric: attach: {nodes: "gpu* cpu*"}

Good:
    # attach: {nodes: "gpu*"}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core import selector
from intent.core.diagnostic import Severity
from intent.lint.members import Member, labels, members
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L108", "attach-matches-nothing", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for name, site in context.document.sites.items():
        nodes = members(name, site, context.catalog)
        by_node = [labels(name, node) for node in nodes]
        by_rack = [_rack_labels(name, node) for node in {node.rack: node for node in nodes if node.rack}.values()]
        for key, fabric in site.fabrics.items():
            for field, text, things in (
                ("nodes", fabric.attach.nodes, by_node),
                ("racks", fabric.attach.racks, by_rack),
            ):
                for word in (text or "").split():
                    wanted = selector.parse(word)
                    if not any(wanted.matches(thing) for thing in things):
                        message = f"fabric {key}: {word!r} picks none of the site's {field}"
                        path = ("sites", name, "fabrics", key, "attach", field)
                        yield Finding(message, path, hint=_exists(field, things))


def _rack_labels(site: str, node: Member) -> dict[str, str]:
    return {"name": node.rack, "rack": node.rack, "type": node.kind, "site": site}


def _exists(field: str, things: list[dict[str, str]]) -> str:
    names = [thing["name"] for thing in things]
    if not names:
        return f"the site has no {field}"
    return "exists: " + (", ".join(names) if len(names) < 5 else f"{names[0]}, {names[1]} … {names[-1]}")
