"""Every code of a finding with what it says: for SARIF, where code scanning shows it, and for the pages of `docs/`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from textwrap import dedent

from intent.lint.registry import rules
from intent.report.sarif import Rule
from intent.schema.codes import Code


@dataclass(frozen=True, slots=True)
class Family:
    """Codes of one letter that belong neither to the loader nor to a lint rule.

    Args:
        letter: first letter of the codes.
        about: what they are about.
        page: page of `docs/` that says more; empty when none does.
        codes: what each says, in one sentence.
    """

    letter: str
    about: str
    page: str
    codes: dict[str, str]


def families() -> tuple[Family, ...]:
    """Codes of the compiler and of files beside the intent. Source: `intent/report/data/findings.toml`."""
    text = (files("intent") / "report" / "data" / "findings.toml").read_text(encoding="utf-8")
    return tuple(Family(letter, **body) for letter, body in tomllib.loads(text).items())


def every_code() -> tuple[Rule, ...]:
    """What is known of every code a finding may carry, in order of the codes."""
    return tuple(sorted(_every(), key=lambda rule: rule.code))


def _every() -> Iterator[Rule]:
    for code in Code:
        yield Rule(str(code), code.name.lower().replace("_", "-"), _sentence(code.meaning))
    for rule in rules():
        yield Rule(rule.code, rule.name, rule.summary, _markdown(rule.doc))
    for family in families():
        more = f"\n\nMore about {family.about}: docs/{family.page}" if family.page else ""
        for own, text in family.codes.items():
            yield Rule(own, "", text, f"{text}{more}")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _markdown(doc: str) -> str:
    """A rule's page with its examples fenced."""
    text, _, examples = doc.strip().partition("\nBad:\n")
    bad, _, good = examples.partition("\nGood:\n")
    examples_of = {"Bad": bad, "Good": good}
    fenced = (f"{title}:\n\n```yaml\n{dedent(body).strip()}\n```" for title, body in examples_of.items())
    return "\n\n".join([text.strip(), *fenced])
