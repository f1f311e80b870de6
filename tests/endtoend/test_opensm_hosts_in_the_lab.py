"""Hosts of OpenSM in the lab: the real OpenSM on a simulated fabric, from the first plan to the faults of its links."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from endtoend import Room, wait_until
from ib_site import SPINES, guid, guids_csv, site_text, workspace
from opensm_bench import missing

from intent.device.labfile import LabFile, LabManager

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

NODES = ("n1", "n2", "n3", "n4")
LEAVES = tuple(f"q-r{rail}-l01" for rail in range(1, 9))
# minhop takes no roots: one file less to carry to each host.
MANAGER = """\
{by: opensm, routing: minhop, retries: 2,
          hosts: [{name: o1, address: 192.0.2.21}, {name: o2, address: 192.0.2.22}]}"""
ONE_WAVE = "changes: {strategy: {canary: 2, batch: 100%, soak: 0s}}\n"
FELL_OPEN = "Default=0x7fff : ALL=limited, SELF=full ;\nphysics=0xZZ : ALL=full ;\n"
_LOOKS = 6  # a second apart
FIRST, SECOND = guid("o1", 1), guid("o2", 1)


@contextmanager
def lab_of(folder: Path, manager: str = MANAGER) -> Iterator[Room]:
    """A workspace of two hosts with its lab."""
    told = guids_csv(NODES, ("o1", "o2"), (*SPINES, *LEAVES))
    made = Room(workspace(folder, site_text(manager=manager) + ONE_WAVE, told))
    said = made.run("lab", "up", "--engine", "opensm", "--address-base", made.base)
    assert said.code == 0, said.err
    assert "0 switches, 2 hosts of OpenSM" in said.out
    try:
        yield made
    finally:
        made.down()


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One lab for all tests, in their order; nobody configured the hosts yet."""
    with lab_of(tmp_path_factory.mktemp("site")) as made:
        yield made


def managers(room: Room) -> dict[str, dict[str, object]]:
    """What the lab says of each subnet manager."""
    rows = json.loads(room.run("lab", "status", "--json").out)["lab"]
    return {row["name"]: row for row in rows}


def roles(room: Room) -> dict[str, object]:
    return {name: row["role"] for name, row in managers(room).items()}


def verdicts(room: Room) -> tuple[int, dict[str, str], dict[str, str]]:
    """Exit code, verdict and words by check and device; a tool without an answer on a busy machine is asked again."""
    for _ in range(_LOOKS):
        said = room.run("verify", "--lab", "--format", "json")
        rows = {f"{row['check']} {row['device']}": row for row in json.loads(said.out)["results"]}
        seen = {key: str(row["verdict"]) for key, row in rows.items()}
        if "unknown" not in seen.values():
            break
        time.sleep(1)
    return said.code, seen, {key: json.dumps(row) for key, row in rows.items()}


def failing(seen: dict[str, str]) -> set[str]:
    return {key.partition(" ")[0] for key, verdict in seen.items() if verdict == "fail"}


def fault(room: Room, kind: str, device: str, *options: object) -> str:
    said = room.run("lab", "fault", kind, device, *options)
    assert said.code == 0, said.err
    return said.out


def hosts_of(room: Room) -> Mapping[str, LabManager]:
    """Where the lab says its hosts are."""
    return LabFile.load(room.folder / ".intent" / "lab" / "lab.json").managers


def settled(room: Room) -> bool:
    return all(row["pending"] == "False" for row in managers(room).values())


def files(room: Room) -> dict[str, bytes]:
    """Everything below the folders that stand for the hosts' file systems, but what OpenSM writes."""
    return {
        str(path): path.read_bytes()
        for one in hosts_of(room).values()
        for path in sorted(Path(one.root).rglob("*"))
        if path.is_file() and "/var/log/" not in str(path)
    }


def apply(room: Room) -> str:
    """Plan and apply; what the plan says."""
    plan = room.plan()
    assert plan.code == 0
    done = room.apply()
    assert done.code == 0, done.out + done.err
    return plan.out


