"""What is asked of an NVLink partition and cannot be sent.

NMX-M's REST takes a partition's name and members, nothing else. A limit of multicast groups and what happens when
bandwidth is lost are attributes of NMX-C's own call, over gRPC, that makes a partition: until it is told there, the
partition has NMX's defaults. The numbers are still held against each other.

Bad:
    nvlink: {partition: auto, multicast_groups: 16, resiliency: adaptive}

Good:
    # told to the NMX-Controller of the rack
    nvlink: {partition: auto, multicast_groups: 16}    # intent: ignore[L316] set by nmx-attributes.sh, CHG-1042
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.catalog.nmx import NmxFacts
from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import holdings


def rule() -> Rule:
    """The rule."""
    return Rule("L316", "nvlink-not-sent", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    facts: NmxFacts | None = None
    for tenant in dict.fromkeys(holding.tenant for holding in holdings(context)):
        wanted = context.document.tenants[tenant].nvlink
        if wanted is None:
            continue
        asked = {"multicast_groups": str(wanted.multicast_groups or ""), "resiliency": wanted.resiliency or ""}
        for key, value in asked.items():
            if not value:
                continue
            facts = facts or NmxFacts()
            if key in facts.sent:
                continue
            field, word = facts.attribute(key, value)
            yield Finding(
                f"tenant {tenant}: {key} {value} is not sent: {facts.rest} has no field for it",
                ("tenants", tenant, "nvlink", key),
                hint=f"tell the NMX-Controller of each rack: {facts.call} with {field} {word}",
            )
