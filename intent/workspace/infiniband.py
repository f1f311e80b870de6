"""What a site's InfiniBand fabrics need beyond devices and links: GUIDs from files, keys of partitions, controllers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from intent.catalog.hardware import Catalog
from intent.catalog.subnet_managers import SubnetManagers
from intent.catalog.ufm import UfmFacts
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import DiagnosticError, IntentError
from intent.fabric.build import Built
from intent.fabric.guids import learn
from intent.fabric.lock import Lock
from intent.fabric.model import Device, Fabric, Network
from intent.fabric.nvlink import Domain, Partition
from intent.fabric.nvlink_tenants import domains, judge, nvlink_partitions
from intent.fabric.partitions import KIND, FabricPartitions, SitePartitions, allocate, partitions_of
from intent.fabric.resolve import Resolver
from intent.formats.guids import GuidFile, doubles, read_guids
from intent.render.artifact import Artifact
from intent.render.controllers import controllers
from intent.render.ib import TOPOCONFIG, topology_files
from intent.render.nmx.partitions import nmx_artifact
from intent.render.opensm.managed import Managed, managed_fabric
from intent.render.opensm.partitions import partitions_conf
from intent.render.opensm.render import render_hosts
from intent.render.opensm.settings import judge as judge_manager
from intent.render.ufm.files import UfmSettings, host_artifacts, judge_extension, ufm_settings
from intent.render.ufm.partitions import ufm_artifact
from intent.render.ufm.settings import RestSettings, by_rest_alone, rest_settings
from intent.schema.model import Document, Site
from intent.schema.sources import SourceMap

if TYPE_CHECKING:
    from intent.render.templates import Templates

# Findings of the renderer of OpenSM's files that say a GUID is not known: of a root of routing, of a manager's port.
_NOT_LEARNT = ("M006", "M007")


@dataclass(frozen=True, slots=True)
class Settled:
    """A built site with everything its InfiniBand fabrics need.

    Args:
        built: the site; its ports know their GUIDs, its lock the keys of partitions.
        partitions: partitions of its tenants.
        nvlink: their NVLink partitions.
        racks: the NVLink domains they are in.
    """

    built: Built
    partitions: SitePartitions
    nvlink: tuple[Partition, ...] = ()
    racks: tuple[Domain, ...] = ()


def settle(
    document: Document, built: Built, catalog: Catalog, sources: SourceMap, before: Lock, texts: Mapping[str, str]
) -> Settled:
    """Learn GUIDs, allocate keys, work out partitions.

    Args:
        document: what is written.
        built: the site as built.
        catalog: the hardware.
        sources: where things stand.
        before: allocations as committed.
        texts: files of the workspace.
    """
    fabric = built.fabric
    if fabric is None:
        return Settled(built, SitePartitions(before.site))
    site = document.sites[fabric.site]
    infiniband = {name: text for name, text in site.fabrics.items() if text.kind == "infiniband"}
    if not infiniband and not document.tenants:
        return Settled(built, SitePartitions(fabric.site))
    fabric, found = _with_guids(site, fabric, sources, texts)
    nodes = Resolver(fabric.site, site, catalog, sources).nodes()
    racks = domains(nodes, site.nvlink)
    nvlink = nvlink_partitions(document.tenants, fabric.site, nodes, racks, sources)
    keys, lock, problems = allocate(
        document.tenants, fabric.site, nodes, infiniband, site.pools.pkeys, sources, before, built.lock
    )
    full = {name: text.subnet_manager.default_membership == "full" for name, text in infiniband.items()}
    partitions = partitions_of(document.tenants, fabric, nodes, keys, full, sources)
    diagnostics = (*built.diagnostics, *found, *problems, *judge(racks, nvlink, partitions))
    return Settled(replace(built, fabric=fabric, lock=lock, diagnostics=diagnostics), partitions, nvlink, racks)


def _with_guids(
    site: Site, fabric: Fabric, sources: SourceMap, texts: Mapping[str, str]
) -> tuple[Fabric, tuple[Diagnostic, ...]]:
    serves: dict[str, list[str]] = {}
    for name, text in site.fabrics.items():
        if text.kind == "infiniband" and text.guids:
            serves.setdefault(text.guids, []).append(name)
    files: dict[str, GuidFile] = {}
    found: list[Diagnostic] = []
    for file, names in serves.items():
        try:
            files[file] = read_guids(texts[file], file)
        except KeyError:
            span = sources.span(("sites", fabric.site, "fabrics", names[0], "guids"))
            hint = "one row per port: device,port,guid; take the key out until there is one"
            found.append(Diagnostic("G005", f"fabric {names[0]}: no file {file}", span, hint=hint))
        except DiagnosticError as error:
            found.extend(error.diagnostics)
        except IntentError as error:
            span = sources.span(("sites", fabric.site, "fabrics", names[0], "guids"))
            found.append(Diagnostic("G005", f"fabric {names[0]}: {error.message}", span, hint=error.hint))
    found.extend(item for file in files.values() for item in file.diagnostics)
    found.extend(doubles(files.values()))
    if has_errors(found):
        return fabric, tuple(found)
    learnt = learn(fabric, files, serves)
    return learnt.fabric, (*found, *learnt.diagnostics)


@dataclass(frozen=True, slots=True)
class Held:
    """What the controllers of a site must hold.

    Args:
        artifacts: by controller.
        diagnostics: what is wrong, and what is not known yet.
        ufm: by fabric, what the files of its UFM hosts must say; where every GUID of roots and managers is known.
    """

    artifacts: Mapping[str, Artifact]
    diagnostics: tuple[Diagnostic, ...] = ()
    ufm: Mapping[str, UfmSettings] = field(default_factory=dict)


def controller_artifacts(
    site: Site,
    fabric: Fabric,
    partitions: SitePartitions,
    lock: Lock,
    sources: SourceMap,
    templates: Callable[[], Templates],
    nvlink: Sequence[Partition] = (),
) -> Held:
    """What the controllers of a site must hold.

    Partitions of a UFM none of whose keys was ever ours are left alone: they belong to somebody else. Hosts of OpenSM
    whose partitions lack a GUID keep their files as they are, for OpenSM reads the whole file or nothing.

    Args:
        site: what is written about it.
        fabric: devices and links.
        partitions: partitions of its tenants.
        lock: allocations after this compilation.
        sources: where things stand.
        templates: gives the templates of text files; not called where none is needed.
        nvlink: NVLink partitions of its tenants.
    """
    found: dict[str, Artifact] = {}
    diagnostics: list[Diagnostic] = []
    every = controllers(fabric.site, site, sources)
    ours = _ever(lock)
    for name, controller in every.items():
        own = partitions.fabrics.get(controller.fabric, FabricPartitions(controller.fabric))
        if controller.platform == "ufm":
            settings, problems = _over_rest(site, fabric, controller.fabric, controller.release, sources)
            diagnostics.extend(problems)
            held = bool(own.partitions) or controller.fabric in ours
            if held or settings.options:
                found[name] = ufm_artifact(
                    controller, own, sources, site.manage.except_, settings=settings, partitions=held
                )
        if controller.platform == "nmx" and site.nvlink:
            known = [item for item in nvlink if item.domain in site.nvlink.domains]
            if known:
                found[name] = nmx_artifact(controller, site.nvlink, known, site.manage.except_)
    for name in dict.fromkeys(item.fabric for item in every.values() if item.platform == "opensm"):
        own = partitions.fabrics.get(name, FabricPartitions(name))
        made = _opensm(site, fabric, own, sources, templates)
        diagnostics.extend(made.diagnostics)
        found |= made.artifacts
    files: dict[str, UfmSettings] = {}
    for name, text in site.fabrics.items():
        if text.kind == "infiniband" and text.subnet_manager.by == "ufm":
            own = partitions.fabrics.get(name, FabricPartitions(name))
            hosts, own_settings, problems = _ufm(site, fabric, own, sources, templates)
            diagnostics.extend(problems)
            files |= {name: own_settings} if own_settings is not None else {}
            found |= {item.device: item for item in hosts}
    return Held(found, tuple(diagnostics), files)


def _over_rest(
    site: Site, fabric: Fabric, name: str, release: str, sources: SourceMap
) -> tuple[RestSettings, tuple[Diagnostic, ...]]:
    """Settings that go through UFM's REST API; none where its hosts are named, or something is wrong with them."""
    if not by_rest_alone(site.fabrics[name].subnet_manager):
        return RestSettings(), ()
    managed, _ = _managed(site, fabric, name, sources)  # no host and no root is needed for these
    manager = SubnetManagers().manager("nvidia")
    if has_errors(judge_manager(managed, manager)):  # told where the files are judged
        return RestSettings(), ()
    settings = rest_settings(managed, manager, UfmFacts(), release)
    return settings, settings.diagnostics


