"""What the parts of the renderer work from, and what each of them yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from intent.catalog.hardware import Switch
from intent.core.tree import Path, Tree
from intent.fabric.model import Device, Fabric
from intent.fabric.nodes import Places
from intent.fabric.qos import QosProfile
from intent.render.artifact import Origin
from intent.schema.fabrics import Fabric as FabricText
from intent.schema.model import Site


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything about one switch.

    Args:
        device: the switch.
        fabric: the site as compiled.
        site: the site as written.
        text: its fabric as written.
        hardware: its model.
        panel: paths of every port its front cages can have.
        qos: its QoS profile; None when it has none.
        qos_overridden: parts of the profile the intent sets itself.
        places: where things stand.
    """

    device: Device
    fabric: Fabric
    site: Site
    text: FabricText
    hardware: Switch
    panel: tuple[Path, ...]
    qos: QosProfile | None
    qos_overridden: frozenset[str]
    places: Places

    def of_site(self, reason: str, *path: str | int) -> Origin:
        """Origin at a key of the site."""
        return Origin(self.places.span(("sites", self.device.site, *path)), reason)

    def of_fabric(self, reason: str, *path: str | int) -> Origin:
        """Origin at a key of the fabric."""
        return self.of_site(reason, "fabrics", self.device.fabric, *path)


@dataclass(slots=True)
class Part:
    """What one part of the renderer contributes.

    Args:
        tree: its leaves.
        owned: subtrees that are ours because of it.
        origins: where leaves or subtrees come from.
    """

    tree: Tree = field(default_factory=dict)
    owned: list[Path] = field(default_factory=list)
    origins: dict[Path, Origin] = field(default_factory=dict)

    def own(self, path: Path, value: Any, origin: Origin) -> None:
        """Put a subtree that is ours as a whole."""
        self.put(path, value, origin)
        self.owned.append(path)

    def put(self, path: Path, value: Any, origin: Origin) -> None:
        """Put a value with its origin."""
        node = self.tree
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value
        self.origins[path] = origin


def keys(names: Mapping[str, Any] | tuple[str, ...] | list[str]) -> Tree:
    """A set as NVUE writes it: a mapping of empty mappings."""
    return {name: {} for name in names}
