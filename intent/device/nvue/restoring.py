"""Puts back, by a write of its own, what a device held before a change that took several revisions.

The device's own timer takes back only its last revision. What an earlier one did is undone by one more, made from what
was read before anything was written; it counts only when the whole configuration is seen to be the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from intent.core.differences import Differences
from intent.core.tree import Tree, leaves
from intent.device.deadline import Deadline
from intent.device.errors import ConnectionLost, DeadlineExceeded, DeviceError
from intent.device.nvue.canonical import Canon
from intent.device.nvue.payload import one_sided
from intent.device.nvue.session import NvueSession
from intent.device.nvue.states import Kind
from intent.device.nvue.waiting import Pace, wait_for

_OPEN = "+"


def handle(earlier: tuple[str, ...], last: str = "") -> str:
    """Name of what is pending in a change of several revisions: `2+3`, and `2+` before the second is made."""
    return _OPEN.join((*earlier, last)) if earlier else last


def revisions(text: str) -> tuple[tuple[str, ...], str]:
    """The inverse of `handle`: the revisions that were kept on the way, and the one that is pending."""
    *earlier, last = text.split(_OPEN)
    return tuple(earlier), last


def same_whole(applied: Mapping[str, Any], before: Mapping[str, Any], canon: Canon) -> bool:
    """True when a device holds everything it held before, in canonical keys, secrets masked."""
    return applied == before or canon.tree(applied) == canon.tree(before)


def restore(
    session: NvueSession,
    before: Tree,
    canon: Canon,
    deadline: Deadline,
    pace: Pace,
    *,
    confirm_s: int,
    record: Callable[[str, Mapping[str, Any]], None],
) -> str:
    """Lead a device back to what it held before; returns what is wrong, empty when it is seen to hold it.

    Args:
        session: with the device.
        before: its whole configuration, as read from it.
        canon: of its release.
        deadline: when to stop.
        pace: how often to ask.
        confirm_s: the device's timer while the old configuration is put back.
        record: journals a step before it is made.
    """
    try:
        body = one_sided(Differences.between(session.applied(deadline), before), before)
        # A password the device shows as stars is not known: written back, the stars would become the password.
        if any(isinstance(value, str) and value and set(value) == {"*"} for _, value in leaves(body)):
            return "a secret that was removed is not known here"
        if body:
            problem = _applied(session, body, deadline, pace, confirm_s, record)
            if problem:
                return problem
        held = same_whole(session.applied(deadline), before, canon)
    except DeviceError as problem:
        return problem.message
    return "" if held else "what it holds now is not what it held before"


def _applied(
    session: NvueSession,
    body: Tree,
    deadline: Deadline,
    pace: Pace,
    confirm_s: int,
    record: Callable[[str, Mapping[str, Any]], None],
) -> str:
    record("restore", {})
    revision = session.create(deadline)
    session.load(revision, body, deadline)
    record("restore apply", {"restoring": revision})
    return keep(session, revision, deadline, pace, confirm_s=confirm_s)


def keep(session: NvueSession, revision: str, deadline: Deadline, pace: Pace, *, confirm_s: int) -> str:
    """Apply a revision with its timer and, over a new connection, confirm it; returns what is wrong, or nothing.

    Raises:
        DeviceError: by kind of failure.
    """
    _sent(session, lambda: session.apply(revision, deadline, confirm_s=confirm_s))
    waited = wait_for(session, revision, deadline, pace)
    if waited.decided and waited.kind is Kind.CONFIRM:
        return confirm(session, revision, deadline, pace)
    return "" if waited.decided and waited.kind is Kind.GOOD else waited.words()


def confirm(session: NvueSession, revision: str, deadline: Deadline, pace: Pace) -> str:
    """Confirm over a new connection; returns what is wrong, or nothing.

    Raises:
        DeviceError: by kind of failure.
    """
    session.transport.reconnect()
    _sent(session, lambda: session.confirm(revision, deadline))
    waited = wait_for(session, revision, deadline, pace, frozenset({Kind.GOOD, Kind.BAD, Kind.ENDED}))
    return "" if waited.decided and waited.kind is Kind.GOOD else waited.words()


def _sent(session: NvueSession, call: Callable[[], None]) -> None:
    """Send an order once; a lost connection is no answer, the revision's state is."""
    try:
        call()
    except (ConnectionLost, DeadlineExceeded):
        session.transport.reconnect()