def _ufm(
    site: Site, fabric: Fabric, own: FabricPartitions, sources: SourceMap, templates: Callable[[], Templates]
) -> tuple[tuple[Artifact, ...], UfmSettings | None, tuple[Diagnostic, ...]]:
    """What UFM's files must say; UFM runs without them, so what is not known yet is a remark."""
    managed, missing = _managed(site, fabric, own.fabric, sources)
    manager = SubnetManagers().manager("nvidia")
    taken = {item.key: f"partition {item.label}" for item in own.partitions}
    found = (*judge_manager(managed, manager), *judge_extension(managed, taken))
    if missing or has_errors(found):
        return (), None, (*found, *(_left_alone(missing) if managed.wanted.hosts else ()))
    links = ""
    if managed.wanted.topoconfig:
        (topology,) = topology_files(fabric.only(Network.INFINIBAND, own.fabric), Catalog.load())
        links = topology.files.get(TOPOCONFIG, "")
        notes = () if links else tuple(note for note in topology.notes if TOPOCONFIG in note)
        found += tuple(Diagnostic("M017", note, managed.span, Severity.WARNING) for note in notes)
    settings = ufm_settings(managed, manager, templates(), topoconfig=links)
    return host_artifacts(managed, manager, settings), settings, found


def _managed(site: Site, fabric: Fabric, name: str, sources: SourceMap) -> tuple[Managed, tuple[Diagnostic, ...]]:
    text = site.fabrics[name]
    return managed_fabric(
        fabric,
        name,
        generation=text.generation or "",
        design=text.topology.design,
        wanted=text.subnet_manager,
        span=sources.span(("sites", fabric.site, "fabrics", name, "subnet_manager")),
    )


