"""What a check can say. Unknown is never green."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """Outcome of one check on one device.

    `error` is a check that broke; `unknown` is a device that could not be judged;
    `skipped` is a check that does not apply, with the reason beside it.
    """

    PASS = "pass"  # noqa: S105 - the word, not a password
    FAIL = "fail"
    ERROR = "error"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


_SEVERITY = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN, Verdict.PASS, Verdict.SKIPPED)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts. No verdict at all is unknown: nothing was judged."""
    seen = set(verdicts)
    return next((item for item in _SEVERITY if item in seen), Verdict.UNKNOWN)
