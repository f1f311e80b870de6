"""What each word for a revision's state means to somebody who waits for it.

The words are those seen across NVIDIA's own manager, its Ansible collection and GPN's deployer; a release
may add some. A word this table does not know is "not finished", and whoever waits reports it as unknown when
its time is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Kind(StrEnum):
    """What a state means for somebody who waits."""

    CANDIDATE = "candidate"
    MOVING = "moving"
    CONFIRM = "awaiting confirm"
    QUESTION = "asks a question"
    GOOD = "in force"
    BAD = "failed"
    ENDED = "not in force"
    UNKNOWN = "unknown word"


_WORDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.CANDIDATE: ("pending",),
    Kind.MOVING: (
        "apply",
        "checking",
        "checked",
        "verifying",
        "verified",
        "readying",
        "ready",
        "reloading",
        "reloaded",
        "ays_yes",
        "ignore_fail_yes",
        "confirm_yes",
        "confirm_no",
        "auto_save",
        "auto_saving",
        "save",
        "saving",
    ),
    Kind.CONFIRM: ("confirm",),
    Kind.QUESTION: ("ays", "ignore_fail"),
    Kind.GOOD: ("applied", "applied_and_saved", "saved"),
    Kind.BAD: (
        "invalid",
        "verify_error",
        "ready_error",
        "apply_error",
        "apply_fail",
        "ays_fail",
        "ays_no",
        "ignore_fail_no",
        "confirm_fail",
    ),
    Kind.ENDED: ("inactive", "detached"),
}
STATES: Mapping[str, Kind] = {word: kind for kind, words in _WORDS.items() for word in words}

# A revision in one of these holds the machine: another apply would not move.
HOLDING = frozenset({Kind.MOVING, Kind.CONFIRM, Kind.QUESTION})


def kind_of(word: str) -> Kind:
    """What a state word means; one that names a failure is a failure even when it is new."""
    known = STATES.get(word)
    if known is not None:
        return known
    return Kind.BAD if any(part in word for part in ("fail", "invalid", "error")) else Kind.UNKNOWN


def is_saved(word: str) -> bool:
    """True when the state says that the configuration survives a reboot."""
    return word in ("applied_and_saved", "saved")
