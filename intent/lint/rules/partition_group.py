"""A broadcast group no manager makes.

MTU and rate are sent as codes; what has no code is refused, and with OpenSM the group is then missing without a word.

Bad:
    subnet_manager: {by: ufm, ...}
    train: {fabric: quantum, ipoib: true, mtu: 1024}

Good:
    train: {fabric: quantum, ipoib: true, mtu: 4096}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.catalog.ufm import UfmFacts
from intent.formats.partitions.codes import MTU_BYTES, RATE_GBPS
from intent.lint.rule import Context, Finding, Rule
from intent.lint.tenants import shares


def rule() -> Rule:
    """The rule."""
    return Rule("L311", "partition-group", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    by_ufm = None
    for share in shares(context):
        manager = context.document.sites[share.holding.site].fabrics[share.text.fabric].subnet_manager.by
        if manager == "ufm":
            by_ufm = by_ufm or UfmFacts()
            taken = {"mtu": tuple(by_ufm.mtus), "rate": tuple(by_ufm.rates)}
        else:
            taken = {"mtu": tuple(MTU_BYTES.values()), "rate": tuple(RATE_GBPS.values())}
        said = {"mtu": share.text.mtu, "rate": share.text.rate.gbps if share.text.rate else None}
        for key, value in said.items():
            if value is not None and value not in taken[key]:
                unit = " bytes" if key == "mtu" else "G"
                hint = "one of " + ", ".join(f"{item:g}" for item in sorted(taken[key]))
                message = f"partition {share.label}: {key} {value}{unit} - {manager} takes none such"
                yield Finding(message, share.path(key), hint=hint)
