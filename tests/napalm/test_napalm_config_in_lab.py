"""The driver's configuration methods and nornir-napalm's tasks against a switch of the lab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from napalm.base.exceptions import (
    CommitConfirmException,
    CommitError,
    ConnectAuthError,
    ConnectionException,
    MergeConfigException,
    ReplaceConfigException,
)
from nornir.core import Nornir
from nornir.core.plugins.connections import ConnectionPluginRegister
from nornir.core.state import GlobalState
from nornir_napalm.plugins.connections import Napalm
from nornir_napalm.plugins.tasks import napalm_configure, napalm_confirm_commit, napalm_get, napalm_rollback

from intent.device.actor import Target
from intent.device.endpoints import Endpoints
from intent.device.inventory import IntentInventory
from intent.device.runner import BoundedRunner
from intent.device.secrets import SecretStore
from intent.lab.inprocess import LabServer
from intent.lab.wiring import End, Link, Switch, Wiring
from napalm_nvue import NVUEDriver

MERGE = "interface: {swp1: {type: swp, link: {mtu: 9000, state: {up: {}}}}}"


@pytest.fixture(scope="module")
def lab() -> Iterator[LabServer]:
    switches = tuple(Switch(name, "SN5600", "5.16.4") for name in ("leaf01", "spine01"))
    with LabServer(Wiring(switches, (), (Link(End("leaf01", "swp1"), End("spine01", "swp1")),))) as running:
        yield running


def made(lab: LabServer, **options: Any) -> NVUEDriver:
    place = lab.info.switches["leaf01"]
    arguments = {"port": place.port, "ca_file": str(lab.info.ca), **options.pop("optional_args", {})}
    password = options.pop("password", lab.info.password)
    return NVUEDriver(place.address, lab.info.username, password, timeout=20, optional_args=arguments)


@pytest.fixture
def driver(lab: LabServer) -> Iterator[NVUEDriver]:
    driver = made(lab)
    driver.open()
    start = driver.get_config("running")["running"]
    yield driver
    if driver.has_pending_commit():
        driver.rollback()
    driver.discard_config()
    if driver.get_config("running")["running"] != start:
        driver.load_replace_candidate(config=start)
        driver.commit_config()
    driver.close()


def mtu(driver: NVUEDriver) -> int | None:
    tree = yaml.safe_load(driver.get_config("running")["running"])[0]["set"]
    return tree.get("interface", {}).get("swp1", {}).get("link", {}).get("mtu")


def test_merge_compare_commit_and_rollback(driver: NVUEDriver) -> None:
    before = mtu(driver)
    driver.load_merge_candidate(config=MERGE)
    assert "+ interface.swp1.link.mtu: 9000" in driver.compare_config().splitlines()
    driver.commit_config(message="mtu")
    assert driver.compare_config() == ""
    assert mtu(driver) == 9000
    assert not driver.has_pending_commit()
    driver.rollback()
    assert mtu(driver) == before
    with pytest.raises(CommitError, match="committed nothing"):
        driver.rollback()


def test_a_commit_with_a_timer_is_pending_for_another_process_too(lab: LabServer, driver: NVUEDriver) -> None:
    driver.load_merge_candidate(config=MERGE)
    driver.commit_config(revert_in=60)
    with made(lab) as other:
        assert other.has_pending_commit()
        other.load_merge_candidate(config="system: {message: {pre-login: hello}}")
        with pytest.raises(CommitError, match="awaits confirmation"):
            other.commit_config()
        other.discard_config()
        other.confirm_commit()
    assert not driver.has_pending_commit()
    assert mtu(driver) == 9000
    with pytest.raises(CommitConfirmException):
        driver.confirm_commit()


def test_rollback_of_a_pending_commit(driver: NVUEDriver) -> None:
    before = mtu(driver)
    driver.load_merge_candidate(config=MERGE)
    driver.commit_config(revert_in=60)
    assert driver.has_pending_commit()
    driver.rollback()
    assert not driver.has_pending_commit()
    assert mtu(driver) == before


def test_discard_is_idempotent_and_compare_without_candidate_is_empty(driver: NVUEDriver) -> None:
    driver.discard_config()
    driver.load_merge_candidate(config=MERGE)
    driver.discard_config()
    driver.discard_config()
    assert driver.compare_config() == ""
    with pytest.raises(CommitError, match="no candidate"):
        driver.commit_config()


def test_replace_takes_away_what_is_not_in_it_and_refuses_to_lock_out(driver: NVUEDriver) -> None:
    with pytest.raises(ReplaceConfigException, match=r"system\.aaa\.user"):
        driver.load_replace_candidate(config=MERGE)
    start = driver.get_config("running")["running"]
    driver.load_replace_candidate(config=start)
    assert driver.compare_config() == ""
    driver.discard_config()


def test_unset_items_and_files_win(driver: NVUEDriver, tmp_path: Path) -> None:
    driver.load_merge_candidate(config=MERGE)
    driver.commit_config()
    file = tmp_path / "change.yaml"
    file.write_text("- header: {version: x}\n- unset: {interface: {swp1: {link: {mtu: }}}}\n", encoding="utf-8")
    driver.load_merge_candidate(filename=str(file), config=MERGE)
    assert driver.compare_config() == "- interface.swp1.link.mtu: 9000"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interface: {swp1: {link: {mtu: 99999}}}", "/interface/swp1/link/mtu"),
        ("interface: [", "configuration:"),
        ("- merge: {}", "unknown item"),
        ("42", "must be a tree"),
        ("interface: {swp1: {}, swp1: {}}", "twice"),
        ("[" * 3000, "nest"),
    ],
)
def test_bad_candidates_are_merge_errors_and_leave_nothing(driver: NVUEDriver, text: str, words: str) -> None:
    with pytest.raises(MergeConfigException, match=words):
        driver.load_merge_candidate(config=text)
    assert driver.compare_config() == ""


def test_a_semantic_error_is_a_commit_error_with_its_place(driver: NVUEDriver) -> None:
    driver.load_merge_candidate(config="interface: {swp3s0: {type: swp, link: {mtu: 9216}}}")
    with pytest.raises(CommitError, match="swp3s0"):
        driver.commit_config()


def test_wrong_password_unknown_authority_and_no_listener(lab: LabServer, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConnectAuthError), made(lab, password="wrong-CANARY"):
        pass
    with pytest.raises(ConnectionException, match="certificate"), made(lab, optional_args={"ca_file": ""}):
        pass
    with pytest.raises(ConnectionException), made(lab, optional_args={"port": 1}):
        pass
    with pytest.raises(Exception, match="no-such-bundle"), made(lab, optional_args={"ca_file": "no-such-bundle"}):
        pass
    assert capsys.readouterr().out == ""  # NAPALM prints advice about exceptions it does not know


# --- nornir-napalm


@pytest.fixture
def nornir(lab: LabServer) -> Iterator[Nornir]:
    if "napalm" not in ConnectionPluginRegister.available:
        ConnectionPluginRegister.register("napalm", Napalm)
    endpoints = Endpoints.load(None, secrets=SecretStore(environment={}), lab=lab.info.state_dir / "lab.json")
    targets = [Target(name, "", "nvue", "5.16.4", "SN5600") for name in ("leaf01", "spine01")]
    inventory = IntentInventory(targets, endpoints=endpoints).load()
    with Nornir(inventory=inventory, runner=BoundedRunner(4), data=GlobalState()) as nornir:
        yield nornir


def test_the_tasks_of_nornir_napalm_work(nornir: Nornir) -> None:
    got = nornir.run(napalm_get, getters=["facts", "lldp_neighbors"])
    assert not got.failed, {name: str(item[0].exception) for name, item in got.items()}
    assert got["leaf01"].result["facts"]["os_version"] == "5.16.4"

    dry = nornir.run(napalm_configure, configuration=MERGE, dry_run=True)
    assert not dry.failed
    assert "mtu: 9000" in dry["leaf01"].diff

    done = nornir.run(napalm_configure, configuration=MERGE)
    assert not done.failed, {name: str(item[0].exception) for name, item in done.items()}
    assert not nornir.run(napalm_rollback).failed

    timed = nornir.run(napalm_configure, configuration=MERGE, revert_in=60)
    assert not timed.failed
    confirmed = nornir.run(napalm_confirm_commit)
    assert confirmed["leaf01"].result == "Commit confirm completed"
    again = nornir.run(napalm_configure, configuration=MERGE)
    assert not again.failed
    assert not again.changed if hasattr(again, "changed") else not again["leaf01"].changed
