"""Operational state: what is absent is empty, what is odd is a problem, nothing odd is ever healthy."""

from __future__ import annotations

from typing import Any

import pytest
from fake_switch import Bench, FakeSwitch
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.device.observation import Observation
from intent.device.observe import gather


def observed(**state: Any) -> Observation:
    bench = Bench(
        {"leaf01": FakeSwitch({}, state={f"/{key.replace('__', '/')}": value for key, value in state.items()})}
    )
    return gather(bench.fleet, [bench.target("leaf01")])["leaf01"]


def test_absent_objects_are_empty_parts() -> None:
    seen = observed()
    assert seen.problems == {}
    assert (seen.links, seen.lldp, seen.bgp) == ({}, {}, ())
    assert seen.roce is not None
    assert seen.roce.mode == ""


@pytest.mark.parametrize(
    ("link", "admin", "oper"),
    [
        ({"admin-status": "up", "oper-status": "down"}, "up", "down"),
        ({"state": {"up": {}}}, "up", "up"),
        ({"state": {"down": {}}}, "unknown", "down"),
        ({}, "unknown", "unknown"),
        ({"oper-status": 1}, "unknown", "unknown"),
        ({"oper-status": "sideways"}, "unknown", "unknown"),
    ],
)
def test_link_state_in_every_form(link: dict[str, Any], admin: str, oper: str) -> None:
    seen = observed(interface={"swp1": {"link": {"mtu": 9216, "speed": "400G", **link}}, "lo": {}})
    assert seen.links is not None
    assert (seen.links["swp1"].admin, seen.links["swp1"].oper) == (admin, oper)
    assert (seen.links["swp1"].speed_gbps, seen.links["swp1"].mtu) == (400.0, 9216)


def test_lldp_youngest_first_and_a_neighbor_without_port_is_a_problem() -> None:
    neighbors = {
        "old": {"age": "1 day, 0:00:01", "port": {"name": "swp1", "type": "ifname"}},
        "young": {"age": "0:00:07", "port": {"name": "aa:bb", "type": "mac"}, "chassis": {"system-name": "young.x"}},
    }
    seen = observed(interface={"swp1": {"lldp": {"neighbor": neighbors}}})
    assert seen.lldp is not None
    assert [(item.system, item.age_s) for item in seen.lldp["swp1"]] == [("young.x", 7), ("old", 86401)]
    broken = observed(interface={"swp1": {"lldp": {"neighbor": {"x": {}}}}})
    assert broken.lldp is None
    assert "names no port" in broken.problems["lldp"]


def test_bgp_without_a_state_is_unknown_not_up() -> None:
    peers = {"swp1": {"remote-as": "65001"}, "swp2": {"session-state": "Established", "last-reset-reason": "No AFI"}}
    seen = observed(vrf={"default": {"router": {"bgp": {"neighbor": peers}}}, "mgmt": {}})
    assert seen.bgp is not None
    assert [(item.state, item.remote_asn, item.reason) for item in seen.bgp] == [
        ("unknown", 65001, ""),
        ("established", None, ""),
    ]


def test_roce_numbers_and_texts() -> None:
    body = {
        "state": "enabled",
        "mode": "lossless",
        "pfc": {"pfc-priority": "3"},
        "congestion-control": {"enabled-tc": "0,3", "min-threshold": "146.48 KB", "max-threshold": 1_500_000},
        "trust": {"trust-mode": "pcp,dscp"},
        "exception": {"swp9": {}},
    }
    roce = observed(qos__roce=body).roce
    assert roce is not None
    assert (roce.pfc_priorities, roce.ecn_traffic_classes) == ((3,), (0, 3))
    assert (roce.ecn_min_bytes, roce.ecn_max_bytes, roce.trust) == (146_480, 1_500_000, "pcp,dscp")
    assert roce.exceptions == ("swp9",)


@pytest.mark.parametrize(
    ("state", "part"),
    [
        ({"interface": [1]}, "links"),
        ({"interface": {"swp1": 5}}, "links"),
        ({"vrf": {"default": {"router": {"bgp": {"neighbor": [1]}}}}}, "bgp"),
        ({"qos__roce": {"state": "enabled"}}, "roce"),
        ({"qos__roce": {"mode": "lossless", "pfc": {"pfc-priority": "three"}}}, "roce"),
        ({"system": {"hostname": "x"}}, "system"),
    ],
)
def test_what_cannot_be_understood_is_a_problem(state: dict[str, Any], part: str) -> None:
    seen = observed(**state)
    assert part in seen.problems
    assert getattr(seen, part) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["swp1", "link", "lldp", "neighbor", "router", "bgp", "port", "pfc", "mode", "state", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(JSON, JSON, JSON, JSON)
def test_any_answer_is_read_or_reported(interface: Any, vrf: Any, roce: Any, system: Any) -> None:
    state = {"interface": interface, "vrf": vrf, "qos__roce": roce, "system": system}
    seen = observed(**{key: value for key, value in state.items() if value is not None})
    assert "internal error" not in str(seen.problems)
    if seen.links:
        assert {item.oper for item in seen.links.values()} <= {"up", "down", "unknown"}


def test_an_unknown_part_is_refused() -> None:
    bench = Bench({"leaf01": FakeSwitch({})})
    with pytest.raises(ValueError, match="unknown part"):
        gather(bench.fleet, [bench.target("leaf01")], ["weather"])
