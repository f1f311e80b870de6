"""A partition with a member whose port GUID nobody told yet.

A part of a partition is never sent: it is left as it is on the subnet manager until every GUID is known.

Bad:
    quantum: {kind: infiniband, ...}            # no guids, or a node is missing in the file

Good:
    quantum: {kind: infiniband, guids: guids/par1.csv, ...}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L351", "guid-not-learnt", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for site in context.partitions:
        for partition in site:
            missing = partition.unlearnt
            if missing:
                first = f"{missing[0].device} {missing[0].port}"
                yield Finding(
                    f"partition {partition.label}: GUIDs of {len(missing)} of {len(partition.members)} ports are not "
                    f"learnt ({first} …): it is not rendered",
                    partition.path,
                    hint=f"put them into the file of fabric {partition.fabric}: guids: FILE.csv",
                )
