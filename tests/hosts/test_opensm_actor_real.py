"""Files pushed over a real sshd to a host that runs the real OpenSM on a simulated fabric."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import opensm_bench
import pytest
import throwaway_sshd
from host_bench import PLAYBOOKS, Notes, by_ssh, numbered
from opensm_bench import SHIM, Bench, bench
from sm_samples import SMALL, TEMPLATES, managed, manager, tenants, wanted

from intent.core.tree import Kind
from intent.device.actor import Request, Status, Target, Wanted
from intent.device.opensm import OpenSmActor, OpenSmService
from intent.device.playbook import HostStatus, PlaybookRun
from intent.device.playbook_actor import HostConnection
from intent.device.secrets import SecretStore
from intent.formats.opensm.log import read_log
from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import EndPort, PortKind, pkey_tables
from intent.render.opensm.render import render_hosts

MISSING = opensm_bench.missing() or throwaway_sshd.missing()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "-")

OPENSM = manager("opensm")
KEY = "0x00000000beefcafe"
# Once, the file is spoiled before the manager is told; afterwards it is only told.
SPOIL = "[ -e {flag} ] || {{ : > {flag}; printf '{text}' >> {file}; }}; kill -HUP {pid}"


@dataclass
class Host:
    """A host of a subnet manager: reached by ssh, running OpenSM on the bench."""

    lab: Bench
    actor: OpenSmActor

    def wanted(self, partitions: str) -> Wanted:
        body = {"files": files(self.lab, partitions)}
        return Wanted(Target("sm1", "127.0.0.1", "opensm"), body, (("files",),))

    def request(self, item: Wanted) -> Request:
        observed = self.actor.observe([item])["sm1"]
        assert observed.problem is None, observed.detail
        return Request(item, self.actor.difference(item, observed), observed.digest, 60, 240)

    def spoiled(self, text: str, tmp_path: Path) -> OpenSmActor:
        """The same host, on which something spoils the file once while it is being put in place."""
        assert self.lab.manager is not None
        script = SPOIL.format(flag=tmp_path / "once", text=text, file=self.lab.partitions, pid=self.lab.manager.pid)
        return replace(self.actor, service=replace(self.actor.service, hup=("sh", "-c", script)))


def files(lab: Bench, partitions: str, **fields: Any) -> dict[str, str]:
    """What our renderer gives the host, in the bench's folder."""
    options = {"log_file": str(lab.log), "dump_files_dir": str(lab.folder)}
    sm = wanted(keys={"sm_key": {"secret": "ib_sm_key"}}, options=options, **fields)
    rendered = render_hosts(managed(sm), OPENSM, partitions, TEMPLATES, folder=str(lab.folder))
    return dict(rendered.artifacts[0].body["files"])


def tables(partitions: str) -> dict[int, frozenset[int]]:
    ports = [EndPort(guid, PortKind.SWITCH if guid in SMALL.switches else PortKind.ADAPTER) for guid in SMALL.ports]
    compiled = pkey_tables(read_strict(partitions.encode()), ports, manager=SMALL.manager_port)
    return {guid: table.keys for guid, table in compiled.items()}


BEFORE, AFTER = tenants(), tenants().replace("0x0013", "0x0077")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    ssh = tmp_path / "ssh"
    ssh.mkdir()
    with throwaway_sshd.sshd(ssh) as server, bench(SMALL) as lab:
        for path, text in files(lab, BEFORE).items():
            lab._own(Path(path), text.replace("$secret:ib_sm_key$", KEY).encode())
        lab.start_manager()
        assert lab.manager is not None
        connection = by_ssh(server)
        service = OpenSmService(hup=("kill", "-HUP", str(lab.manager.pid)), log=str(lab.log))
        secrets = SecretStore(known={"ib_sm_key": KEY}, environment={})
        actor = OpenSmActor(
            PLAYBOOKS, {}, connection, new_handle=numbered(), secrets=secrets, service=service,
            deadline_s=240,
        )  # fmt: skip
        # A folder stands for / on the host, in which the bench's folder has its usual path.
        root = tmp_path / "root"
        place = root / str(lab.folder).lstrip("/")
        place.parent.mkdir(parents=True)
        place.symlink_to(lab.folder)
        yield Host(lab, replace(actor, default=replace(connection, root=str(root))))


