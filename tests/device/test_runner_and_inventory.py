"""The runner and the inventory as Nornir plugins, and the settings they are made from."""

from __future__ import annotations

import signal
import threading
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from nornir.core import Nornir
from nornir.core.inventory import Host, Hosts, Inventory
from nornir.core.state import GlobalState
from nornir.core.task import Task

from intent import resources
from intent.core.errors import IntentError
from intent.device.actor import Target
from intent.device.connection import NvueConnection
from intent.device.endpoints import Endpoints
from intent.device.inventory import IntentInventory
from intent.device.nvue.session import NvueSession
from intent.device.options import ConnectionSettings
from intent.device.runner import BoundedRunner, NotAttempted
from intent.device.secrets import SecretStore


def nornir(runner: BoundedRunner, count: int = 40) -> Nornir:
    hosts = Hosts({f"h{number:02}": Host(f"h{number:02}") for number in range(count)})
    return Nornir(inventory=Inventory(hosts), runner=runner, data=GlobalState())


def test_no_more_than_the_limit_are_in_flight_and_every_host_has_a_result() -> None:
    lock, now, most = threading.Lock(), [0], [0]
    gate = threading.Barrier(4)

    def work(task: Task) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        gate.wait(5)
        with lock:
            now[0] -= 1
        return task.host.name

    result = nornir(BoundedRunner(4)).run(work)
    assert most[0] == 4
    assert {name: item.result for name, item in result.items()} == {f"h{n:02}": f"h{n:02}" for n in range(40)}


def test_a_stop_reaches_what_has_not_begun_and_it_is_in_the_result() -> None:
    done: list[str] = []

    def work(task: Task) -> None:
        done.append(task.host.name)

    result = nornir(BoundedRunner(1, stopping=lambda: len(done) >= 3)).run(work)
    assert len(result) == 40
    left = [name for name, item in result.items() if isinstance(item[0].exception, NotAttempted)]
    assert len(left) == 40 - len(done)
    assert len(done) <= 5


def test_an_exception_nornir_does_not_catch_is_that_hosts_result_alone() -> None:
    def work(task: Task) -> str:
        if task.host.name == "h03":
            raise SystemExit(9)
        if task.host.name == "h04":
            raise ValueError("x")
        return "ok"

    result = nornir(BoundedRunner(4), 6).run(work)
    assert sorted(result.failed_hosts) == ["h03", "h04"]
    assert isinstance(result["h03"][0].exception, SystemExit)
    assert result["h05"].result == "ok"


def test_ctrl_c_lets_those_in_flight_finish_and_keeps_their_results() -> None:
    go = threading.Event()
    main = threading.main_thread().ident
    assert main is not None
    done: list[str] = []

    def work(task: Task) -> str:
        if task.host.name == "h00":
            signal.pthread_kill(main, signal.SIGINT)
            threading.Timer(0.5, go.set).start()
        go.wait(5)
        done.append(task.host.name)
        return "finished"

    runner = BoundedRunner(3)
    result = nornir(runner).run(work)
    assert runner.interrupted
    assert len(result) == 40
    finished = [name for name, item in result.items() if not item.failed]
    assert sorted(finished) == sorted(done)
    assert 1 <= len(done) <= 3


def test_the_entry_points_name_what_exists() -> None:
    found = {
        (group, name): point.load()
        for group in ("inventory", "connections", "runners")
        for point in entry_points(group=f"nornir.plugins.{group}")
        if (name := point.name).startswith(("intent-", "nvue"))
    }
    assert found, "the package is not installed: `make test` does it"
    assert found[("inventory", "intent-inventory")] is IntentInventory
    assert found[("connections", "nvue")] is NvueConnection
    assert found[("runners", "intent-waves")] is BoundedRunner


# --- inventory and settings


