"""Checks of a subnet on records: each fault is caught by its check, what is not known is never green."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from ib_topologies import NodeKind, fat_tree
from sm_samples import tenants
from subnet_fabric import NAME, compiled, end_ports, expected

from intent.core.verdict import Verdict
from intent.device.observation import IbPort, Observation, OwnCheck, PortErrors, SmState
from intent.fabric.model import Fabric
from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import pkey_tables
from intent.verify.api import Expected, Phase, Subnet
from intent.verify.engine import run
from intent.verify.registry import load

SMALL = fat_tree(leaves=2, spines=2, hosts_per_leaf=3)
FABRIC = compiled(SMALL)
PARTITIONS = tenants(SMALL)
FIRST, LAST = SMALL.adapter_ports[0], SMALL.adapter_ports[-1]
HOST = "host0000"
CHECKS = tuple(
    check
    for check in load([Path(__file__).parents[2] / "validators"]).checks
    if {str(role) for role in check.roles} == {"manager"} and "nvlink" not in check.parts
)
PASS, FAIL, UNKNOWN, SKIPPED = Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, Verdict.SKIPPED
WANTED = replace(expected(SMALL, PARTITIONS, {FIRST: 14, LAST: 13}), lids={f"{guid:016x}": 7 for guid in SMALL.ports})


def good() -> Observation:
    """Everything as planned."""
    guids = {
        (node.guid, number): f"{node.guid if node.kind is NodeKind.SWITCH else node.guid + number:016x}"
        for node in SMALL.nodes
        for number in range(1, node.ports + 1)
    }
    ports: dict[str, IbPort] = {}
    for pair in SMALL.links:
        for one, other in (pair, pair[::-1]):
            port = IbPort(guids[one], one[1], "", "active", "linkup", 4, 200, 7, guids[other], other[1])
            ports[f"{port.guid}/{port.number}"] = port
    tables = pkey_tables(read_strict(PARTITIONS.encode()), end_ports(SMALL), manager=FIRST)
    keys = {
        f"{guid:016x}": (table.index0, *sorted(table.keys - {table.index0}), 0, 0) for guid, table in tables.items()
    }
    managers = (SmState(f"{FIRST:016x}", "master", 14, 1), SmState(f"{LAST:016x}", "standby", 13, 2))
    return Observation(
        HOST, "", ib_ports=ports, ib_errors={}, pkeys=keys, sm=managers, lids=dict.fromkeys(keys, 7), routing="updn",
        unhealthy=(),
    )  # fmt: skip


def verdicts(seen: Observation, subnet: Subnet = WANTED, fabric: Fabric = FABRIC) -> dict[str, tuple[Verdict, str]]:
    results = run(
        CHECKS, fabric, {HOST: seen}, phase=Phase.VERIFY, expected=Expected(subnets={NAME: subnet}), devices=[HOST]
    )
    return {result.check: (result.verdict, result.message) for result in results}


def test_all_is_well() -> None:
    found = verdicts(good())
    assert found.pop("ufm-validation")[0] is SKIPPED, "UFM's own tests are run when they are asked for"
    assert {verdict for verdict, _ in found.values()} == {PASS}


def test_what_a_ufm_found_itself_is_judged() -> None:
    def of(**tests: OwnCheck) -> tuple[Verdict, str]:
        return verdicts(replace(good(), own_checks=tests))["ufm-validation"]

    assert of(a=OwnCheck("a"))[0] is PASS
    assert of(a=OwnCheck("a", ("-E- bad",)), b=OwnCheck("b")) == (FAIL, "Test: a - -E- bad")
    assert of(a=OwnCheck("a", why="running already")) == (UNKNOWN, "Test: a - running already")
    assert of()[0] is SKIPPED, "UFM offers none"
    silent = replace(good(), problems={"own_checks": "no answer"})
    assert verdicts(silent)["ufm-validation"] == (UNKNOWN, "Tests: of UFM - no answer")


LEAF = next(f"{node.guid:016x}" for node in SMALL.nodes if node.name == "leaf000")
TENANT = f"{SMALL.adapter_ports[1]:016x}"
MANAGER = f"{FIRST:016x}"


def port(**changes: object) -> Callable[[Observation], Observation]:
    def mutate(seen: Observation) -> Observation:
        assert seen.ib_ports is not None
        key = f"{LEAF}/4"
        return replace(seen, ib_ports={**seen.ib_ports, key: replace(seen.ib_ports[key], **changes)})  # type: ignore[arg-type]

    return mutate


def keys(guid: str, *table: int) -> Callable[[Observation], Observation]:
    def mutate(seen: Observation) -> Observation:
        assert seen.pkeys is not None
        return replace(seen, pkeys={**seen.pkeys, guid: table})

    return mutate


FAULTS: dict[str, tuple[Callable[[Observation], Observation], str, Verdict, str]] = {
    "fell open": (keys(TENANT, 0xFFFF), "partitions-canary", FAIL, "expected 0x7fff, actual 0xffff"),
    "canary not read": (
        lambda seen: replace(seen, pkeys={k: v for k, v in (seen.pkeys or {}).items() if k != TENANT}),
        "partitions-canary", UNKNOWN, "its keys were not read",
    ),
    "a key too many": (keys(TENANT, 0x7FFF, 0x8012, 0x8013), "partitions-tables", FAIL, "actual 0x7fff 0x8012 0x8013"),
    "limited instead of full": (keys(TENANT, 0x7FFF, 0x0012), "partitions-tables", FAIL, "expected 0x7fff 0x8012"),
    "wrong index": (keys(TENANT, 0x8012, 0x7FFF), "partitions-tables", FAIL, "wrong key at index 0"),
    "a stranger in a partition": (keys("00000000000000aa", 0x7FFF, 0x8012), "partitions-tables", FAIL, "0x8012"),
    "two masters": (
        lambda seen: replace(seen, sm=tuple(replace(one, state="master") for one in seen.sm or ())),
        "sm-roles", FAIL, "wrong role - expected standby, actual master",
    ),
    "standby gone": (lambda seen: replace(seen, sm=(seen.sm or ())[:1]), "sm-roles", FAIL, "does not answer"),
    "stranger manages": (
        lambda seen: replace(seen, sm=(*(seen.sm or ()), SmState("00000000000000aa", "standby", 15, 9))),
        "sm-roles", FAIL, "the intent does not know it",
    ),
    "wrong priority": (
        lambda seen: replace(seen, sm=tuple(replace(one, priority=1) for one in seen.sm or ())),
        "sm-roles", FAIL, "expected 14, actual 1",
    ),
    "minhop routes": (lambda seen: replace(seen, routing="minhop"), "sm-routing", FAIL, "expected updn, actual minhop"),
    "nothing routed": (lambda seen: replace(seen, routing=""), "sm-routing", UNKNOWN, "nothing was routed"),
    "another LID": (
        lambda seen: replace(seen, lids={**(seen.lids or {}), TENANT: 8}),
        "lid-stability", FAIL, "expected LID 7, actual LID 8",
    ),
    "port gone": (
        lambda seen: replace(seen, lids={k: v for k, v in (seen.lids or {}).items() if k != TENANT}),
        "lid-stability", UNKNOWN, "no longer in the subnet",
    ),
    "wrong cable": (port(peer_number=9), "ib-cabling", FAIL, "wrong cable"),
    "cable out": (port(peer="", peer_number=0, physical="polling"), "ib-cabling", FAIL, "nothing at the other end"),
    "link stuck": (port(state="initialize"), "ib-links", FAIL, "actual initialize, linkup"),
    "half the lanes": (port(lanes=2, speed_gbps=100), "ib-links", FAIL, "expected 4 lanes, actual 2 lanes"),
    "slow": (port(speed_gbps=100), "ib-links", FAIL, "expected 200G, actual 100G"),
    "speed not known": (port(speed_gbps=None), "ib-links", UNKNOWN, "width or speed not reported"),
    "errors": (
        lambda seen: replace(
            seen, ib_errors={f"{LEAF}/4": PortErrors(LEAF, 4, {"SymbolErrorCounter": 11, "LinkDownedCounter": 3})}
        ),
        "ib-errors", FAIL, "symbol errors - expected at most 10, actual 11",
    ),
    "set aside": (
        lambda seen: replace(seen, unhealthy=(f"{LEAF}/4",)), "ib-unhealthy", FAIL, "leaf000 4 to spine000 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_caught(name: str) -> None:
    mutate, check, verdict, words = FAULTS[name]
    found, message = verdicts(mutate(good()))[check]
    assert (found, words in message) == (verdict, True), message


def test_a_stand_in_of_the_laboratory_is_skipped_never_a_pass() -> None:
    subnet = replace(WANTED, engine="ar_updn", stand_in="updn")
    assert verdicts(good(), subnet)["sm-routing"][0] is SKIPPED
    assert verdicts(replace(good(), routing="minhop"), subnet)["sm-routing"][0] is FAIL


def test_of_a_ufm_pair_one_is_master_whichever() -> None:
    pair = replace(WANTED, managers=dict.fromkeys(WANTED.managers, 0), one_at_a_time=True)
    first, second = good().sm or ()
    alone = replace(good(), sm=(replace(second, state="master", priority=15),))
    assert verdicts(alone, pair)["sm-roles"][0] is PASS, "the other one does not run"
    assert verdicts(good(), pair)["sm-roles"][0] is PASS, "or stands by; priorities are UFM's"
    for managers, words in (
        ((), "no manager of the intent is master - expected one master, actual none"),
        ((first, replace(second, state="master")), "several managers are master"),
        ((replace(first, guid="00000000000000aa"), second), "actual 00000000000000aa"),
        ((first, replace(second, guid="00000000000000aa")), "the intent does not know it"),
    ):
        verdict, message = verdicts(replace(good(), sm=managers), pair)["sm-roles"]
        assert (verdict, words in message) == (FAIL, True), message


def test_without_a_limited_port_it_cannot_be_told() -> None:
    assert verdicts(good(), replace(WANTED, canaries=()))["partitions-canary"][0] is UNKNOWN


def test_ports_whose_guid_nobody_told_are_unknown() -> None:
    spine = replace(FABRIC.devices["spine000"], guid="")
    fabric = Fabric("lab", {**FABRIC.devices, "spine000": spine}, FABRIC.links)
    results = verdicts(good(), fabric=fabric)
    assert results["ib-cabling"][0] is UNKNOWN and results["ib-links"][0] is PASS, "the other end is known"


def test_a_subnet_the_intent_does_not_know_is_not_judged_green() -> None:
    results = run(CHECKS, FABRIC, {HOST: good()}, phase=Phase.VERIFY, expected=Expected(), devices=[HOST])
    by_name = {result.check: result.verdict for result in results}
    assert by_name["partitions-canary"] is by_name["sm-roles"] is SKIPPED
