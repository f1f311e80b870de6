"""Status codes, answers and words of the releases."""

from __future__ import annotations

import gzip

import pytest
from lab_direct import DirectLab
from lab_trees import pair

from intent.catalog.releases import RELEASES, release_schema
from intent.lab.api import Request
from intent.lab.day_0 import day_0_tree
from intent.lab.walker import Schema
from intent.lab.wiring import Switch


def test_5_9_answers_delete_with_200_and_patch_with_everything():
    leaf = DirectLab(pair("5.9.1")).client("leaf1")
    revision = leaf.create()
    assert "/" in revision, "ids of the older form hold slashes and must be quoted"
    assert leaf.call("DELETE", "/interface", rev=revision) == (200, {})
    status, body = leaf.call(
        "PATCH", "/", {"interface": {"swp5": {"ip": {"address": {"10.0.0.1/31": {}}}}}}, rev=revision
    )
    assert status == 200
    assert {"interface", "system"} <= set(body)
    leaf.start(revision)
    assert leaf.wait(revision)["state"] == "applied_and_saved"


@pytest.mark.parametrize("release", ["5.10.1", "5.12.0", "5.16.4", "5.18.0"])
def test_later_releases_answer_204_and_only_the_change(release):
    leaf = DirectLab(pair(release)).client("leaf1")
    revision = leaf.create()
    assert leaf.call("DELETE", "/interface", rev=revision) == (204, None)
    body = {"interface": {"swp5": {"type": "swp", "description": "x"}}}
    assert leaf.call("PATCH", "/", body, rev=revision) == (200, body)


def test_auto_save_in_the_words_of_5_9():
    leaf = DirectLab(pair("5.9.1")).client("leaf1")
    assert leaf.apply({"system": {"config": {"auto-save": {"enable": "off"}}}})["state"] == "applied"


def test_old_words_are_not_translated():
    leaf = DirectLab(pair("5.16.4")).client("leaf1")
    revision = leaf.create()
    status, body = leaf.call("PATCH", "/", {"qos": {"roce": {"enable": "on"}}}, rev=revision)
    assert status == 400
    assert body["validation"]["selected_errors"][0]["instanceLocation"] == "/qos/roce/enable"


@pytest.mark.parametrize(
    ("release", "top", "version", "oper"),
    [("5.9.1", False, False, False), ("5.11.0", True, False, True), ("5.14.0", True, True, True)],
)
def test_where_the_release_and_the_link_state_stand(release, top, version, oper):
    leaf = DirectLab(pair(release)).client("leaf1")
    system = leaf.get("/system")
    assert ("product-release" in system, "version" in system) == (top, version)
    assert system["build"] == f"Cumulus Linux {release}"
    assert ("oper-status" in leaf.get("/interface/swp5/link")) is oper


def test_tokens_exist_from_5_14_and_die_with_a_change_of_accounts():
    lab = DirectLab(pair("5.14.0"))
    leaf = lab.client("leaf1")
    token = leaf.get("/api-token")["token"]
    bearer = lab.client("leaf1")
    bearer.headers = {"authorization": f"Bearer {token}"}
    assert bearer.get("/system")["hostname"] == "leaf1"
    leaf.apply({"system": {"aaa": {"user": {"ops": {"role": "nvue-monitor", "password": "ops-password"}}}}})
    assert bearer.call("GET", "/system")[0] == 401
    token = leaf.get("/api-token")["token"]
    bearer.headers = {"authorization": f"Bearer {token}"}
    lab.advance(3601)
    assert bearer.call("GET", "/system")[0] == 401
    assert DirectLab(pair("5.12.0")).client("leaf1").call("GET", "/api-token")[0] == 404


def test_tokens_last_as_long_as_configured_and_not_at_all_with_0():
    lab = DirectLab(pair("5.16.4"))
    leaf, bearer = lab.client("leaf1"), lab.client("leaf1")
    leaf.apply({"system": {"api": {"token-expiration": 2}}})
    bearer.headers = {"authorization": f"Bearer {leaf.get('/api-token')['token']}"}
    lab.advance(100)
    assert bearer.call("GET", "/system")[0] == 200
    lab.advance(30)
    assert bearer.call("GET", "/system")[0] == 401
    bearer.headers = {"authorization": f"Bearer {leaf.get('/api-token')['token']}"}
    leaf.apply({"system": {"api": {"token-expiration": 0}}})
    assert bearer.call("GET", "/system")[0] == 401
    assert leaf.call("GET", "/api-token")[0] == 403


def test_the_slashes_of_an_id_are_quoted():
    leaf = DirectLab(pair("5.9.1")).client("leaf1")
    revision = leaf.create()
    assert leaf.call("GET", f"/revision/{revision}")[0] == 404
    assert leaf.call("PATCH", f"/revision/{revision}", {"state": "apply"})[0] == 404
    assert leaf.call("DELETE", f"/revision/{revision}")[0] == 404
    assert leaf.revision(revision)["state"] == "pending"


