"""A rack split between tenants on the lab's NMX-M: planned in order, proved before and after, found when changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from endtoend import Room
from ib_site import fabric_text, workspace

DOMAIN = "3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a01"
TEXT = f"""\
version: 1
name: t
sites:
  s:
    racks: [{{name: "g1", type: gb200-nvl72}}]
    fabrics:
      q: {fabric_text(guids="", attach="g1-*")}
    nvlink: {{controller: nmx1, address: 10.1.0.30, domains: {{g1: {DOMAIN}}}}}
tenants:
  a: {{nodes: "g1-{{01..06}}", partitions: {{t: {{fabric: q}}}}, nvlink: {{}}}}
  b: {{nodes: "g1-{{07..09}}", partitions: {{t: {{fabric: q}}}}, nvlink: {{}}}}
"""
ALONE = ("--limit", "nmx1")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(workspace(tmp_path, TEXT))
    yield made
    made.down()


def test_a_rack_is_split_default_first_and_what_is_moved_by_hand_is_found(room: Room) -> None:
    room.up()
    plan = room.plan(*ALONE)
    assert plan.code == 0, plan.out + plan.err
    assert "partition.Default Partition.member[1.1.1.1]" in plan.out
    assert "order of writes - the default partition of a domain shrinks first" in plan.out
    before = room.run("precheck", "--lab")
    assert before.code == 0, before.out
    assert "PASS nvlink-gpus" in before.out
    assert room.run("verify", "--lab", *ALONE).code == 3, "as long as the default partition holds them all"
    done = room.apply()
    assert done.code == 0, done.out + done.err
    proved = room.run("verify", "--lab", *ALONE)
    assert proved.code == 0, proved.out
    for check in ("nvlink-gpus", "nvlink-partitions", "nvlink-default"):
        assert f"PASS {check}: 1 device" in proved.out
    room.run("lab", "fault", "move-gpu", "nmx1", f"domain={DOMAIN}", "place=1.6.1.1", "partition=b")
    found = room.run("verify", "--lab", *ALONE)
    assert found.code == 3
    assert "Partition: b of g1 - GPUs that are not its own - actual 1.6.1.1" in found.out
    assert room.run("drift", "--lab", *ALONE).code == 2
    room.run("lab", "fault", "unreachable", "nmx1")
    lost = room.run("verify", "--lab", *ALONE)
    assert lost.code == 8, "a controller that says nothing is unknown, never green"
    assert "nvlink-partitions" in lost.out


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("g1-{01..06}", "g1-{01..07}", "L303"),
        ("nvlink: {}}\n  b:", "nvlink: {}}    # another\n  b:", ""),
        (", nvlink: {}}\n  b:", "}\n  b:", "L308"),
        ("b: {nodes: \"g1-{07..09}\", partitions: {t: {fabric: q}},", "b: {nodes: \"g1-{07..09}\",", "L308"),
        ("nvlink: {}}\n  b:", "nvlink: {multicast_groups: 9}}\n  b:", "F064"),
        ("domains: {g1:", "racks: other, domains: {g1:", "L313"),
    ],
)  # fmt: skip
def test_a_plan_that_breaks_a_rule_is_refused_and_nothing_is_read(room: Room, old: str, new: str, code: str) -> None:
    assert old in TEXT
    (room.folder / "intent.yaml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    said = room.run("compile")
    assert said.code == (1 if code else 0), said.out + said.err
    assert code in said.err
    if code:
        refused = room.run("plan", "--lab")
        assert refused.code == 1
        assert code in refused.err
        assert not (room.folder / ".intent" / "plan.json").exists()
