"""Our errors in NAPALM's words. Whatever else left a driver, NAPALM would print advice about to standard output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from napalm.base import exceptions

from intent.core.errors import IntentError
from intent.device.errors import AuthenticationFailed, BadRequest, Busy, ConnectionLost, DeadlineExceeded, Unreachable


def translated(problem: IntentError, refused: type[Exception] = exceptions.CommandErrorException) -> Exception:
    """The NAPALM exception for a problem; `refused` is what a body the device refuses becomes."""
    text = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    if isinstance(problem, AuthenticationFailed):
        return exceptions.ConnectAuthError(text)
    if isinstance(problem, DeadlineExceeded):
        return exceptions.ConnectTimeoutError(text)
    if isinstance(problem, ConnectionLost):
        return exceptions.ConnectionClosedException(text)
    if isinstance(problem, Unreachable):
        return exceptions.ConnectionException(text)
    if isinstance(problem, Busy):
        return exceptions.LockError(text)
    if isinstance(problem, BadRequest) and problem.violations:
        text += ": " + "; ".join(str(item) for item in problem.violations[:6])
    return refused(text)


@contextmanager
def napalm_errors(refused: type[Exception] = exceptions.CommandErrorException) -> Iterator[None]:
    """Turn our errors into NAPALM's within the block."""
    try:
        yield
    except IntentError as problem:
        raise translated(problem, refused) from None
