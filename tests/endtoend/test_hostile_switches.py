"""Switches that answer anything but what the API says: each gets its verdict, the others theirs, nothing is written.

A front stands before each switch of a lab; the limits are those of the workspace's `inventory/groups.yaml`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from command import Said
from endtoend import ALL, LEAVES, SPINE, Room
from hostile_switch import Certificates, Front

from intent.core.exitcode import ExitCode
from intent.lab import state as lab_state

NET = f"127.94.{os.getpid() % 200 + 20}"
OPERATION_S = 1.5
GROUPS = f"""\
nvue:
  connection_options:
    nvue:
      extras:
        timeouts: {{connect: 1, read: 0.5, write: 0.5, operation: {OPERATION_S:g}}}
        max_body_bytes: 4000000
"""


@dataclass(frozen=True)
class Site:
    """A lab behind fronts that stand at the management addresses of its switches."""

    room: Room
    fronts: dict[str, Front]

    def calm(self) -> None:
        for front in self.fronts.values():
            front.mode = "relay"
            front.methods.clear()

    def run(self, *words: object) -> tuple[Said, float]:
        began = time.monotonic()
        return self.room.run(*words), time.monotonic() - began

    def writes(self) -> list[str]:
        return [method for front in self.fronts.values() for method in front.methods if method != "GET"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    room = Room(Room.make(folder / "w").folder, base=f"{NET}.1").up()
    (room.folder / "inventory").mkdir()
    (room.folder / "inventory" / "groups.yaml").write_text(GROUPS, encoding="utf-8")
    state = room.folder / ".intent" / "lab"
    info = lab_state.load(state)
    addresses = {name: f"{NET}.{100 + number}" for number, name in enumerate(info.switches)}
    certificates = Certificates(folder / "tls", list(addresses.values()))
    fronts: dict[str, Front] = {}
    try:
        for name, address in addresses.items():
            place = info.switches[name]
            fronts[name] = Front(address, place.port, (place.address, place.port, str(info.ca)), certificates)
        switches = {name: replace(place, address=addresses[name]) for name, place in info.switches.items()}
        replace(info, ca=certificates.bundle, switches=switches).save()
        site = Site(room, fronts)
        assert room.plan().code == ExitCode.OK
        assert room.apply().code == ExitCode.OK
        yield site
    finally:
        for front in fronts.values():
            front.stop()
        room.down()


@pytest.fixture
def site(built: Site) -> Iterator[Site]:
    """Every switch changed by hand, a plan that repairs them, and all of them answering."""
    built.calm()
    built.room.by_hand(1500, *ALL)
    assert built.room.plan().code == ExitCode.OK
    built.calm()
    yield built
    built.calm()


# Four leaves at a time, each with its own way of being hostile; the spine answers as it should.
BATCHES = (
    ("garbage", "redirect", "html-502", "html-200"),
    ("cut-json", "cut-body", "list", "text"),
    ("null", "number", "other-shape", "nested"),
    ("not-utf8", "nothing", "no-content", "unauthorized"),
    ("teapot", "unavailable", "bomb", "not-gzip"),
    ("status-line", "huge", "drip-body", "drip-head"),
    ("drip-chunk", "continue-forever", "closed", "silent"),
    ("expired", "wrong-name", "wrong-ca", "html-502"),
)
WORDS = {
    "expired": "expired",
    "wrong-name": "IP address mismatch",
    "wrong-ca": "does not verify",
    "closed": "closed before TLS",
    "redirect": "redirected (302)",
    "html-502": "(502)",
    "html-200": "not JSON",
    "huge": "larger than 4000000 bytes",
    "bomb": "encoded as 'gzip', which was not asked for",
    "not-gzip": "encoded as 'gzip', which was not asked for",
    "unauthorized": "401",
    "cut-json": "not JSON",
    "not-utf8": "not JSON",
}


@pytest.mark.parametrize("modes", BATCHES, ids="+".join)
def test_each_hostile_switch_is_unknown_and_the_rest_is_judged(site: Site, modes: tuple[str, ...]) -> None:
    for name, mode in zip(LEAVES, modes, strict=True):
        site.fronts[name].mode = mode
    before = site.room.writes()

    said, took = site.run("drift", "--lab", "--json")
    assert said.code == ExitCode.UNKNOWN, said.out
    found = {row["device"]: row for row in json.loads(said.out)["devices"]}
    judged(found, modes, took, good="drift")

    said, took = site.run("plan", "--lab", "--json", "--out", site.room.folder / "other.json")
    assert said.code == ExitCode.UNKNOWN, said.out
    judged({row["name"]: row for row in json.loads(said.out)["devices"]}, modes, took, good="change")

    said, took = site.run("verify", "--lab")
    assert said.code == ExitCode.UNKNOWN, said.out
    for name in LEAVES:
        assert name in said.out
    assert "\x1b" not in said.out
    assert took < 4 * OPERATION_S + 6, took
    for front in site.fronts.values():
        assert set(front.methods) <= {"GET"}
    assert site.room.writes() == before

    said, took = site.run("apply", "--lab", "--yes", "--json")
    assert said.code in (ExitCode.UNKNOWN, ExitCode.PARTIAL), said.out
    rows = {row["device"]: row for row in json.loads(said.out)["devices"]}
    assert set(rows) == set(ALL)
    for name in LEAVES:
        assert rows[name]["status"] in ("unknown", "not attempted", "unreachable"), rows[name]
        assert set(site.fronts[name].methods) <= {"GET"}, "nothing is written to one that answers like this"
    if rows[SPINE]["status"] == "not attempted":
        assert site.room.writes() == before


def judged(found: dict[str, Any], modes: tuple[str, ...], took: float, *, good: str) -> None:
    """Each hostile switch unknown with its words, the good one judged, all of it within the limits."""
    assert set(found) == set(ALL)
    assert found[SPINE]["state"] == good
    for name, mode in zip(LEAVES, modes, strict=True):
        row = found[name]
        assert row["state"] in ("unknown", "unreachable"), (mode, row)
        assert WORDS.get(mode, "") in row["detail"], (mode, row)
        assert len(row["detail"]) > 10, (mode, row)
        assert "internal error" not in row["detail"], (mode, row)
    assert took < OPERATION_S + 6, (modes, took)


def test_escape_sequences_of_a_switch_reach_no_terminal(site: Site) -> None:
    site.fronts[LEAVES[0]].mode = "teapot"
    for command in ("drift", "plan", "verify", "precheck"):
        said, _ = site.run(command, "--lab")
        assert said.code == ExitCode.UNKNOWN, (command, said.out)
        assert "owned" in said.out, command
        assert "\x1b" not in said.out + said.err, command


def test_a_switch_that_answers_otherwise_each_time_is_stale(site: Site) -> None:
    front = site.fronts[LEAVES[0]]
    front.change = lambda _path, body, number: body.replace(b"1500", b"%d" % (2000 + number))
    front.mode = "changing"
    assert site.room.plan("--limit", LEAVES[0]).code == ExitCode.OK
    said = site.room.apply()
    assert said.code == ExitCode.STALE, said.out + said.err
    assert set(front.methods) == {"GET"}


def test_a_switch_whose_own_difference_is_another_one_is_not_applied_to(site: Site) -> None:
    front = site.fronts[LEAVES[0]]
    held = site.room.held([LEAVES[0]])
    assert site.room.plan("--limit", LEAVES[0]).code == ExitCode.OK
    front.change = lambda path, body, _number: body.replace(b"9216", b"9000") if "diff=" in path else body
    front.mode = "changing"
    said = site.room.apply()
    assert said.code not in (ExitCode.OK, ExitCode.CHANGES), said.out
    assert "9000" in said.out or "diff" in said.out, said.out
    front.mode = "relay"
    assert site.room.held([LEAVES[0]]) == held


def named(method: str, part: str, word: str = "") -> Callable[[str, str, bytes], bool]:
    """True for requests of a method whose path and body hold something."""
    return lambda asked, path, body: asked == method and part in path and word.encode() in body


STAGES: dict[str, tuple[Callable[[str, str, bytes], bool], str]] = {
    "a new revision": (named("POST", "/revision"), "html-502"),
    "loading": (named("PATCH", "rev="), "garbage"),
    "the device's own difference": (named("GET", "diff="), "other-shape"),
    "starting the apply": (named("PATCH", "/revision/", '"apply"'), "cut-body"),
    "looking at the revision": (named("GET", "/revision/"), "list"),
    "keeping it": (named("PATCH", "/revision/", "confirm_yes"), "garbage"),
}


@pytest.mark.parametrize("stage", STAGES)
def test_an_answer_spoiled_in_the_middle_of_a_change_ends_old_or_new(site: Site, stage: str) -> None:
    """The switch does what it is asked, its answers lie: the row is true, and the next run settles the rest."""
    asked, kind = STAGES[stage]
    front = site.fronts[LEAVES[0]]
    assert site.room.plan("--limit", LEAVES[0]).code == ExitCode.OK
    old = site.room.held([LEAVES[0]])
    front.spoiled = 0
    front.spoils = lambda *request: kind if asked(*request) else ""
    front.mode = "spoiling"
    said, took = site.run("apply", "--lab", "--yes", "--json")
    assert front.spoiled, "the stage was reached"
    row = json.loads(said.out)["devices"][0]
    site.calm()
    site.room.settled()
    held = site.room.held([LEAVES[0]])
    if row["status"] == "confirmed":
        assert said.code == ExitCode.OK
        assert held != old
    else:
        assert said.code != ExitCode.OK
        assert row["status"] in ("failed", "reverted", "unknown", "not attempted"), row
        assert row["detail"], row
        if row["status"] in ("failed", "reverted", "not attempted"):
            assert held == old, row
    assert took < 30, took
    assert site.room.plan("--limit", LEAVES[0]).code == ExitCode.OK
    again = site.room.apply()
    assert again.code == ExitCode.OK, again.out + again.err
    assert site.room.held([LEAVES[0]]) != old
