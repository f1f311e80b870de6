"""The documentation of findings, made from the rules themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import dedent

from intent.lint.registry import rules
from intent.lint.rule import Rule
from intent.schema.codes import Code


def page() -> str:
    """One Markdown page: every code of the loader and every rule with its examples."""
    every = rules()
    lines = ["# What `intent lint` finds", "", *_loader(), "", *_table(every)]
    for rule in every:
        lines += ["", f"## {rule.code} {rule.name}", "", *_body(rule)]
    return "\n".join(lines) + "\n"


def _loader() -> Iterator[str]:
    yield "Reading the text (these stop everything else and cannot be ignored):"
    yield ""
    yield "| code | what it says |"
    yield "|---|---|"
    for code in Code:
        yield f"| {code} | {code.meaning} |"


def _table(every: Iterable[Rule]) -> Iterator[str]:
    yield "Rules. A finding that was looked at is taken out by `# intent: ignore[L101] reason`, on its line or alone"
    yield "on the line above."
    yield ""
    yield "| code | name | severity | what it says |"
    yield "|---|---|---|---|"
    for rule in every:
        yield f"| {rule.code} | {rule.name} | {rule.severity} | {rule.summary} |"


def _body(rule: Rule) -> Iterator[str]:
    text, _, examples = rule.doc.strip().partition("\nBad:\n")
    bad, _, good = examples.partition("\nGood:\n")
    yield text.strip()
    for title, example in (("Bad", bad), ("Good", good)):
        yield ""
        yield f"{title}:"
        yield ""
        yield "```yaml"
        yield dedent(example).strip()
        yield "```"
