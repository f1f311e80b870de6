"""Runs the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic, in_order
from intent.fabric.model import Fabric
from intent.fabric.partitions import SitePartitions
from intent.lint.registry import rules
from intent.lint.rule import Context, Rule
from intent.lint.suppression import suppressed
from intent.schema.model import Document
from intent.schema.sources import SourceMap

_MOST = 500
"""Findings of one rule beyond which more would not be read."""


def lint(
    document: Document,
    sources: SourceMap,
    fabrics: Fabric | Iterable[Fabric] | None = None,
    *,
    catalog: Catalog | None = None,
    partitions: Iterable[SitePartitions] = (),
) -> tuple[Diagnostic, ...]:
    """Every finding of every rule, in order of place, without those a comment takes out.

    Args:
        document: the document.
        sources: place of each value in it.
        fabrics: what its sites compiled to, as far as they did; rules over the fabric look at these only.
        catalog: the hardware; read anew when left out.
        partitions: partitions of the compiled sites.
    """
    compiled = (fabrics,) if isinstance(fabrics, Fabric) else tuple(fabrics or ())
    context = Context(document, sources, compiled, catalog or Catalog.load(), tuple(partitions))
    every = rules()
    found = [finding for rule in every for finding in _run(rule, context)]
    whole = {fabric.site for fabric in compiled} >= {name for name, site in document.sites.items() if site.fabrics}
    known = {rule.code for rule in every}
    judged = {rule.code for rule in every if whole or not rule.over_fabric}
    return in_order(suppressed(found, sources, known, judged))


def _run(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    for number, finding in enumerate(rule.check(context)):
        if number == _MOST:
            message = f"rule {rule.name} finds more than {_MOST} places; the rest is left out"
            yield Diagnostic(rule.code, message, severity=rule.severity)
            return
        related = [(context.sources.span(path), what) for path, what in finding.related]
        yield Diagnostic(
            code=rule.code,
            message=finding.message,
            span=finding.span(context.sources),
            severity=rule.severity,
            hint=finding.hint,
            related=tuple((span, what) for span, what in related if span),
            device=finding.device.name if finding.device else "",
        )
