"""What is configured beside switches: a fabric's UFM and its hosts, or hosts of OpenSM; the NMX-M of the racks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from intent.core.span import Span
from intent.schema.fabrics import Fabric as FabricText
from intent.schema.infiniband import SubnetManager
from intent.schema.model import Site
from intent.schema.sources import SourceMap


@dataclass(frozen=True, slots=True)
class Controller:
    """One controller.

    Args:
        name: its name: of the host, or `FABRIC-ufm` for UFM itself, whichever host it runs on.
        platform: key of the actor that configures it.
        fabric: fabric it manages; empty for one of NVLink domains.
        address: where it is reached; empty when nobody says.
        release: release the intent names; empty when it names none.
        model: what it answers to be.
        default_full: nodes are full members of the default partition.
        engine: routing engine its subnet manager is asked for; empty where another one is told of it.
        labels: words by which `--limit` and waves pick it.
        span: intent line that makes it.
    """

    name: str
    platform: str
    fabric: str
    address: str
    release: str
    model: str = ""
    default_full: bool = False
    engine: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    span: Span | None = None


def controllers(name: str, site: Site, sources: SourceMap) -> dict[str, Controller]:
    """Every controller of a site, by name.

    Args:
        name: the site.
        site: what is written about it.
        sources: where things stand.
    """
    found = [
        item
        for fabric, text in site.fabrics.items()
        if text.kind == "infiniband"
        for item in _of(name, site, fabric, text, sources)
    ]
    found += _nvlink(name, site, sources)
    return {item.name: item for item in found}


def _nvlink(name: str, site: Site, sources: SourceMap) -> Iterator[Controller]:
    """The NMX-M of the site's racks."""
    wanted = site.nvlink
    if wanted is not None:
        own = wanted.controller
        labels = {"site": name, "role": "manager", "network": "nvlink", "name": own}
        span = sources.span(("sites", name, "nvlink"))
        yield Controller(own, "nmx", "", wanted.address or "", "", labels=labels, span=span)


def _of(name: str, site: Site, fabric: str, text: FabricText, sources: SourceMap) -> Iterator[Controller]:
    manager = text.subnet_manager
    span = sources.span(("sites", name, "fabrics", fabric, "subnet_manager"))
    labels = {"site": name, "fabric": fabric, "role": "manager", "network": "infiniband"}
    full = manager.default_membership == "full"
    if manager.by == "ufm":
        alone = manager.hosts[0] if len(manager.hosts) == 1 else None
        own = f"{fabric}-ufm"
        address = str(manager.vip or (alone.address if alone else ""))
        release = site.releases.ufm or ""
        named = labels | {"name": own}
        yield Controller(own, "ufm", fabric, address, release, "UFM", full, manager.engine, named, span)
        yield from _hosts(manager, "ufm-files", fabric, release, labels, span)
        return
    yield from _hosts(manager, "opensm", fabric, site.releases.opensm or "", labels, span)


def _hosts(
    manager: SubnetManager, platform: str, fabric: str, release: str, labels: Mapping[str, str], span: Span | None
) -> Iterator[Controller]:
    full = manager.default_membership == "full"
    for host in manager.hosts:
        own = {**labels, "name": host.name}
        yield Controller(host.name, platform, fabric, str(host.address), release, "", full, "", own, span)
