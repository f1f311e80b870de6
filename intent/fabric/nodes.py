"""Nodes of a site, from `nodes` and from racks; and where things stand that a person wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from intent.catalog.hardware import Catalog, NodeType, UnknownName
from intent.core import ranges
from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.schema.model import NicOverride, Site
from intent.schema.types import check_name

Path = tuple[str | int, ...]


class Places(Protocol):
    """Where each value of the document stands."""

    def span(self, path: Path) -> Span | None:
        """The place of a value, or of the nearest value around it."""


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node of the site, from `nodes` or from a rack.

    Args:
        name: its name.
        kind: its hardware.
        rack: rack it stands in; empty when none is named.
        group: what is placed together with it: its rack of a rack type, else itself.
        ordinal: place in that group, from 0.
        overrides: what differs from the type, by NIC group.
        span: where it is written.
    """

    name: str
    kind: NodeType
    rack: str
    group: str
    ordinal: int
    overrides: Mapping[str, NicOverride]
    span: Span | None

    @property
    def labels(self) -> dict[str, str]:
        """Labels by which selectors pick it."""
        return {"name": self.name, "type": self.kind.name, "role": "node"} | ({"rack": self.rack} if self.rack else {})


class SiteReader:
    """What resolves parts of one site; findings are collected in `diagnostics`.

    Args:
        name: name of the site.
        site: the site as written.
        catalog: the hardware.
        places: where things stand.
    """

    def __init__(self, name: str, site: Site, catalog: Catalog, places: Places) -> None:
        self.name = name
        self.site = site
        self.catalog = catalog
        self.places = places
        self.diagnostics: list[Diagnostic] = []

    def _span(self, *path: str | int) -> Span | None:
        return self.places.span(("sites", self.name, *path))

    def _report(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, message, span, hint=hint))


class NodeReader(SiteReader):
    """Resolves the nodes of one site."""

    def __init__(self, name: str, site: Site, catalog: Catalog, places: Places) -> None:
        super().__init__(name, site, catalog, places)
        self._misnamed: set[int] = set()

    def nodes(self) -> tuple[NodeSpec, ...]:
        """Every node of the site, in the order written; each name once."""
        first: dict[str, NodeSpec] = {}
        twice: dict[tuple[Span | None, Span | None], list[str]] = {}
        for node in (*self._standing(), *self._racked()):
            if first.setdefault(node.name, node) is not node:
                twice.setdefault((first[node.name].span, node.span), []).append(node.name)
        groups: dict[str, Span | None] = {}
        for node in first.values():
            if node.kind.is_rack:
                groups.setdefault(node.group, node.span)
        for node in first.values():
            if not node.kind.is_rack and node.group in groups:
                twice.setdefault((groups[node.group], node.span), []).append(node.name)
        for (place, span), names in twice.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            related = ((place, "made here first"),) if place and place != span else ()
            message = f"two nodes or racks of the name {names[0]}{more}"
            self.diagnostics.append(Diagnostic("F007", message, span, hint="rename one", related=related))
        return tuple(first.values())

    def _standing(self) -> Iterator[NodeSpec]:
        for number, entry in enumerate(self.site.nodes):
            span = self._span("nodes", number, "type")
            kind = self._node_type(entry.type, span, rack=False)
            if kind is None:
                continue
            for name in ranges.expand(entry.name):
                yield NodeSpec(name, kind, entry.rack or "", name, 0, entry.nics, self._span("nodes", number))

    def _racked(self) -> Iterator[NodeSpec]:
        for number, entry in enumerate(self.site.racks):
            span = self._span("racks", number, "type")
            kind = self._node_type(entry.type, span, rack=True)
            if kind is None:
                continue
            for rack in ranges.expand(entry.name):
                for tray in range(kind.trays):
                    name = self.site.names.node.format(site=self.name, rack=rack, n=tray + 1)
                    self._check_name(name, number, span)
                    yield NodeSpec(name, kind, rack, rack, tray, {}, self._span("racks", number))

    def _check_name(self, name: str, entry: int, span: Span | None) -> None:
        try:
            check_name(name)
        except ValueError as error:
            if entry not in self._misnamed:
                self._misnamed.add(entry)
                hint = "shorten the template (names.node) or the rack's name"
                self._report("F009", f"node {name}: {error}", span, hint)

    def _node_type(self, name: str, span: Span | None, *, rack: bool) -> NodeType | None:
        try:
            kind = self.catalog.node(name)
        except UnknownName as error:
            self._report("F001", error.message, span, error.hint)
            return None
        if kind.is_rack is not rack:
            word, other = ("racks", "nodes") if kind.is_rack else ("nodes", "racks")
            self._report("F001", f"type {name} - expected under {word}, found under {other}", span)
            return None
        return kind
