"""From the texts of a workspace to a document whose every value knows its place. Pure: reads no file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intent.core.diagnostic import Diagnostic, has_errors, in_order
from intent.schema.codes import Code
from intent.schema.compose import compose
from intent.schema.findings import Findings
from intent.schema.include import Includer
from intent.schema.model import Document
from intent.schema.nodes import MapNode
from intent.schema.resolve import Resolver
from intent.schema.shape import RawShape, shape_of
from intent.schema.sources import SourceMap


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of reading an intent.

    Args:
        document: the document; None when there is any error.
        sources: place of each value, as far as it was read.
        diagnostics: everything found, in order of place.
        files: the files that were read, the entry first.
    """

    document: Document | None
    sources: SourceMap
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]


def load(texts: Mapping[str, str], entry: str = "intent.yaml") -> Loaded:
    """Read an intent. Whatever the texts hold, the answer is a document or findings, never an exception.

    Args:
        texts: text of each file by its path relative to the workspace, with `/` between folders. May be lazy: it is
            iterated over only for patterns in `include:`. Its `__getitem__` may raise IntentError or DiagnosticError
            (see `intent.schema.decode.decode`) for a file that is there and cannot be read.
        entry: path of the file to begin with.
    """
    findings = Findings()
    includer = Includer(texts, findings)
    root = includer.read(entry)
    resolver = Resolver(findings)
    value = resolver.value(shape_of(Document), root, ()) if root is not None else None
    diagnostics = in_order(findings.all)
    document = value if isinstance(value, Document) and not has_errors(diagnostics) else None
    return Loaded(document, SourceMap(resolver.spans, includer.comments), diagnostics, tuple(includer.files))


def load_raw(text: str, file: str) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """Read a raw tree, as a template of `overrides:` yields it, by the same strict rules as an intent.

    Args:
        text: YAML of a mapping.
        file: name for the findings.

    Returns:
        The tree with its scalars as written (empty where it cannot be read), and what is wrong with it.
    """
    findings = Findings()
    root = compose(text, file, findings).root
    value = Resolver(findings).value(RawShape(), root, ()) if isinstance(root, MapNode) else None
    if root is not None and not isinstance(root, MapNode):
        findings.error(Code.SHAPE, "expected a mapping", root.span)
    diagnostics = in_order(findings.all)
    return (value if isinstance(value, dict) and not has_errors(diagnostics) else {}), diagnostics
