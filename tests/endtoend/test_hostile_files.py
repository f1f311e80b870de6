"""Plans, journals and workspaces that are broken, huge, foreign or hostile: one clear line, and nothing is touched."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import Said, intent, workspace
from endtoend import ALL, LEAVES, Room, no_trace

from intent.core.exitcode import ExitCode


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room.make(tmp_path_factory.mktemp("files") / "w").up()
    assert room.plan().code == ExitCode.OK
    assert room.apply().code == ExitCode.OK
    room.by_hand(1500, *LEAVES)
    assert room.plan("--out", room.folder / "good.plan").code == ExitCode.OK
    yield room
    room.down()


def refused(room: Room, said: Said, before: int, *words: str) -> None:
    assert said.code == ExitCode.ERROR, said.out + said.err
    assert len(said.err) < 4000
    assert "\x1b" not in said.err
    for word in words:
        assert word in said.err, said.err
    assert room.writes() == before


def edited(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def make(content: bytes) -> bytes:
        body = json.loads(content)
        change(body)
        return json.dumps(body).encode()

    return make


BAD_PLANS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda content: content[: len(content) // 2],
    "not utf-8": lambda content: content.replace(b"small", b"sm\xffll", 1),
    "no object": lambda _: b"[]",
    "null": lambda _: b"null",
    "deep": lambda _: b"[" * 200_000,
    "deep objects": lambda _: b'{"a":' * 100_000,
    "huge number": lambda _: b'{"schema_version": ' + b"9" * 10_000 + b"}",
    "nan": lambda _: b'{"schema_version": NaN}',
    "twice": lambda content: content.replace(b'"kind"', b'"kind": "apply", "kind"', 1),
    "version": edited(lambda body: body.update(schema_version=99)),
    "field": edited(lambda body: body.update(evil=True)),
    "digest": edited(lambda body: body.update(digest="0" * 64)),
    "address": edited(lambda body: body["devices"][0].update(address="203.0.113.9")),  # type: ignore[index]
    "limits": edited(lambda body: body["strategy"].update(max_failures=99)),  # type: ignore[attr-defined]
    "escape": edited(lambda body: body.update(intent="\x1b[2J\x07evil")),
    "zip bomb": edited(lambda body: body["devices"][0].update(content=_bomb())),  # type: ignore[index]
}


def _bomb() -> str:
    import base64
    import zlib

    squeeze = zlib.compressobj(9)
    parts = [squeeze.compress(b" " * 2**20) for _ in range(200)]
    return base64.b64encode(b"".join(parts) + squeeze.flush()).decode()


@pytest.mark.parametrize("kind", BAD_PLANS)
def test_a_broken_plan_is_refused(lab: Room, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "bad.plan"
    file.write_bytes(BAD_PLANS[kind]((lab.folder / "good.plan").read_bytes()))
    before, begun = lab.writes(), time.process_time()
    refused(lab, lab.apply(file), before, "bad.plan")
    assert time.process_time() - begun < 5


def test_any_single_damaged_byte_of_a_plan_is_noticed(lab: Room, tmp_path: Path) -> None:
    """What can be changed without notice is white space between values, which says nothing."""
    content = bytearray((lab.folder / "good.plan").read_bytes())
    chance, before, file = random.Random(7), lab.writes(), tmp_path / "one.plan"
    for _ in range(12):
        at = chance.choice([at for at in (chance.randrange(len(content)) for _ in range(50)) if content[at] > 32])
        damaged = bytearray(content)
        damaged[at] ^= 1
        file.write_bytes(damaged)
        refused(lab, lab.apply(file), before, "one.plan")


def test_odd_things_in_the_place_of_a_plan(lab: Room, tmp_path: Path) -> None:
    before = lab.writes()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for odd in (
        tmp_path,
        tmp_path / "none",
        tmp_path / "fifo",
        tmp_path / "loop",
        Path("/dev/zero"),
        Path("/dev/null"),
    ):
        refused(lab, lab.apply(odd), before)


def test_a_plan_of_another_site_and_of_another_intent(lab: Room, tmp_path: Path) -> None:
    good = (lab.folder / "intent.yaml").read_text(encoding="utf-8")
    before = lab.writes()
    for old, new in (("name: small", "name: other"), ("  lab1:", "  lab2:")):
        foreign = tmp_path / new.strip(" :").replace(" ", "")
        foreign.mkdir()
        (foreign / "intent.yaml").write_text(good.replace(old, new, 1), encoding="utf-8")
        said = intent(
            "apply", lab.folder / "good.plan", "--lab", "--yes", "-C", foreign, "--state", lab.folder / ".intent"
        )
        assert no_trace(said.err)
        refused(lab, said, before, "plan is for")


def test_the_good_plan_still_works_at_the_end_and_only_once(lab: Room) -> None:
    plan = lab.folder / "good.plan"
    assert lab.apply(plan).code == ExitCode.OK
    before = lab.writes()
    again = lab.apply(plan)
    assert again.code == ExitCode.OK, "every device holds it already"
    lab.by_hand(1777, LEAVES[0])
    assert lab.apply(plan).code == ExitCode.STALE
    assert lab.writes() == before
    assert lab.plan().code == ExitCode.OK
    assert lab.apply().code == ExitCode.OK


def _foreign_database(file: Path) -> None:
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE entries (a)")


BAD_JOURNALS: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("journal of my holidays\n" * 100, encoding="utf-8"),
    "foreign": lambda file: (file.unlink(), _foreign_database(file)),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:5000]),
    "zeros": lambda file: file.write_bytes(file.read_bytes()[:4096] + bytes(60_000)),
    "folder": lambda file: (file.unlink(), file.mkdir()),
    "loop": lambda file: (file.unlink(), file.symlink_to(file.name)),
    "fifo": lambda file: (file.unlink(), os.mkfifo(file)),
}


@pytest.mark.parametrize("kind", BAD_JOURNALS)
def test_no_device_is_touched_without_a_sound_journal(lab: Room, kind: str) -> None:
    lab.by_hand(1501, *ALL)
    assert lab.plan().code == ExitCode.OK
    file, kept = lab.journal, lab.folder / "journal.kept"
    for extra in ("-wal", "-shm"):
        Path(f"{file}{extra}").unlink(missing_ok=True)
    shutil.copy(file, kept)
    BAD_JOURNALS[kind](file)
    before = lab.writes()
    try:
        for command in (("apply", "--lab", "--yes"), ("history",), ("plan", "--lab")):
            said = lab.run(*command)
            refused(lab, said, before, "journal")
    finally:
        if file.is_dir() and not file.is_symlink():
            file.rmdir()
        else:
            file.unlink()
        for extra in ("-wal", "-shm"):
            Path(f"{file}{extra}").unlink(missing_ok=True)
        shutil.move(kept, file)
    assert lab.apply().code == ExitCode.OK


def test_an_altered_journal_is_told_by_history_check(lab: Room) -> None:
    copy = lab.folder / "state2"
    shutil.copytree(lab.folder / ".intent", copy, ignore=shutil.ignore_patterns("lab"))
    with sqlite3.connect(copy / "journal.sqlite3") as book:
        book.execute("UPDATE entries SET data = replace(data, 'confirmed', 'reverted ') WHERE step = 'device.result'")
    said = lab.run("history", "--check", "--state", copy)
    assert said.code != ExitCode.OK
    assert "altered" in said.out + said.err


BAD_LABS: dict[str, bytes] = {
    "empty": b"",
    "list": b"[]",
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "fields": b'{"version": 1, "pid": "x", "switches": {"a": {}}}',
    "numbers": b'{"version":1,"pid":1e400,"ca":"x","username":"u","password":"p",'
    b'"control":{"url":"u","token":"t"},"switches":{}}',
}


@pytest.mark.parametrize("kind", BAD_LABS)
def test_a_broken_state_file_of_a_lab(tmp_path: Path, kind: str) -> None:
    folder = workspace(tmp_path / "w")
    file = folder / ".intent" / "lab" / "lab.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(BAD_LABS[kind])
    for command in (("plan", "--lab"), ("verify", "--lab"), ("drift", "--lab"), ("lab", "status")):
        said = intent(*command, "-C", folder)
        assert said.code not in (ExitCode.OK, ExitCode.CHANGES), command
        assert no_trace(said.err), (command, said.err)


def test_a_state_file_must_not_lead_the_stop_order_to_a_stranger(tmp_path: Path) -> None:
    """A state file that names somebody else's process: `lab down` kills nobody."""
    folder = workspace(tmp_path / "w")
    file = folder / ".intent" / "lab" / "lab.json"
    file.parent.mkdir(parents=True)
    body = {"version": 1, "pid": os.getpid(), "ca": "x", "username": "u", "password": "p", "switches": {}}
    file.write_text(json.dumps({**body, "control": {"url": "http://127.0.0.1:1", "token": "t"}}), encoding="utf-8")
    assert intent("lab", "down", "-C", folder).code == ExitCode.OK
    assert os.getpid() > 0


