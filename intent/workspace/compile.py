"""The one way through: files → document → fabric → artefacts, with everything found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic, has_errors, in_order
from intent.core.errors import DiagnosticError, IntentError
from intent.core.exitcode import ExitCode
from intent.core.span import Span
from intent.fabric.build import Built, build_site
from intent.fabric.growth import Growth
from intent.fabric.lock import Lock, dump, parse
from intent.fabric.model import Fabric, Network
from intent.fabric.nvlink import Partition
from intent.fabric.partitions import SitePartitions
from intent.fabric.policy import Profiles, profiles
from intent.lint.engine import lint
from intent.render.artifact import Artifact
from intent.render.controllers import Controller, controllers
from intent.render.imex import Imex, imex
from intent.render.imex import Network as ImexNetwork
from intent.render.nvue.overrides import Template
from intent.render.nvue.render import Renderer
from intent.render.ufm.files import UfmSettings
from intent.resources import search_path
from intent.schema.loader import Loaded, load
from intent.schema.model import Document, Site
from intent.schema.nvlink import MANAGEMENT
from intent.schema.sources import SourceMap
from intent.workspace.files import Texts, Workspace
from intent.workspace.infiniband import (
    Settled,
    controller_artifacts,
    settle,
    shared_guids,
    sites_with_guids_of,
)
from intent.workspace.nodes import node_addresses

if TYPE_CHECKING:
    from intent.render.templates import Templates


@dataclass(frozen=True, slots=True)
class Compiled:
    """One site, compiled.

    Args:
        name: the site.
        document: what is written.
        site: what is written about the site.
        sources: where things stand.
        fabric: the site's devices and links.
        lock: allocations after this compilation.
        lock_before: allocations as committed.
        growth: what changes against the lock.
        profiles: QoS profile of each switch.
        artifacts: what each switch and each controller must hold; empty when not rendered.
        diagnostics: warnings and notes.
        partitions: partitions of its tenants.
        controllers: what is configured beside switches, by name.
        nvlink: NVLink partitions of its tenants.
        ufm: by InfiniBand fabric, what the files of its UFM hosts must say.
        imex: which trays of tenants share memory through IMEX.
    """

    name: str
    document: Document
    site: Site
    sources: SourceMap
    fabric: Fabric
    lock: Lock
    lock_before: Lock
    growth: Growth
    profiles: Profiles
    artifacts: Mapping[str, Artifact]
    diagnostics: tuple[Diagnostic, ...]
    partitions: SitePartitions
    controllers: Mapping[str, Controller]
    nvlink: tuple[Partition, ...] = ()
    ufm: Mapping[str, UfmSettings] = field(default_factory=dict)
    imex: Imex = field(default_factory=Imex)


@dataclass(frozen=True, slots=True)
class Checked:
    """A document and everything found about it and its sites.

    Args:
        document: None when it could not be read.
        sources: where things stand.
        diagnostics: all findings, in order.
        sites: what was compiled of each site, where it could be.
        texts: texts that were read, for excerpts.
    """

    document: Document | None
    sources: SourceMap
    diagnostics: tuple[Diagnostic, ...]
    sites: Mapping[str, Compiled]
    texts: Mapping[str, str]


def check(workspace: Workspace, catalog: Catalog, *, render: bool = True) -> Checked:
    """Read, build, lint and render every site; nothing is raised for what a person wrote.

    Args:
        workspace: where the files lie.
        catalog: the hardware.
        render: False to stop before rendering.
    """
    texts = workspace.texts()
    loaded = load(texts, workspace.entry)
    found = list(loaded.diagnostics)
    sites: dict[str, Compiled] = {}
    if loaded.document:
        found.extend(lint(loaded.document, loaded.sources, catalog=catalog))
        if not has_errors(found):
            for name in loaded.document.sites:
                compiled, diagnostics = _site(workspace, loaded.document, loaded, name, catalog, render=render)
                found.extend(diagnostics)
                if compiled:
                    sites[name] = compiled
    found.extend(shared_guids(compiled.fabric for compiled in sites.values()))
    return Checked(loaded.document, loaded.sources, in_order(found), sites, _excerpts(texts, loaded))


def compile_site(
    workspace: Workspace, catalog: Catalog, site: str = "", *, allow_recabling: bool = False, locked: bool = False
) -> Compiled:
    """Compile one site, or fail with everything that is wrong.

    Args:
        workspace: where the files lie.
        catalog: the hardware.
        site: its name; empty when the document has only one.
        allow_recabling: accept that cables move.
        locked: refuse when the lock would change.

    Raises:
        DiagnosticError: anything is wrong with what is written, or cables would move without consent.
        IntentError: no such site.
    """
    loaded = load(workspace.texts(), workspace.entry)
    if loaded.document is None:
        raise DiagnosticError(loaded.diagnostics)
    name = chosen_site(loaded.document, site)
    found = list(lint(loaded.document, loaded.sources, catalog=catalog))
    compiled, diagnostics = (
        _site(workspace, loaded.document, loaded, name, catalog, render=True) if not has_errors(found) else (None, ())
    )
    twins = _twins(workspace, loaded, loaded.document, compiled, catalog) if compiled is not None else ()
    everything = in_order([*loaded.diagnostics, *found, *diagnostics, *twins])
    if compiled is None or has_errors(everything):
        raise DiagnosticError(everything)
    _consent(compiled, workspace, allow_recabling=allow_recabling, locked=locked)
    return compiled


def _twins(
    workspace: Workspace, loaded: Loaded, document: Document, compiled: Compiled, catalog: Catalog
) -> tuple[Diagnostic, ...]:
    """GUIDs that another site has too. Only sites whose files name one of ours are built for that."""
    others = sites_with_guids_of(document, compiled.fabric, workspace.texts())
    fabrics: dict[str, Fabric] = {compiled.name: compiled.fabric}
    for name in others:
        other, problems = _site(workspace, document, loaded, name, catalog, render=False)
        if other is None:
            return problems  # whose GUIDs they are cannot be told
        fabrics[name] = other.fabric
    return shared_guids(fabrics[name] for name in document.sites if name in fabrics)


def after_prune(compiled: Compiled, catalog: Catalog) -> Built:
    """What the site would compile to if the lock let go of what it only keeps in reserve.

    Args:
        compiled: the site as it compiles now.
        catalog: the hardware.
    """
    return build_site(compiled.name, compiled.site, catalog, compiled.sources, compiled.lock.pruned())


def chosen_site(document: Document, site: str) -> str:
    """The site meant: the named one, or the only one.

    Raises:
        IntentError: none of that name, or several and none named.
    """
    names = list(document.sites)
    if site in document.sites:
        return site
    if site or not names:
        raise IntentError(f"no site {site!r}", hint="sites: " + (", ".join(names) or "none is written yet"))
    if len(names) > 1:
        raise IntentError("several sites: name one with --site", hint=", ".join(names), exit_code=ExitCode.USAGE)
    return names[0]


def _site(
    workspace: Workspace, document: Document, loaded: Loaded, name: str, catalog: Catalog, *, render: bool
) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
    before, found = _lock(workspace, name)
    if found:
        return None, found
    site, sources = document.sites[name], loaded.sources
    settled = settle(
        document, build_site(name, site, catalog, sources, before), catalog, sources, before, workspace.texts()
    )
    built, partitions = settled.built, settled.partitions
    if built.fabric is None:
        return None, built.diagnostics
    diagnostics = [*built.diagnostics]
    ethernet = built.fabric.only(Network.ETHERNET)
    chosen = profiles(document, ethernet, sources)
    diagnostics.extend(chosen.diagnostics)
    # Where a file of GUIDs is wrong none of them counts, and that they are missing need not be told too.
    told = () if has_errors(built.diagnostics) else (partitions,)
    diagnostics.extend(lint(document, sources, built.fabric, catalog=catalog, partitions=told))
    artifacts: dict[str, Artifact] = {}
    ufm: Mapping[str, UfmSettings] = {}
    if render and not has_errors(diagnostics):
        rendered = Renderer(document, ethernet, chosen, catalog, sources, _template(workspace, site)).render()
        diagnostics.extend(rendered.diagnostics)
        artifacts |= rendered.artifacts
        held = controller_artifacts(
            site, built.fabric, partitions, built.lock, sources, lambda: _templates(workspace), settled.nvlink
        )
        diagnostics.extend(held.diagnostics)
        artifacts |= held.artifacts
        ufm = held.ufm
    shared = _imex(workspace, site, name, sources, settled)
    diagnostics.extend(shared.diagnostics)
    compiled = Compiled(
        name,
        document,
        site,
        sources,
        built.fabric,
        built.lock,
        before,
        built.growth,
        chosen,
        artifacts,
        in_order(diagnostics),
        partitions,
        controllers(name, site, sources),
        settled.nvlink,
        ufm,
        shared,
    )
    return compiled, compiled.diagnostics


def _imex(workspace: Workspace, site: Site, name: str, sources: SourceMap, settled: Settled) -> Imex:
    """IMEX of the site's NVLink partitions; nothing where the intent does not ask for it."""
    wanted = site.nvlink.imex if site.nvlink else None
    if wanted is None or not settled.nvlink or settled.built.fabric is None:
        return Imex()
    try:
        addresses = node_addresses(workspace) if wanted.network == MANAGEMENT else {}
    except DiagnosticError as error:
        return Imex(diagnostics=error.diagnostics)
    span = sources.span(("sites", name, "nvlink", "imex"))
    return imex(settled.nvlink, settled.racks, settled.built.fabric, ImexNetwork(wanted.network, addresses, span))


