"""Who may call a switch of the lab."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab_direct import PASSWORD, USER_HASH, DirectLab
from lab_trees import pair

from intent.lab.crypt512 import hashed, matches


def test_factory_switches_say_403_to_everything_until_the_password_is_changed():
    lab = DirectLab(pair(factory=True))
    fresh = lab.client("leaf1", "cumulus", "cumulus")
    for method, path in (("GET", "/system"), ("POST", "/revision"), ("GET", "/nothing"), ("DELETE", "/?rev=1")):
        assert fresh.call(method, path)[0] == 403
    assert lab.client("leaf1").call("GET", "/system")[0] == 401
    lab.fault("set-password", "leaf1")
    assert lab.client("leaf1").get("/system")["hostname"] == "cumulus"
    assert fresh.call("GET", "/system")[0] == 401


def test_a_careless_replace_loses_the_user():
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    revision = leaf.load({"system": {"hostname": "leaf1"}}, replace=True)
    leaf.start(revision)
    lab.advance(2)
    assert leaf.call("GET", "/system")[0] == 401
    assert lab.client("spine1").get("/system")["hostname"] == "spine1"


def test_a_careless_replace_with_a_timer_comes_back():
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    revision = leaf.load({"system": {"hostname": "other"}}, replace=True)
    leaf.start(revision, confirm=30)
    lab.advance(2)
    assert leaf.call("GET", "/system")[0] == 401
    lab.advance(30)
    assert leaf.get("/system")["hostname"] == "leaf1"
    assert leaf.revision(revision)["state"] == "confirm_fail"


def test_the_hash_in_the_configuration_decides():
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    user = {"role": "system-admin", "hashed-password": hashed("new-password", "pepper")}
    leaf.start(leaf.load({"system": {"aaa": {"user": {"cumulus": user}}}}))
    lab.advance(2)
    assert leaf.call("GET", "/system")[0] == 401
    assert lab.client("leaf1", "cumulus", "new-password").call("GET", "/system")[0] == 200


@pytest.mark.parametrize("stored", ["*", "!", "", "$6$abc$def", "$y$j9T$x$y", "plain", "$6$rounds=99$a$" + "a" * 86])
def test_other_hashes_lock_the_account(stored):
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    user = {"role": "system-admin", "hashed-password": stored}
    leaf.apply({"system": {"aaa": {"user": {"ops": user}}}})
    assert lab.client("leaf1", "ops", stored).call("GET", "/system")[0] == 401


def test_a_monitor_reads_and_writes_nothing():
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    users = {
        "watcher": {"role": "nvue-monitor", "password": "watch-it-closely"},
        "nobody": {"password": "default-role-reads"},
        "robot": {"role": "ci", "password": "robot-password"},
        "gone": {"role": "system-admin", "password": "gone-password", "state": "disabled"},
    }
    role = {"ci": {"class": {"nvapply": {}}}}
    assert leaf.apply({"system": {"aaa": {"user": users, "role": role}}})["state"] == "applied_and_saved"
    for user, password, write in (
        ("watcher", "watch-it-closely", 403),
        ("nobody", "default-role-reads", 403),
        ("robot", "robot-password", 200),
    ):
        client = lab.client("leaf1", user, password)
        assert client.call("GET", "/system")[0] == 200
        assert client.call("POST", "/revision", {})[0] == write
    assert lab.client("leaf1", "gone", "gone-password").call("GET", "/system")[0] == 401
    assert "password" not in leaf.applied()["system"]["aaa"]["user"]["watcher"]


@pytest.mark.parametrize(
    "header",
    ["", "Basic", "Basic !!!", "Basic Y3VtdWx1cw==", "Digest x", "Bearer x", "Basic /w==", "Basic " + "A" * 5000],
)
def test_unreadable_credentials_are_401(header):
    lab = DirectLab(pair())
    leaf = lab.client("leaf1")
    leaf.headers = {"authorization": header} if header else {}
    status, body = leaf.call("GET", "/system")
    assert (status, body["title"]) == (401, "Unauthorized")


def test_refusals_are_counted():
    lab = DirectLab(pair())
    lab.client("leaf1", "cumulus", "wrong").call("GET", "/system")
    assert lab.world.machines["leaf1"].counters.refused == 1


def test_sha512_crypt_follows_the_published_vectors():
    assert hashed("Hello world!", "saltstring") == (
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
    assert hashed("Hello world!", "saltstringsaltst", 10000) == (
        "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v."
    )
    assert matches(PASSWORD, USER_HASH)
    assert not matches("other", USER_HASH)


@settings(max_examples=10, deadline=None)
@given(st.text(min_size=0, max_size=80), st.text("abc./019", min_size=1, max_size=16))
def test_a_hash_matches_its_password_only(password, salt):
    text = hashed(password, salt, 1000)
    assert matches(password, text)
    assert not matches(password + "x", text)


def test_sha512_crypt_agrees_with_openssl():
    try:
        done = subprocess.run(
            ["openssl", "passwd", "-6", "-salt", "abcdefgh", "a longer pass phrase"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl with `passwd -6` is not installed")
    assert hashed("a longer pass phrase", "abcdefgh") == done.stdout.strip()
