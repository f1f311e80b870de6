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

from intent.catalog.hardware import Catalog
from intent.core.errors import IntentError
from intent.fabric.model import End
from intent.lint.rule import Context, Finding, Rule
from intent.schema.model import Document


def rule() -> Rule:
    """The rule."""
    return Rule("L352", "pkey-table-full", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    by_site = {fabric.site: fabric for fabric in context.fabrics}
    for site in context.partitions:
        for fabric in site.fabrics.values():
            sizes: dict[str, int] = {}
            for end, held in fabric.keys_of().items():
                model = by_site[site.site].devices[end.device].model
                if model not in sizes:
                    sizes[model] = capacity(context.document, context.catalog, site.site, fabric.fabric, model)
                size = sizes[model]
                if size and len(held) + 1 > size:
                    yield _finding(end, len(held), size, held[-1].path)
                    break


def capacity(document: Document, catalog: Catalog, site: str, fabric: str, model: str) -> int:
    """Entries of the partition table of a node's port in a fabric; 0 when no figure is known."""
    try:
        group = catalog.node(model).group(document.sites[site].fabrics[fabric].attach.nics)
        return catalog.nic(group.model).pkeys
    except IntentError:
        return 0


def _finding(end: End, keys: int, size: int, path: tuple[str | int, ...]) -> Finding:
    return Finding(
        f"{end.device} {end.port} is in {keys} partitions and the default one - its table holds {size} keys",
        path,
        hint="a node in so many partitions is better reached over fewer, shared ones",
    )
