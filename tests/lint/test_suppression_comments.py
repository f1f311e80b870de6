"""`# intent: ignore[L101] reason`: on the line or alone above it; with a reason or not at all."""

from __future__ import annotations

import pytest

from intent.lint.engine import lint
from intent.schema.loader import load


def messages(text: str) -> list[str]:
    loaded = load({"intent.yaml": f"version: 1\nname: t\n{text}"})
    assert loaded.document is not None, loaded.diagnostics
    return [f"{item.span} {item.code} {item.message}" for item in lint(loaded.document, loaded.sources)]


FINDING = "intent.yaml:4:3 L101 site s has no fabric"


def test_without_a_comment_the_finding_is_there() -> None:
    assert messages("sites:\n  s: {}\n") == [FINDING]


@pytest.mark.parametrize(
    "text",
    [
        "sites:\n  s: {}   # intent: ignore[L101] built next year\n",
        "sites:\n  # intent: ignore[L101] built next year\n  s: {}\n",
        "sites:\n  s: {}   #intent:ignore[L101] built next year\n",
    ],
)
def test_a_comment_with_a_reason_takes_it_out(text: str) -> None:
    assert messages(text) == []


def test_a_comment_at_the_end_of_the_line_above_does_not() -> None:
    found = messages("sites:   # intent: ignore[L101] built next year\n  s: {}\n")
    assert found == ["intent.yaml:3:1 L003 ignore[L101] takes nothing out: no such finding on this line", FINDING]


def test_several_codes() -> None:
    found = messages("sites:\n  s: {}   # intent: ignore[L101, L103] built next year\n")
    assert found == ["intent.yaml:4:1 L003 ignore[L103] takes nothing out: no such finding on this line"]


def test_a_rule_over_a_fabric_that_was_not_compiled_is_not_judged() -> None:
    fabric = "e: {topology: {leaf: SN5600, spine: SN5600}, attach: {nodes: n1}}"
    text = f"    nodes: [{{name: n1, type: dgx-b300}}]\n    fabrics: {{{fabric}}}   # intent: ignore[L210] lab\n"
    assert messages(f"sites:\n  s:\n{text}") == []


def test_without_a_reason_nothing_is_taken_out() -> None:
    found = messages("sites:\n  s: {}   # intent: ignore[L101]\n")
    assert found == ["intent.yaml:4:1 L002 ignore without a reason: it takes nothing out", FINDING]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("intent: ignore L101 reason", "a comment to intent that it does not understand"),
        ("intent: please", "a comment to intent that it does not understand"),
        ("intent: ignore[L999] reason", "ignore of 'L999': no such rule"),
        ("intent: ignore[S008] reason", "ignore of 'S008': no such rule"),
        ("intent: ignore[] reason", "ignore of '': no such rule"),
    ],
)
def test_what_is_not_understood_is_said(comment: str, message: str) -> None:
    assert f"intent.yaml:4:1 L001 {message}" in messages(f"sites:\n  s: {{}}   # {comment}\n")


def test_a_hash_inside_a_text_is_no_comment() -> None:
    assert messages('sites:\n  s: {region: "# intent: ignore[L101] x"}\n') == [FINDING]