def take_over(room: Room, dead: str, next_one: str) -> None:
    fault(room, "sm-kill", dead)
    wait_until(lambda: roles(room) == {dead: "down", next_one: "master"}, 60, "the standby takes over", 0.1)


def test_what_a_fault_cannot_do_is_said(room: Room) -> None:
    for words, why in (
        (("link-down", "q-r1-l01", "port=IB9/9"), "has no port"),
        (("link-up", "q-r1-l01", "port=IB1/1"), "link"),
        (("counter", "q-r1-l01", "port=IB1/1", "counter=Nope"), "cannot be found"),
        (("counter", "q-r1-l01", "port=IB1/1", "value=-1"), "value a number"),
        (("partitions-by-hand", "o1"), "file is missing"),
        (("partitions-by-hand", "o1", "file=/nonexistent"), "No such file"),
        (("sm-start", "o1"), "runs already"),
        (("sm-kill", "nobody"), "sm-kill"),
        (("link-down", "o1", "port=1"), "link-down"),
    ):
        said = room.run("lab", "fault", *words)
        assert (said.code, why in said.err) == (1, True), (words, said.err)
    assert "sm-kill" in room.run("lab", "fault", "list").out


def installed(room: Room) -> None:
    """The hosts hold what the intent says already: somebody put it there, and restarted OpenSM."""
    assert room.run("compile").code == 0
    for name, one in hosts_of(room).items():
        shutil.copytree(room.folder / "build" / "s" / name / "files", one.root, dirs_exist_ok=True)
        subprocess.run(one.restart, check=True, timeout=60)
    wait_until(lambda: roles(room) == {"o1": "master", "o2": "standby"} and settled(room), 60, "both are back", 0.1)


def test_from_what_is_in_force_to_failover(room: Room, tmp_path: Path) -> None:
    """Nothing to do, a fabric that falls open, its repair, a manager that dies and a cable that goes."""
    fresh = managers(room)
    assert roles(room) == {"o1": "master", "o2": "standby"}
    assert [(row["priority"], row["asked"]) for row in fresh.values()] == [("14", "minhop"), ("13", "minhop")]
    installed(room)
    held = files(room)
    nothing = room.plan("--detailed-exitcode")
    assert nothing.code == 0, nothing.out
    code, seen, words = verdicts(room)
    assert code == 0, words
    passing = {key.partition(" ")[0] for key, verdict in seen.items() if verdict == "pass"}
    assert {"partitions-canary", "partitions-tables", "sm-roles", "sm-routing", "ib-cabling", "ib-links", "ib-errors",
            "read-back"} <= passing  # fmt: skip
    assert files(room) == held, "neither writes"

    bad = tmp_path / "bad.conf"
    bad.write_text(FELL_OPEN, encoding="ascii")
    fault(room, "partitions-by-hand", "o1", f"file={bad}")
    code, seen, words = verdicts(room)
    assert code == 3
    fallen = {"partitions-canary", "partitions-tables", "read-back", "same-files"}
    assert failing(seen) == fallen, "SUBNET UP, and all else is green"
    assert "the fabric fell open" in words["partitions-canary o1"] and guid("n1", 1) in words["partitions-canary o1"]
    assert seen["read-back o1"] == "fail" and seen["read-back o2"] == "pass"

    assert "/etc/opensm/partitions.conf" in apply(room)
    assert {path: data for path, data in files(room).items() if "/etc/" in path} == held

    take_over(room, "o1", "o2")
    fault(room, "link-down", "q-r1-l01", "port=IB1/1")
    assert managers(room)["o1"]["cables"] == "q-r1-l01 IB1/1 link-down"
    code, seen, words = verdicts(room)
    assert failing(seen) == {"sm-roles", "ib-links", "ib-cabling"}, "the tables stay"
    assert f"{FIRST} - does not answer" in words["sm-roles o1"]
    assert f"{SECOND} - wrong role - expected standby, actual master" in words["sm-roles o1"]
    assert "n1 rail1" in words["ib-links o1"] and "not active" in words["ib-links o1"]