def test_pushed_partitions_are_the_tables_the_ports_hold(host: Host) -> None:
    notes = Notes()
    change = host.request(host.wanted(AFTER))
    assert [(item.path, item.kind) for item in change.differences] == [
        (("files", str(host.lab.partitions)), Kind.CHANGE)
    ], "nothing else differs: the key on the host is the wanted one, and shows as its reference"
    assert host.actor.disruption(change.wanted, change.differences)[0].severity == "flap"
    assert host.lab.pkey_tables() == tables(BEFORE)

    outcome = host.actor.apply([change], notes)["sm1"]
    assert (outcome.status, outcome.detail) == (Status.AWAITING, "")
    assert host.lab.pkey_tables() == tables(AFTER), "read from the ports themselves"
    assert host.actor.confirm({"sm1": outcome.handle}, notes)["sm1"].status is Status.CONFIRMED
    assert KEY not in repr(notes.data) + repr(change)

    bad = replace(change.wanted, body={"files": {**change.wanted.body["files"]}})
    bad.body["files"][str(host.lab.partitions)] = AFTER.replace("full", "ful1")
    unreachable = replace(host.actor, default=HostConnection("127.0.0.1", 1))
    refused = unreachable.apply([replace(change, wanted=bad)], notes)["sm1"]
    assert refused.status is Status.FAILED
    assert "partitions.conf" in refused.detail and refused.detail.endswith("nothing was sent")
    assert host.lab.pkey_tables() == tables(AFTER)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("nonsense = :::\\n", "did not take its files", id="falls open"),
        pytest.param("# a comment\\n", "does not read back", id="reads back otherwise", marks=pytest.mark.nightly),
    ],
)
def test_what_does_not_end_as_planned_is_put_back(host: Host, tmp_path: Path, text: str, why: str) -> None:
    change = host.request(host.wanted(AFTER))
    outcome = host.spoiled(text, tmp_path).apply([change], Notes())["sm1"]
    assert outcome.status is Status.REVERTED and why in outcome.detail
    assert host.lab.partitions.read_text() == BEFORE
    assert host.lab.pkey_tables() == tables(BEFORE), "the tenants are as they were"


@pytest.mark.nightly
def test_check_mode_shows_what_changes_and_no_key(host: Host) -> None:
    target = host.wanted(AFTER)
    new_key = replace(host.actor, secrets=SecretStore(known={"ib_sm_key": "0x0000000011112222"}, environment={}))
    observed = new_key.observe([target])
    request = Request(target, new_key.difference(target, observed["sm1"]), observed["sm1"].digest, 60, 240)
    shown = {item.path[-1].rpartition("/")[2]: item for item in request.differences}
    assert set(shown) == {"opensm.conf", "partitions.conf"}
    assert "sm_key (secret)" in str(shown["opensm.conf"].before) and KEY not in repr(request)
    with new_key.staged([request], new_key.look([target])) as hosts:
        staged = {item["path"]: item for item in hosts["sm1"]["opensm_files"]}
        assert Path(staged[str(host.lab.folder / "opensm.conf")]["source"]).stat().st_mode & 0o777 == 0o600
        report = PlaybookRun()(PLAYBOOKS / "opensm.yml", _named(hosts), deadline_s=240, check=True)["sm1"]
    assert not any(Path(item["source"]).exists() for item in staged.values())
    assert report.status is HostStatus.OK, report.detail
    assert [item.after for item in report.diffs] == [AFTER]
    assert {"Show what changes", "Say that a file with keys changes"} <= set(report.changed)
    assert "11112222" not in repr(report) and "beefcafe" not in repr(report)
    assert host.lab.partitions.read_text() == BEFORE, "check mode writes nothing"


def _named(hosts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {**variables, "opensm_handle": ""} for name, variables in hosts.items()}


RESTART = """\
kill {pid}
while kill -0 {pid} 2>/dev/null; do sleep 0.05; done
cd {folder}
export IBSIM_SOCKNAME={socket} SIM_HOST={host} LD_PRELOAD={shim} OSM_CACHE_DIR={folder} OSM_TMP_DIR={folder}
setsid /usr/sbin/opensm -F {folder}/opensm.conf </dev/null >restarted.out 2>&1 &
echo $! > {folder}/restarted.pid
"""


@pytest.mark.nightly
def test_an_option_read_at_the_start_is_in_force_after_a_restart(host: Host) -> None:
    lab, first = host.lab, host.lab.manager
    assert first is not None and read_log(lab.log.read_text()).engine == "updn"
    script = lab.folder / "restart.sh"
    script.write_text(
        RESTART.format(pid=first.pid, folder=lab.folder, socket=lab.socket, host=SMALL.manager_node, shim=SHIM)
    )
    actor = replace(host.actor, service=replace(host.actor.service, restart=("sh", str(script))))
    body = {"files": files(lab, BEFORE, routing="minhop")}
    item = Wanted(Target("sm1", "127.0.0.1", "opensm"), body, (("files",),))
    observed = actor.observe([item])["sm1"]
    differences = actor.difference(item, observed)
    assert "routing_engine" in actor.disruption(item, differences)[0].reason
    reaping = threading.Thread(target=first.wait, daemon=True)  # the old one is this process's child
    reaping.start()
    try:
        outcome = actor.apply([Request(item, differences, observed.digest, 60, 240)], Notes())["sm1"]
        assert (outcome.status, outcome.detail) == (Status.AWAITING, "")
        assert read_log(lab.log.read_text()).engine == "minhop"
        assert lab.pkey_tables() == tables(BEFORE)
    finally:
        with suppress(OSError, ValueError):
            os.kill(int((lab.folder / "restarted.pid").read_text()), signal.SIGTERM)
