"""A good set of observations passes; every fact that is changed is caught by the right check."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from small_fabric import good_expected, good_observations, small_fabric

from intent.core.verdict import Verdict
from intent.device.observation import BgpSession, LldpNeighbor, Observation
from intent.fabric.model import End, Fabric, Role, Tier
from intent.verify.api import Expected, Phase, normal_mac
from intent.verify.engine import CheckResult, run, summary
from intent.verify.registry import load

CHECKS = load([Path(__file__).parents[2] / "validators"]).checks
GRAMMAR = re.compile(r"^[A-Za-z][\w ]*: .+ - .+( - (expected .+(, actual .+)?|actual .+))?$")
Mutation = Callable[[Observation], Observation]


def link(name: str = "swp33s0", **changes: object) -> Mutation:
    def mutate(item: Observation) -> Observation:
        assert item.links is not None
        return replace(item, links={**item.links, name: replace(item.links[name], **changes)})  # type: ignore[arg-type]

    return mutate


def without_link(name: str) -> Mutation:
    return lambda item: replace(item, links={k: v for k, v in (item.links or {}).items() if k != name})


def lldp(port: str, *seen: LldpNeighbor) -> Mutation:
    return lambda item: replace(item, lldp={**(item.lldp or {}), port: seen})


def sees(system: str, remote: str, kind: str = "ifname", age: int | None = None) -> LldpNeighbor:
    return LldpNeighbor("swp33s0", system, remote, kind, age)


def session(name: str = "swp33s0", **changes: object) -> Mutation:
    def mutate(item: Observation) -> Observation:
        assert item.bgp is not None
        return replace(item, bgp=tuple(replace(s, **changes) if s.neighbor == name else s for s in item.bgp))  # type: ignore[arg-type]

    return mutate


def without_sessions(*names: str) -> Mutation:
    return lambda item: replace(item, bgp=tuple(s for s in item.bgp or () if s.neighbor not in names))


def roce(**changes: object) -> Mutation:
    return lambda item: replace(item, roce=replace(item.roce, **changes))  # type: ignore[type-var, arg-type]


def system(**changes: object) -> Mutation:
    return lambda item: replace(item, system=replace(item.system, **changes))  # type: ignore[type-var, arg-type]


def unread(part: str) -> Mutation:
    return lambda item: replace(item, **{part: None}, problems={part: "HTTP 500"})  # type: ignore[arg-type]


def judged(
    mutate: Mutation, device: str = "leaf1", fabric: Fabric | None = None, expected: Expected | None = None
) -> dict[str, CheckResult]:
    fabric = fabric or small_fabric()
    observations = good_observations(fabric)
    observations[device] = mutate(observations[device])
    results = run(CHECKS, fabric, observations, phase=Phase.VERIFY, expected=expected or good_expected(fabric))
    others = {r.verdict for r in results if r.device != device}
    assert others == {Verdict.PASS}, "one device's fault is not another's"
    return {result.check: result for result in results if result.device == device}


def test_all_is_well() -> None:
    fabric = small_fabric()
    results = run(CHECKS, fabric, good_observations(fabric), phase=Phase.VERIFY, expected=good_expected(fabric))
    assert {result.verdict for result in results} == {Verdict.PASS}
    assert len(results) == len([check for check in CHECKS if Role.LEAF in check.roles]) * 4
    assert summary(results).overall is Verdict.PASS
    counted = {result.check: result.judged for result in results if result.device == "leaf1"}
    assert counted["link-up"] == counted["lldp-cabling"] == 9 and counted["bgp-sessions"] == 8


FAIL, UNKNOWN = Verdict.FAIL, Verdict.UNKNOWN
CASES = {
    "port down": (
        link(oper="down"),
        "link-up",
        FAIL,
        "Port: swp33s0 (to spine1 swp1s0) - not up - expected up, actual down",
    ),
    "port shut": (link(oper="down", admin="down"), "link-up", FAIL, "administratively down - expected up, actual down"),
    "port gone": (without_link("swp33s0"), "link-up", FAIL, "no such port - expected up, actual absent"),
    "state not said": (link(oper=""), "link-up", UNKNOWN, "state not reported"),
    "half speed": (link(speed_gbps=200.0), "link-speed", FAIL, "wrong speed - expected 400G, actual 200G"),
    "speed not said": (link(speed_gbps=None), "link-speed", UNKNOWN, "speed not reported - expected 400G"),
    "small mtu": (link(mtu=1500), "link-mtu", FAIL, "wrong MTU - expected 9216, actual 1500"),
    "host mtu": (
        link("swp1s0", mtu=9000),
        "link-mtu",
        FAIL,
        "(to node1 eth1) - wrong MTU - expected 9216, actual 9000",
    ),
    "mtu not said": (link(mtu=None), "link-mtu", UNKNOWN, "MTU not reported"),
    "links unread": (unread("links"), "link-up", UNKNOWN, "Observation: links - could not be read - HTTP 500"),
    "wrong spine": (
        lldp("swp33s0", sees("spine10", "swp1s0")),
        "lldp-cabling",
        FAIL,
        "Port: swp33s0 - wrong cable - expected spine1 swp1s0, actual spine10 swp1s0",
    ),
    "wrong port": (lldp("swp33s0", sees("spine1", "swp1s1")), "lldp-cabling", FAIL, "actual spine1 swp1s1"),
    "port that shares a prefix": (lldp("swp33s0", sees("spine1", "swp1s")), "lldp-cabling", FAIL, "wrong cable"),
    "name that shares a prefix": (lldp("swp33s0", sees("spine", "swp1s0")), "lldp-cabling", FAIL, "wrong cable"),
    "stranger": (lldp("swp33s0", sees("router9", "Eth1/1")), "lldp-cabling", FAIL, "actual router9 Eth1/1"),
    "port in capitals": (lldp("swp33s0", sees("spine1", "SWP1S0")), "lldp-cabling", FAIL, "actual spine1 SWP1S0"),
    "nobody": (lldp("swp33s0"), "lldp-cabling", UNKNOWN, "Port: swp33s0 - no neighbour seen - expected spine1 swp1s0"),
    "mac as port": (
        lldp("swp33s0", sees("spine1", "44:38:39:00:00:01", "mac")),
        "lldp-cabling",
        UNKNOWN,
        "a MAC address that is not in the inventory",
    ),
    "mac of a wrong system": (
        lldp("swp33s0", sees("spine10", "44:38:39:00:00:01", "mac")),
        "lldp-cabling",
        FAIL,
        "wrong",
    ),
    "alias as port": (
        lldp("swp33s0", sees("spine1", "connected to leaf1", "ifalias")),
        "lldp-cabling",
        UNKNOWN,
        "cannot tell",
    ),
    "no name": (lldp("swp33s0", sees("", "swp1s0")), "lldp-cabling", UNKNOWN, "the neighbour sends no name"),
    "two, none right": (
        lldp("swp33s0", sees("spine10", "swp1s0"), sees("spine10", "swp1s1")),
        "lldp-cabling",
        FAIL,
        "several neighbours: spine10 swp1s0, spine10 swp1s1",
    ),
    "two, youngest wrong": (
        lldp("swp33s0", sees("spine1", "swp1s0", age=900), sees("spine10", "swp1s0", age=3)),
        "lldp-cabling",
        FAIL,
        "the youngest is wrong",
    ),
    "two, ages unknown": (
        lldp("swp33s0", sees("spine1", "swp1s0"), sees("spine10", "swp1s0")),
        "lldp-cabling",
        UNKNOWN,
        "cannot tell, several neighbours",
    ),
    "planned port, unplanned place": (
        lldp("swp64s0", sees("spine1", "swp1s0")),
        "lldp-cabling",
        FAIL,
        "Port: swp64s0 - wrong cable - expected nothing plugged in, actual spine1 swp1s0",
    ),
    "lldp unread": (unread("lldp"), "lldp-cabling", UNKNOWN, "could not be read"),
    "session idle": (
        session(state="idle", reason="Peer closed the session"),
        "bgp-sessions",
        FAIL,
        "session not established (Peer closed the session) - expected established, actual idle",
    ),
    "session state not said": (session(state=""), "bgp-sessions", UNKNOWN, "state not reported"),
    "session in another vrf": (session(vrf="RED"), "bgp-sessions", FAIL, "session missing"),
    "wrong asn": (
        session(remote_asn=4200109999),
        "bgp-remote-asn",
        FAIL,
        "expected AS 4200100003, actual AS 4200109999",
    ),
    "asn not said": (session(remote_asn=None), "bgp-remote-asn", UNKNOWN, "remote number not reported"),
    "bgp unread": (unread("bgp"), "bgp-sessions", UNKNOWN, "could not be read"),
    "lossy": (
        roce(mode="lossy"),
        "roce-mode",
        FAIL,
        "RoCE: mode - not that of roce-lossless - expected lossless, actual lossy",
    ),
    "roce off": (roce(mode=""), "roce-mode", FAIL, "expected lossless, actual off"),
    "pcp only": (roce(trust="pcp"), "roce-mode", FAIL, "expected dscp, actual pcp"),
    "trust not said": (roce(trust=""), "roce-mode", UNKNOWN, "not reported"),
    "no pfc": (roce(pfc_priorities=()), "roce-pfc", FAIL, "expected 3, actual none"),
    "pfc on another priority": (roce(pfc_priorities=(3, 4)), "roce-pfc", FAIL, "expected 3, actual 3, 4"),
    "no ecn on data": (roce(ecn_traffic_classes=(0,)), "roce-ecn", FAIL, "expected 0, 3, actual 0"),
    "ecn starts late": (roce(ecn_min_bytes=300_000), "roce-ecn", FAIL, "expected 150000 bytes, actual 300000 bytes"),
    "ecn ends early": (roce(ecn_max_bytes=150_000), "roce-ecn", FAIL, "expected 1500000 bytes, actual 150000 bytes"),
    "ecn not said": (roce(ecn_min_bytes=None), "roce-ecn", UNKNOWN, "ECN: minimum threshold - not reported"),
    "exceptions": (
        roce(exceptions=("swp9s1",)),
        "roce-exceptions",
        FAIL,
        "Port: swp9s1 - differs from the RoCE profile",
    ),
    "roce unread": (unread("roce"), "roce-pfc", UNKNOWN, "could not be read"),
    "older release": (system(release="5.14.0"), "release", FAIL, "wrong release - expected 5.16, actual 5.14.0"),
    "release that shares a prefix": (system(release="5.160.1"), "release", FAIL, "expected 5.16, actual 5.160.1"),
    "shorter release": (system(release="5"), "release", FAIL, "expected 5.16, actual 5"),
    "release not said": (system(release=""), "release", UNKNOWN, "release not reported"),
    "other model": (system(model="SN5400"), "model", FAIL, "expected SN5600, actual SN5400"),
    "model that shares a prefix": (system(model="SN5600D"), "model", FAIL, "expected SN5600, actual SN5600D"),
    "model not said": (system(model=""), "model", UNKNOWN, "model not reported"),
    "another device answers": (system(hostname="leaf2"), "hostname", FAIL, "expected leaf1, actual leaf2"),
    "name not said": (system(hostname=""), "hostname", UNKNOWN, "host name not reported"),
    "system unread": (unread("system"), "release", UNKNOWN, "could not be read"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_changed_fact_is_caught(case: str) -> None:
    mutate, check, verdict, words = CASES[case]
    results = judged(mutate)
    assert results[check].verdict is verdict
    assert any(words in message for message in results[check].messages), results[check].messages
    for result in results.values():
        assert all(GRAMMAR.match(message) for message in result.messages), result.messages
        assert bool(result.messages) == (result.verdict in (FAIL, UNKNOWN))


FINE = {
    "fqdn": lldp("swp33s0", sees("spine1.example.net", "swp1s0")),
    "capitals": lldp("swp33s0", sees("SPINE1", "swp1s0")),
    "fqdn with a final dot": lldp("swp33s0", sees("Spine1.Example.net.", "swp1s0")),
    "no kind": lldp("swp33s0", sees("spine1", "swp1s0", "")),
    "two, both right": lldp("swp33s0", sees("spine1", "swp1s0"), sees("spine1.example.net", "swp1s0")),
    "two, youngest right": lldp("swp33s0", sees("spine10", "swp1s0", age=900), sees("spine1", "swp1s0", age=3)),
    "management neighbour": lldp("eth0", sees("oob1", "swp7")),
    "one of ours on the management network": lldp("eth0", sees("spine1", "eth0")),
    "unplanned stranger": lldp("swp64s0", sees("tester", "eth1")),
    "silent node": lldp("swp1s0"),
    "uncabled port down": link("eth0", oper="down", mtu=None, speed_gbps=None),
    "threshold in steps": roce(ecn_min_bytes=159_744, ecn_max_bytes=1_511_424),
    "threshold as asked": roce(ecn_min_bytes=150_000, ecn_max_bytes=1_500_000),
    "more classes mark": roce(ecn_traffic_classes=(0, 3, 5)),
    "patch release": system(release="5.16.0"),
    "same release": system(release="5.16"),
    "model in small letters": system(model="sn5600"),
    "name with domain": system(hostname="leaf1.example.net"),
    "foreign session down": lambda item: replace(
        item, bgp=(*(item.bgp or ()), BgpSession("RED", "10.9.9.9", "idle", 65000))
    ),
}


@pytest.mark.parametrize("case", FINE)
def test_what_is_no_fault_passes(case: str) -> None:
    assert {result.verdict for result in judged(FINE[case]).values()} == {Verdict.PASS}


def test_several_neighbours_are_reported_even_when_the_right_one_is_there() -> None:
    (note,) = judged(FINE["two, youngest right"])["lldp-cabling"].notes
    assert note == "Port: swp33s0 - several neighbours: spine10 swp1s0, spine1 swp1s0; the youngest is the planned one"


def test_a_silent_node_is_said_and_not_judged() -> None:
    result = judged(FINE["silent node"])["lldp-cabling"]
    assert result.notes == ("no neighbour seen on 1 ports to nodes, which need not send LLDP",)
    assert result.judged == 8


def test_d11_sessions_are_counted_per_link_and_the_missing_ones_named() -> None:
    """Case D11: four unnumbered links between two switches, one session established, three missing."""
    results = judged(without_sessions("swp33s1", "swp34s0", "swp34s1"))
    found = results["bgp-sessions"]
    assert found.verdict is FAIL
    assert found.messages == tuple(
        f"BGP neighbor: {port} (to spine1 {far}) - session missing - expected established, actual no session"
        for port, far in (("swp33s1", "swp1s1"), ("swp34s0", "swp2s0"), ("swp34s1", "swp2s1"))
    )
    assert found.message.endswith("(and 2 more)")


@pytest.mark.parametrize("spelling", ["44:38:39:00:00:01", "4438.3900.0001", "44-38-39-00-00-01", "443839000001"])
def test_d23_a_mac_as_port_is_looked_up_in_the_inventory(spelling: str) -> None:
    """Case D23: hosts send a MAC address as port id."""
    fabric = small_fabric()
    mac = normal_mac("44:38:39:00:00:01")
    assert mac is not None
    right = replace(good_expected(fabric), mac_owners={mac: End("node1", "eth1")})
    wrong = replace(good_expected(fabric), mac_owners={mac: End("node1", "eth2")})
    seen = lldp("swp1s0", LldpNeighbor("swp1s0", "localhost", spelling, "mac"))
    assert judged(seen, expected=right)["lldp-cabling"].verdict is Verdict.PASS
    result = judged(seen, expected=wrong)["lldp-cabling"]
    assert result.messages == ("Port: swp1s0 - wrong cable - expected node1 eth1, actual node1 eth2",)


def test_numbered_links_are_looked_for_by_address() -> None:
    fabric = small_fabric()
    ends = {"leaf1": ("swp33s0", "10.128.0.0/31"), "spine1": ("swp1s0", "10.128.0.1/31")}
    devices = dict(fabric.devices)
    for name, (port, address) in ends.items():
        ports = {**devices[name].ports, port: replace(devices[name].ports[port], address=address)}
        devices[name] = replace(devices[name], ports=ports)
    numbered = replace(fabric, devices=devices)
    observations = good_observations(numbered)
    result = run(CHECKS, numbered, observations, phase=Phase.POST, expected=good_expected(numbered), devices=["leaf1"])
    missing = next(item for item in result if item.check == "bgp-sessions")
    assert missing.messages == (
        "BGP neighbor: 10.128.0.1 (to spine1 swp1s0) - session missing - expected established, actual no session",
    )
    observations["leaf1"] = session(neighbor="10.128.0.1")(observations["leaf1"])
    result = run(CHECKS, numbered, observations, phase=Phase.POST, expected=good_expected(numbered), devices=["leaf1"])
    assert {item.verdict for item in result} == {Verdict.PASS}


def test_without_a_profile_roce_is_skipped_and_without_an_mtu_unknown() -> None:
    fabric = small_fabric()
    results = run(CHECKS, fabric, good_observations(fabric), phase=Phase.VERIFY, devices=["spine1"])
    verdicts = {result.check: result.verdict for result in results}
    assert {verdicts[name] for name in verdicts if name.startswith("roce")} == {Verdict.SKIPPED}
    assert verdicts["link-mtu"] is Verdict.UNKNOWN


def test_mtu_is_judged_by_tier() -> None:
    fabric = small_fabric()
    expected = replace(good_expected(fabric), mtu_bytes={Tier.HOST: 4200, Tier.FABRIC: 9216})
    observations = good_observations(fabric)
    results = run(CHECKS, fabric, observations, phase=Phase.VERIFY, expected=expected, devices=["leaf1"])
    mtu = next(result for result in results if result.check == "link-mtu")
    assert mtu.messages == ("Port: swp1s0 (to node1 eth1) - wrong MTU - expected 4200, actual 9216",)


def test_before_a_change_the_name_is_not_judged() -> None:
    fabric = small_fabric()
    results = run(CHECKS, fabric, good_observations(fabric), phase=Phase.PRE, expected=good_expected(fabric))
    assert "hostname" not in {result.check for result in results}
