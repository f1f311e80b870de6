"""What can go wrong between us and a device, one class each; none ever holds a secret."""

from __future__ import annotations

from dataclasses import dataclass

from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode
from intent.device.actor import Problem

_WORDS = 300  # characters of a message that may quote a device


class DeviceError(IntentError):
    """A device could not be asked, or did not answer as it should.

    Args:
        message: one line, names what was tried.
        hint: what to do about it.
    """

    problem = Problem.PROTOCOL

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, exit_code=ExitCode.UNKNOWN)


class Unreachable(DeviceError):
    """No connection could be made: the request never left us."""

    problem = Problem.UNREACHABLE


class ConnectionLost(Unreachable):
    """The connection broke after the request was sent: it may or may not have been carried out."""


class CertificateRefused(Unreachable):
    """The device's certificate does not verify."""


class DeadlineExceeded(DeviceError):
    """The time allowed for the operation is over.

    The request may have been sent and carried out.
    """

    problem = Problem.TIMEOUT


class AuthenticationFailed(DeviceError):
    """401: the device does not accept the credentials."""

    problem = Problem.AUTHENTICATION


class Forbidden(AuthenticationFailed):
    """403: the credentials are good, the operation is not allowed."""


class NotFound(DeviceError):
    """404: the object does not exist; for operational state that means absent."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One finding of a device about a body it refused.

    Args:
        pointer: JSON pointer into the body, empty when the device gave none.
        reason: the device's words.
    """

    pointer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.pointer}: {self.reason}" if self.pointer else self.reason


class BadRequest(DeviceError):
    """400 and other 4xx: the device refused the body or the parameters.

    Args:
        message: one line.
        violations: what it found, with pointers into the body.
    """

    def __init__(self, message: str, violations: tuple[Violation, ...] = ()) -> None:
        super().__init__(message)
        self.violations = violations


class ServerError(DeviceError):
    """5xx: the device's API is restarting or broken."""


class ProtocolError(DeviceError):
    """The answer is not what the API promises: no JSON, too large, a redirect, a missing field.

    Args:
        message: one line; what it quotes of the answer may be of any length, so it is cut here.
        hint: what to do about it.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message if len(message) <= _WORDS else f"{message[: _WORDS - 1]}…", hint=hint)


class NotJson(ProtocolError):
    """It answered that all went well, in no form we read: what it did is found by reading."""


class Busy(DeviceError):
    """Another change holds the device."""

    problem = Problem.BUSY
