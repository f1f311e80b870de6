"""What a check says: verdicts with messages in one grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Result:
    """One thing judged by a check.

    Args:
        verdict: what came of it.
        message: why, in the grammar `Thing: name - problem - expected A, actual B`; may be empty for a pass.
    """

    verdict: Verdict
    message: str = ""


Results: TypeAlias = Iterator[Result]


_PASSED = Result(Verdict.PASS)  # what nearly every port is, under every check


def sentence(thing: str, name: str = "", problem: str = "", *, expected: object = None, actual: object = None) -> str:
    """A message in the one grammar of all checks: `Port: swp1 - not up - expected up, actual down`.

    Args:
        thing: kind of object (`Port`); or, given alone, the whole message.
        name: which one.
        problem: what is wrong with it.
        expected: what the intent asks for; None leaves it out.
        actual: what the device says; None leaves it out.
    """
    text = f"{thing}: {name}" if name else thing
    facts = [f"{word} {value}" for word, value in (("expected", expected), ("actual", actual)) if value is not None]
    return " - ".join(part for part in (text, problem, ", ".join(facts)) if part)


def passed(note: str = "") -> Result:
    """It is as the intent says."""
    return Result(Verdict.PASS, note) if note else _PASSED


def failed(thing: str, name: str = "", problem: str = "", *, expected: object = None, actual: object = None) -> Result:
    """It is not as the intent says; arguments as for `sentence`."""
    return Result(Verdict.FAIL, sentence(thing, name, problem, expected=expected, actual=actual))


def unknown(thing: str, name: str = "", problem: str = "", *, expected: object = None, actual: object = None) -> Result:
    """It cannot be told; arguments as for `sentence`."""
    return Result(Verdict.UNKNOWN, sentence(thing, name, problem, expected=expected, actual=actual))


def skipped(reason: str) -> Result:
    """The check does not apply here."""
    return Result(Verdict.SKIPPED, reason)
