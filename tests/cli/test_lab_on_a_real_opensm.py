"""`intent lab up --engine opensm`: tenants reach the ports of a simulated fabric, and the canary sees it fall open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_console import files
from endtoend import Room, wait_until
from ib_site import OPENSM, SPINES, guid, guids_csv, site_text, workspace
from opensm_bench import missing

from intent.lab.subnet import programs

needs_opensm = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
# The file the README shows, which OpenSM takes and opens the fabric.
README = Path(__file__).parents[2] / "README.md"
FELL_OPEN = files(README.read_text(encoding="utf-8"))["../partitions.conf"]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(workspace(tmp_path))
    yield made
    made.down()


def verdicts(room: Room) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and verdict with what is said of it by check of the UFM."""
    said = room.run("verify", "--lab", "--format", "json")
    found = json.loads(said.out)
    rows = found["results"] if isinstance(found, dict) else found
    return said.code, {row["check"]: (row["verdict"], json.dumps(row)) for row in rows if row["device"] == "q-ufm"}


def roles(room: Room) -> dict[str, str]:
    """Role of each subnet manager by its host."""
    rows = json.loads(room.run("lab", "status", "--json").out)["lab"]
    return {row["name"]: row["role"] for row in rows if row["kind"] == "opensm"}


@needs_opensm
def test_a_change_is_read_from_the_ports_and_what_is_pushed_by_hand_is_caught(room: Room, tmp_path: Path) -> None:
    room.up("--engine", "opensm")
    status = room.run("lab", "status", "--json")
    row, *nodes = json.loads(status.out)["lab"]
    assert row["name"] == "q-ufm"
    assert row["engine"] == "updn (stand-in for ar_updn)"
    assert row["links"] == "4xHDR (stand-in for faster ones)"
    assert [(node["name"], node["role"], node["asked"]) for node in nodes] == [
        ("u1", "master", "ar_updn"), ("u2", "standby", "ar_updn"),
    ]  # fmt: skip
    assert room.plan().code == 0
    done = room.apply()
    assert done.code == 0, done.out + done.err
    code, seen = verdicts(room)
    assert code == 0, seen
    judged = {name for name, (verdict, _) in seen.items() if verdict == "pass"}
    assert {"partitions-canary", "partitions-tables", "sm-roles"} <= judged
    assert seen["sm-routing"][0] == seen["ib-links"][0] == "skipped"
    assert "updn stands in for it" in seen["sm-routing"][1]
    bad = tmp_path / "bad.conf"
    bad.write_text(FELL_OPEN, encoding="ascii")
    assert room.run("lint", bad).code != 0
    pushed = room.run("lab", "fault", "partitions-by-hand", "q-ufm", f"file={bad}")
    assert pushed.code == 0, pushed.err
    code, seen = verdicts(room)
    assert code == 3
    assert seen["partitions-canary"][0] == "fail"
    assert "the fabric fell open" in seen["partitions-canary"][1]
    assert guid("n1", 1) in seen["partitions-canary"][1]
    assert room.run("lab", "fault", "clear", "q-ufm").code == 0
    assert verdicts(room)[0] == 0

    assert room.run("lab", "fault", "sm-kill", "u1").code == 0
    wait_until(lambda: roles(room) == {"u1": "down", "u2": "master"}, 60, "the other node's manager takes over", 0.1)
    code, seen = verdicts(room)
    assert code == 0, seen
    assert {seen[name][0] for name in ("sm-roles", "partitions-tables", "partitions-canary")} == {"pass"}
    assert room.run("lab", "fault", "link-down", "q-r1-l01", "port=IB1/1/1").code == 0
    code, seen = verdicts(room)
    assert seen["ib-cabling"][0] == "fail"
    assert "n1 rail1 to q-r1-l01" in seen["ib-cabling"][1] or "q-r1-l01 IB1/1/1 to n1 rail1" in seen["ib-cabling"][1]
    assert seen["ib-links"][0] == "skipped" and "run as HDR" in seen["ib-links"][1]


def test_the_model_stays_what_is_used_without_the_option(room: Room) -> None:
    room.up()
    (row,) = json.loads(room.run("lab", "status", "--json").out)["lab"]
    assert row["engine"] == "internal model"
    assert "subnet" not in row
    said = room.run("lab", "fault", "partitions-by-hand", "q-ufm", "file=x")
    assert said.code == 1
    assert "intent lab up --engine opensm" in said.err


@needs_opensm
def test_a_site_whose_managers_have_no_guids_has_nothing_to_simulate(tmp_path: Path) -> None:
    room = Room(workspace(tmp_path, site_text(manager=OPENSM)))
    said = room.run("lab", "up", "--engine", "opensm")
    assert said.code == 1
    assert "no fabric of the site has a UFM or a host of OpenSM to configure" in said.err


def test_a_site_of_hosts_of_opensm_alone_needs_the_engine(tmp_path: Path) -> None:
    told = guids_csv(managers=["o1", "o2"], switches=SPINES)
    said = Room(workspace(tmp_path, site_text(manager=OPENSM), told)).run("lab", "up")
    assert said.code == 1
    assert "nothing of the site has a stand-in without a subnet manager" in said.err
    assert "intent lab up --engine opensm" in said.err


def test_what_is_not_installed_is_named_before_anything_starts(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PATH", "/nonexistent")
    said = room.run("lab", "up", "--engine", "opensm")
    assert said.code == 1
    assert "libumad2sim0" in said.err
    assert not (room.folder / ".intent" / "lab" / "wiring.json").exists()
