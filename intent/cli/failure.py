"""How a failure looks: what is wrong, where, and what to do. Never a traceback, never a secret."""

from __future__ import annotations

import sys

from intent.core.diagnostic import Severity
from intent.core.errors import DiagnosticError, IntentError


def report(error: IntentError) -> None:
    """Print a failure on standard error."""
    if isinstance(error, DiagnosticError):
        for item in error.diagnostics:
            print(item, file=sys.stderr)
        errors = sum(1 for item in error.diagnostics if item.severity is Severity.ERROR)
        print(f"{errors} error{'s' if errors != 1 else ''}; nothing was written", file=sys.stderr)
        return
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  hint: {error.hint}", file=sys.stderr)
