"""Whatever the bytes are, the answer is a document or findings."""

from __future__ import annotations

import contextlib

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent.core.errors import DiagnosticError
from intent.schema.decode import LARGEST_BYTES, decode
from intent.schema.loader import Loaded, load
from intent.schema.model import Document

KEYS = sorted(
    {key for model in (Document,) for key in model.model_fields} | {"par1", "fabrics", "topology", "leaf", "<<", "*"}
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(KEYS))
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=8)), inner, max_size=5),
    ),
    max_leaves=25,
)
STRUCTURE = ["a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "? ", "\t", "---\n", "...", "|\n", ">", "#"]
SPECIAL = ["&x ", "*x", "<<: ", "!t ", "'", '"', "%", "@", "`", "\x00", "\ufeff", "é"]
LINES = ["version: 1\n", "name: a\n", "sites:\n", "  s:\n", "    pools: "]
TOKENS = st.sampled_from(STRUCTURE + SPECIAL + LINES)


def check(result: Loaded) -> None:
    assert (result.document is None) == bool(result.diagnostics)
    for finding in result.diagnostics:
        assert finding.span is not None
        assert finding.span.line >= 1
        assert finding.span.column >= 1
        assert str(finding)


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_random_bytes(data: bytes) -> None:
    with contextlib.suppress(DiagnosticError):
        check(load({"intent.yaml": decode(data, "intent.yaml")}))


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_random_text(text: str) -> None:
    check(load({"intent.yaml": text}))


@given(st.lists(TOKENS, max_size=40).map("".join))
@settings(max_examples=600)
def test_random_tokens_of_yaml(text: str) -> None:
    check(load({"intent.yaml": text}))


@given(TREES)
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_random_trees(tree: object) -> None:
    check(load({"intent.yaml": yaml.safe_dump(tree, allow_unicode=True)}))


@given(st.data())
@settings(max_examples=200)
def test_a_good_intent_with_a_hole(data: st.DataObject) -> None:
    text = (
        'version: 1\nname: a\nsites:\n  s:\n    nodes: [{name: "n{1..4}", type: dgx-b300}]\n    fabrics:\n      e:\n'
        '        topology: {leaf: SN5600, spine: SN5600}\n        attach: {nodes: "n*"}\n'
    )
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    check(load({"intent.yaml": text[:start] + data.draw(st.text(max_size=4)) + text[end:]}))


def test_a_file_too_large_is_refused() -> None:
    (finding,) = load({"intent.yaml": "a" * (LARGEST_BYTES + 1)}).diagnostics
    assert finding.code == "S002"


def test_deep_block_nesting_neither_crashes_nor_takes_long() -> None:
    text = "".join(f"{' ' * depth}a:\n" for depth in range(3000))
    assert [item.code for item in load({"intent.yaml": text}).diagnostics] == ["S005"]


def test_endless_findings_are_cut() -> None:
    text = "version: 1\nname: a\n" + "".join(f"key{number}: 1\n" for number in range(5000))
    findings = load({"intent.yaml": text}).diagnostics
    assert len(findings) == 501
    assert any("and 4500 more findings" in item.message for item in findings)


def test_a_long_chain_of_merges_is_not_deep() -> None:
    chain = "".join(f"      a{n}: &a{n} {{<<: [*a{n - 1}], x{n}: {n}}}\n" for n in range(1, 100))
    text = f"version: 1\nname: a\nsites:\n  s:\n    overrides:\n      a0: &a0 {{x0: 0}}\n{chain}"
    document = load({"intent.yaml": text}).document
    assert document is not None
    assert len(document.sites["s"].overrides["a99"]) == 100
