"""Who logs in, and what of a switch is ours: factory passwords, accounts that only read, `manage`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from endtoend import ALL, LEAVES, QUICK, SPINE, Room

from intent.core.exitcode import ExitCode
from intent.lab import process
from intent.lab import state as lab_state
from intent.lab.auth import FACTORY_PASSWORD
from intent.lab.crypt512 import hashed

LEAF = LEAVES[0]
NET = f"127.94.{os.getpid() % 200 + 20}"
USERS = "    users: {cumulus: {hashed_password: {secret: cumulus_hash}}}\n"
WATCHER = (
    "    users:\n"
    "      cumulus: {hashed_password: {secret: cumulus_hash}}\n"
    "      watcher: {hashed_password: {secret: watcher_hash}, role: nvue-monitor}\n"
)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A workspace without a lab yet."""
    made = Room(Room.make(tmp_path / "w").folder, base=f"{NET}.1")
    yield made
    made.down()


def rewrite(room: Room, text: str) -> None:
    Room.make(room.folder, text=text)


def build(room: Room) -> None:
    assert room.plan().code == ExitCode.OK
    applied = room.apply()
    assert applied.code == ExitCode.OK, applied.out + applied.err


def by_hand(room: Room, sets: dict[str, Any]) -> None:
    process.fault(room.folder / ".intent" / "lab", "change-by-hand", LEAF, set=sets)


def deviations(room: Room) -> list[str]:
    said = room.run("drift", "--lab", "--json")
    return sorted("/" + "/".join(item["path"]) for row in json.loads(said.out)["devices"] for item in row["deviations"])


def test_factory_switches_are_unknown_until_their_password_is_changed(room: Room) -> None:
    room.up("--factory")
    info = lab_state.load(room.folder / ".intent" / "lab")
    replace(info, password=FACTORY_PASSWORD).save()
    planned = room.plan()
    assert planned.code == ExitCode.UNKNOWN, planned.out
    assert "(403): The factory password of user" in planned.out
    info.save()
    planned = room.plan()
    assert planned.code == ExitCode.UNKNOWN, planned.out
    assert "factory password" in planned.out
    for command in ("drift", "verify"):
        said = room.run(command, "--lab")
        assert said.code == ExitCode.UNKNOWN
        assert "factory password" in said.out, said.out
    assert room.apply().code != ExitCode.OK
    assert room.writes() == 0
    for name in LEAVES:
        room.fault("set-password", name)
    partly = room.plan("--json")
    assert partly.code == ExitCode.UNKNOWN
    states = {row["name"]: row["state"] for row in json.loads(partly.out)["devices"]}
    assert states.pop(SPINE) == "unknown"
    assert set(states.values()) == {"change"}
    room.fault("set-password", SPINE)
    build(room)
    assert room.run("verify", "--lab").code == ExitCode.OK


def test_an_account_that_only_reads_is_enough_for_drift_and_no_more(room: Room) -> None:
    rewrite(room, QUICK.replace(USERS, WATCHER))
    room.up()
    build(room)
    info = lab_state.load(room.folder / ".intent" / "lab")
    replace(info, username="watcher").save()  # in a lab every account has the lab's password
    assert room.run("drift", "--lab").code == ExitCode.OK
    assert room.run("verify", "--lab").code == ExitCode.OK
    room.by_hand(1500, LEAF)
    assert room.run("drift", "--lab").code == ExitCode.CHANGES
    assert room.plan().code == ExitCode.OK
    held, before = room.held(), room.writes()
    said = room.apply()
    assert said.code not in (ExitCode.OK, ExitCode.CHANGES), said.out
    assert "403" in said.out
    assert "nvapply" in said.out
    assert info.password not in said.out + said.err
    assert room.held() == held
    assert room.status()[LEAF]["state"].startswith("applied")
    assert room.writes() - before <= 1, "the first refusal is the last word"
    info.save()
    build(room)
    assert room.run("drift", "--lab").code == ExitCode.OK


def test_an_excepted_subtree_is_neither_drift_nor_touched(room: Room) -> None:
    room.up()
    build(room)
    excepted = "    manage: {except: [/interface/swp1s0/link/mtu, /qos/pfc-watchdog]}\n"
    by_hand(room, {"/interface/swp1s0/link/mtu": 1500, "/qos/pfc-watchdog/robustness": 5})
    assert deviations(room) == ["/interface/swp1s0/link/mtu", "/qos/pfc-watchdog/robustness"]
    rewrite(room, QUICK + excepted)
    assert deviations(room) == []
    assert "0 to change" in room.plan().out
    by_hand(room, {"/interface/swp1s1/link/mtu": 1500})
    assert deviations(room) == ["/interface/swp1s1/link/mtu"]
    build(room)
    tree = json.loads(room.held([LEAF])[LEAF])
    assert tree["interface"]["swp1s0"]["link"]["mtu"] == 1500, "the exception survives an apply"
    assert tree["qos"]["pfc-watchdog"]["robustness"] == 5
    assert tree["interface"]["swp1s1"]["link"]["mtu"] == 9216
    rewrite(room, QUICK)
    assert deviations(room) == ["/interface/swp1s0/link/mtu", "/qos/pfc-watchdog/robustness"]
    build(room)
    assert deviations(room) == []


STRAYS = {
    "/system/aaa/user/mallory": {"role": "system-admin", "hashed-password": hashed("mallory", "salt")},
    "/system/message/pre-login": "hands off",
    "/interface/swp40/type": "swp",
    "/interface/swp40/description": "left over",
    "/vrf/left-over/router/bgp/state": "disabled",
}


def test_replace_takes_strays_away_and_keeps_the_account(room: Room) -> None:
    room.up()
    build(room)
    by_hand(room, STRAYS)
    ours = ["/interface/swp40/description", "/interface/swp40/type"]
    assert deviations(room) == ours, "ports are ours anyhow; without replace the rest is not"
    rewrite(room, QUICK + "    manage: {replace: true}\n")
    found = deviations(room)
    for path in STRAYS:
        assert any(each.startswith(path) for each in found), (path, found)
    planned = room.plan()
    assert "mallory" in planned.out
    build(room)
    held = room.held()
    for name in ALL:
        tree = json.loads(held[name])
        assert set(tree["system"]["aaa"]["user"]) == {"cumulus"}, "we can still log in, and nobody else"
    tree = json.loads(held[LEAF])
    assert "swp40" not in tree["interface"]
    assert "left-over" not in tree["vrf"]
    assert "message" not in tree["system"]
    assert deviations(room) == []
    before = room.writes()
    build(room)
    assert room.writes() == before
    assert room.run("verify", "--lab").code == ExitCode.OK
