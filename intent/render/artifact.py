"""One rendered object for one device, with the provenance of each leaf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from intent.core.span import Span
from intent.core.tree import Path


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a leaf is there.

    Args:
        span: line of the intent it follows from; None when it is a default of the program.
        reason: in a few words, which rule made it (`loopback pool`, `qos roce-lossless`).
    """

    span: Span | None
    reason: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """What one device must hold.

    Args:
        device: name of the device.
        platform: key of the actor that pushes it (`nvue`).
        release: release whose dialect `body` is written in.
        model: hardware model, catalog name.
        body: the tree; secrets are placeholders (`intent.core.secret`).
        owned: subtrees that belong to us: what stands there beyond `body` is drift and goes. Nothing else is
            compared or removed.
        excepted: subtrees inside `owned` that the user takes out (`manage: {except: …}`).
        origins: for each leaf's path (or a prefix of it) where it came from.
        replace: the whole device is ours (`manage: {replace: true}`).
    """

    device: str
    platform: str
    release: str
    model: str
    body: Mapping[str, Any]
    owned: tuple[Path, ...] = ()
    excepted: tuple[Path, ...] = ()
    origins: Mapping[Path, Origin] = field(default_factory=dict)
    replace: bool = False

    def why(self, path: Path) -> Origin | None:
        """The origin of a path: its own, or that of the nearest subtree that has one."""
        return nearest(self.origins, path)


def nearest(origins: Mapping[Path, Origin], path: Path) -> Origin | None:
    """The origin of a path, or of the closest subtree around it that has one."""
    for end in range(len(path), -1, -1):
        origin = origins.get(path[:end])
        if origin:
            return origin
    return None
