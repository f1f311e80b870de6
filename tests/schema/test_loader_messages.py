"""Every message of the loader, held against a golden. INTENT_UPDATE_GOLDENS=1 rewrites them: read them then."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from intent.schema.codes import Code
from intent.schema.loader import load

ERRORS = Path(__file__).parent / "errors"
CASES = sorted(path.stem for path in ERRORS.glob("*.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_message_of_the_loader_is_the_golden_one(case: str) -> None:
    text = (ERRORS / f"{case}.yaml").read_text(encoding="utf-8")
    loaded = load({"intent.yaml": text})
    actual = "".join(f"{item}\n" for item in loaded.diagnostics)
    golden = ERRORS / f"{case}.expected"
    if os.environ.get("INTENT_UPDATE_GOLDENS"):
        golden.write_text(actual, encoding="utf-8")
    assert loaded.document is None
    assert actual == golden.read_text(encoding="utf-8")


def test_every_code_of_a_single_file_has_a_golden() -> None:
    seen = {
        code
        for case in CASES
        for code in re.findall(r"error (S\d+):", (ERRORS / f"{case}.expected").read_text("utf-8"))
    }
    elsewhere = {Code.ENCODING, Code.TOO_LARGE, Code.INCLUDE_OUTSIDE, Code.INCLUDE_MISSING, Code.INCLUDE_READ}
    assert {str(code) for code in Code} - seen == {str(code) for code in elsewhere}


def test_no_message_shows_what_may_be_a_secret() -> None:
    for case in ("secret_by_mistake", "wrong_shapes"):
        text = (ERRORS / f"{case}.expected").read_text("utf-8")
        assert "thehashitself" not in text
        assert "hunter2" not in text
