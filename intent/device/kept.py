"""Sessions left open between the calls of one run, so that what follows needs no new connection."""

from __future__ import annotations

import threading
from typing import Any

from intent.device.rest_session import RestSession

_MOST = 1024
_UNKNOWN_LIMIT = 256


def room() -> int:
    """How many sessions may stay open: half of what this process may open, for each is a socket."""
    try:
        import resource
    except ImportError:  # not on Windows
        return _UNKNOWN_LIMIT // 2
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else min(_MOST, soft // 2)


class KeptSessions:
    """Open sessions by kind and device. One that is taken belongs to its taker until it is given back.

    Args:
        most: how many are kept; each holds a socket of this process, so one more is closed instead.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[tuple[str, str], RestSession] = {}
        self._lock = threading.Lock()

    def take(self, kind: str, device: str) -> Any:
        """The kept session of a device; None when there is none."""
        with self._lock:
            return self._held.pop((kind, device), None)

    def give(self, kind: str, device: str, session: RestSession) -> None:
        """Keep a session, or close it where there are enough."""
        with self._lock:
            room = len(self._held) < self._most
            before = self._held.pop((kind, device), None)
            if room or before is not None:
                self._held[(kind, device)] = session
        for unwanted in (before, None if room or before is not None else session):
            if unwanted is not None:
                unwanted.close()

    def close(self, kind: str = "", device: str = "") -> None:
        """Close the session of a device, or all of them."""
        with self._lock:
            gone = [key for key in self._held if not device or key == (kind, device)]
            sessions = [self._held.pop(key) for key in gone]
        for session in sessions:
            session.close()
