"""NVLink partitions of tenants as the tree an NMX-M must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.core.tree import Path, from_pointer
from intent.fabric.nvlink import Partition
from intent.render.artifact import Artifact, Origin
from intent.render.controllers import Controller
from intent.schema.nvlink import SiteNvlink

ROOT = "domain"


def nmx_artifact(
    controller: Controller, wanted: SiteNvlink, partitions: Sequence[Partition], excepted: Sequence[str] = ()
) -> Artifact:
    """What one NMX-M must hold. Domains in which no tenant has a partition are left as they are.

    Args:
        controller: the NMX-M.
        wanted: what is written about it: the domain of each rack.
        partitions: of tenants, those of racks whose domain is known.
        excepted: subtrees the user takes out, as pointers.
    """
    body: dict[str, Any] = {}
    origins: dict[Path, Origin] = {}
    for item in partitions:
        uuid = wanted.domains[item.domain].uuid
        held = body.setdefault(uuid, {"partition": {}})["partition"]
        held[item.name] = {"member": {gpu: {} for gpu in item.gpus}}
        origins[ROOT, uuid, "partition", item.name] = Origin(item.span, f"NVLink of tenant {item.tenant}")
    return Artifact(
        device=controller.name,
        platform=controller.platform,
        release=controller.release,
        model=controller.model,
        body={ROOT: body},
        owned=tuple((ROOT, uuid) for uuid in body),
        excepted=tuple(path for path in map(from_pointer, excepted) if path[:1] == (ROOT,)),
        origins=origins,
    )
