"""One change at a time per site. The holder is named; a lock whose process died on this host is taken over."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from intent.change.control import Clock, stamp
from intent.change.journal import Journal
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock.

    Args:
        owner: person or job, as given to the command.
        host: host name.
        pid: process number.
        process: when that process began, as the kernel counts it: tells it from a later one with its number.
    """

    owner: str
    host: str
    pid: int
    process: str


@dataclass(frozen=True, slots=True)
class LockRow:
    """A lock as it stands.

    Args:
        site: what is locked.
        holder: who holds it.
        taken_at: since when; UTC, ISO 8601.
        heartbeat: last sign of life, likewise.
    """

    site: str
    holder: Holder
    taken_at: str
    heartbeat: str


class SiteLock:
    """A lock that is held."""

    def __init__(self, journal: Journal, site: str, holder: Holder, clock: Clock, taken_over: LockRow | None) -> None:
        self.site = site
        self.holder = holder
        self.taken_over = taken_over
        self._journal = journal
        self._clock = clock

    def beat(self) -> None:
        """Give a sign of life.

        Raises:
            IntentError: somebody took the lock away.
        """
        with self._journal.transaction() as connection:
            changed = connection.execute(
                "UPDATE locks SET heartbeat = ? WHERE site = ? AND host = ? AND pid = ? AND process = ?",
                (stamp(self._clock), self.site, self.holder.host, self.holder.pid, self.holder.process),
            ).rowcount
        if changed != 1:
            raise IntentError(f"the lock of {self.site} was taken away", exit_code=ExitCode.LOCKED)

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not ours any more."""
        with self._journal.transaction() as connection:
            connection.execute(
                "DELETE FROM locks WHERE site = ? AND host = ? AND pid = ? AND process = ?",
                (self.site, self.holder.host, self.holder.pid, self.holder.process),
            )


def this_process(owner: str) -> Holder:
    """The running process as a holder."""
    return Holder(owner, socket.gethostname(), os.getpid(), process_start(os.getpid()) or "")


def process_start(pid: int) -> str | None:
    """When a process of this host began, in the kernel's count; None when there is no such process.

    Where the kernel does not tell (no `/proc`), an existing process gives an empty text.
    """
    try:
        # proc(5) stat: state is field 3, start time field 22; field 2 may hold blanks, but ends with the last bracket.
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        return None if fields[0] in ("Z", "X") else fields[19]
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""
    return ""


def lock_row(journal: Journal, site: str) -> LockRow | None:
    """Who holds a site's lock; None when nobody does."""
    with journal.transaction() as connection:
        row = connection.execute("SELECT * FROM locks WHERE site = ?", (site,)).fetchone()
    return _row(row)


def acquire(
    journal: Journal,
    site: str,
    holder: Holder,
    clock: Clock,
    *,
    started: Callable[[int], str | None] = process_start,
) -> SiteLock:
    """Take a site's lock.

    A lock held by a dead process of this host is taken over; `SiteLock.taken_over` then names it, and what its change
    left behind is to be settled before anything else.

    Args:
        journal: where the lock is kept.
        site: what to lock.
        holder: who takes it (`this_process`).
        clock: gives the time.
        started: tells when a process of this host began.

    Raises:
        IntentError: it is held (exit code: locked).
    """
    with journal.transaction() as connection:
        present = _row(connection.execute("SELECT * FROM locks WHERE site = ?", (site,)).fetchone())
        if present and not _dead(present.holder, holder, started):
            raise _held(present)
        now = stamp(clock)
        connection.execute(
            "INSERT OR REPLACE INTO locks VALUES (?, ?, ?, ?, ?, ?, ?)",
            (site, holder.owner, holder.host, holder.pid, holder.process, now, now),
        )
    return SiteLock(journal, site, holder, clock, present)


def break_lock(journal: Journal, site: str) -> LockRow | None:
    """Take a lock away from whoever holds it: for a holder on a host that is gone. Returns who held it."""
    present = lock_row(journal, site)
    with journal.transaction() as connection:
        connection.execute("DELETE FROM locks WHERE site = ?", (site,))
    return present


def _row(row: tuple[str, str, str, int, str, str, str] | None) -> LockRow | None:
    if row is None:
        return None
    site, owner, host, pid, process, taken_at, heartbeat = row
    return LockRow(site, Holder(owner, host, pid, process), taken_at, heartbeat)


def _dead(present: Holder, newcomer: Holder, started: Callable[[int], str | None]) -> bool:
    if present.host != newcomer.host:
        return False
    begun = started(present.pid)
    return begun is None or bool(begun and present.process and begun != present.process)


def _held(row: LockRow) -> IntentError:
    holder = row.holder
    return IntentError(
        f"{row.site} is locked by {holder.owner} on {holder.host} (process {holder.pid}) since {row.taken_at}, "
        f"last sign of life {row.heartbeat}",
        hint="wait for it to end; only when that host is gone for good, take the lock away",
        exit_code=ExitCode.LOCKED,
    )
