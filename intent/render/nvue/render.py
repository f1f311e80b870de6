"""From the fabric to one artefact per switch: the parts joined, overrides laid on, lowered to the release, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic, Severity, has_errors
from intent.core.errors import IntentError
from intent.core.tree import Path, Tree, from_dotted, from_pointer, merge
from intent.fabric.model import Device, Fabric
from intent.fabric.nodes import Places
from intent.fabric.policy import Profiles
from intent.formats.nvue.lowering import Dialect
from intent.render.artifact import Artifact, Origin, nearest
from intent.render.nvue.facts import Facts, Part
from intent.render.nvue.interfaces import front_panel, interfaces
from intent.render.nvue.overrides import Template, overrides
from intent.render.nvue.qos import qos
from intent.render.nvue.routing import routing
from intent.render.nvue.splits import split_findings
from intent.render.nvue.system import system
from intent.schema.model import Document, Site

PLATFORM = "nvue"
_PARTS = (system, interfaces, routing, qos)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Artefacts by device, and everything found on the way."""

    artifacts: Mapping[str, Artifact]
    diagnostics: tuple[Diagnostic, ...]


class Renderer:
    """Renders the switches of one site. Keeps the schema and lowering of each release it meets.

    Args:
        document: what is written.
        fabric: the site as compiled.
        profiles: QoS profile of each switch.
        catalog: the hardware.
        places: where things stand.
        template: renders the workspace's templates, for overrides that name one.
    """

    def __init__(
        self,
        document: Document,
        fabric: Fabric,
        profiles: Profiles,
        catalog: Catalog,
        places: Places,
        template: Template | None = None,
    ) -> None:
        self._site: Site = document.sites[fabric.site]
        self._fabric = fabric
        self._profiles = profiles
        self._catalog = catalog
        self._places = places
        self._template = template
        self._dialects: dict[str, Dialect] = {}
        self._lower_paths: dict[str, Callable[[Path], tuple[Path, ...]]] = {}
        self._panels: dict[str, tuple[Path, ...]] = {}
        self._excepted = tuple(from_pointer(text) for text in self._site.manage.except_)

    def render(self, devices: Iterable[Device] | None = None) -> Rendered:
        """Render the given switches, or all.

        A device with a finding of severity error has no artefact.
        """
        artifacts: dict[str, Artifact] = {}
        found: list[Diagnostic] = list(self._site_findings())
        for device in devices if devices is not None else self._fabric.switches:
            artifact, diagnostics = self._device(device)
            found.extend(diagnostics)
            if artifact:
                artifacts[device.name] = artifact
        return Rendered(artifacts, folded(found))

    def _site_findings(self) -> Iterator[Diagnostic]:
        if self._site.manage.replace and not self._site.users:
            yield Diagnostic(
                "R001",
                f"site {self._fabric.site}: replace takes the whole device - expected users, found none",
                self._places.span(("sites", self._fabric.site, "manage", "replace")),
                hint="name at least the account this program logs in with under users:, else nobody can log in",
            )

    def _device(self, device: Device) -> tuple[Artifact | None, tuple[Diagnostic, ...]]:
        try:
            dialect = self._dialect(device.release)
        except IntentError as error:
            place = self._places.span(("sites", device.site, "releases"))
            return None, (Diagnostic("R002", error.message, place, hint=error.hint, device=device.name),)
        part = join(part_of(self._facts(device)) for part_of in _PARTS)
        found = [*self._limits(device)]
        lowered = dialect.lower(part.tree, device.name)
        found.extend(self._placed(lowered.diagnostics, part.origins, device))
        overridden = overrides(device, self._fabric, self._site, dialect.schema, self._places, self._template)
        found.extend(overridden.diagnostics)
        tree = merge(lowered.tree, overridden.tree) if overridden.tree else lowered.tree
        # The dialect returns a tree that it found right as it is; a wrong override is told where it stands.
        if tree is not part.tree and not has_errors(overridden.diagnostics):
            found.extend(self._placed(dialect.schema.check(tree, device.name), overridden.origins, device))
            if "interface" in overridden.tree:  # our own tree splits each cage as the fabric does
                found.extend(split_findings(tree, device.name, overridden.origins))
        if any(item.severity is Severity.ERROR for item in found):
            return None, tuple(found)
        origins, owned = part.origins, part.owned
        if lowered.tree is not part.tree:
            lower_path = self._lower_paths[device.release]
            origins = {path: origin for at, origin in origins.items() for path in lower_path(at)}
            owned = [path for at in owned for path in lower_path(at)]
        artifact = Artifact(
            device=device.name,
            platform=PLATFORM,
            release=device.release,
            model=device.model,
            body=tree,
            owned=tuple(dict.fromkeys([*owned, *overridden.owned])),
            excepted=self._excepted,
            origins=origins | overridden.origins,
            replace=self._site.manage.replace,
        )
        return artifact, tuple(found)

    def _dialect(self, release: str) -> Dialect:
        if release not in self._dialects:
            self._dialects[release] = Dialect.load(release)
            # Switches of one release have most of their paths in common.
            self._lower_paths[release] = cache(self._dialects[release].lower_path)
        return self._dialects[release]

    def _facts(self, device: Device) -> Facts:
        profile = self._profiles.by_device.get(device.name)
        hardware = self._catalog.switch(device.model)
        if hardware.name not in self._panels:
            self._panels[hardware.name] = front_panel(hardware)
        return Facts(
            device=device,
            fabric=self._fabric,
            site=self._site,
            text=self._site.fabrics[device.fabric],
            hardware=hardware,
            panel=self._panels[hardware.name],
            qos=profile,
            qos_overridden=self._profiles.overridden.get(profile.name, frozenset()) if profile else frozenset(),
            places=self._places,
        )

    def _limits(self, device: Device) -> Iterator[Diagnostic]:
        """What the hardware cannot do of what the intent asks for."""
        text = self._site.fabrics[device.fabric]
        chip = self._catalog.switch(device.model).asic
        speeds = {port.speed_gbps for port in device.ports.values()}
        if text.adaptive_routing and not any(chip.routes_adaptively(speed) for speed in speeds):
            limit = chip.adaptive_routing_max_gbps
            why = f"takes links of at most {limit}G" if chip.adaptive_routing else "has no adaptive routing"
            yield Diagnostic(
                "R003",
                f"adaptive routing on {device.model} - {chip.name} {why}, links run at {max(speeds, default=0)}G",
                self._places.span(("sites", device.site, "fabrics", device.fabric, "adaptive_routing")),
                hint="set topology.link to a lower speed, or adaptive_routing to false",
            )

    def _placed(
        self, diagnostics: Sequence[Diagnostic], origins: Mapping[Path, Origin], device: Device
    ) -> Iterator[Diagnostic]:
        release = self._places.span(("sites", device.site, "releases", "cumulus"))
        for item in diagnostics:
            origin = nearest(origins, from_dotted(item.path))
            named = ((release, f"release {device.release}"),) if release else ()
            yield replace(
                item, span=item.span or (origin and origin.span) or release, related=named, device=device.name
            )


def folded(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The same finding on many devices as one that names how many."""
    groups: dict[Diagnostic, list[str]] = {}
    for item in diagnostics:
        groups.setdefault(replace(item, device=""), []).append(item.device)
    return tuple(
        replace(item, device=devices[0])
        if len(devices) == 1
        else replace(item, message=f"{item.message} (on {len(devices)} devices, {devices[0]} first)")
        for item, devices in groups.items()
    )


def join(parts: Iterable[Part]) -> Part:
    """One part of several; their subtrees do not contradict each other, mappings on the way to them merge."""
    whole = Part()
    for part in parts:
        _graft(whole.tree, part.tree)
        whole.owned.extend(part.owned)
        whole.origins |= part.origins
    return whole


def _graft(base: Tree, over: Tree) -> None:
    for key, value in over.items():
        present = base.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            _graft(present, value)
        else:
            base[key] = value
