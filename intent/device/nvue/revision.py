"""What a device says about one of its revisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intent.device.nvue.states import HOLDING, Kind, is_saved, kind_of

_ISSUES = 5
_WORDS = 400


@dataclass(frozen=True, slots=True)
class Revision:
    """State of one revision.

    Args:
        identifier: the device's own name for it.
        state: the word as read; empty when the device gave none.
        issues: what the device says went wrong, in its order.
        progress: what it says it is doing; empty when it says nothing.
    """

    identifier: str
    state: str
    issues: tuple[str, ...] = ()
    progress: str = ""

    @property
    def kind(self) -> Kind:
        """What the state means for somebody who waits."""
        return kind_of(self.state)

    @property
    def saved(self) -> bool:
        """True when it survives a reboot."""
        return is_saved(self.state)

    @property
    def holding(self) -> bool:
        """True while it keeps others from being applied."""
        return self.kind in HOLDING

    def words(self) -> str:
        """State and issues in one line."""
        more = len(self.issues) - _ISSUES
        text = "; ".join(self.issues[:_ISSUES]) + (f"; and {more} more" if more > 0 else "")
        return f"revision {self.identifier} is {self.state or 'without a state'}" + (f": {text}" if text else "")


def revision_from(identifier: str, body: Any) -> Revision:
    """The record of one revision's JSON; what is missing or oddly formed stays empty."""
    if not isinstance(body, Mapping):
        return Revision(identifier, "")
    transition = body.get("transition")
    transition = transition if isinstance(transition, Mapping) else {}
    state = body.get("state")
    progress = transition.get("progress")
    return Revision(
        identifier,
        state if isinstance(state, str) else "",
        tuple(_issues(transition.get("issue"))),
        progress if isinstance(progress, str) else "",
    )


def _issues(found: Any) -> list[str]:
    if not isinstance(found, Mapping):
        return []
    return [_issue(found[key]) for key in sorted(found)]


def _issue(issue: Any) -> str:
    if not isinstance(issue, Mapping):
        return str(issue)[:_WORDS]
    data = issue.get("data")
    data = data if isinstance(data, Mapping) else {}
    where, why = data.get("location"), data.get("reason")
    if where or why:
        text = ": ".join(str(part) for part in (where, why) if part)
    else:
        text = str(issue.get("message") or issue.get("code") or "no words given")
    code = issue.get("code")
    return (f"{text} ({code})" if code and str(code) not in text else text)[:_WORDS]
