"""The examples and what `intent init` writes have no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.catalog.hardware import Catalog
from intent.fabric.build import build_site
from intent.fabric.lock import Lock
from intent.lint.engine import lint
from intent.schema.loader import load
from intent.schema.skeleton import skeleton

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = {path.parent.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*/intent.yaml"))}


@pytest.mark.parametrize("text", [*TEXTS.values(), skeleton("new")["intent.yaml"]], ids=[*TEXTS, "skeleton"])
def test_no_finding(text: str) -> None:
    loaded = load({"intent.yaml": text})
    assert loaded.document is not None, loaded.diagnostics
    catalog = Catalog.load()
    built = [
        build_site(name, site, catalog, loaded.sources, Lock(name, {}, {}))
        for name, site in loaded.document.sites.items()
    ]
    assert [finding for each in built for finding in each.diagnostics] == []
    fabrics = [each.fabric for each in built if each.fabric]
    assert len(fabrics) == len(built)
    assert lint(loaded.document, loaded.sources, fabrics, catalog=catalog) == ()


def test_many_overlaps_are_found_in_little_time_and_cut() -> None:
    text = "version: 1\nname: t\nsites: {" + ", ".join(f"s{number}: {{}}" for number in range(1500)) + "}\n"
    loaded = load({"intent.yaml": text})
    assert loaded.document is not None
    found = lint(loaded.document, loaded.sources)
    assert len(found) == 1503
    assert any("rule prefix-overlap finds more than 500 places" in item.message for item in found)
