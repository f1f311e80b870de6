"""Pages made from the program are those the program would make now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from intent.core.exitcode import MEANING
from intent.schema.model import Document

ROOT = Path(__file__).parents[2]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "scripts" / "make_docs.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = maker()


@pytest.mark.parametrize("name", MAKER.PAGES)
def test_page_is_up_to_date(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert text == MAKER.PAGES[name](), "run .venv/bin/python scripts/make_docs.py"


def test_every_key_of_the_document_and_every_link_is_on_the_language_page() -> None:
    page = MAKER.language_page()
    for name in Document.model_fields:
        assert f"| `{name}` |" in page
    headings = {heading.lower() for heading in re.findall(r"^## (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= headings


def test_the_readme_has_every_exit_code_as_the_program_says_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for code, text in MEANING.items():
        assert f"| {int(code)} | {text} |" in readme
