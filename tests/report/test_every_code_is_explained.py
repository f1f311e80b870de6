"""Every code a finding may carry has words of its own, in SARIF and in `docs/findings.md`; no code is explained that
is not there."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import intent

from intent.core.diagnostic import Diagnostic
from intent.report.codes import every_code, families
from intent.report.sarif import sarif
from intent.schema.codes import Code

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"[A-Z]\d{3}")
FINDINGS = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


def written() -> dict[str, Path]:
    """Codes in the program: every text that is one, but for those a code is compared with."""
    found: dict[str, Path] = {}
    for file in sorted((ROOT / "intent").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found.update(dict.fromkeys(_codes(tree), file))
    return found


def _codes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            bounds = [node.left, *node.comparators]
            for bound in bounds if any(isinstance(op, ast.LtE | ast.Lt) for op in node.ops) else ():
                if isinstance(bound, ast.Constant):
                    bound.value = None  # the first and last of a range of codes is no code
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
            yield node.value


WRITTEN = written()
KNOWN = {rule.code: rule for rule in every_code()}


def test_the_walk_sees_codes_of_every_kind() -> None:
    assert {code[0] for code in WRITTEN} == {*(family.letter for family in families()), "S"}
    assert set(Code) <= set(WRITTEN)
    assert len(WRITTEN) > 200


def test_every_code_in_the_program_is_explained_and_no_other() -> None:
    assert {code: str(file) for code, file in WRITTEN.items() if code not in KNOWN} == {}
    assert sorted(set(KNOWN) - set(WRITTEN)) == []
    assert len(every_code()) == len(KNOWN), "a code is explained twice"


def test_every_code_is_on_the_page_of_findings() -> None:
    rows = set(re.findall(r"^\| ([A-Z]\d{3}) \| \S", FINDINGS, re.MULTILINE))
    assert rows == set(KNOWN)


@pytest.mark.parametrize("code", sorted(WRITTEN))
def test_a_finding_of_every_code_has_a_rule_with_words_in_sarif(code: str) -> None:
    (run,) = json.loads(sarif([Diagnostic(code, "wrong")], [KNOWN[code]]))["runs"]
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == code
    assert re.fullmatch(r"[^a-z\s].*[.)]", rule["shortDescription"]["text"]), rule["shortDescription"]
    assert rule["help"]["text"] if code[0] != "S" else rule["name"]


def test_pages_that_say_more_exist() -> None:
    pages = {family.page for family in families() if family.page}
    assert [page for page in sorted(pages) if not (ROOT / "docs" / page).is_file()] == []


def test_lint_gives_the_words_with_a_file_of_partitions(tmp_path: Path) -> None:
    file = tmp_path / "partitions.conf"
    file.write_text("Default=0x7fff : ALL=limited, SELF=full ;\n;\n", encoding="utf-8")
    (run,) = json.loads(intent("lint", file, "--format", "sarif").out)["runs"]
    (result,) = [item for item in run["results"] if item["ruleId"] == "P012"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "P012"
    assert "OpenSM drops the whole file" in rule["shortDescription"]["text"]
    assert "docs/partitions.md" in rule["help"]["markdown"]
