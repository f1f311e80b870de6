"""Asking before something is done."""

from __future__ import annotations

import sys

from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode


def ask(question: str, *, yes: bool, word: str = "yes") -> None:
    """Ask for a typed word; return when it was given.

    Raises:
        IntentError: another answer, or nobody there to answer.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise IntentError(
            "nobody is there to confirm: standard input is no terminal",
            hint="say --yes to go on without asking",
            exit_code=ExitCode.USAGE,
        )
    print(f"{question}\nType '{word}' to go on: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != word:
        raise IntentError("not confirmed; nothing was done")
