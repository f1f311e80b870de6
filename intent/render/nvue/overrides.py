"""Raw trees of the intent, laid on what we render: typed by the release's schema, each leaf with its own origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.core.errors import IntentError
from intent.core.span import Span
from intent.core.tree import Path, Tree, from_dotted, leaves, merge
from intent.fabric.model import Device, Fabric
from intent.fabric.nodes import Places
from intent.formats.nvue.schema import Schema
from intent.render.artifact import Origin
from intent.schema.loader import load_raw
from intent.schema.model import Site

# Renders a template of the workspace: its name, its values and the device.
Template = Callable[[str, Mapping[str, Any], str], str]


@dataclass(slots=True)
class Overrides:
    """What raw trees contribute to one device.

    Args:
        tree: their leaves, typed.
        owned: their paths.
        origins: where each was written.
        diagnostics: what is wrong with them.
    """

    tree: Tree = field(default_factory=dict)
    owned: list[Path] = field(default_factory=list)
    origins: dict[Path, Origin] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def overrides(
    device: Device, fabric: Fabric, site: Site, schema: Schema, places: Places, template: Template | None
) -> Overrides:
    """Every override of a site that picks a device, merged in the order written.

    Args:
        device: the switch.
        fabric: the site as compiled.
        site: the site as written.
        schema: schema of the switch's release.
        places: where things stand.
        template: renders templates; None where the workspace offers none.
    """
    result = Overrides()
    for text, written in site.overrides.items():
        if not selector.parse(text).matches(device.labels):
            continue
        at = ("sites", device.site, "overrides", text)
        raw, found = _raw(written, device, fabric, places.span(at), template)
        result.diagnostics.extend(replace(item, device=device.name) for item in found)
        typed, wrong = schema.resolve(raw, device.name)
        for item in wrong:
            place = places.span((*at, *from_dotted(item.path)))
            result.diagnostics.append(replace(item, span=place, device=device.name))
        result.tree = merge(result.tree, typed)
        for path, _ in leaves(typed):
            result.owned.append(path)
            result.origins[path] = Origin(places.span((*at, *path)), f"override {text}")
    return result


def _raw(
    written: Mapping[str, Any] | str, device: Device, fabric: Fabric, place: Span | None, template: Template | None
) -> tuple[Mapping[str, Any], tuple[Diagnostic, ...]]:
    if not isinstance(written, str):
        return written, ()
    if template is None:
        return {}, (Diagnostic("R004", f"template {written}: there is no folder of templates", place),)
    try:
        text = template(written, dict(_values(device, fabric)), device.name)
    except IntentError as error:
        return {}, (Diagnostic("R004", error.message, place, hint=error.hint),)
    return load_raw(text, f"{written} for {device.name}")


def _values(device: Device, fabric: Fabric) -> Iterator[tuple[str, Any]]:
    """What a template may use: the labels of the device, its numbers, and its ports with what hangs at their ends."""
    yield from device.labels.items()
    yield "loopback", device.loopback
    yield "asn", device.asn
    yield "management", device.management
    yield (
        "ports",
        [
            {
                "name": port.name,
                "speed_gbps": port.speed_gbps,
                "address": port.address,
                "tier": str(link.tier),
                "peer": end.device,
                "peer_port": end.port,
            }
            for port, end, link in fabric.neighbors(device.name)
        ],
    )
