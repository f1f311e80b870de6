"""Partitions of a fabric, and settings of its subnet manager, as the tree its UFM must hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from intent.core.tree import Path, from_pointer
from intent.fabric.partitions import FabricPartitions, Partition
from intent.render.artifact import Artifact, Origin
from intent.render.controllers import Controller
from intent.render.ufm.settings import ROOT as SETTINGS
from intent.render.ufm.settings import RestSettings
from intent.schema.sources import SourceMap

ROOT = "partition"


def ufm_artifact(
    controller: Controller,
    fabric: FabricPartitions,
    sources: SourceMap,
    excepted: Sequence[str] = (),
    *,
    settings: RestSettings | None = None,
    partitions: bool = True,
) -> Artifact:
    """What one UFM must hold.

    A partition that is not complete is neither sent in part nor taken away: it is left as it stands there.

    Args:
        controller: the UFM.
        fabric: the partitions of the one fabric it serves.
        sources: where things stand in the intent.
        excepted: subtrees the user takes out (`manage: {except: [/partition/0x8012]}`), as pointers.
        settings: settings of its subnet manager that go through REST; None for none.
        partitions: its partitions are ours; those of a UFM that never had a key of ours are somebody else's.
    """
    asked = settings or RestSettings()
    ours = fabric.partitions if partitions else ()
    whole = [item for item in ours if item.complete]
    waiting = [(ROOT, item.key_text) for item in ours if not item.complete]
    taken = [path for path in map(from_pointer, excepted) if path[:1] in ((ROOT,), (SETTINGS,))]
    body: dict[str, Any] = {"fabric": fabric.fabric}
    body |= {ROOT: {item.key_text: _tree(item) for item in whole}} if partitions else {}
    body |= {SETTINGS: dict(asked.options)} if asked.options else {}
    origins = {path: origin for item in whole for path, origin in _origins(item, sources)}
    origins |= dict(_setting_origins(controller, asked, sources))
    return Artifact(
        device=controller.name,
        platform=controller.platform,
        release=controller.release,
        model=controller.model,
        body=body,
        owned=(*(((ROOT,),) if partitions else ()), *((SETTINGS, name) for name in asked.options)),
        excepted=(*taken, *waiting),
        origins=origins,
    )


def _tree(partition: Partition) -> dict[str, Any]:
    said = {
        "name": partition.label,
        "ipoib": partition.ipoib,
        "mtu": partition.mtu_bytes,
        "rate": partition.rate_gbps,
        "service-level": partition.service_level,
    }
    members = {
        f"0x{member.guid}": {"membership": "full" if member.full else "limited", "index0": partition.index0}
        for member in sorted(partition.members, key=lambda member: member.guid)
    }
    return {key: value for key, value in said.items() if value is not None} | {"member": members}


def _origins(partition: Partition, sources: SourceMap) -> Iterator[tuple[Path, Origin]]:
    root: Path = (ROOT, partition.key_text)
    words = f"partition {partition.label}"
    yield root, Origin(partition.span, words)
    nodes = sources.span(("tenants", partition.tenant, "nodes"))
    yield (*root, "member"), Origin(nodes, f"nodes of tenant {partition.tenant}")
    for key, leaf in (("ipoib", "ipoib"), ("mtu", "mtu"), ("rate", "rate"), ("sl", "service-level")):
        where = (*partition.path, key)
        if where in sources:
            yield (*root, leaf), Origin(sources.span(where), words)


def _setting_origins(
    controller: Controller, settings: RestSettings, sources: SourceMap
) -> Iterator[tuple[Path, Origin]]:
    root: Path = ("sites", controller.labels["site"], "fabrics", controller.fabric, "subnet_manager")
    for name, where in settings.fields.items():
        yield (SETTINGS, name), Origin(sources.span((*root, *where)), f"subnet manager of fabric {controller.fabric}")
