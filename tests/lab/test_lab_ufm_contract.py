"""The calls public clients make of UFM: paths, verbs, bodies and quirks, against the lab's server.

Clients: ib-kubernetes (pkg/sm/plugins/ufm), UFM SDK (scripts/ufm_pkeys), NVIDIA Infra Controller (ufmclient), NVIDIA
Config Manager (its six calls), and the REST guide itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from ufm_bench import NAME, ports, wiring
from ufm_client import PlainClient

from intent.core.errors import IntentError
from intent.lab import state
from intent.lab.inprocess import LabServer
from intent.lab.wiring import parse

A, B, C = "0002c90300000000", "0002c90300000001", "0002c90300000008"
PKEYS = "/ufmRest/resources/pkeys"
SMCONF, CONFIG = "/ufmRest/app/smconf", "/ufmRest/app/ufm_config"


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(wiring(ports=ports(16))) as running:
        yield running


@pytest.fixture
def ufm(lab: LabServer) -> PlainClient:
    return PlainClient(lab.info, NAME)


def guids(ufm: PlainClient, key: str = "0x12") -> dict[str, tuple[str, bool]]:
    _, body = ufm.call("GET", f"{PKEYS}/{key}?guids_data=true")
    return {item["guid"]: (item["membership"], item["index0"]) for item in body.get("guids", [])}


def job(ufm: PlainClient, place: str = "") -> dict[str, object]:
    """The job the last answer named, once it is over."""
    place = place or ufm.location
    for _ in range(400):
        status, body = ufm.call("GET", place)
        assert status == 200
        if body["Status"] != "Running":
            return body
        time.sleep(0.01)
    raise AssertionError(body)


# --- ib-kubernetes


def test_ib_kubernetes_validates_by_the_version(ufm: PlainClient) -> None:
    assert ufm.call("GET", "/ufmRest/app/ufm_version")[0] == 200


def test_ib_kubernetes_adds_and_removes_guids(ufm: PlainClient) -> None:
    body = {"pkey": "0x00FA", "index0": True, "ip_over_ib": True, "membership": "full", "guids": [A.upper(), B]}
    assert ufm.call("POST", PKEYS, body)[0] == 200
    assert guids(ufm, "0xfa") == {A: ("full", True), B: ("full", True)}
    gone = {"pkey": "0x00FA", "guids": [A]}
    assert ufm.call("POST", "/ufmRest/actions/remove_guids_from_pkey", gone)[0] == 200
    assert list(guids(ufm, "0xfa")) == [B]


def test_keys_ib_kubernetes_takes_and_ufm_does_not_are_refused(ufm: PlainClient) -> None:
    for key in ("0x7FFF", "0x8012", "0xFFFE", "0x0", "18", "", None, "0xzz"):
        assert ufm.call("POST", PKEYS, {"pkey": key, "guids": [A]})[0] == 400


# --- the SDK


def test_sdk_sets_a_partition_with_memberships(ufm: PlainClient) -> None:
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [C]})
    body = {"guids": [A, B], "pkey": "0x12", "index0": False, "ip_over_ib": True, "memberships": ["full", "limited"]}
    assert ufm.call("PUT", PKEYS, body)[0] == 200
    assert guids(ufm) == {A: ("full", False), B: ("limited", False)}  # a PUT is the whole list


def test_sdk_lists_and_deletes(ufm: PlainClient) -> None:
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A]})
    status, body = ufm.call("GET", f"{PKEYS}?guids_data=true")
    assert status == 200 and set(body) == {"0x12", "0x7fff"}
    assert ufm.call("DELETE", f"{PKEYS}/0x12") == (200, {})
    assert ufm.call("DELETE", f"{PKEYS}/0x12")[0] == 404


# --- Infra Controller


def test_infra_controller_reads_both_lists_and_the_default_membership(ufm: PlainClient) -> None:
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A], "index0": True, "ip_over_ib": True, "membership": "full"})
    _, listed = ufm.call("GET", f"{PKEYS}?guids_data=true")
    assert listed["0x12"] == {
        "partition": "api_pkey_0x12",
        "ip_over_ib": True,
        "guids": [{"guid": A, "index0": True, "membership": "full"}],
    }
    default = listed["0x7fff"]
    assert (default["partition"], default["membership"], default["index0"]) == ("management", "limited", False)
    _, qualities = ufm.call("GET", f"{PKEYS}?qos_conf=true")
    assert qualities["0x12"]["qos_conf"] == {"mtu_limit": 2, "rate_limit": 2.5, "service_level": 0}
    assert "guids" not in qualities["0x12"]


def test_infra_controller_binds_unbinds_and_sets_qualities(ufm: PlainClient) -> None:
    bind = {"pkey": "0x12", "ip_over_ib": True, "membership": "limited", "index0": True, "guids": [A, B]}
    assert ufm.call("POST", PKEYS, bind)[0] == 200
    quality = {"pkey": "0x12", "mtu_limit": 4, "service_level": 0, "rate_limit": 200.0}
    assert ufm.call("PUT", f"{PKEYS}/qos_conf", quality)[0] == 200
    unbind = {"pkey": "0x12", "guids": [B]}
    assert ufm.call("POST", "/ufmRest/actions/remove_guids_from_pkey", unbind)[0] == 200
    _, body = ufm.call("GET", f"{PKEYS}/0x12?guids_data=true&qos_conf=true")
    assert body["guids"] == [{"guid": A, "index0": True, "membership": "limited"}]
    assert body["qos_conf"] == {"mtu_limit": 4, "rate_limit": 200.0, "service_level": 0}


def test_infra_controller_lists_ports_and_the_subnet_managers_keys(ufm: PlainClient) -> None:
    _, found = ufm.call("GET", "/ufmRest/resources/ports?sys_type=Computer")
    assert len(found) == 16 and {"guid", "name", "systemID", "lid", "dname", "logical_state"} <= set(found[0])
    _, keys = ufm.call("GET", "/ufmRest/app/smconf")
    assert {"subnet_prefix", "m_key", "sm_key", "sa_key", "m_key_per_port"} <= set(keys)
    assert ufm.call("GET", "/ufmRest/app/smconf?param_name=sm_priority") == (200, {"sm_priority": 15})
    assert ufm.call("GET", "/ufmRest/app/smconf?param_name=nothing")[0] == 400


# --- Config Manager's six calls


def test_config_manager_creates_verifies_adds_and_removes(ufm: PlainClient) -> None:
    assert ufm.call("POST", f"{PKEYS}/add", {"pkey": "0x12", "ip_over_ib": True, "index0": False})[0] == 200
    assert ufm.call("POST", f"{PKEYS}/add", {"pkey": "0x12"})[0] == 409
    assert ufm.call("GET", f"{PKEYS}/0x12")[1] == {"partition": "api_pkey_0x12", "ip_over_ib": True}
    joined = {"pkey": "0x12", "guids": [A, B], "ip_over_ib": True, "index0": True, "membership": "full"}
    assert ufm.call("POST", f"{PKEYS}/", joined)[0] == 200
    assert set(guids(ufm)) == {A, B}
    assert ufm.call("DELETE", f"{PKEYS}/0x12/guids/{A},{B}")[0] == 200
    assert guids(ufm) == {}


# --- the guide


def test_a_setting_is_taken_in_the_form_it_is_shown_in(ufm: PlainClient) -> None:
    _, before = ufm.call("GET", SMCONF)
    assert {"sminfo_polling_timeout", "max_wire_smps", "routing_engine_active", "log_file"} <= set(before)
    new = {"max_wire_smps": 16, "vl_stall_count": "0x6", "single_thread": True, "m_key": "0x00c0ffee00c0ffee"}
    assert ufm.call("PUT", SMCONF, new) == (200, {})
    assert ufm.call("GET", SMCONF) == (200, {**before, **new})
    assert ufm.call("GET", f"{SMCONF}?param_name=max_wire_smps") == (200, {"max_wire_smps": 16})


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        None,
        {"routing_engine_active": "minhop"},
        {"log_file": "/tmp/x"},
        {"no_such_option": 1},
        {"max_wire_smps": "16"},
        {"max_wire_smps": True},
        {"max_wire_smps": -1},
        {"max_wire_smps": 2**32},
        {"single_thread": 1},
        {"vl_stall_count": "seven"},
        {"m_key": "0x1" + "0" * 16},
        {"max_wire_smps": 16, "no_such_option": 1},
    ],
)
def test_settings_that_make_no_sense_change_nothing(ufm: PlainClient, body: object) -> None:
    before = ufm.call("GET", SMCONF)
    assert ufm.call("PUT", SMCONF, body)[0] == 400
    assert ufm.call("GET", SMCONF) == before


def test_sections_of_gv_cfg_are_taken_and_never_shown(lab: LabServer, ufm: PlainClient) -> None:
    before = ufm.call("GET", CONFIG)
    role = {"Multisubnet": {"multisubnet_enabled": True, "multisubnet_role": "provider"}}
    assert ufm.call("PUT", CONFIG, role)[0] == 200
    for wrong in ({}, {"Nothing": {"a": 1}}, {"SubnetManager": {"nothing": 1}}, {"SubnetManager": 1}, [], None):
        assert ufm.call("PUT", CONFIG, wrong)[0] == 400
    assert ufm.call("GET", CONFIG) == before
    assert lab.controller(NAME).settings.gv == role  # type: ignore[attr-defined]


def test_faults_of_settings(lab: LabServer, ufm: PlainClient) -> None:
    lab.fault("settings-ignored", NAME)
    assert ufm.call("PUT", SMCONF, {"max_wire_smps": 16})[0] == 200
    assert ufm.call("GET", SMCONF)[1]["max_wire_smps"] == 8
    lab.fault("hidden-setting", NAME, setting="max_wire_smps")
    assert "max_wire_smps" not in ufm.call("GET", SMCONF)[1]
    assert ufm.call("GET", f"{SMCONF}?param_name=max_wire_smps")[0] == 400
    lab.fault("clear", NAME)
    assert lab.status()["controllers"][NAME]["faults"] == []
    lab.fault("set-by-hand", NAME, setting="max_wire_smps", value="12")
    assert ufm.call("GET", SMCONF)[1]["max_wire_smps"] == 12
    for wrong in ({"setting": "nothing", "value": "1"}, {"setting": "max_wire_smps", "value": "many"}, {}):
        with pytest.raises(IntentError):
            lab.fault("set-by-hand", NAME, **wrong)
    lab.fault("read-only", NAME)
    assert ufm.call("PUT", SMCONF, {"max_wire_smps": 16})[0] == 403
    _, offered = ufm.call("GET", "/ufmRest/app/roles_access_control/rest_apis")
    assert {"path": "/app/smconf", "methods": ["GET"]} in offered


def test_a_list_without_query_is_a_plain_list_and_nothing_is_an_empty_object(ufm: PlainClient) -> None:
    assert ufm.call("GET", PKEYS) == (200, ["0x7fff"])
    assert ufm.call("GET", f"{PKEYS}/0x77?guids_data=true") == (200, {})


def test_members_and_qualities_never_come_in_one_list(ufm: PlainClient) -> None:
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A]})
    _, body = ufm.call("GET", f"{PKEYS}?guids_data=true&qos_conf=true")
    assert "guids" not in body["0x12"]


def test_post_adds_and_its_defaults_overwrite(ufm: PlainClient) -> None:
    ufm.call(
        "POST", PKEYS, {"pkey": "0x12", "guids": [A], "membership": "limited", "index0": True, "ip_over_ib": False}
    )
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A, B]})
    assert guids(ufm) == {A: ("full", False), B: ("full", False)}
    assert ufm.call("GET", f"{PKEYS}/0x12")[1]["ip_over_ib"] is True


@pytest.mark.parametrize(
    "body",
    [
        {"guids": [A]},
        {"pkey": "0x12"},
        {"pkey": "0x12", "guids": A},
        {"pkey": "0x12", "guids": ["12"]},
        {"pkey": "0x12", "guids": [A], "membership": "ful1"},
        {"pkey": "0x12", "guids": [A], "memberships": []},
        {"pkey": "0x12", "guids": [A], "memberships": ["full"], "membership": "full"},
        {"pkey": "0x12", "guids": [A], "index0": "true"},
        {"pkey": "0x12", "guids": ["0002c903ffffffff"]},
        {"pkey": "0x12", "guids": [A], "surprise": 1},
        [],
        None,
    ],
)
def test_bodies_that_make_no_sense_change_nothing(ufm: PlainClient, body: object) -> None:
    assert ufm.call("POST", PKEYS, body)[0] == 400
    assert ufm.call("GET", PKEYS) == (200, ["0x7fff"])


def test_names_and_qualities_at_creation(ufm: PlainClient) -> None:
    body = {"pkey": "0x12", "partition_name": "x", "index0": False, "ip_over_ib": True, "mtu_limit": 2}
    assert ufm.call("POST", f"{PKEYS}/add", {**body, "service_level": 3, "rate_limit": 2.5})[0] == 200
    assert ufm.call("GET", f"{PKEYS}/0x12")[1]["partition"] == "x"
    for wrong in ({"mtu_limit": 3}, {"rate_limit": 3}, {"service_level": 16}):
        assert ufm.call("PUT", f"{PKEYS}/qos_conf", {"pkey": "0x12", **wrong})[0] == 400


def test_hosts_join_by_a_job_and_leave_at_once(ufm: PlainClient) -> None:
    body = {"hosts_names": "h[1-2]", "pkey": "0x12", "ip_over_ib": True, "index0": False, "membership": "limited"}
    assert ufm.call("POST", f"{PKEYS}/hosts", body)[0] == 202
    assert job(ufm)["Status"] == "Completed"
    assert len(guids(ufm)) == 16
    assert ufm.call("DELETE", f"{PKEYS}/0x12/hosts/h1")[0] == 200
    assert len(guids(ufm)) == 8
    ufm.call("POST", f"{PKEYS}/hosts", {**body, "hosts_names": "h1,h9"})
    done = job(ufm)
    assert done["Status"] == "Completed With Errors" and "h9" in str(done["Summary"])


def test_sharp_follows_a_partition_and_last_updated_tells_of_changes(ufm: PlainClient) -> None:
    assert ufm.call("GET", f"{PKEYS}/last_updated") == (200, {"last_updated": None})
    ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A]})
    first = ufm.call("GET", f"{PKEYS}/last_updated")[1]["last_updated"]
    assert ufm.call("PUT", f"{PKEYS}/0x12/sharp-reservation", {"action": "enable"})[0] == 200
    assert first and ufm.call("GET", f"{PKEYS}/last_updated")[1]["last_updated"] != first


def test_validation_is_a_job_and_only_one_at_a_time() -> None:
    now = [0.0]
    with LabServer(wiring(ports=ports(16)), clock=lambda: now[0]) as lab:
        ufm = PlainClient(lab.info, NAME)
        _, names = ufm.call("GET", "/ufmRest/fabricValidation/tests")
        assert "CheckPartitionKey" in names
        assert ufm.call("POST", "/ufmRest/fabricValidation/tests/CheckPartitionKey")[0] == 202
        place = ufm.location
        assert ufm.call("POST", "/ufmRest/fabricValidation/tests/CheckPartitionKey")[0] == 409
        now[0] = 1.0
        assert job(ufm, place)["Status"] == "Completed"
        assert ufm.call("POST", "/ufmRest/fabricValidation/tests/Nothing")[0] == 404


def test_tokens_open_the_third_root_until_revoked(lab: LabServer, ufm: PlainClient) -> None:
    status, token = ufm.call("POST", "/ufmRest/app/tokens")
    assert status == 200 and token["expires_in"] == 315360000
    bearer = PlainClient(lab.info, NAME, f"Basic {token['access_token']}")
    assert bearer.call("GET", "/ufmRestV3/app/ufm_version")[0] == 200
    assert bearer.call("GET", "/ufmRest/app/ufm_version")[0] == 401
    form = f'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n{token["access_token"]}\r\n--x--\r\n'.encode()
    assert ufm.call("POST", "/ufmRest/app/tokens/revoke", raw=form)[0] == 200
    assert bearer.call("GET", "/ufmRestV3/app/ufm_version")[0] == 401


@pytest.mark.parametrize("header", ["", "Basic", "Basic !!!", "Bearer x", "Basic YWRtaW46d3Jvbmc="])
def test_nobody_gets_in_without_credentials(lab: LabServer, header: str) -> None:
    for root in ("/ufmRest", "/ufmRestV2", "/ufmRestV3", "/", ""):
        assert PlainClient(lab.info, NAME, header).call("GET", f"{root}/app/ufm_version")[0] == 401


def test_what_is_offered_can_be_asked(ufm: PlainClient) -> None:
    _, found = ufm.call("GET", "/ufmRest/app/roles_access_control/rest_apis")
    assert {"path": "/resources/pkeys", "methods": ["GET", "POST", "PUT"]} in found


def test_hostile_calls_are_refused_and_harm_nobody(ufm: PlainClient) -> None:
    assert ufm.call("GET", "/ufmRest/nothing")[0] == 404
    assert ufm.call("PATCH", PKEYS, {})[0] == 405
    assert ufm.call("DELETE", f"{PKEYS}/0x12/guids/{A}")[0] == 404
    assert ufm.call("DELETE", f"{PKEYS}/0x7fff")[0] == 404
    assert ufm.call("GET", f"{PKEYS}/0x{'f' * 4000}")[0] == 200
    assert ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [{"a": [1]}, None, 7]})[0] == 400
    assert ufm.call("GET", "/ufmRest/app/ufm_version")[0] == 200


# --- the lab around it


def test_the_wiring_file_names_ufms_strictly() -> None:
    good = {"ufm": [{"name": "u", "version": "6.23.1-6", "ports": [{"guid": "0x" + A, "host": "h1"}]}]}
    assert parse(good, "w").ufm[0].ports[0].guid == A
    for broken in (
        {"ufm": [{"name": "u"}]},
        {"ufm": [{"name": "u", "version": "new"}]},
        {"ufm": [{"name": "u", "version": "6.23", "surprise": 1}]},
        {"ufm": [{"name": "u", "version": "6.23", "authentication": "none"}]},
        {"ufm": [{"name": "u", "version": "6.23"}, {"name": "u", "version": "6.23"}]},
        {"ufm": [{"name": "u", "version": "6.23", "ports": [{"guid": "12"}]}]},
        {"ufm": []},
    ):
        with pytest.raises(IntentError):
            parse(broken, "w")


def test_the_state_file_says_how_to_log_in_and_nobody_else_may_read_it(lab: LabServer) -> None:
    again = state.load(lab.info.state_dir)
    assert again == lab.info and again.controllers[NAME].kind == "ufm"
    assert lab.info.controllers[NAME].password not in repr(lab.info)


def test_faults_are_named_counted_and_cleared(lab: LabServer, ufm: PlainClient) -> None:
    with pytest.raises(IntentError, match="nothing"):
        lab.fault("nothing", NAME)
    with pytest.raises(IntentError):
        lab.fault("add-member", NAME, pkey="0x12", guid="zz")
    lab.fault("refuse-writes", NAME, status=503)
    assert ufm.call("POST", PKEYS, {"pkey": "0x12", "guids": [A]})[0] == 503
    assert lab.status()["controllers"][NAME]["faults"] == ["refuse-writes"]
    lab.fault("clear", NAME)
    assert lab.status()["controllers"][NAME]["writes"] == 1
