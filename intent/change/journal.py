"""The write-ahead record of changes: SQLite, written before each call to a device, chained by SHA-256.

Every entry holds the hash of the entry before it, so that no past entry can be altered or taken out unnoticed.
Trees are kept beside the entries under their own digest, compressed.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from intent.change.control import Clock, stamp
from intent.change.files import sync_directory
from intent.change.masking import canonical, masked_text
from intent.change.reading import Bad, parse
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode

# "INTJ": marks the file as ours (SQLite's application_id).
_APPLICATION_ID = 0x494E544A
_VERSION = 1
_MAX_STATE_BYTES = 64 * 1024 * 1024
_BUSY_MS = 10_000
_LEVEL = 1  # of compression: more costs a millisecond a switch and saves a fifth of a file that nobody sends
_SCHEMA = f"""
BEGIN;
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, change TEXT NOT NULL, device TEXT NOT NULL,
  step TEXT NOT NULL, data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX entries_change ON entries (change, seq);
CREATE INDEX entries_step ON entries (step, seq);
CREATE TABLE states (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE locks (
  site TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL,
  taken_at TEXT NOT NULL, heartbeat TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal.

    Args:
        seq: its number, from 1.
        at: UTC, ISO 8601.
        change: change it belongs to.
        device: device it is about; empty for the change as a whole.
        step: what it says (`change.begin`, `device.before`, `actor.<step>`, `device.result`, …).
        data: particulars; secrets masked.
        prev: hash of the entry before.
        hash: its own.
    """

    seq: int
    at: str
    change: str
    device: str
    step: str
    data: Mapping[str, Any]
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class Note:
    """An entry to be written."""

    device: str
    step: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Journal.verify` found.

    Args:
        entries: how many entries were checked.
        head: hash of the last one: kept elsewhere, it proves that nothing was cut off at the end.
        problem: the first thing that does not hold; empty when all does.
    """

    entries: int
    head: str
    problem: str

    @property
    def holds(self) -> bool:
        """True when nothing was altered."""
        return not self.problem

    def __str__(self) -> str:
        if self.problem:
            return f"the journal does not hold after {self.entries} entries: {self.problem}"
        return f"the journal holds: {self.entries} entries, the last one {self.head or 'none'}"


class JournalError(IntentError):
    """The journal cannot be used; no device is touched without it."""


class Journal:
    """An open journal. Safe to use from several threads; another process waits its turn. Use `open_journal`."""

    def __init__(self, file: Path, connection: sqlite3.Connection, clock: Clock) -> None:
        self.file = file
        self._connection = connection
        self._clock = clock
        self._mutex = threading.RLock()

    def append(self, change: str, device: str, step: str, data: Mapping[str, Any] | None = None) -> None:
        """Write one entry; it is on disk when this returns."""
        self.append_all(change, (Note(device, step, data or {}),))

    def append_all(self, change: str, notes: Iterable[Note], states: Mapping[str, bytes] | None = None) -> None:
        """Write entries, and the trees they name by digest, all or none; they are on disk when this returns.

        Args:
            change: change they belong to.
            notes: the entries.
            states: trees as canonical JSON (`masking.masked_text`), by the digest that `state_key` gives them.
        """
        at = stamp(self._clock)
        blobs = [(key, zlib.compress(text, _LEVEL)) for key, text in (states or {}).items()]
        with self.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO states VALUES (?, ?)", blobs)
            row = connection.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
            prev = row[1] if row else ""
            # The next number ever given, not the next after what is there: entries cut off leave a gap.
            last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
            seq = last[0] if last else 0
            for note in notes:
                seq, data = seq + 1, masked_text(note.data).decode()
                mark = _hash(seq, at, change, note.device, note.step, data, prev)
                connection.execute(
                    "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (seq, at, change, note.device, note.step, data, prev, mark),
                )
                prev = mark

    def state(self, key: str) -> dict[str, Any]:
        """The tree kept under a digest.

        Raises:
            JournalError: there is none, or it does not match its digest.
        """
        with self._reading() as connection:
            row = connection.execute("SELECT body FROM states WHERE digest = ?", (key,)).fetchone()
        if row is None:
            raise JournalError(f"{self.file} - state {key[:12]} is not in it")
        problem = _state_problem(key, row[0])
        if problem:
            raise JournalError(f"{self.file} - {problem}")
        body: dict[str, Any] = parse(zlib.decompress(row[0]))
        return body

    def entries(self, change: str = "", *, steps: Sequence[str] = ()) -> list[Entry]:
        """Entries in order, of one change or of all, of some steps or of all."""
        terms, values = ["1"], list[str]()
        if change:
            terms.append("change = ?")
            values.append(change)
        if steps:
            terms.append(f"step IN ({', '.join('?' * len(steps))})")
            values.extend(steps)
        query = f"SELECT * FROM entries WHERE {' AND '.join(terms)} ORDER BY seq"  # noqa: S608 - only '?' marks
        with self._reading() as connection:
            rows = connection.execute(query, values).fetchall()
        return [self._entry(row) for row in rows]

    def verify(self) -> Verification:
        """Walk the whole chain and every kept tree."""
        count, prev = 0, ""
        with self._reading() as connection:
            for row in connection.execute("SELECT * FROM entries ORDER BY seq"):
                seq, at, change, device, step, data, before, mark = row
                if seq != count + 1:
                    return Verification(count, prev, f"entry {count + 1} is missing")
                if before != prev:
                    return Verification(count, prev, f"entry {seq} does not follow from the one before it")
                if mark != _hash(seq, at, change, device, step, data, prev):
                    return Verification(count, prev, f"entry {seq} was altered")
                count, prev = seq, mark
            written = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
            if written and written[0] != count:
                return Verification(
                    count, prev, f"entries after {count} were cut off (up to {written[0]} were written)"
                )
            for key, blob in connection.execute("SELECT digest, body FROM states ORDER BY digest"):
                problem = _state_problem(key, blob)
                if problem:
                    return Verification(count, prev, problem)
        return Verification(count, prev, "")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Exclusive right to write; all of it is on disk afterwards, or none."""
        with self._mutex, self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the file is gone or full: the transaction died with it
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file. Closing twice is allowed."""
        with self._mutex:
            self._connection.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._mutex, self._translated():
            yield self._connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explain(self.file, error) from error

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        seq, at, change, device, step, data, prev, mark = row
        try:
            found = parse(data)
        except Bad as error:
            raise JournalError(f"{self.file} - entry {seq} cannot be read: {error}") from None
        return Entry(seq, at, change, device, step, found if isinstance(found, dict) else {}, prev, mark)


def open_journal(file: Path, clock: Clock, *, create: bool = True) -> Journal:
    """Open a journal, making it when there is none.

    Args:
        file: where it lies.
        clock: gives the time of each entry.
        create: False for commands that only read.

    Raises:
        JournalError: there is none and `create` is False; or the file is empty, damaged, cut off, written by a newer
            program or no journal at all. Such a file is left as it is.
    """
    if not os.path.lexists(file):
        if not create:
            raise JournalError(f"{file} - no journal: nothing was changed from here yet")
        _create(file)
    _check_head(file)
    connection = _connect(file)
    try:
        _check_content(file, connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        connection.close()
        raise _explain(file, error) from error
    except JournalError:
        connection.close()
        raise
    return Journal(file, connection, clock)


def state_key(text: bytes) -> str:
    """The digest under which a tree is kept, by its canonical JSON."""
    return hashlib.sha256(text).hexdigest()


def _connect(file: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=_BUSY_MS / 1000)
    except sqlite3.Error as error:
        raise _explain(file, error) from error
    return connection


def _create(file: Path) -> None:
    """Make an empty journal under another name and link it: a kill leaves no half-made journal behind."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary.unlink(missing_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(temporary, isolation_level=None)
        try:
            connection.executescript(_SCHEMA)
        finally:
            connection.close()
        with suppress(FileExistsError):  # another process made it meanwhile: use that one
            os.link(temporary, file)
        sync_directory(file.parent)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"{file} - cannot be made: {error}", hint="check the folder given by --state") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _check_head(file: Path) -> None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise JournalError(f"{file} - cannot be read: not a regular file; it was left as it is", hint=_HINT)
        with file.open("rb") as stream:
            head = stream.read(16)
    except OSError as error:
        raise JournalError(f"{file} - cannot be read: {error.strerror or error}") from error
    if head != b"SQLite format 3\x00":
        what = "it is empty" if not head else "it is no SQLite file"
        raise JournalError(f"{file} - not a journal: {what}; it was left as it is", hint=_HINT)


def _check_content(file: Path, connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise JournalError(f"{file} - not a journal: another program's database; it was left as it is", hint=_HINT)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != _VERSION:
        raise JournalError(f"{file} - journal version - expected {_VERSION}, actual {version}", hint="update intent")
    problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise JournalError(f"{file} - damaged: {str(problem).splitlines()[-1]}; it was left as it is", hint=_HINT)


_HINT = "move the file away to begin a new journal, or restore it from a backup"


def _explain(file: Path, error: sqlite3.Error) -> JournalError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return JournalError(
            f"{file} - another process holds the journal for more than {_BUSY_MS // 1000} s", exit_code=ExitCode.LOCKED
        )
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in text:
        return JournalError(f"{file} - the journal is closed")
    if "full" in text or "readonly" in text:
        return JournalError(f"{file} - cannot be written: {text}", hint="no device is touched without it")
    return JournalError(f"{file} - damaged or unusable: {text}; it was left as it is", hint=_HINT)


def _hash(*parts: Any) -> str:
    return hashlib.sha256(canonical(list(parts)).encode()).hexdigest()


def _state_problem(key: str, blob: bytes) -> str:
    """Why a kept tree is not what its digest says, in words; empty when it is."""
    try:
        inflater = zlib.decompressobj()
        content = inflater.decompress(blob, _MAX_STATE_BYTES)
    except (zlib.error, TypeError):
        return f"state {str(key)[:12]} is damaged"
    if not inflater.eof or hashlib.sha256(content).hexdigest() != key:
        return f"state {str(key)[:12]} was altered"
    return ""