def _template(workspace: Workspace, site: Site) -> Template | None:
    """Renders templates of the workspace; None where no override names one, so that none is loaded."""
    if not any(isinstance(raw, str) for raw in site.overrides.values()):
        return None
    templates = _templates(workspace)
    return lambda name, values, device: templates.render(name, values, device=device)


def _templates(workspace: Workspace) -> Templates:
    """Ours and the workspace's; what renders them is loaded when it is needed."""
    from intent.render.templates import Templates

    return Templates(search_path("templates", workspace.overlay("templates")))


def _lock(workspace: Workspace, name: str) -> tuple[Lock, tuple[Diagnostic, ...]]:
    text = workspace.read_lock(name)
    return parse(text, workspace.lock_name(name), name) if text is not None else (Lock(name), ())


def _consent(compiled: Compiled, workspace: Workspace, *, allow_recabling: bool, locked: bool) -> None:
    growth = compiled.growth
    if growth.renumbered:
        raise IntentError(
            f"{len(growth.renumbered)} values would be renumbered: {growth.renumbered[0]}",
            hint="this must never happen; restore the lock from version control and report it",
        )
    if growth.moves and not allow_recabling:
        place = Span(workspace.lock_name(compiled.name), 1)
        raise DiagnosticError([_recabling(growth, place)])
    if locked and dump(compiled.lock) != dump(compiled.lock_before):
        raise IntentError(
            f"{workspace.lock_name(compiled.name)} is not up to date: {len(growth.new)} devices new, "
            f"{len(growth.changed)} changed",
            hint="run `intent compile` and commit the lock",
        )


def _recabling(growth: Growth, place: Span) -> Diagnostic:
    first = growth.moves[0]
    return Diagnostic(
        "F020",
        f"{len(growth.moves)} cables have to move: {len(growth.new)} devices new, {len(growth.changed)} changed, "
        f"{len(growth.renumbered)} renumbered; the first is {first.leaf} {first.port} from "
        f"{' '.join(first.before)} to {' '.join(first.after)}",
        place,
        hint="`intent cabling moves` lists them in order; --allow-recabling accepts them; "
        "topology.unit.planned sizes the spines in advance, so that growing up to it moves none",
    )


def _excerpts(texts: Texts, loaded: Loaded) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in loaded.files:
        try:
            found[name] = texts[name]
        except (KeyError, IntentError):
            continue
    return found