def test_a_management_address_named_in_listening_address_stays_reachable():
    lab = DirectLab(pair())
    leaf, machine = lab.client("leaf1"), lab.world.machines["leaf1"]
    eth0 = {"ipv4": {"dhcp-client": None, "address": {"10.1.0.11/24": {}}}}
    listening = {"10.1.0.11": {}, "localhost": {}}
    done = leaf.apply({"interface": {"eth0": eth0}, "system": {"api": {"listening-address": listening}}})
    assert done["state"] == "applied_and_saved"
    assert machine.reachable(lab.now) == ""
    leaf.start(leaf.load({"system": {"api": {"listening-address": {"10.1.0.11": None, "10.9.9.9": {}}}}}))
    lab.advance(2)
    lab.world.agenda.run()
    assert machine.reachable(lab.now) == "refuse"


def test_answers_are_compressed_where_that_is_configured_for_who_takes_it():
    lab = DirectLab(pair("5.16.4"))
    leaf = lab.client("leaf1")
    takes = {**leaf.headers, "accept-encoding": "gzip, deflate"}

    def answer(path, headers):
        return lab.api.handle("leaf1", Request("GET", "/nvue_v1" + path, headers))

    plain = answer("/interface", takes)
    assert plain.content is None
    leaf.apply({"system": {"api": {"compression": "gzip"}}})
    packed = answer("/interface", takes)
    assert ("Content-Encoding", "gzip") in packed.headers
    assert gzip.decompress(packed.encoded()) == answer("/interface", leaf.headers).encoded()
    assert len(packed.encoded()) * 5 < len(plain.encoded())
    assert answer("/system/hostname", takes).content is None, "what is short stays as it is"


def test_secrets_are_encrypted_from_5_10_and_a_hash_stays_readable():
    tree = {"vrf": {"default": {"router": {"bgp": {"peer-group": {"G": {"password": "hidden-word"}}}}}}}
    for release, sealed in (("5.9.1", False), ("5.16.4", True)):
        leaf = DirectLab(pair(release)).client("leaf1")
        leaf.apply({"router": {"bgp": {"autonomous-system": 65001, "router-id": "10.0.0.1"}}, **tree})
        shown = leaf.applied()["vrf"]["default"]["router"]["bgp"]["peer-group"]["G"]["password"]
        assert shown.startswith("$nvsec$") is sealed
        leaf.apply({"vrf": {"default": {"router": {"bgp": {"peer-group": {"G": {"password": shown}}}}}}})
        assert leaf.applied()["vrf"]["default"]["router"]["bgp"]["peer-group"]["G"]["password"] == shown
        assert leaf.applied()["system"]["aaa"]["user"]["cumulus"]["hashed-password"].startswith("$6$")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("address", ["", "10.1.0.11", "10.1.0.11/22"])
def test_day_0_is_valid_in_every_release(release, address):
    schema = Schema(release_schema(release))
    assert schema.check(day_0_tree(Switch("Leaf_01", "SN5600", release, address=address), "$6$salt$hash")) == []


@pytest.mark.parametrize(("release", "expands"), [("5.14.0", False), ("5.16.4", True)])
def test_ranges_are_grouped_on_demand_and_expand_writes_them_out(release, expands):
    lab = DirectLab(pair(release))
    leaf = lab.client("leaf1")
    before = leaf.applied()
    ports = {f"swp{number}": {"type": "swp"} for number in (5, 6, 7, 9)}
    vlans = {"domain": {"br_default": {"vlan": {"10": {}, "20": {}, "21": {"vni": {"10021": {}}}}}}}
    done = leaf.apply({"interface": {**ports, "bond1": {"bond": {"member": {"swp10": {}}}}}, "bridge": vlans})
    whole = leaf.applied()
    assert set(ports) < set(whole["interface"])
    lab.fault("ranges", "leaf1")
    grouped = leaf.applied()
    assert grouped["interface"]["swp5-7,swp9"] == {"type": "swp"}
    assert set(grouped["bridge"]["domain"]["br_default"]["vlan"]) == {"10,20", "21"}
    assert leaf.get("/interface", rev="applied", filled="false") == grouped["interface"]
    assert leaf.get("/bridge/domain/br_default/vlan", rev="applied", filled="false") == {
        "10,20": {},
        "21": {"vni": {"10021": {}}},
    }
    changed = leaf.get("/", rev="applied", diff="1", filled="false")
    assert "swp5-7,swp9" in changed["interface"]
    assert (leaf.get("/", rev="applied", filled="false", expand="true") == whole) is expands
    revision = leaf.create()
    assert leaf.call("PATCH", "/", grouped, rev=revision)[0] == 200
    assert leaf.get("/", rev=revision, diff=done["id"], filled="false") == {}, "what it says it also understands"
    assert before["interface"]["eth0"] == grouped["interface"]["eth0"]
