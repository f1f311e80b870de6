"""The play for real: over a local connection into a temporary root, and over a throw-away sshd."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import throwaway_sshd
from host_bench import PLAYBOOKS, Notes, by_ssh, here, numbered, running_with
from small_fabric import small_fabric

from intent.core.errors import IntentError
from intent.core.tree import ABSENT, Kind
from intent.device.actor import Problem, Request, Status, Target, Wanted
from intent.device.hosts import HostActor, diff_text, network_files
from intent.device.playbook import HostStatus, PlaybookRun
from intent.render.hosts import HostDefaults, host_data

IMEX = "/etc/nvidia-imex/nodes_config.cfg"
TEMPLATE = (PLAYBOOKS / "templates" / "rail.network.j2").read_text()


def body(mtu: int = 4200) -> dict[str, Any]:
    return host_data(small_fabric(), HostDefaults(mtu, 1001))["node1"]


def wanted(name: str = "node1", mtu: int = 4200, trays: tuple[str, ...] = ()) -> Wanted:
    imex = {"imex": {"path": IMEX, "addresses": list(trays)}} if trays else {}
    return Wanted(Target(name, "127.0.0.1", "host"), {**body(mtu), **imex})


def actor(root: Path, **changes: Any) -> HostActor:
    return replace(HostActor(PLAYBOOKS, {"node1": here(root)}, new_handle=numbered()), **changes)


def request(actor_: HostActor, item: Wanted) -> Request:
    observed = actor_.observe([item])[item.target.name]
    assert observed.problem is None, observed.detail
    return Request(item, actor_.difference(item, observed), observed.digest, 60, 60)


def files(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (root / "etc/systemd/network").glob("*")}


@pytest.mark.nightly
def test_a_change_from_nothing_to_confirmed_and_the_next_one_reverted(tmp_path: Path) -> None:
    nodes, notes, trays = actor(tmp_path), Notes(), tmp_path / IMEX.lstrip("/")
    first = request(nodes, wanted(trays=("10.1.0.1", "10.1.0.2")))
    assert list(tmp_path.iterdir()) == [], "check mode writes nothing"
    names = ["60-intent-eth1.network", "60-intent-eth2.network", "nodes_config.cfg"]
    assert [(item.path, item.kind) for item in first.differences] == [(("files", name), Kind.ADD) for name in names]
    assert "+MTUBytes=4200" in diff_text(first.differences).splitlines()
    told = nodes.disruption(first.wanted, first.differences)
    assert [(item.severity, item.scope) for item in told] == [
        ("flap", "port eth1"), ("flap", "port eth2"), ("none", "IMEX"),
    ]  # fmt: skip
    assert "restart nvidia-imex on every tray" in told[-1].reason, "it is not restarted here, and the plan says so"

    assert nodes.apply([first], notes)["node1"].status is Status.AWAITING
    assert files(tmp_path) == network_files(body(), TEMPLATE), "the plan and the playbook write the same bytes"
    assert trays.read_text() == "10.1.0.1\n10.1.0.2\n"
    assert [path.name for path in trays.parent.iterdir()] == ["nodes_config.cfg"], "nothing is left beside it"
    assert nodes.confirm({"node1": "change1"}, notes)["node1"].status is Status.CONFIRMED
    assert notes.steps == [("node1", "apply"), ("node1", "rails_confirm")]
    (tmp_path / "etc/systemd/network/60-intent-old.network").write_text("[Match]\nName=old\n")
    (tmp_path / "etc/systemd/network/10-theirs.network").write_text("not ours\n")
    trays.write_text("10.9.9.9\n")
    before = files(tmp_path)
    second = request(nodes, wanted(mtu=9000, trays=("10.1.0.1", "10.1.0.3")))
    assert {item.path[-1]: item.kind for item in second.differences} == {
        "nodes_config.cfg": Kind.CHANGE,
        "60-intent-eth1.network": Kind.CHANGE,
        "60-intent-eth2.network": Kind.CHANGE,
        "60-intent-old.network": Kind.REMOVE,
    }
    assert nodes.apply([second], notes)["node1"].handle == "change2"
    assert files(tmp_path) == {**network_files(body(9000), TEMPLATE), "10-theirs.network": "not ours\n"}
    assert trays.read_text() == "10.1.0.1\n10.1.0.3\n"
    assert nodes.revert({"node1": "change2"}, notes)["node1"].status is Status.REVERTED
    assert files(tmp_path) == before, "apply and revert are the identity"
    assert trays.read_text() == "10.9.9.9\n"


def test_a_folder_in_a_files_place_stops_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "etc/systemd/network"
    (folder / "60-intent-eth2.network").mkdir(parents=True)
    observed = actor(tmp_path).observe([wanted()])["node1"]
    assert observed.problem is Problem.PROTOCOL
    assert "Read present files" in observed.detail and "directory" in observed.detail
    assert [path.name for path in folder.iterdir()] == ["60-intent-eth2.network"]


def test_no_host_matched_is_not_a_success(tmp_path: Path) -> None:
    play = tmp_path / "nobody.yml"
    play.write_text("- hosts: nobody\n  gather_facts: false\n  tasks: []\n")
    report = PlaybookRun()(play, {"node1": {"ansible_connection": "local"}}, deadline_s=60)["node1"]
    assert (report.status, report.detail) == (HostStatus.NOT_RUN, "the play did not run on this host")


def test_check_mode_shows_a_second_run_changes_nothing_and_no_secret_reaches_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, root = tmp_path / "work", tmp_path / "root"
    work.mkdir()
    root.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(work))
    monkeypatch.setenv("SITE_PASSWORD", "canary-7431")
    seen: dict[str, bytes] = {}
    modes: set[int] = set()

    def look() -> bool:
        for path in work.rglob("*"):
            if path.is_file():
                seen[path.name] = path.read_bytes()
        modes.update(path.stat().st_mode & 0o777 for path in work.glob("intent-play-*"))
        return False

    variables = here(root).variables("")
    play, hosts = PLAYBOOKS / "rails.yml", {"node1": {**variables, "rails": body()["rails"]}}
    check = PlaybookRun(stopped=look)(play, hosts, deadline_s=60, check=True)["node1"]
    assert "command" in seen and "hosts.json" in seen
    assert json.loads(seen["command"])["env"]["ANSIBLE_HOST_KEY_CHECKING"] == "True"
    assert not [name for name, content in seen.items() if b"canary-7431" in content]
    assert modes == {0o700}
    assert list(work.iterdir()) == []

    assert check.status is HostStatus.OK and "Write network files" in check.changed
    assert {item.after for item in check.diffs} == set(network_files(body(), TEMPLATE).values())
    assert list(root.iterdir()) == [], "check mode writes nothing"
    assert PlaybookRun()(play, hosts, deadline_s=60)["node1"].changed != ()
    again = PlaybookRun()(play, hosts, deadline_s=60)["node1"]
    assert (again.status, again.changed, again.diffs) == (HostStatus.OK, (), ()), "a second run changes nothing"


def test_a_run_ends_at_its_deadline(tmp_path: Path) -> None:
    play = tmp_path / "slow.yml"
    play.write_text(
        "- hosts: all\n  gather_facts: false\n  tasks:\n"
        f"    - ansible.builtin.wait_for: {{path: {tmp_path / 'absent'}, timeout: 300}}\n"
    )
    variables = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    report = PlaybookRun()(play, {"node1": variables}, deadline_s=4)["node1"]
    assert (report.status, report.detail) == (HostStatus.NOT_RUN, "the run was ended at its deadline")
    end = time.monotonic() + 5
    while (left := running_with(str(play))) and time.monotonic() < end:
        time.sleep(0.05)  # a killed process takes a moment to be gone
    assert left == [], "workers do not outlive the run"


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ({}, "no host"),
        ({"node[1:3]": {}}, "host name"),
        ({"all,!x": {}}, "host name"),
        ({"n1": {"rails": [{"name": "{{ lookup('pipe', 'id') }}"}]}}, "Jinja2 marker"),
        ({"n1": {"rails": [{"{% x %}": 1}]}}, "Jinja2 marker"),
    ],
)
def test_what_ansible_would_execute_is_refused(hosts: dict[str, Any], words: str) -> None:
    with pytest.raises(IntentError, match=words):
        PlaybookRun()(PLAYBOOKS / "rails.yml", hosts, deadline_s=5)


def test_a_missing_playbook_or_ansible_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IntentError, match="no playbook"):
        PlaybookRun()(tmp_path / "absent.yml", {"n1": {}}, deadline_s=5)
    monkeypatch.setattr("shutil.which", lambda *_args, **_named: None)
    with pytest.raises(IntentError, match="ansible-playbook is not installed"):
        PlaybookRun()(PLAYBOOKS / "rails.yml", {"n1": {}}, deadline_s=5)


@pytest.mark.skipif(bool(throwaway_sshd.missing()), reason=throwaway_sshd.missing() or "sshd is there")
def test_over_ssh_with_its_own_host_key(tmp_path: Path) -> None:
    root, keys = tmp_path / "root", tmp_path / "keys"
    root.mkdir()
    keys.mkdir()
    with throwaway_sshd.sshd(keys) as server:
        good = replace(by_ssh(server, root), address="")
        loopback = {"node1": "127.0.0.1", "closed": "127.0.0.1"}
        stranger = keys / "strangers"
        stranger.write_text("")
        distrusted = actor(root, connections={"node1": replace(good, known_hosts=str(stranger))})
        refused = distrusted.observe([wanted()])["node1"]
        assert refused.problem in (Problem.UNREACHABLE, Problem.AUTHENTICATION)
        assert "Host key verification failed" in refused.detail

        both = {"node1": good, "closed": replace(good, port=1)}
        nodes, notes = actor(root, connections=both, addresses=loopback), Notes()
        items = [wanted("node1", trays=("10.1.0.1", "10.1.0.2")), wanted("closed")]
        observed = nodes.observe(items)
        assert observed["node1"].problem is None, observed["node1"].detail
        assert observed["closed"].problem is Problem.UNREACHABLE
        requests = [
            Request(item, nodes.difference(item, observed[item.target.name]), observed[item.target.name].digest, 60, 60)
            for item in items
        ]
        outcomes = nodes.apply(requests, notes)
        assert {name: outcome.status for name, outcome in outcomes.items()} == {
            "node1": Status.AWAITING,
            "closed": Status.FAILED,
        }
        assert outcomes["closed"].detail.endswith("nothing was written")
        assert files(root) == network_files(body(), TEMPLATE)
        assert (root / IMEX.lstrip("/")).read_text() == "10.1.0.1\n10.1.0.2\n"
        assert nodes.revert({"node1": outcomes["node1"].handle}, notes)["node1"].status is Status.REVERTED
        assert files(root) == {}
        assert list((root / IMEX.lstrip("/")).parent.iterdir()) == [], "it was not there before"
        late = nodes.confirm({"node1": outcomes["node1"].handle}, notes)["node1"]
        assert late.status is Status.UNKNOWN and "reverted already" in late.detail
        assert nodes.settle({"node1": outcomes["node1"].handle})["node1"].status is Status.REVERTED


def test_differences_are_readable() -> None:
    text = diff_text(request_less())
    assert text.splitlines()[:2] == ["--- 60-intent-eth9.network", "+++ /dev/null"]


def request_less() -> list[Any]:
    from intent.core.tree import Difference

    return [Difference(("files", "60-intent-eth9.network"), "[Match]\n", ABSENT)]
