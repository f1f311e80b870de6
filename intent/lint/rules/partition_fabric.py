"""A partition of a fabric that is none.

Partitions belong to InfiniBand fabrics; a key means nothing elsewhere and is sent nowhere.

Bad:
    partitions: {train: {fabric: east-west}}    # an Ethernet fabric

Good:
    partitions: {train: {fabric: quantum}}      # kind: infiniband
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L301", "partition-fabric", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    kinds = {key: item.kind for site in context.document.sites.values() for key, item in site.fabrics.items()}
    known = [
        key
        for site in context.document.sites.values()
        for key, item in site.fabrics.items()
        if item.kind == "infiniband"
    ]
    hint = "InfiniBand fabrics: " + (", ".join(sorted(set(known))) or "none is written")
    for tenant, item in context.document.tenants.items():
        for name, partition in item.partitions.items():
            if partition.fabric in known:
                continue
            kind = kinds.get(partition.fabric)
            problem = f"is {kind}, a partition needs InfiniBand" if kind else "does not exist"
            yield Finding(
                f"partition {tenant}-{name}: fabric {partition.fabric} {problem}",
                ("tenants", tenant, "partitions", name, "fabric"),
                hint=hint,
            )
