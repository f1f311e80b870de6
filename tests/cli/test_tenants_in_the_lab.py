"""Tenants on a workspace's own lab: compile, plan, apply, read back, drift, removal, rollback; by the command alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from endtoend import Room
from ib_site import OPENSM, SPINES, guid, guids_csv, site_text, workspace

from intent.lab import process

OTHER = """\
tenants:
  physics: {nodes: "n{1..3}", partitions: {train: {fabric: q}}}
"""
# Two switches of another kind beside the InfiniBand fabric.
ETHERNET = """\
      e: {topology: {leaf: SN5600, spine: SN5600, uplinks: 4}, attach: {nodes: "n*", nics: north-south}}
"""


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(workspace(tmp_path))
    yield made
    made.down()


def with_opensm(guids: str = "guids/s.csv") -> str:
    """Hosts of OpenSM, and one node on Ethernet beside them."""
    text = site_text(manager=OPENSM, fabrics=ETHERNET.replace("n*", "m1"), guids=guids)
    return text.replace("nodes: [{", "nodes: [{name: m1, type: dgx-h100}, {", 1)


def ufm(room: Room) -> dict[str, object]:
    """What the lab says of its UFM."""
    found: dict[str, object] = process.status(room.folder / ".intent" / "lab")["controllers"]["q-ufm"]
    return found


def test_compile_writes_what_the_ufm_must_hold_and_the_lock_its_keys(room: Room) -> None:
    said = room.run("compile")
    assert said.code == 0, said.err
    body = json.loads((room.folder / "build/s/q-ufm/config.json").read_text(encoding="utf-8"))
    assert sorted(body["partition"]) == ["0x8001", "0x8002"]
    lock = json.loads((room.folder / "sites/s.lock").read_text(encoding="utf-8"))
    assert lock["held"]["pkey"] == {"q/biology/train": "q:0x8002", "q/physics/train": "q:0x8001"}
    assert room.run("compile", "--locked").code == 0
    why = room.run("why", "q-ufm", f"partition.0x8001.member.0x{guid('n1', 1)}.membership")
    assert "intent.yaml:9:" in why.out
    assert "nodes of tenant physics" in why.out


def test_plan_apply_read_back_and_a_second_apply_writes_nothing(room: Room) -> None:
    room.up()
    plan = room.plan()
    assert plan.code == 0
    assert "partition.0x8001" in plan.out
    assert "reverts: by compensating writes" in plan.out
    assert room.apply().code == 0
    writes = ufm(room)["writes"]
    again = room.plan("--detailed-exitcode")
    assert again.code == 0, again.out
    assert room.apply().code == 0
    assert ufm(room)["writes"] == writes
    assert room.run("drift", "--lab").code == 0
    assert room.run("verify", "--lab").code == 0


def test_a_member_that_goes_needs_consent_and_comes_back_by_rollback(room: Room) -> None:
    room.up()
    assert room.plan().code == 0
    assert room.apply().code == 0
    workspace(room.folder, site_text(OTHER))
    plan = room.plan("--json")
    removed = [item for item in json.loads(plan.out)["devices"][0]["differences"] if item["kind"] == "remove"]
    assert removed
    refused = room.apply()
    assert refused.code != 0
    assert "--allow-removals" in refused.out + refused.err
    assert room.run("drift", "--lab").code == 2
    assert room.plan().code == 0
    done = room.apply("--allow-removals")
    assert done.code == 0, done.out
    assert room.run("drift", "--lab").code == 0
    (change, *_) = (row["change"] for row in room.changes() if row["kind"] == "apply")
    alone = room.run("rollback", change, "--lab", "--yes")
    assert alone.code != 0
    assert "--allow-removals" in alone.out + alone.err
    back = room.run("rollback", change, "--lab", "--yes", "--allow-removals")
    assert back.code == 0, back.out + back.err
    workspace(room.folder)
    assert room.run("drift", "--lab").code == 0


def test_a_partition_in_part_is_told_and_left_as_it_stands(room: Room) -> None:
    room.up()
    assert room.plan().code == 0
    assert room.apply().code == 0
    workspace(room.folder, guids=guids_csv(["n1", "n3", "n4"]))
    lint = room.run("lint")
    assert "warning L351: partition physics-train: GUIDs of 8 of 16 ports are not learnt (n2 rail1 …)" in lint.out
    assert room.plan("--detailed-exitcode").code == 0


def test_switches_and_ufm_in_one_plan_and_one_change(tmp_path: Path) -> None:
    quick = "changes: {strategy: {canary: 1, batch: 100%, soak: 0s, max_unavailable: {plane: 1, spine: 8}}}\n"
    room = Room(workspace(tmp_path, site_text(fabrics=ETHERNET) + quick))
    try:
        room.up()
        assert room.plan("--limit", "network=infiniband").code == 0
        assert room.plan().code == 0
        done = room.apply()
        assert done.code == 0, done.out + done.err
        assert room.run("verify", "--lab", "--limit", "q-ufm").code == 0
        assert room.run("drift", "--lab").code == 0
    finally:
        room.down()


def test_a_guid_of_two_ports_writes_nothing_at_all(room: Room) -> None:
    text = guids_csv().replace(guid("n3", 1), guid("n1", 1))
    workspace(room.folder, guids=text)
    said = room.run("compile")
    assert said.code == 1
    assert "G003" in said.err
    assert "L351" not in said.err
    assert not (room.folder / "build").exists()
    assert not (room.folder / "sites").exists()


def test_hosts_of_opensm_are_compiled_and_never_reached_from_a_lab(tmp_path: Path) -> None:
    told = guids_csv(managers=["o1", "o2"], switches=SPINES)
    room = Room(workspace(tmp_path, with_opensm(), told))
    try:
        said = room.run("compile")
        assert said.code == 0, said.err
        files = room.folder / "build/s/o1/files/etc/opensm"
        assert sorted(item.name for item in files.iterdir()) == ["opensm.conf", "partitions.conf", "root_guid.conf"]
        assert room.run("lint", files / "partitions.conf").code == 0
        assert "physics-train=0x0001" in (files / "partitions.conf").read_text(encoding="utf-8")
        room.up()
        plan = room.plan()
        assert plan.code == 8
        assert "the lab runs no OpenSM: `intent lab up --engine opensm` does" in plan.out
        assert room.plan("--limit", "fabric=e").code == 0
    finally:
        room.down()


def test_day_one_without_guids_compiles_and_says_what_waits(tmp_path: Path) -> None:
    room = Room(workspace(tmp_path, with_opensm(guids="")))
    said = room.run("compile")
    assert said.code == 0, said.err
    assert "warning L351" in said.out + said.err
    assert "has no GUID: its files are not rendered" in said.out + said.err
    assert sorted(item.name for item in (room.folder / "build/s").iterdir() if item.name.startswith("o")) == []


def test_nvlink_and_infiniband_of_a_tenant_in_one_change(tmp_path: Path) -> None:
    """The shipped example: an NMX-M and a UFM hold the same boundary, and a second plan finds nothing to do."""
    folder = shutil.copytree(Path(__file__).parents[2] / "examples" / "ib-tenants", tmp_path / "site")
    text = (folder / "intent.yaml").read_text(encoding="utf-8")
    (folder / "intent.yaml").write_text(text + "changes: {strategy: {soak: 0s}}\n", encoding="utf-8")
    room = Room(folder)
    try:
        assert "1 UFM, 1 NMX" in room.run("lab", "up", "--address-base", room.base).out
        heads = [line for line in room.run("lab", "status").out.splitlines() if line.startswith("NAME")]
        assert ["FAILOVERS" in head for head in heads] == [True, False], "kinds that tell other things stand apart"
        assert room.plan().code == 0
        done = room.apply()
        assert done.code == 0, done.out + done.err
        assert room.plan("--detailed-exitcode").code == 0
        assert room.run("drift", "--lab").code == 0
        assert room.run("verify", "--lab").code == 0
    finally:
        room.down()
