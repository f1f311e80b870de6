"""The root of every exception this program raises on purpose."""

from __future__ import annotations

from collections.abc import Iterable

from intent.core.diagnostic import Diagnostic, in_order
from intent.core.exitcode import ExitCode


class IntentError(Exception):
    """Something a user can act on.

    Args:
        message: one line, no secret, no traceback.
        hint: what to do about it.
        exit_code: code the command ends with.
    """

    def __init__(self, message: str, *, hint: str = "", exit_code: ExitCode = ExitCode.ERROR) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class DiagnosticError(IntentError):
    """Findings that stop the work, all of them at once."""

    def __init__(self, diagnostics: Iterable[Diagnostic], *, exit_code: ExitCode = ExitCode.ERROR) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("\n".join(str(item) for item in self.diagnostics), exit_code=exit_code)
