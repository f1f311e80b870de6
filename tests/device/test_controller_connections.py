"""Ways to controllers: settings, tokens, versions, quirks of lists, jobs; odd answers are never taken for absence."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_switch import Clock

from intent.core.errors import IntentError
from intent.device.actor import Target
from intent.device.compensation import Lost, Pace, Refused, Write
from intent.device.endpoint import Endpoint
from intent.device.endpoints import Endpoints
from intent.device.errors import Busy, ProtocolError
from intent.device.http import Reply, Transport
from intent.device.inventory import IntentInventory
from intent.device.nmx.model import At, live_from
from intent.device.nmx.session import ROOT as NMX_ROOT
from intent.device.nmx.session import NmxConnection, NmxSession
from intent.device.secrets import SecretStore
from intent.device.ufm.connection import UfmConnection
from intent.device.ufm.jobs import JobEnd, job_of, wait_for
from intent.device.ufm.session import ROOT, UfmSession

Answer = Callable[[httpx.Request], httpx.Response]
MEMBERS = {"0x12": {"partition": "a", "ip_over_ib": True, "guids": []}}
QUALITIES = {"0x12": {"partition": "a", "ip_over_ib": True, "qos_conf": {"mtu_limit": 4, "rate_limit": 200.0}}}


def transport(answer: Answer, root: str = ROOT, *, token: bool = False) -> Transport:
    clock = Clock()
    endpoint = Endpoint("u", "192.0.2.1", 443, "admin", "CANARY", ssl.create_default_context(), token=token)
    return Transport(endpoint, root=root, clock=clock, sleep=clock.sleep, wire=httpx.MockTransport(answer))


def ufm(answer: Answer) -> UfmSession:
    return UfmSession(transport(answer))


def answers(table: dict[str, Any]) -> Answer:
    """By path and query below the root."""

    def answer(request: httpx.Request) -> httpx.Response:
        target = request.url.raw_path.decode().removeprefix(ROOT)
        found = table.get(target, table.get(target.partition("?")[0]))
        return httpx.Response(404) if found is None else httpx.Response(200, json=found)

    return answer


# --- settings


def settings(tmp_path: Path, text: str, secret: str = "ufm_password: env:UFM") -> Endpoints:
    folder = tmp_path / "inventory"
    folder.mkdir()
    (folder / "groups.yaml").write_text(text)
    (folder / "secrets.yaml").write_text(secret + "\n")
    store = SecretStore.load(folder, environment={"UFM": "CANARY"})
    return Endpoints.load(folder, secrets=store)


TARGET = Target("ufm01", "192.0.2.7", "ufm", labels={"fabric": "ib"})


def test_an_account_of_the_inventory_reaches_port_443(tmp_path: Path) -> None:
    endpoints = settings(tmp_path, "ufm:\n  username: admin\n  password: $secret:ufm_password$\n")
    endpoint = endpoints.lookup(TARGET).endpoint
    assert endpoint is not None and (endpoint.port, endpoint.token, endpoint.username) == (443, False, "admin")
    host = IntentInventory([TARGET], endpoints=endpoints).load().hosts["ufm01"]
    assert "ufm-rest" in host.connection_options


def test_a_token_needs_no_account_and_takes_the_third_root(tmp_path: Path) -> None:
    text = "ufm:\n  password: $secret:ufm_password$\n  data: {authentication: token}\n"
    text += "  connection_options:\n    ufm-rest:\n      extras: {timeouts: {read: 7}}\n"
    endpoint = settings(tmp_path, text).lookup(TARGET).endpoint
    assert endpoint is not None and endpoint.token and endpoint.timeouts.read_s == 7
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"ufm_release_version": "6.24.1"})

    def make(ready: Endpoint, *, root: str) -> Transport:
        return Transport(ready, root=root, wire=httpx.MockTransport(answer))

    connection = UfmConnection()
    connection.open(None, None, None, None, None, {"endpoint": endpoint, "transport": make})
    session = connection.connection
    assert session.version(session.deadline()) == "6.24.1"
    assert seen[0].url.path == "/ufmRestV3/app/ufm_version"
    assert seen[0].headers["authorization"] == "Basic CANARY"
    connection.close()
    with pytest.raises(IntentError, match="ufm-rest"):
        _ = connection.connection


@pytest.mark.parametrize("text", ["ufm:\n  username: admin\n  password: $secret:x$\n  data: {authentication: none}\n"])
def test_other_kinds_of_authentication_are_said(tmp_path: Path, text: str) -> None:
    found = settings(tmp_path, text).lookup(TARGET)
    assert found.endpoint is None and "basic or token" in str(found.problem)


def test_an_account_without_a_name_is_said() -> None:
    endpoint = Endpoint("u", "192.0.2.1", 443, "", "x", ssl.create_default_context())
    with pytest.raises(IntentError, match="username"):
        UfmConnection().open(None, None, None, None, None, {"endpoint": endpoint})


def test_plugins_are_known_by_their_names() -> None:
    known = {item.name: item.value for item in entry_points(group="nornir.plugins.connections")}
    named = {UfmConnection.name: UfmConnection, NmxConnection.name: NmxConnection}
    for name, plugin in named.items():
        if name in known:  # an older installation of the package does not have them yet
            assert known[name] == f"{plugin.__module__}:{plugin.__name__}"
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for name, plugin in named.items():
        assert f'{name} = "{plugin.__module__}:{plugin.__name__}"' in text


# --- lists


def test_both_lists_are_merged() -> None:
    table = {"/resources/pkeys?guids_data=true": MEMBERS, "/resources/pkeys?qos_conf=true": QUALITIES}
    session = ufm(answers(table))
    (found,) = session.partitions(session.deadline()).values()
    assert (found.mtu, found.rate, found.service_level, found.members) == (4096, 200, None, {})


def test_a_server_that_lists_keys_only_is_asked_for_each_and_an_empty_object_is_absence() -> None:
    one = {**MEMBERS["0x12"], **QUALITIES["0x12"]}
    table = {"/resources/pkeys": ["0x12", "0x13"], "/resources/pkeys/0x12": one, "/resources/pkeys/0x13": {}}
    session = ufm(answers(table))
    assert list(session.partitions(session.deadline())) == [0x12]


def test_an_empty_list_beside_a_default_partition_is_not_believed() -> None:
    session = ufm(answers({"/resources/pkeys": {}, "/resources/pkeys/0x7fff": {"partition": "management"}}))
    with pytest.raises(ProtocolError, match="cannot be trusted"):
        session.partitions(session.deadline())
    session = ufm(answers({"/resources/pkeys": {}, "/resources/pkeys/0x7fff": {}}))
    assert session.partitions(session.deadline()) == {}


def test_lists_that_never_agree_mean_somebody_else_is_at_work() -> None:
    table = {"/resources/pkeys?guids_data=true": MEMBERS, "/resources/pkeys?qos_conf=true": {}}
    session = ufm(answers(table))
    with pytest.raises(Busy):
        session.partitions(session.deadline())


@pytest.mark.parametrize("body", ["x", 7, {"0x12": None}, {"0x12": {}}])
def test_lists_of_another_form_are_errors(body: Any) -> None:
    session = ufm(lambda _: httpx.Response(200, json=body))
    with pytest.raises(ProtocolError):
        session.partitions(session.deadline())


@pytest.mark.parametrize("body", [{}, [], {"ufm_release_version": None}, {"version": "6"}])
def test_a_ufm_without_a_version_is_an_error(body: Any) -> None:
    session = ufm(lambda _: httpx.Response(200, json=body))
    with pytest.raises(ProtocolError):
        session.version(session.deadline())


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ([{"path": "/resources/pkeys", "methods": ["GET", "PUT"]}], 2),
        ([{"url": "/x", "method": "get"}, 7, {}], 1),
        ({"/x": ["GET"], "/y": "POST"}, 2),
        ("nonsense", 0),
    ],
)
def test_what_a_server_offers_is_understood_or_left(body: Any, calls: int) -> None:
    session = ufm(answers({"/app/roles_access_control/rest_apis": body}))
    assert len(session.calls(session.deadline())) == calls
    nothing = ufm(answers({}))
    assert nothing.calls(nothing.deadline()) == frozenset()


# --- jobs


@pytest.mark.parametrize(
    ("reply", "job"),
    [
        (Reply(202, "/ufmRest/jobs/17", {}), "17"),
        (Reply(202, "https://u/ufmRest/jobs/17/", None), "17"),
        (Reply(200, "", {"job_id": "3"}), "3"),
        (Reply(200, "", {}), ""),
        (Reply(200, "/elsewhere", []), ""),
    ],
)
def test_jobs_are_found_in_head_or_body(reply: Reply, job: str) -> None:
    assert job_of(reply) == job


@pytest.mark.parametrize(
    ("statuses", "end"),
    [
        (["Running", "Running", "Completed"], JobEnd.GOOD),
        (["Completed With Warnings"], JobEnd.GOOD),
        (["Running", "Completed With Errors"], JobEnd.BAD),
        (["Failed"], JobEnd.BAD),
        (["Aborted"], JobEnd.BAD),
        (["Meditating"], JobEnd.LOST),  # never green, never red: waited for, then read
        ([""], JobEnd.LOST),
    ],
)
def test_ends_of_jobs(statuses: list[str], end: JobEnd) -> None:
    left = list(statuses)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/jobs"):
            return httpx.Response(200, json=[{"Summary": "port 3 refused"}])
        status = left.pop(0) if len(left) > 1 else left[0]
        return httpx.Response(200, json={"ID": "1", "Status": status, "Summary": ""})

    session = ufm(answer)
    result = wait_for(session, "1", session.deadline(20), Pace())
    assert result.end is end
    if end is JobEnd.BAD:
        assert "port 3 refused" in result.words


@pytest.mark.parametrize("answer", [httpx.Response(404), httpx.Response(200, json={})])
def test_a_job_nobody_knows_is_lost(answer: httpx.Response) -> None:
    session = ufm(lambda _: httpx.Response(answer.status_code, content=answer.content))
    assert wait_for(session, "1", session.deadline(20), Pace()).end is JobEnd.LOST


# --- NMX-M


def nmx(statuses: list[Any]) -> NmxSession:
    left = list(statuses)

    def answer(_: httpx.Request) -> httpx.Response:
        status = left.pop(0) if len(left) > 1 else left[0]
        if status is None:
            return httpx.Response(404)
        result = {"Error": "NMX_ST_RESOURCE_EXHAUSTED", "Details": "multicast groups"}
        return httpx.Response(200, json={"Status": status, "Result": result})

    return NmxSession(transport(answer, NMX_ROOT))


CALL = Write("PUT", "/partitions/1", {}, "partition 'a': 4 GPUs join")
REPLY = Reply(202, "", {"operationId": "551137c2f9e1fac808a5f572"})


def test_operations_are_followed_to_their_end() -> None:
    session = nmx(["pending", "in-progress", "completed"])
    session.follow(CALL, REPLY, session.deadline(20), Pace())
    for bad in ("failed", "cancelled"):
        session = nmx(["pending", bad])
        with pytest.raises(Refused, match="NMX_ST_RESOURCE_EXHAUSTED"):
            session.follow(CALL, REPLY, session.deadline(20), Pace())
    for lost in ([None], ["pending"], ["surprised"]):
        session = nmx(lost)
        with pytest.raises(Lost):
            session.follow(CALL, REPLY, session.deadline(20), Pace())
    session = nmx(["completed"])
    with pytest.raises(Lost, match="names no operation"):
        session.follow(CALL, Reply(202, "", {}), session.deadline(20), Pace())


GPU = {
    "ID": "0" * 24,
    "DomainUUID": "d1",
    "LocationInfo": {"ChassisID": 1, "SlotID": 2, "HostID": 1},
    "DeviceID": 3,
    "DeviceUID": 2**64 - 1,
}
PLACE = {"DomainUUID": "d1", "ChassisID": 1, "SlotID": 2, "HostID": 1, "DeviceID": 3}


def partition(**more: Any) -> dict[str, Any]:
    return {"ID": "1" * 24, "PartitionID": 5, "Name": "a", "Type": "ID_BASED", "Members": ["0" * 24], **more}


def test_both_kinds_of_members_are_read_as_places() -> None:
    for members in (["0" * 24], [PLACE]):
        live = live_from([GPU], [partition(Members=members)])
        assert live.partitions[0].places == {"1.2.1.3"} and live.partitions[0].at == At("d1", "a")
    assert live_from([GPU], [partition(Members=None)]).partitions[0].at == At("", "a")


@pytest.mark.parametrize(
    ("gpus", "partitions"),
    [
        ({}, []),
        ([7], []),
        ([{**GPU, "DeviceID": "3"}], []),
        ([{**GPU, "LocationInfo": None}], []),
        ([GPU], [partition(Members=["f" * 24])]),
        ([GPU], [partition(Members=[PLACE, {**PLACE, "DomainUUID": "d2"}])]),
        ([GPU], [partition(Members=[7])]),
        ([GPU], [partition(Members="all")]),
    ],
)
def test_answers_of_nmx_half_understood_are_errors(gpus: Any, partitions: Any) -> None:
    with pytest.raises(ProtocolError):
        live_from(gpus, partitions)


def test_two_empty_partitions_of_one_name_cannot_be_told_apart() -> None:
    live = live_from([GPU], [partition(ID=f"{n}" * 24, Members=[]) for n in (1, 2)])
    with pytest.raises(ProtocolError, match="which domain"):
        live.find(At("d1", "a"))
    assert live.find(At("d1", "a"), "2" * 24) is not None
