"""Exit codes of the command, one meaning each."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a run of `intent` says to the shell, to CI and to cron."""

    OK = 0
    ERROR = 1
    CHANGES = 2
    FINDINGS = 3
    PARTIAL = 4
    ROLLED_BACK = 5
    LOCKED = 6
    STALE = 7
    UNKNOWN = 8
    USAGE = 64


MEANING = {
    ExitCode.OK: "done, or nothing to change",
    ExitCode.ERROR: "error: bad input, failed I/O",
    ExitCode.CHANGES: "changes pending (plan --detailed-exitcode) or drift found (drift)",
    ExitCode.FINDINGS: "findings at or above --fail-on (lint, verify)",
    ExitCode.PARTIAL: "partly applied: budget hit, stopped, interrupted after something was touched",
    ExitCode.ROLLED_BACK: "rolled back",
    ExitCode.LOCKED: "locked by another run, or outside the change window",
    ExitCode.STALE: "the plan is stale: a device changed since it was computed",
    ExitCode.UNKNOWN: "unknown: a device could not be judged",
    ExitCode.USAGE: "usage error",
}

# Where several hold: an error first, then what could not be judged, then findings, then changes.
_PRECEDENCE = (
    ExitCode.ERROR,
    ExitCode.STALE,
    ExitCode.PARTIAL,
    ExitCode.ROLLED_BACK,
    ExitCode.UNKNOWN,
    ExitCode.FINDINGS,
    ExitCode.CHANGES,
)


def worst(*codes: ExitCode) -> ExitCode:
    """The code to leave with when several hold."""
    for code in _PRECEDENCE:
        if code in codes:
            return code
    return codes[0] if codes else ExitCode.OK