def _opensm(
    site: Site, fabric: Fabric, own: FabricPartitions, sources: SourceMap, templates: Callable[[], Templates]
) -> Held:
    managed, found = _managed(site, fabric, own.fabric, sources)
    manager = SubnetManagers().manager("opensm")
    if has_errors(found) or not own.complete:
        # What the manager cannot do is told on the first day, not when the last GUID is known.
        return Held({}, (*map(_not_yet, found), *judge_manager(managed, manager)))
    rendered = render_hosts(managed, manager, partitions_conf(own, fabric), templates())
    return Held({item.device: item for item in rendered.artifacts}, (*found, *map(_not_yet, rendered.diagnostics)))


def _left_alone(missing: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """What keeps the files of UFM's hosts from being touched, in one remark."""
    for first in missing[:1]:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        text = f"{first.message}{more}: the files of UFM's hosts are left alone"
        yield replace(first, severity=Severity.INFO, message=text)


def _not_yet(finding: Diagnostic) -> Diagnostic:
    """A GUID nobody told yet keeps the files from being rendered, not the rest of the site."""
    if finding.code not in _NOT_LEARNT:
        return finding
    return replace(finding, severity=Severity.WARNING, message=f"{finding.message}: its files are not rendered")


def shared_guids(fabrics: Iterable[Fabric]) -> tuple[Diagnostic, ...]:
    """GUIDs that ports or switches of two sites have: each is in one fabric.

    Args:
        fabrics: of different sites, each without doubles of its own.
    """
    first: dict[str, tuple[str, Device, str]] = {}
    found: dict[tuple[str, str], Diagnostic] = {}
    for fabric in fabrics:
        for device in fabric.devices.values():
            for guid, name in _guids_of(device):
                site, other, twin = first.setdefault(guid, (fabric.site, device, name))
                if site != fabric.site:
                    message = (
                        f"GUID 0x{guid} of {fabric.site}/{device.name}{name} is that of {site}/{other.name}{twin} too"
                    )
                    related = ((other.span, f"{other.name} is made here"),) if other.span else ()
                    hint = "a GUID belongs to one port, and a port to one fabric"
                    # Two sites given one file have thousands in common; the first tells it.
                    found.setdefault(
                        (site, fabric.site), Diagnostic("G003", message, device.span, hint=hint, related=related)
                    )
    return tuple(found.values())


def sites_with_guids_of(document: Document, own: Fabric, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Other sites whose files of GUIDs name one that this site has: they have to be looked at more closely.

    Args:
        document: what is written.
        own: the site.
        texts: files of the workspace.
    """
    mine = {guid for device in own.devices.values() for guid, _ in _guids_of(device)}
    found: list[str] = []
    for name, site in document.sites.items() if mine else ():
        files = {text.guids for text in site.fabrics.values() if text.guids} if name != own.site else ()
        if any(mine & set(_guids_in(file, texts)) for file in files):
            found.append(name)
    return tuple(found)


def _guids_of(device: Device) -> Iterator[tuple[str, str]]:
    """Every GUID of a device, and how messages name what has it."""
    if device.guid:
        yield device.guid, ""
    yield from ((port.guid, f" {port.name}") for port in device.ports.values() if port.guid)


def _guids_in(file: str, texts: Mapping[str, str]) -> Iterator[str]:
    """GUIDs in a file; what cannot be read of it is told where its own site is compiled."""
    try:
        read = read_guids(texts[file], file)
    except (KeyError, IntentError):
        return iter(())
    return (entry.guid for entry in read.entries)


def _ever(lock: Lock) -> frozenset[str]:
    """Fabrics that have or had a key of ours."""
    return frozenset(_fabrics(lock))


def _fabrics(lock: Lock) -> Iterator[str]:
    for part in (lock.held, lock.released):
        yield from (owner.partition("/")[0] for owner in part.get(KIND, {}))
