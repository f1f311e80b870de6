"""More partitions than the table of a port holds.

A key beyond the last entry is dropped, with one line in the log of the subnet manager. One entry is the default
partition's.

Bad:
    # 128 partitions with the ports of one node, whose card holds 128 keys

Good:
    # at most 127
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.pkey_tables import tables
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L352", "pkey-table-full", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    told: set[tuple[object, ...]] = set()
    for table in tables(context):
        if not table.size or len(table.held) + 1 <= table.size or (table.fabric, table.switch) in told:
            continue
        told.add((table.fabric, table.switch))  # the first port of a fabric tells it
        yield Finding(
            f"{table.end.device} {table.end.port} is in {len(table.held)} partitions and the default one - its table "
            f"holds {table.size} keys",
            table.held[-1].path,
            hint="a node in so many partitions is better reached over fewer, shared ones",
        )