def odd_entry(folder: Path, make: Callable[[Path], object]) -> Said:
    said = intent("lint", "-C", folder)
    assert said.code == ExitCode.OK
    make(folder)
    return intent("lint", "-C", folder)


def test_fifos_loops_and_folders_in_the_place_of_files(tmp_path: Path) -> None:
    """Nothing hangs, nothing is followed out of the workspace, and every answer has a name in it."""

    def replace(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
        def act(folder: Path) -> None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            make(path)

        return act

    secret = tmp_path / "outside.yaml"
    secret.write_text("root:x:0:0", encoding="utf-8")
    kinds: dict[str, Callable[[Path], object]] = {
        "fifo": os.mkfifo,
        "loop": lambda path: path.symlink_to(path.name),
        "folder": lambda path: path.mkdir(),
        "outside": lambda path: path.symlink_to(secret),
        "empty": lambda path: path.write_bytes(b""),
        "binary": lambda path: path.write_bytes(bytes(range(256)) * 10),
        "line": lambda path: path.write_bytes(b"x" * 5_000_000),
        "utf-16": lambda path: path.write_bytes("version: 1\n".encode("utf-16")),
    }
    for number, name in enumerate(("intent.yaml", "sites/lab1.lock", "inventory/nodes.csv")):
        for kind, make in kinds.items():
            folder = workspace(tmp_path / f"{number}-{kind}")
            begun = time.monotonic()
            replace(name, make)(folder)
            command = ("lint",) if name != "inventory/nodes.csv" else ("hosts", "plan")
            said = intent(*command, "-C", folder)
            assert no_trace(said.out + said.err), (name, kind, said)
            assert time.monotonic() - begun < 20, (name, kind)
            assert "root:x" not in said.out + said.err, (name, kind)
            if name != "inventory/nodes.csv":
                assert said.code != ExitCode.OK, (name, kind, said)
                assert Path(name).name in said.out + said.err, (name, kind, said)


def test_a_tree_of_many_files_and_odd_names(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "w")
    deep = folder / "data"
    deep.mkdir()
    for number in range(20_500):
        (deep / f"f{number}.txt").touch()
    (Path(os.fsdecode(os.fsencode(folder) + b"/data/\xff\xfe.yaml"))).touch()
    begun = time.monotonic()
    said = intent("lint", "-C", folder)
    assert said.code == ExitCode.OK, said
    assert time.monotonic() - begun < 10
    text = (folder / "intent.yaml").read_text(encoding="utf-8") + "include: ['**/*.yaml']\n"
    (folder / "intent.yaml").write_text(text, encoding="utf-8")
    said = intent("lint", "-C", folder)
    assert no_trace(said.out + said.err), said


def test_a_template_and_a_playbook_of_the_workspace_cannot_reach_the_interpreter(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "w")
    (folder / "templates").mkdir()
    for source in (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for a in range(10**9) %}{% for b in range(10**9) %}x{% endfor %}{% endfor %}",
        "{{ missing.name }}",
        "{% include '../../../etc/passwd' %}",
        "{% if %}",
    ):
        for name in ("ztp.sh.j2", "report.html.j2"):
            (folder / "templates" / name).write_text(source, encoding="utf-8")
        begun = time.monotonic()
        said = intent("export", "ztp", "--url", "http://10.1.0.1/ztp", "-C", folder, "-o", tmp_path / "ztp")
        assert no_trace(said.out + said.err), (source, said)
        assert time.monotonic() - begun < 30, source
        assert "root:" not in said.out
