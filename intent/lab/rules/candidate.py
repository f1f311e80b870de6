"""A tree about to be applied, as rules see it, and what a rule says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from intent.core.tree import Path, dotted
from intent.lab.facts import Facts, mapping
from intent.lab.hardware import Layout, Panel


@dataclass(frozen=True, slots=True)
class Invalid:
    """One reason to refuse an apply.

    Args:
        path: where in the tree.
        reason: what is wrong there.
    """

    path: Path
    reason: str

    @property
    def location(self) -> str:
        """Dotted path, as NVUE gives it."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tree about to be applied: ranges written out, with its facts and the panel it must fit."""

    tree: Mapping[str, Any]
    facts: Facts
    panel: Panel
    layout: Layout

    @property
    def interfaces(self) -> dict[str, Any]:
        """Configured interfaces."""
        return mapping(self.tree, "interface")

    def bond_members(self) -> Iterator[tuple[str, str]]:
        """Every bond with each of its members."""
        for name, interface in self.interfaces.items():
            for member in mapping(interface, "bond", "member"):
                yield name, member

    def bgp(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """BGP of every VRF."""
        for vrf, held in mapping(self.tree, "vrf").items():
            bgp = mapping(held, "router", "bgp")
            if bgp:
                yield vrf, bgp


def only_type(interface: Any) -> bool:
    """True when an interface is configured with nothing but its type, or not at all."""
    return set(mapping(interface)) <= {"type"}


Rule: TypeAlias = Callable[[Candidate], Iterator[Invalid]]
