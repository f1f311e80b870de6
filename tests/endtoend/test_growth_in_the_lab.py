"""One rack becomes more on running switches: what is new and what changes is told, done, and proven."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from endtoend import QUICK, Room

from intent.core.exitcode import ExitCode
from intent.lab import process


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(Room.make(tmp_path / "w").folder, base=f"127.94.{os.getpid() % 200 + 20}.1").up()
    yield made
    made.down()


def devices(room: Room) -> list[str]:
    return list(process.status(room.folder / ".intent" / "lab")["switches"])


@pytest.mark.parametrize(("racks", "counts"), [(2, (0, 4)), (7, (4, 5))])
def test_one_rack_becomes_more(room: Room, racks: int, counts: tuple[int, int]) -> None:
    """Two racks fit the leaves there are; seven need a second leaf in each rail."""
    assert room.plan().code == ExitCode.OK
    assert room.apply().code == ExitCode.OK
    before = {name: json.loads(tree) for name, tree in room.held(devices(room)).items()}
    Room.make(room.folder, text=QUICK.replace("gpu{01..01}", f"gpu{{01..{racks:02}}}"))
    compiled = room.run("compile", "--allow-recabling")
    assert compiled.code == ExitCode.OK, compiled.err
    told = re.search(r"(\d+) devices new, (\d+) changed, 0 renumbered", compiled.out)
    assert told, compiled.out
    assert (int(told[1]), int(told[2])) == counts

    room.down()
    room.up()
    # The lab forgets what its switches held: those that were there get it back, as after a visit to the site.
    # Accounts stay the lab's: no switch tells the hash of a password.
    for name, held in before.items():
        tree = {**held, "system": {key: held["system"][key] for key in held["system"] if key != "aaa"}}
        process.fault(
            room.folder / ".intent" / "lab", "change-by-hand", name, set={f"/{key}": tree[key] for key in tree}
        )
    planned = room.plan("--json")
    assert planned.code == ExitCode.OK, planned.err
    rows = {row["name"]: row for row in json.loads(planned.out)["devices"]}
    # The new lab has another password; that is no part of the growth.
    changes = {
        name: [item for item in row["differences"] if item["path"][:2] != ["system", "aaa"]]
        for name, row in rows.items()
    }
    changed = {name for name in before if changes[name]}
    assert len(set(rows) - set(before)) == counts[0]
    assert len(changed) == counts[1]
    assert {item["kind"] for name in before for item in changes[name]} == {"add"}, "growth only adds"
    assert {name for name, row in rows.items() if row["new"]} == set(rows) - set(before)
    applied = room.apply()
    assert applied.code == ExitCode.OK, applied.out + applied.err
    verified = room.run("verify", "--lab")
    assert verified.code == ExitCode.OK, verified.out
    assert room.run("drift", "--lab").code == ExitCode.OK
    after = {name: json.loads(tree) for name, tree in room.held(list(before)).items()}
    for name, tree in before.items():
        now = after[name]
        assert now["interface"]["lo"] == tree["interface"]["lo"], name
        assert now["interface"]["eth0"] == tree["interface"]["eth0"], name
        assert now["router"]["bgp"]["autonomous-system"] == tree["router"]["bgp"]["autonomous-system"], name
        for port, held in tree["interface"].items():
            if "rail" in str(held.get("description", "")):
                assert now["interface"][port] == held, (name, port)
