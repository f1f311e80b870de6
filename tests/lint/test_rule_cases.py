"""Rules over intents as people write them: cases that pass and cases that fail, with every message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic
from intent.fabric.build import build_site
from intent.fabric.lock import Lock
from intent.fabric.model import Fabric
from intent.lint.engine import lint
from intent.lint.pages import page
from intent.lint.registry import rules
from intent.schema.codes import Code
from intent.schema.loader import load

CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))


def findings(text: str) -> tuple[Diagnostic, ...]:
    """What lint says about an intent whose first two lines are left out."""
    loaded = load({"intent.yaml": f"version: 1\nname: t\n{text}"})
    assert loaded.document is not None, loaded.diagnostics
    catalog = Catalog.load()
    fabrics: list[Fabric] = []
    for name, site in loaded.document.sites.items():
        built = build_site(name, site, catalog, loaded.sources, Lock(name, {}, {}))
        fabrics += [built.fabric] if built.fabric else []
    return lint(loaded.document, loaded.sources, fabrics, catalog=catalog)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for text in case["pass"]:
        assert [str(item) for item in findings(text) if item.code == case["rule"]] == []
    for item in case["fail"]:
        actual = "".join(f"{found}\n" for found in findings(item["intent"]) if found.code == case["rule"])
        assert actual == item["expect"]


def test_every_rule_over_the_document_has_cases() -> None:
    covered = {path.stem.partition("-")[0] for path in CASES}
    assert {rule.code for rule in rules() if not rule.over_fabric} <= covered


def test_the_page_has_every_code_and_every_example() -> None:
    text = page()
    for code in (*Code, *(rule.code for rule in rules())):
        assert f"| {code} |" in text
    assert text.count("```") == 4 * len(rules())


def test_every_rule_has_a_page_with_a_bad_and_a_good_example() -> None:
    every = rules()
    assert len({rule.code for rule in every}) == len({rule.name for rule in every}) == len(every)
    for rule in every:
        assert "\nBad:\n" in rule.doc
        assert "\nGood:\n" in rule.doc
        assert rule.summary.endswith(".")