def workspace(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "inventory"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def endpoints(folder: Path, **environment: str) -> Endpoints:
    return Endpoints.load(folder, secrets=SecretStore.load(folder, environment=environment))


LEAF = Target("leaf01", "10.1.0.11", "nvue", "5.16.4", "SN5600", {"role": "leaf"})


def test_shipped_settings_and_a_workspace_on_top(tmp_path: Path) -> None:
    folder = workspace(
        tmp_path,
        groups="nvue: {username: automation, connection_options: {nvue: {port: 9443, extras: {timeouts: {read: 90}}}}}",
        secrets="device_password: env:SWITCH_PASSWORD",
    )
    found = endpoints(folder, SWITCH_PASSWORD="CANARY-pw").lookup(LEAF)
    assert found.problem is None
    assert found.endpoint is not None
    assert (found.endpoint.origin, found.endpoint.username) == ("https://10.1.0.11:9443", "automation")
    assert (found.endpoint.timeouts.read_s, found.endpoint.timeouts.connect_s) == (90.0, 5.0)
    assert found.endpoint.context.check_hostname
    assert "CANARY" not in repr(found)


def test_inventory_as_a_nornir_plugin(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    inventory = IntentInventory(
        [LEAF, Target("leaf02", "", "nvue")], endpoints=endpoints(folder, INTENT_SECRET_DEVICE_PASSWORD="CANARY-pw")
    ).load()
    assert list(inventory.hosts) == ["leaf01", "leaf02"]
    assert inventory.hosts["leaf01"].hostname == "10.1.0.11"
    assert inventory.hosts["leaf01"].has_parent_group("nvue")
    assert inventory.hosts["leaf01"]["labels"] == {"role": "leaf"}
    assert "no management address" in str(inventory.hosts["leaf02"]["problem"])
    options = inventory.hosts["leaf01"].get_connection_parameters("napalm")
    assert options.platform == "nvue"
    assert options.extras is not None
    assert options.extras["optional_args"]["ssl_context"] is not None


def test_the_connection_works_from_plain_options_too() -> None:
    connection = NvueConnection()
    connection.open("192.0.2.1", "u", "p", None, "nvue", {"timeouts": {"read": 3}})
    assert isinstance(connection.connection, NvueSession)
    assert connection.connection.transport.endpoint.port == 8765
    connection.close()
    with pytest.raises(IntentError):
        _ = connection.connection
    with pytest.raises(IntentError, match="no management address"):
        connection.open("", "u", "p", None, None)
    with pytest.raises(IntentError, match=r"nowhere\.pem"):
        connection.open("192.0.2.1", "u", "p", None, None, {"tls": {"ca": "nowhere.pem"}})


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"groups": "nvue: {pasword: x}"}, "unknown key 'pasword'"),
        ({"groups": "nvue: {port: '8765'}"}, "port must be int"),
        ({"groups": "nvue: {port: 99999}"}, "not a TCP port"),
        ({"groups": "nvue: {password: CANARY-pw}"}, "stands in the file itself"),
        ({"groups": "nvue: {connection_options: {nvue: {extras: {tls: {verify: false}}}}}"}, "unknown key 'verify'"),
        ({"groups": "nvue: {connection_options: {nvue: {extras: {tls: {ca: nowhere.pem}}}}}"}, "nowhere.pem"),
        (
            {"groups": "nvue: {connection_options: {nvue: {extras: {tls: {verify_hostname: false}}}}}"},
            "names no bundle",
        ),
        ({"groups": "nvue: {connection_options: {nvue: {extras: {timeouts: {read: 0}}}}}"}, "above 0"),
        ({"groups": "nvue: 5"}, "must be a mapping"),
        ({"groups": "- nvue"}, "expected a mapping"),
        ({"groups": "nvue: {}\nnvue: {}"}, "twice"),
        ({"defaults": "data: {max_in_flight: 0}"}, "max_in_flight"),
        ({"defaults": "\tdata: 1"}, "defaults.yaml"),
    ],
)
def test_bad_settings_say_what_is_wrong_and_never_show_a_password(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    folder = workspace(tmp_path, **files)
    with pytest.raises(IntentError) as caught:
        made = endpoints(folder, INTENT_SECRET_DEVICE_PASSWORD="CANARY-pw").lookup(LEAF)
        if made.problem is not None:
            raise made.problem
    assert words in str(caught.value)
    assert "CANARY" not in str(caught.value) + caught.value.hint


def test_the_shipped_settings_are_sound() -> None:
    settings = ConnectionSettings.load([resources.shipped("inventory")])
    assert settings.max_in_flight == 32
    assert settings.platform("nvue", default_port=1).port == 8765


@pytest.mark.parametrize("text", ["", "{", "[]", '{"switches": {}}', '{"switches": {"a": 5}, "ca": "", "username": 1}'])
def test_a_lab_file_that_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "lab.json"
    file.write_text(text)
    with pytest.raises(IntentError, match=r"lab\.json"):
        Endpoints.load(None, secrets=SecretStore(environment={}), lab=file)
    with pytest.raises(IntentError, match="no lab is running"):
        Endpoints.load(None, secrets=SecretStore(environment={}), lab=tmp_path / "none.json")


# --- resources


def test_resources_are_found_and_a_users_file_wins(tmp_path: Path) -> None:
    (tmp_path / "groups.yaml").write_text("nvue: {}")
    assert resources.find("inventory", "groups.yaml", tmp_path) == tmp_path / "groups.yaml"
    assert resources.find("inventory", "defaults.yaml", tmp_path, None).parent == resources.shipped("inventory")
    for name in ("../pyproject.toml", "/etc/passwd"):
        with pytest.raises(IntentError, match="outside"):
            resources.find("inventory", name)
    with pytest.raises(IntentError, match="no file"):
        resources.find("inventory", "nothing.yaml", tmp_path)
    with pytest.raises(ValueError, match="kind"):
        resources.shipped("secrets")
