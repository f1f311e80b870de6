"""A tenant whose selector picks no node.

The name of a node or rack is misspelt, or the site is named that does not have it: nothing of the tenant is built.

Bad:
    racks: [{name: "ibg{01..08}", type: gb200-nvl72}]
    tenants: {physics: {nodes: "par1/igb{01..04}"}}

Good:
    tenants: {physics: {nodes: "par1/ibg{01..04}"}}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core import selector
from intent.lint.members import labels, members
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L302", "tenant-without-nodes", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    words = {
        (tenant, word): selector.parse(word)
        for tenant, item in context.document.tenants.items()
        for word in item.nodes.split()
    }
    if not words:
        return
    picked: set[tuple[str, str]] = set()
    for name, site in context.document.sites.items():
        for node in members(name, site, context.catalog):
            mine = labels(name, node)
            picked |= {key for key, wanted in words.items() if key not in picked and wanted.matches(mine)}
    for tenant, word in words:
        if (tenant, word) not in picked:
            yield Finding(f"tenant {tenant}: {word} picks no node", ("tenants", tenant, "nodes"), hint=_hint(context))


def _hint(context: Context) -> str:
    entries = [
        f"{name}/{text}"
        for name, site in context.document.sites.items()
        for text in (*(entry.name for entry in site.racks), *(entry.name for entry in site.nodes))
    ]
    return "what exists: " + (", ".join(entries[:8]) or "no node is written")
