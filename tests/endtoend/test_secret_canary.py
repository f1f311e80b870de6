"""A secret with a mark in it goes the whole path; the mark is found nowhere but on the switches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Said, intent
from endtoend import ALL, LEAVES, QUICK, Room, no_trace, outcome

from intent.core.exitcode import ExitCode

MARK = "cAnaRy0123456789"
HASH = f"$6${MARK[:16]}$" + (MARK * 6)[:86]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    made = Room.make(tmp_path_factory.mktemp("canary") / "w")
    (made.folder / "inventory").mkdir()
    (made.folder / "inventory" / "secrets.yaml").write_text("cumulus_hash: env:CUMULUS_HASH\n", encoding="utf-8")
    made.up()
    yield made
    made.down()


class Watch:
    """Runs commands as processes of their own, with the secret in their environment, and looks at all they leave."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def run(self, *words: object, within_s: float = 60) -> Said:
        said = outcome(self.room.start(*words, env={"CUMULUS_HASH": HASH}), within_s)
        assert no_trace(said.out + said.err), said
        assert MARK not in said.out + said.err, words
        self.search()
        return said

    def search(self) -> None:
        """No file of the workspace holds the mark, plain or packed."""
        for path in self.room.folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                assert MARK.encode() not in path.read_bytes(), path
        from intent.change.control import SystemClock
        from intent.change.journal import open_journal

        if self.room.journal.exists():
            with open_journal(self.room.journal, SystemClock(), create=False) as book:
                for entry in book.entries():
                    assert MARK not in json.dumps(entry.data), entry.step
                    for key in ("wanted", "before", "live"):
                        named = entry.data.get(key)
                        digest = named if isinstance(named, str) else ""
                        if len(digest) == 64:
                            try:
                                assert MARK not in json.dumps(book.state(digest))
                            except Exception as error:  # not every digest names a kept tree
                                assert "is not in it" in str(error)


def test_the_mark_stays_on_the_switches(room: Room) -> None:
    watch = Watch(room)
    watch.run("lint")
    watch.run("compile", "-o", room.folder / "out")
    assert watch.run("plan", "--lab", "--json").code == ExitCode.OK
    applied = watch.run("apply", "--lab", "--yes", "--report", room.folder / "report.html")
    assert applied.code == ExitCode.OK, applied
    for words in (("verify", "--lab", "--json"), ("drift", "--lab", "--json"), ("history", "--json"),
                  ("show", "devices"), ("why", LEAVES[0])):  # fmt: skip
        watch.run(*words)


def test_failures_do_not_tell_it_either(room: Room) -> None:
    watch = Watch(room)
    room.by_hand(1500, *ALL)
    watch.run("plan", "--lab")
    room.fault("apply-fail", LEAVES[0])
    assert watch.run("apply", "--lab", "--yes", "--json").code != ExitCode.OK
    room.calm()
    room.fault("unreachable", LEAVES[0])
    watch.run("drift", "--lab")
    room.calm()


def test_a_secret_put_on_the_switch_by_hand_is_masked_in_drift_and_plan(room: Room) -> None:
    watch = Watch(room)
    room.by_hand(HASH, LEAVES[1], path="system.aaa.user.cumulus.hashed-password")
    for words in (("drift", "--lab"), ("drift", "--lab", "--json"), ("plan", "--lab"), ("plan", "--lab", "--json")):
        watch.run(*words)


def test_a_check_that_throws_a_secret_does_not_print_it(room: Room) -> None:
    folder = room.folder / "validators"
    folder.mkdir()
    (folder / "leaky.py").write_text(
        "import os\nfrom intent.verify.api import check\n\n\n"
        '@check("leaky", title="Leaky", subject="mine", parts=("system",))\n'
        "def leaky(context):\n"
        "    raise RuntimeError('password is ' + os.environ['CUMULUS_HASH'])\n"
        "    yield\n",
        encoding="utf-8",
    )
    said = outcome(room.start("verify", "--lab", env={"CUMULUS_HASH": HASH}))
    (folder / "leaky.py").unlink()
    folder.rmdir()
    assert said.code in (ExitCode.FINDINGS, ExitCode.UNKNOWN), said
    assert no_trace(said.out + said.err)
    assert MARK not in said.out + said.err


def test_a_secret_written_into_the_intent_is_refused_without_being_repeated(tmp_path: Path) -> None:
    text = QUICK.replace("NAME", "x").replace("FAILURES", "0").replace("{secret: cumulus_hash}", f"'{HASH}'")
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "intent.yaml").write_text(text, encoding="utf-8")
    for words in (("lint",), ("compile",), ("lint", "--format", "json")):
        said = intent(*words, "-C", folder)
        assert said.code != ExitCode.OK
        assert MARK not in said.out + said.err, said
