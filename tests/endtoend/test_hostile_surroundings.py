"""Outputs that cannot be written, folders that are not ours, terminals that cannot show a letter."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import intent, workspace
from endtoend import ALL, LEAVES, Room, no_trace, outcome, start

from intent.core.exitcode import ExitCode


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room.make(tmp_path_factory.mktemp("surroundings") / "w").up()
    assert room.plan().code == ExitCode.OK
    assert room.apply().code == ExitCode.OK
    yield room
    room.down()


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_compile_never_replaces_a_folder_that_is_not_its_own(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "w")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("three years", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "home")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for target in ("home", "link", "file"):
        before = everything(tmp_path)
        said = intent("compile", "-C", folder, "-o", tmp_path / target)
        assert said.code == ExitCode.ERROR, said.out
        assert no_trace(said.err)
        assert everything(tmp_path) == before
    said = intent("compile", "-C", folder, "-o", folder)
    assert said.code == ExitCode.ERROR
    assert (folder / "intent.yaml").exists()
    (tmp_path / "new").mkdir()
    for _ in range(2):
        assert intent("compile", "-C", folder, "-o", tmp_path / "new").code == ExitCode.OK
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "home", "link", "new", "w"]


@pytest.mark.parametrize("command", [("show", "links"), ("schema",), ("plan", "--lab", "--json"), ("lint",)])
def test_a_full_standard_output_is_an_error_not_green(lab: Room, command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        more = () if command == ("schema",) else ("-C", str(lab.folder))
        done = subprocess.run(
            [sys.executable, "-m", "intent.cli.main", *command, *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == ExitCode.ERROR, done.stderr
    assert no_trace(done.stderr)
    assert "No space left" in done.stderr


def test_a_reader_that_went_away_does_not_make_an_apply_green(lab: Room) -> None:
    lab.by_hand(1500, *ALL)
    assert lab.plan().code == ExitCode.OK
    lab.fault("apply-fail", LEAVES[0])
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "intent.cli.main", "apply", "--lab", "--yes", "-C", str(lab.folder)],
        stdout=writing,
        stderr=writing,
    )
    os.close(writing)
    os.close(reading)
    assert process.wait(60) != ExitCode.OK
    lab.calm(LEAVES[0])
    assert lab.changes()[0]["ended"], "the change went on without its display"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_few_letters(lab: Room, encoding: str) -> None:
    for command in (("plan", "--lab"), ("show", "links"), ("history",), ("--help",)):
        more = () if command == ("--help",) else ("-C", lab.folder)
        said = outcome(start(*command, *more, env={"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}))
        assert said.code == ExitCode.OK, said.err
        assert no_trace(said.err)


@pytest.mark.parametrize(
    "command",
    [("apply", "--lab", "--yes", "--report"), ("plan", "--lab", "--out"), ("verify", "--lab", "--save")],
)
def test_an_output_that_cannot_be_written_is_told_before_any_device_is_spoken_to(
    lab: Room, tmp_path: Path, command: tuple[str, ...]
) -> None:
    lab.by_hand(1501, *ALL)
    assert lab.plan().code == ExitCode.OK
    before, changes = lab.writes(), len(lab.changes())
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place in (tmp_path / "file" / "below", tmp_path, Path("/proc/none")):
        said = lab.run(*command, place)
        assert said.code == ExitCode.ERROR, said
        assert f"{place}: cannot be written" in said.err
        assert "reading devices" not in said.err
    assert (lab.writes(), len(lab.changes())) == (before, changes)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_state_folder_that_cannot_be_written(lab: Room, tmp_path: Path) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file stands where a folder should be", encoding="utf-8")
    before = lab.writes()
    for command in (("plan", "--lab"), ("apply", "--lab", "--yes"), ("history",), ("lab", "status"), ("lab", "down")):
        said = lab.run(*command, "--state", blocked)
        assert said.code != ExitCode.OK or "no lab" in said.out, (command, said)
    assert lab.writes() == before
    assert blocked.read_text(encoding="utf-8").startswith("a file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_a_read_only_state_folder(lab: Room) -> None:
    state = lab.folder / ".intent"
    before = lab.writes()
    state.chmod(0o500)
    try:
        assert lab.plan().code == ExitCode.ERROR
        assert lab.apply().code == ExitCode.ERROR
    finally:
        state.chmod(0o700)
    assert lab.writes() == before


def test_a_disk_that_is_full_stops_before_the_device_is_called(lab: Room) -> None:
    """RLIMIT_FSIZE stands in for a full disk: the journal cannot grow, so nothing is written to any device."""
    lab.by_hand(1502, *ALL)
    assert lab.plan().code == ExitCode.OK
    held, before = lab.held(), lab.writes()
    size = 8192  # two pages of what the journal writes ahead
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        "from intent.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "apply", "--lab", "--yes", "-C", str(lab.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert no_trace(done.stderr + done.stdout), done.stderr
    assert done.returncode == ExitCode.ERROR, done.stderr
    assert "journal" in done.stderr
    lab.settled()
    assert lab.writes() == before
    assert lab.held() == held
    assert lab.apply().code == ExitCode.OK, "with room again, everything goes on"


@pytest.mark.nightly
@pytest.mark.parametrize("room_bytes", range(4096, 400_000, 24_000))
def test_a_disk_that_fills_up_in_the_middle(lab: Room, room_bytes: int) -> None:
    """The journal dies at any moment of a change: every device ends old or new, and the next run settles it."""
    assert lab.plan().code == ExitCode.OK
    assert lab.apply().code == ExitCode.OK
    new = lab.held()
    lab.by_hand(1500 + room_bytes % 3000, *ALL)
    old = lab.held()
    assert lab.plan().code == ExitCode.OK
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2);"
        "from intent.cli.main import run; sys.exit(run(sys.argv[2:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(room_bytes), "apply", "--lab", "--yes", "-C", str(lab.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert no_trace(done.stderr + done.stdout), done.stderr
    lab.settled()
    for name, text in lab.held().items():
        assert text in (old[name], new[name])
    assert lab.plan().code == ExitCode.OK
    assert lab.apply().code == ExitCode.OK
    assert lab.held() == new
