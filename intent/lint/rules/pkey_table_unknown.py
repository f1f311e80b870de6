"""A card or switch of which it is not known how many partition keys a port holds.

Whether the keys fit was not judged there. The subnet manager knows: it asks every port and every switch.

Bad:
    # partitions over switches whose data sheet gives no size of the table; ask one: smpquery switchinfo LID

Good:
    # a figure with its source in the catalog: pkeys of the switch or of the card
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.core.diagnostic import Severity
from intent.lint.pkey_tables import Table, tables
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L353", "pkey-table-unknown", _check, __doc__ or "", Severity.INFO)


def _check(context: Context) -> Iterator[Finding]:
    fullest: dict[tuple[str, bool], Table] = {}
    for table in tables(context):
        if not table.size:
            known = fullest.setdefault((table.model, table.switch), table)
            if len(table.held) > len(known.held):
                fullest[table.model, table.switch] = table
    for (model, switch), table in fullest.items():
        where = ("topology", "leaf") if switch else ("attach",)
        ask = "PartEnforceCap of `smpquery switchinfo LID`" if switch else "PartCap of `smpquery nodeinfo LID`"
        yield Finding(
            f"{model}: how many partition keys a port of it holds is not known - {table.end.device} {table.end.port} "
            f"needs {len(table.held) + 1}: not judged",
            (*table.fabric, *where),
            hint=f"{ask} tells it",
        )