def test_a_lab_that_knows_no_such_host_reaches_nothing(room: Room) -> None:
    """Neither this machine nor a host in service stands in for one the lab does not have."""
    lab = room.folder / ".intent" / "lab" / "lab.json"
    whole = lab.read_text(encoding="utf-8")
    held = json.loads(whole)
    del held["managers"]["o2"]
    lab.write_text(json.dumps(held), encoding="utf-8")
    plan = room.plan()
    assert plan.code == 8
    assert "without host o2" in plan.out
    for spoiled in ({"tools": []}, {"root": "/"}, {"root": "relative"}):
        held["managers"]["o2"] = {**held["managers"]["o1"], **spoiled}
        lab.write_text(json.dumps(held), encoding="utf-8")
        said = room.run("drift", "--lab")
        assert said.code == 1
        assert "the lab's state file misses something" in said.err
    lab.write_text(whole, encoding="utf-8")


@pytest.mark.nightly
def test_hosts_nobody_configured_drift_and_handback(tmp_path: Path) -> None:
    """The first change of all, with a key of the subnet; both hosts get every file and restart."""
    keys = MANAGER.replace("retries: 2", "retries: 2, keys: {sm_key: {secret: ib_sm_key}}").replace("minhop", "updn")
    with lab_of(tmp_path, keys) as room:
        apply(room)
        held = files(room)
        assert sum(path.endswith("/etc/opensm/root_guid.conf") for path in held) == 2
        assert b"$secret" not in b"".join(held.values()), "the lab made a key of its own"
        code, seen, words = verdicts(room)
        assert code == 0, [words[key] for key, verdict in seen.items() if verdict not in ("pass", "skipped")]
        assert managers(room)["o1"]["engine"] == "updn"

        by_hand = next(path for path in held if path.endswith("o2/root/etc/opensm/partitions.conf"))
        Path(by_hand).write_bytes(held[by_hand].replace(b"=full", b"=limited"))
        drift = room.run("drift", "--lab")
        assert drift.code == 2
        assert "drift: o2" in drift.out and "/etc/opensm/partitions.conf" in drift.out
        apply(room)
        assert Path(by_hand).read_bytes() == held[by_hand]

        take_over(room, "o1", "o2")
        assert failing(verdicts(room)[1]) == {"sm-roles"}, "tables stay"
        fault(room, "sm-start", "o1")
        wait_until(lambda: roles(room) == {"o1": "master", "o2": "standby"}, 60, "the first takes it back", 0.1)
        fault(room, "counter", "q-r2-l01", "port=IB1/2", "value=77")
        _, seen, words = verdicts(room)
        assert failing(seen) == {"ib-errors"} and "actual 77" in words["ib-errors o1"]
        fault(room, "counter", "q-r2-l01", "port=IB1/2", "value=0")
        assert verdicts(room)[0] == 0

        changes = [row["change"] for row in room.changes() if row["kind"] == "apply"]
        back = room.run("rollback", changes[-1], "--lab", "--yes")
        assert back.code != 0, "what the hosts held before was nothing, and nothing is not put back"
        assert files(room).keys() >= held.keys()


def test_down_ends_every_process(room: Room) -> None:
    socket = json.loads((room.folder / ".intent/lab/subnets/q/subnet.json").read_text(encoding="utf-8"))["socket"]
    told = f"IBSIM_SOCKNAME={socket}".encode()

    def alive() -> list[str]:
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if told in (place / "environ").read_bytes().split(b"\0"):
                    found.append(place.name)
            except OSError:
                continue
        return found

    for device in ("o1", "o2"):
        fault(room, "clear", device)
    wait_until(lambda: "down" not in roles(room).values(), 60, "both run", 0.1)
    assert len(alive()) == 3
    fault(room, "sm-kill", "o2")
    assert len(alive()) == 2
    room.down()
    assert alive() == []
    assert not (room.folder / ".intent/lab/subnets").exists()
