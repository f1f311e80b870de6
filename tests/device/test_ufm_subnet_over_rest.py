"""What UFM says of its subnet over REST: the engine at work, ports set aside; what is not said stays unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ufm_bench import NAME, Rig, wiring
from ufm_client import PlainClient

from intent.catalog.ufm import UfmFacts
from intent.device.errors import ProtocolError
from intent.device.observation import OwnCheck
from intent.device.ufm.subnet import RestSubnet, UnhealthyPort, engine_from, unhealthy_from
from intent.device.ufm.validation import judged
from intent.lab.inprocess import LabServer

GUID = "0002c90300000007"


@pytest.fixture(params=["6.23.1-6", "6.15.1"])
def lab(request: pytest.FixtureRequest) -> Iterator[LabServer]:
    with LabServer(wiring(request.param, routing="dfp2")) as running:
        yield running


def asked(lab: LabServer) -> RestSubnet:
    rig = Rig(lab)
    return rig.actor.subnets([rig.target])[NAME]


def test_engine_and_unhealthy_ports_of_old_and_new_versions(lab: LabServer) -> None:
    assert asked(lab) == RestSubnet("dfp2", ())
    lab.fault("unhealthy-port", NAME, guid=GUID, number=3, condition="FLAPPING")
    lab.fault("routing-engine", NAME, engine="minhop")
    seen = asked(lab)
    assert (seen.engine, seen.unhealthy, seen.problems) == ("minhop", (UnhealthyPort(GUID, 3, ("FLAPPING",)),), {})
    assert seen.unhealthy is not None and seen.unhealthy[0].key == f"{GUID}/3"
    plain = PlainClient(lab.info, NAME)
    _, rows = plain.call("GET", "/ufmRest/app/unhealthy_ports")
    assert isinstance(rows[0]["Condition"], list) is lab.controller(NAME).version.startswith("6.23")
    body = {"ports": [f"{GUID}_3"], "ports_policy": "HEALTHY"}
    assert plain.call("PUT", "/ufmRest/app/unhealthy_ports", body)[0] == 200
    lab.fault("clear", NAME)
    assert asked(lab) == RestSubnet("dfp2", ())


def test_a_ufm_that_is_silent_is_unknown_in_both_parts(lab: LabServer) -> None:
    lab.fault("unreachable", NAME)
    seen = asked(lab)
    assert (seen.engine, seen.unhealthy) == (None, None)
    assert set(seen.problems) == {"routing", "unhealthy"} and all(seen.problems.values())


def test_ufms_own_test_of_partition_keys(lab: LabServer) -> None:
    rig = Rig(lab)
    found, why = rig.actor.own_checks(rig.target)
    assert (found, why) == ({"CheckPartitionKey": OwnCheck("CheckPartitionKey")}, "")
    lab.fault("unreachable", NAME)
    found, why = rig.actor.own_checks(rig.target)
    assert found is None and why


@pytest.mark.parametrize(
    ("summary", "found", "why"),
    [
        ("-I- CheckPartitionKey: no errors found", (), ""),
        ("-I- start\n-E- pkey 0x7fff:  bad\n-F- gone", ("-E- pkey 0x7fff: bad", "-F- gone"), ""),
        ("all is well", (), "its result is not understood"),
        ("", (), "its result is not understood"),
        (None, (), "its result is not understood"),
        (["-I-"], (), "its result is not understood"),
        ("x" * 10**6 + "\n-E-" + "y" * 10**6, ("-E-" + "y" * 197,), ""),
    ],
)
def test_a_result_is_good_only_where_it_says_so(summary: Any, found: tuple[str, ...], why: str) -> None:
    assert judged("T", summary, UfmFacts()) == OwnCheck("T", found, why)


ROW = {"UnhealthyGUID": "248a0703002e628e", "UnhealthyPortNumber": 1, "Condition": "MANUAL", "State": "Info"}


@pytest.mark.parametrize(
    ("change", "port"),
    [
        ({}, UnhealthyPort("248a0703002e628e", 1, ("MANUAL",))),
        ({"Condition": ["MANUAL", "FLAPPING"]}, UnhealthyPort("248a0703002e628e", 1, ("MANUAL", "FLAPPING"))),
        ({"Condition": None}, UnhealthyPort("248a0703002e628e", 1)),
        ({"UnhealthyGUID": "0x248A0703002E628E", "UnhealthyPortNumber": "35"}, UnhealthyPort("248a0703002e628e", 35)),
    ],
)
def test_rows_as_documented(change: dict[str, Any], port: UnhealthyPort) -> None:
    (found,) = unhealthy_from([{**ROW, "Condition": [], **change}] if "Condition" not in change and change else
                              [{**ROW, **change}])  # fmt: skip
    assert found == port


@pytest.mark.parametrize(
    "body",
    [
        {}, None, "none", [None], [[]], [{}], [{**ROW, "UnhealthyGUID": "N/A"}], [{**ROW, "UnhealthyPortNumber": True}],
        [{**ROW, "UnhealthyPortNumber": -1}], [{**ROW, "UnhealthyPortNumber": "9" * 9000}],
    ],
)  # fmt: skip
def test_an_answer_of_another_form_is_never_an_empty_list(body: Any) -> None:
    with pytest.raises(ProtocolError):
        unhealthy_from(body)


@pytest.mark.parametrize("value", [None, "", "  ", "None", "(null)", 7, ["ar_updn"], {"a": 1}])
def test_an_engine_that_is_not_said_is_not_guessed(value: Any) -> None:
    with pytest.raises(ProtocolError):
        engine_from(value)
    assert engine_from(" ar_updn\n") == "ar_updn"
