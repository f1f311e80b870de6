"""What a rule is, what it sees and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Severity
from intent.core.span import Span
from intent.fabric.model import Device, Fabric
from intent.fabric.partitions import SitePartitions
from intent.schema.model import Document
from intent.schema.sources import Location, SourceMap


@dataclass(frozen=True, slots=True)
class Context:
    """What rules look at.

    Args:
        document: the document.
        sources: place of each value in it.
        fabrics: what its sites compiled to; empty for sites that could not be compiled.
        catalog: the hardware.
        partitions: partitions of the compiled sites.
    """

    document: Document
    sources: SourceMap
    fabrics: tuple[Fabric, ...]
    catalog: Catalog
    partitions: tuple[SitePartitions, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a rule.

    Args:
        message: what is wrong: the object, the problem, expected and actual.
        path: location in the document; its place is where the finding stands.
        device: the device it is about; its place is the intent line that made it.
        hint: what to do.
        related: further locations and what stands there.
    """

    message: str
    path: Location = ()
    device: Device | None = None
    hint: str = ""
    related: tuple[tuple[Location, str], ...] = ()

    def span(self, sources: SourceMap) -> Span | None:
        """Its place."""
        if self.device is not None and not self.path:
            return self.device.span
        return sources.span(self.path)


Check: TypeAlias = Callable[[Context], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Args:
        code: `L` and three digits, never reused; L1xx look at the document, L2xx at the compiled fabric, L30x to L34x
            at tenants as written, L35x to L39x at their compiled partitions.
        name: a few words with dashes.
        check: yields what it finds.
        doc: text of its page: what is wrong and why, a bad and a good example.
        severity: of all its findings.
    """

    code: str
    name: str
    check: Check
    doc: str
    severity: Severity = Severity.ERROR

    @property
    def over_fabric(self) -> bool:
        """True when it looks at the compiled fabric."""
        return self.code.startswith("L2") or "L350" <= self.code < "L400"

    @property
    def summary(self) -> str:
        """The first line of its page."""
        return self.doc.strip().splitlines()[0]
