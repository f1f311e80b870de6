"""The calls of the NMX Manager OpenAPI 85.1.1000 as NVIDIA Infra Controller's client makes them, against the lab."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from nmx_bench import DEFAULT, NAME, R1, R2, wiring
from ufm_client import PlainClient

from intent.core.errors import IntentError
from intent.lab.inprocess import LabServer
from intent.lab.wiring import parse

PARTITIONS = "/nmx/v1/partitions"
ENTITY = re.compile(r"[0-9a-f]{24}")


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(wiring()) as running:
        yield running


@pytest.fixture
def nmx(lab: LabServer) -> PlainClient:
    return PlainClient(lab.info, NAME)


def done(nmx: PlainClient, answer: tuple[int, dict[str, str]]) -> dict[str, object]:
    """The operation an answer names, once it is over."""
    status, body = answer
    assert status == 202 and ENTITY.fullmatch(body["operationId"]), answer
    assert nmx.location == f"/nmx/v1/operations/{body['operationId']}"
    place = nmx.location
    for _ in range(400):
        _, operation = nmx.call("GET", place)
        if operation["Status"] not in ("pending", "in-progress"):
            return operation
        time.sleep(0.01)
    raise AssertionError(operation)


def ids(nmx: PlainClient, domain: str = R1) -> list[str]:
    _, gpus = nmx.call("GET", "/nmx/v1/gpus")
    return [gpu["ID"] for gpu in gpus if gpu["DomainUUID"] == domain]


def default(nmx: PlainClient, domain: str = R1) -> dict[str, object]:
    own = set(ids(nmx, domain))
    _, found = nmx.call("GET", PARTITIONS)
    return next(item for item in found if item["Name"] == DEFAULT and own & set(item["Members"]))


def test_inventory_and_counts(nmx: PlainClient) -> None:
    _, gpus = nmx.call("GET", "/nmx/v1/gpus")
    assert len(gpus) == 144
    required = {"ALIDList", "DeviceID", "DevicePcieID", "DeviceUID", "SystemUID", "VendorID", "LocationInfo"}
    assert required <= set(gpus[0])
    assert nmx.call("GET", "/nmx/v1/gpus/count") == (200, {"total": 144})
    assert nmx.call("GET", "/nmx/v1/compute-nodes/count") == (200, {"total": 36})


def test_partitions_have_exactly_the_documented_fields(nmx: PlainClient) -> None:
    _, found = nmx.call("GET", PARTITIONS)
    fields = {"ID", "PartitionID", "Name", "Type", "Health", "Members", "CreatedAt", "UpdatedAt"}
    assert [set(item) for item in found] == [fields, fields]
    assert {item["PartitionID"] for item in found} == {32766}
    assert nmx.call("GET", f"{PARTITIONS}/{found[0]['ID']}") == (200, found[0])
    assert nmx.call("GET", f"{PARTITIONS}/{'0' * 24}")[0] == 404


def test_shrink_the_default_create_update_and_delete(nmx: PlainClient) -> None:
    gpus = ids(nmx)
    assert nmx.call("POST", PARTITIONS, {"Name": "a", "Members": gpus[:4]})[0] == 409  # the default one holds them
    rest = nmx.call("PUT", f"{PARTITIONS}/{default(nmx)['ID']}", {"Members": gpus[8:]})
    assert done(nmx, rest)["Status"] == "completed"
    made = nmx.call("POST", PARTITIONS, {"Name": "a", "Members": gpus[:4]})
    assert done(nmx, made)["Status"] == "completed"
    assert nmx.call("POST", PARTITIONS, {"Name": "a", "Members": gpus[4:8]})[0] == 409  # the name
    _, found = nmx.call("GET", PARTITIONS)
    one = next(item for item in found if item["Name"] == "a")
    assert one["Type"] == "ID_BASED" and one["Members"] == gpus[:4]
    done(nmx, nmx.call("PUT", f"{PARTITIONS}/{one['ID']}", {"Members": gpus[2:8]}))
    assert nmx.call("GET", f"{PARTITIONS}/{one['ID']}")[1]["Members"] == gpus[2:8]  # the whole list
    done(nmx, nmx.call("DELETE", f"{PARTITIONS}/{one['ID']}"))
    assert nmx.call("DELETE", f"{PARTITIONS}/{one['ID']}")[0] == 404


def test_the_kind_of_members_is_fixed(nmx: PlainClient) -> None:
    place = {"DomainUUID": R1, "ChassisID": 1, "SlotID": 1, "HostID": 1, "DeviceID": 1}
    assert nmx.call("PUT", f"{PARTITIONS}/{default(nmx)['ID']}", {"Members": [place]})[0] == 409


def test_a_default_partition_may_be_empty_and_says_nothing_of_its_domain(nmx: PlainClient) -> None:
    identifier = default(nmx)["ID"]
    assert done(nmx, nmx.call("PUT", f"{PARTITIONS}/{identifier}", {"Members": []}))["Status"] == "completed"
    _, body = nmx.call("GET", f"{PARTITIONS}/{identifier}")
    assert body["Members"] == [] and "DomainUUID" not in body


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"Name": "a"}, 400),
        ({"Members": []}, 400),
        ({"Name": "", "Members": []}, 400),
        ({"Name": "é", "Members": []}, 400),
        ({"Name": "a" * 245, "Members": []}, 400),
        ({"Name": "a", "Members": "x"}, 400),
        ({"Name": "a", "Members": ["0" * 24]}, 404),
        ({"Name": "a", "Members": [{"DomainUUID": R1}]}, 400),
        ({"Name": "a", "Members": [], "MulticastGroups": 4}, 400),
        ([], 400),
    ],
)
def test_bodies_that_make_no_sense_are_refused(nmx: PlainClient, body: object, status: int) -> None:
    found, said = nmx.call("POST", PARTITIONS, body)
    assert found == status and set(said) == {"httpErrorCode", "customErrorCode", "description"}


def test_gpus_of_two_domains_are_refused(nmx: PlainClient) -> None:
    assert nmx.call("POST", PARTITIONS, {"Name": "a", "Members": [ids(nmx)[0], ids(nmx, R2)[0]]})[0] == 400


def test_operations_are_listed_and_cancelled(lab: LabServer, nmx: PlainClient) -> None:
    lab.fault("slow-operation", NAME, delay_s=3600)
    _, body = nmx.call("PUT", f"{PARTITIONS}/{default(nmx)['ID']}", {"Members": []})
    place = f"/nmx/v1/operations/{body['operationId']}"
    assert nmx.call("GET", place)[1]["Status"] == "in-progress"
    assert len(nmx.call("GET", "/nmx/v1/operations")[1]) == 1
    assert nmx.call("DELETE", place)[0] == 202
    assert nmx.call("GET", place)[1]["Status"] == "cancelled"
    assert nmx.call("DELETE", place)[0] == 409
    assert len(default(nmx)["Members"]) == 72  # type: ignore[arg-type]


def test_accounts_that_may_only_read_do_not_write(lab: LabServer) -> None:
    import base64

    password = lab.info.controllers[NAME].password
    header = "Basic " + base64.b64encode(f"ro-user:{password}".encode()).decode()
    reader = PlainClient(lab.info, NAME, header)
    assert reader.call("GET", PARTITIONS)[0] == 200
    assert reader.call("POST", PARTITIONS, {"Name": "a", "Members": []})[0] == 403
    assert PlainClient(lab.info, NAME, "Basic eDp5").call("GET", PARTITIONS)[0] == 401


def test_the_wiring_file_names_domains_strictly() -> None:
    good = {"nmx": [{"name": "n", "domains": [{"uuid": R1, "trays": 18}]}]}
    assert parse(good, "w").nmx[0].domains[0].uuid == R1
    for broken in (
        {"nmx": [{"name": "n"}]},
        {"nmx": [{"name": "n", "domains": [{"uuid": "x"}]}]},
        {"nmx": [{"name": "n", "domains": [{"uuid": R1, "trays": 0}]}]},
        {"nmx": [{"name": "n", "domains": [{"uuid": R1, "trays": True}]}]},
        {"nmx": [{"name": "n", "domains": [], "default_kind": "x"}]},
    ):
        with pytest.raises(IntentError):
            parse(broken, "w")


def test_a_fault_without_its_options_says_which(lab: LabServer) -> None:
    with pytest.raises(IntentError, match=r"move-gpu: domain=… is missing") as refused:
        lab.fault("move-gpu", NAME)
    assert "place of domain" in refused.value.hint
