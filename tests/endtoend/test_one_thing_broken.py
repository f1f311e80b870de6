"""One thing broken at a time: by hand, `drift` or `verify` finds it; in the intent itself, the checks put it back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from endtoend import LEAVES, SPINE, Room

from intent.core.exitcode import ExitCode
from intent.core.tree import from_dotted, pointer
from intent.lab import process

LEAF = LEAVES[0]
NEIGHBOR = "vrf.default.router.bgp.neighbor"
UPLINK = f"{NEIGHBOR}.swp63s0"
PREFIX = "router.policy.prefix-list.fabric-connected.rule.20.match[10.64.0.0/12]"


@dataclass(frozen=True)
class Broken:
    """A change by hand on a leaf.

    Args:
        breaks: orders to `lab fault change-by-hand`.
        heals: orders that undo them.
        paths: what drift must name, and nothing else.
        checks: checks that must fail; empty where only the configuration shows it.
    """

    breaks: tuple[str, ...]
    heals: tuple[str, ...]
    paths: frozenset[str]
    checks: frozenset[str] = frozenset()


def value(path: str, wrong: object, right: object, *checks: str) -> Broken:
    """One leaf with another value."""
    return Broken((f"{path}={wrong}",), (f"{path}={right}",), frozenset({path}), frozenset(checks))


def added(path: str, wrong: object, *checks: str) -> Broken:
    """One leaf that should not be there."""
    return Broken((f"{path}={wrong}",), (path,), frozenset({path}), frozenset(checks))


def without_watchdogs(path: str, wrong: object, right: object, *checks: str) -> Broken:
    """One leaf with another value, which no switch takes while a watchdog watches its priorities."""
    watched = [f"interface.swp{n}s{m}.qos.pfc-watchdog" for n in (*range(1, 10), 63, 64) for m in (0, 1)]
    return Broken(
        (f"{path}={wrong}", *watched),
        (f"{path}={right}", *(f"{each}.state=enable" for each in watched)),
        frozenset({path, *(f"{each}.state" for each in watched)}),
        frozenset(checks),
    )


CASES: Mapping[str, Broken] = {
    "watchdog off": value("interface.swp1s0.qos.pfc-watchdog.state", "disable", "enable"),
    "wrong remote-as": value(f"{UPLINK}.remote-as", 4200100777, 4200100004, "bgp-sessions", "bgp-remote-asn"),
    "wrong own number": value("router.bgp.autonomous-system", 4200100777, 4200100000, "bgp-sessions"),
    "RoCE lossy": without_watchdogs("qos.roce.mode", "lossy", "lossless", "roce-mode", "roce-pfc"),
    "RoCE off": without_watchdogs("qos.roce.state", "disabled", "enabled", "roce-mode"),
    "AR at a host port": added("interface.swp1s0.router.adaptive-routing.state", "enabled"),
    "AR off": value("router.adaptive-routing.state", "disabled", "enabled"),
    "MTU": value("interface.swp63s0.link.mtu", 1500, 9216, "link-mtu"),
    "description": value("interface.swp1s0.description", "spare", "gpu01-01 rail1"),
    "address changed": Broken(
        (
            "interface.swp1s0.ipv4.address[10.64.0.0/31]",
            "interface.swp1s0.ipv4.address[10.79.0.0/31].",
        ),
        ("interface.swp1s0.ipv4.address[10.79.0.0/31]", "interface.swp1s0.ipv4.address[10.64.0.0/31]."),
        frozenset({"interface.swp1s0.ipv4.address[10.64.0.0/31]", "interface.swp1s0.ipv4.address[10.79.0.0/31]"}),
    ),
    "neighbour removed": Broken(
        (UPLINK,),
        (f"{UPLINK}.remote-as=4200100004", f"{UPLINK}.type=unnumbered", f"{UPLINK}.peer-group=fabric"),
        frozenset({f"{UPLINK}.remote-as", f"{UPLINK}.type", f"{UPLINK}.peer-group"}),
        frozenset({"bgp-sessions"}),
    ),
    "prefix list widened": value(f"{PREFIX}.max-prefix-len", 32, 31),
    "rule added": added("router.policy.prefix-list.fabric-connected.rule.30.action", "permit"),
    "own routes only, no more": Broken(
        ("vrf.default.router.bgp.peer-group.fabric.address-family.ipv4-unicast.policy",),
        (
            "vrf.default.router.bgp.peer-group.fabric.address-family.ipv4-unicast.policy.outbound.aspath-list=own-routes",
        ),
        frozenset({"vrf.default.router.bgp.peer-group.fabric.address-family.ipv4-unicast.policy.outbound.aspath-list"}),
    ),
    "port down": Broken(
        ("interface.swp63s0.link.state.up", "interface.swp63s0.link.state.down."),
        ("interface.swp63s0.link.state.down", "interface.swp63s0.link.state.up."),
        frozenset({"interface.swp63s0.link.state.up", "interface.swp63s0.link.state.down"}),
        frozenset({"link-up", "bgp-sessions"}),
    ),
    "role of our account": value("system.aaa.user.cumulus.role", "nvue-admin", "system-admin"),
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = Room.make(tmp_path_factory.mktemp("broken") / "w").folder
    made = Room(folder, base=f"127.94.{os.getpid() % 200 + 20}.1").up()
    assert made.plan().code == ExitCode.OK
    assert made.apply().code == ExitCode.OK
    yield made
    made.down()


def order(room: Room, words: tuple[str, ...]) -> None:
    """Changes by hand in one go: `path=value`, `path` to take away, `path.` for a key without contents."""
    sets: dict[str, Any] = {}
    unsets = []
    for word in words:
        path, equals, text = word.partition("=")
        if equals:
            sets[pointer(from_dotted(path))] = int(text) if text.isdigit() else text
        elif path.endswith("."):
            sets[pointer(from_dotted(path[:-1]))] = {}
        else:
            unsets.append(pointer(from_dotted(path)))
    options = {key: given for key, given in (("set", sets), ("unset", unsets)) if given}
    process.fault(room.folder / ".intent" / "lab", "change-by-hand", LEAF, **options)


def drifted(room: Room) -> set[tuple[str, ...]]:
    """Paths that drift names."""
    said = room.run("drift", "--lab", "--json")
    found: set[tuple[str, ...]] = set()
    for row in json.loads(said.out)["devices"]:
        assert row["device"] == LEAF or not row["deviations"], row
        found |= {tuple(item["path"]) for item in row["deviations"]}
    assert said.code == (ExitCode.CHANGES if found else ExitCode.OK), said.out
    return found


def failing(room: Room) -> set[str]:
    """Checks that fail at the leaf."""
    said = room.run("verify", "--lab", "--limit", LEAF, "--format", "json")
    results: list[dict[str, Any]] = json.loads(said.out)["results"]
    found = {row["check"] for row in results if row["verdict"] == "fail"}
    # A session or a port that is not there leaves other checks unknown, which weighs more.
    assert said.code in ((ExitCode.FINDINGS, ExitCode.UNKNOWN) if found else (ExitCode.OK,)), said.out
    return found


@pytest.mark.parametrize("name", CASES)
def test_one_thing_broken_by_hand_is_found(lab: Room, name: str) -> None:
    case = CASES[name]
    order(lab, case.breaks)
    try:
        assert drifted(lab) == {from_dotted(path) for path in case.paths}
        assert failing(lab) >= case.checks
        if not case.checks:
            assert failing(lab) == set(), "then the table should say so"
    finally:
        order(lab, case.heals)


def test_everything_broken_at_once_is_repaired_by_one_apply(lab: Room) -> None:
    assert drifted(lab) == set(), "every case healed itself"
    for case in CASES.values():
        order(lab, case.breaks)
    assert lab.plan().code == ExitCode.OK
    applied = lab.apply()
    assert applied.code == ExitCode.OK, applied.out
    assert drifted(lab) == set()
    assert failing(lab) == set()


SWAPPED = "neighbor: {swp1s0: {remote-as: 4200100001}, swp3s0: {remote-as: 4200100000}}"
OVERRIDES = {
    "two numbers changed places": (SPINE, "{vrf: {default: {router: {bgp: {" + SWAPPED + "}}}}}", "swp1s0"),
    "small frames": (LEAVES[2], "{interface: {swp63s0: {link: {mtu: 1500}}}}", "expected 9216, actual 1500"),
    "one watchdog less": (LEAVES[1], "{interface: {swp1s0: {qos: {pfc-watchdog: {state: disable}}}}}", ""),
}


@pytest.mark.parametrize("name", OVERRIDES)
def test_a_configuration_that_breaks_the_fabric_is_put_back(lab: Room, name: str) -> None:
    """What the compiler would never write is laid over it; the checks know the fabric, not the tree."""
    device, tree, word = OVERRIDES[name]
    file = lab.folder / "intent.yaml"
    kept = file.read_text(encoding="utf-8")
    assert drifted(lab) == set()
    old = lab.held()
    file.write_text(f"{kept}    overrides:\n      {device}: {tree}\n", encoding="utf-8")
    try:
        planned = lab.plan()
        assert planned.code == ExitCode.OK, planned.err
        said = lab.apply("--json")
        rows = {row["device"]: row for row in json.loads(said.out)["devices"]}
        if not word:
            assert (said.code, rows[device]["status"]) == (ExitCode.OK, "confirmed"), (
                "an override may do what harms none"
            )
            return
        assert rows[device]["status"] == "reverted", rows[device]
        assert word in " ".join(rows[device]["messages"]), rows[device]
        assert said.code == ExitCode.ROLLED_BACK
        assert lab.held() == old
    finally:
        file.write_text(kept, encoding="utf-8")


def test_a_configuration_the_switch_refuses_is_never_in_force(lab: Room) -> None:
    file = lab.folder / "intent.yaml"
    kept = file.read_text(encoding="utf-8")
    old = lab.held()
    file.write_text(f"{kept}    overrides:\n      {LEAF}: {{qos: {{roce: {{mode: lossy}}}}}}\n", encoding="utf-8")
    try:
        assert lab.plan("--limit", LEAF).code == ExitCode.OK
        said = lab.apply("--json")
        row = json.loads(said.out)["devices"][0]
        assert (said.code, row["status"]) == (ExitCode.ERROR, "failed"), row
        assert "needs PFC" in row["detail"]
    finally:
        file.write_text(kept, encoding="utf-8")
    assert lab.held() == old
