"""A node that two tenants have.

What one of them runs there reaches the partitions of the other.

Bad:
    tenants:
      research: {nodes: "ibg{01..04}"}
      physics: {nodes: "ibg{04..06}"}

Good:
    tenants:
      research: {nodes: "ibg{01..04}"}
      physics: {nodes: "ibg{05..06}"}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import holdings


def rule() -> Rule:
    """The rule."""
    return Rule("L303", "node-in-two-tenants", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], str] = {}
    clashes: dict[tuple[str, str], list[str]] = {}
    for holding in holdings(context):
        for node in holding.nodes:
            other = first.setdefault((holding.site, node.name), holding.tenant)
            if other != holding.tenant:
                clashes.setdefault((other, holding.tenant), []).append(node.name)
    for (other, tenant), names in clashes.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Finding(
            f"tenant {tenant} has node {names[0]}{more}, which tenant {other} has already",
            ("tenants", tenant, "nodes"),
            hint="give each node to one tenant; what several share is a tenant of its own",
            related=((("tenants", other, "nodes"), f"the nodes of {other}"),),
        )
