"""The journal: chain, damage, foreign files, concurrency, a process killed while it writes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fake_change_devices import FakeClock

from intent.change.control import SystemClock
from intent.change.journal import JournalError, Note, open_journal, state_key
from intent.change.masking import masked_text
from intent.core.exitcode import ExitCode


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"


def filled(file: Path, count: int = 5) -> None:
    with open_journal(file, FakeClock()) as journal:
        text = masked_text({"port": {"p1": {"mtu": 1500}}})
        journal.append_all("c1", [Note("", "change.begin", {"n": 0})], {state_key(text): text})
        for at in range(1, count):
            journal.append("c1", f"leaf{at}", "device.submit", {"n": at})


def edit(file: Path, sql: str) -> None:
    connection = sqlite3.connect(file)
    connection.execute(sql)
    connection.commit()
    connection.close()


def test_entries_come_back_in_order_and_survive_reopening(file: Path) -> None:
    filled(file)
    with open_journal(file, FakeClock(), create=False) as journal:
        entries = journal.entries("c1")
        assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
        assert [entry.data["n"] for entry in entries] == [0, 1, 2, 3, 4]
        assert entries[0].at == "2026-11-30T22:00:00.000Z"
        assert [e.prev for e in entries[1:]] == [e.hash for e in entries[:-1]]
        assert journal.verify().holds
        assert journal.verify().head == entries[-1].hash
        assert journal.entries(steps=("change.begin",)) == entries[:1]
        assert journal.state(state_key(b'{"port":{"p1":{"mtu":1500}}}')) == {"port": {"p1": {"mtu": 1500}}}
        with pytest.raises(JournalError, match="is not in it"):
            journal.state("0" * 64)
    assert file.stat().st_mode & 0o077 == 0


def test_writing_on_after_the_end_was_cut_off_does_not_hide_it(file: Path) -> None:
    filled(file)
    edit(file, "DELETE FROM entries WHERE seq > 3")
    with open_journal(file, FakeClock()) as journal:
        journal.append("c2", "leaf1", "x")
        assert journal.verify().problem == "entry 4 is missing"


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE entries SET data = '{\"n\":9}' WHERE seq = 3", "entry 3 was altered"),
        ("UPDATE entries SET at = '2020' WHERE seq = 3", "entry 3 was altered"),
        ("DELETE FROM entries WHERE seq = 3", "entry 3 is missing"),
        ("DELETE FROM entries WHERE seq = 5", "entries after 4 were cut off"),
        ("DELETE FROM entries", "entries after 0 were cut off"),
        ("UPDATE entries SET prev = hash WHERE seq = 2", "entry 2 does not follow"),
        ("UPDATE states SET body = x'ffff'", "is damaged"),
        ("UPDATE states SET digest = 'aa'", "was altered"),
    ],
)
def test_every_alteration_is_found(file: Path, sql: str, words: str) -> None:
    filled(file)
    edit(file, sql)
    with open_journal(file, FakeClock()) as journal:
        found = journal.verify()
    assert not found.holds
    assert words in found.problem


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x00" * 4096, b"SQLite format 3\x00", b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_no_journal_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "journal.db"
    file.write_bytes(content)
    with pytest.raises(JournalError, match="left as it is"):
        open_journal(file, FakeClock())
    assert file.read_bytes() == content


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE entries (a)")
    connection.commit()
    connection.close()
    content = file.read_bytes()
    with pytest.raises(JournalError, match="another program"):
        open_journal(file, FakeClock())
    assert file.read_bytes() == content


def test_a_newer_journal_is_refused(file: Path) -> None:
    filled(file)
    edit(file, "PRAGMA user_version = 99")
    with pytest.raises(JournalError, match="expected 1, actual 99"):
        open_journal(file, FakeClock())


def test_a_truncated_journal_is_refused(file: Path) -> None:
    filled(file, 400)
    os.truncate(file, file.stat().st_size // 2)
    content = file.read_bytes()
    with pytest.raises(JournalError, match="damaged"):
        open_journal(file, FakeClock())
    assert file.read_bytes() == content


def test_a_folder_and_a_missing_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="nothing was changed from here yet"):
        open_journal(tmp_path / "none.db", FakeClock(), create=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(JournalError, match="cannot be read"):
        open_journal(tmp_path, FakeClock())


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(JournalError, match="cannot be made"):
        open_journal(tmp_path / "file" / "journal.db", FakeClock())


def test_secrets_are_masked_before_they_are_written(file: Path) -> None:
    with open_journal(file, FakeClock()) as journal:
        journal.append("c1", "leaf1", "x", {"user": {"ada": {"hashed-password": "$6$canary"}}, "password": "canary2"})
        assert journal.entries()[0].data == {"user": {"ada": {"hashed-password": "(secret)"}}, "password": "(secret)"}
    assert all(b"canary" not in item.read_bytes() for item in file.parent.iterdir())


def test_a_failed_transaction_leaves_nothing(file: Path) -> None:
    with open_journal(file, FakeClock()) as journal:
        with pytest.raises(TypeError):
            journal.append_all("c1", [Note("a", "x", {}), Note("b", "x", {"bad": object()})])
        assert journal.entries() == []
        journal.append("c1", "a", "x")
        assert journal.verify().holds


def test_many_threads_and_two_journals_on_one_file_keep_one_chain(file: Path) -> None:
    def write(journal: object, name: str) -> None:
        for at in range(20):
            journal.append("c1", name, "x", {"n": at})  # type: ignore[attr-defined]

    with open_journal(file, SystemClock()) as one, open_journal(file, SystemClock()) as two:
        threads = [threading.Thread(target=write, args=(j, f"d{n}")) for n, j in enumerate((one, two, one, two))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = one.verify()
    assert (found.entries, found.problem) == (80, "")


def test_a_journal_held_by_another_process_is_locked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intent.change.journal._BUSY_MS", 10)
    filled(file)
    other = sqlite3.connect(file, isolation_level=None)
    with open_journal(file, FakeClock()) as journal:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="another process holds") as held:
            journal.append("c1", "a", "x")
        other.close()
        assert held.value.exit_code is ExitCode.LOCKED


_WRITER = """
import sys
from pathlib import Path
from intent.change.control import SystemClock
from intent.change.journal import open_journal
journal = open_journal(Path(sys.argv[1]), SystemClock())
n = 0
while True:
    n += 1
    journal.append("c1", "leaf1", "x", {"n": n})
    print(n, flush=True)
"""


def test_a_killed_writer_leaves_every_entry_it_reported(file: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(file)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    reported = 0
    while reported < 25:
        reported = int(writer.stdout.readline())
    writer.kill()
    rest = writer.stdout.read().split()
    writer.wait()
    reported = int(rest[-1]) if rest else reported
    with open_journal(file, SystemClock()) as journal:
        found = journal.verify()
        numbers = [entry.data["n"] for entry in journal.entries("c1")]
    assert found.holds
    assert numbers == list(range(1, len(numbers) + 1))
    assert reported <= len(numbers) <= reported + 1
