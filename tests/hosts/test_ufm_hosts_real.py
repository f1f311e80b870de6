"""Hosts of UFM over a real sshd: single settings of its files, and ports of a real subnet asked through them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import opensm_bench
import pytest
import throwaway_sshd
from host_bench import PLAYBOOKS, Notes, by_ssh, here, numbered
from opensm_bench import SHIM, Bench, bench
from sm_samples import SMALL, TEMPLATES, managed, manager, tenants, wanted
from subnet_fabric import NAME, compiled

from intent.core.verdict import Verdict
from intent.device.actor import Observed, Outcome, Problem, Request, Status, Target, Wanted
from intent.device.playbook import HostReport, HostStatus, PlaybookRun
from intent.device.playbook_actor import HostConnection
from intent.device.secrets import SecretStore
from intent.device.ufm.hosts import UfmFilesActor, UfmHost
from intent.fabric.partitions import FabricPartitions, Member, Partition
from intent.operate.subnets import Subnets
from intent.render.controllers import Controller
from intent.render.ufm.files import host_artifacts, ufm_settings
from intent.verify.api import Check, Phase
from intent.verify.registry import load

ROOT = Path(__file__).parents[2]
NVIDIA = manager("nvidia")
GV_PATH, CONF_PATH = NVIDIA.paths["gv"], "/opt/ufm/files/conf/opensm/opensm.conf"
ROOTS_PATH = "/opt/ufm/files/conf/opensm/root_guid.conf"
KEY, OTHER = "0x00000000beefcafe", "0x0000000012345678"
GV = """\
# Written by UFM
[Server]
rest_port = 8000
db_password = hunter2hunter2
[SubnetManager]
default_membership = full
randomize_sa_key=True
"""
CONF = f"""\
# The port GUID
guid 0x0002c903a0000001
sm_key {OTHER}
m_key 0x00000000feedface
routing_engine updn
max_op_vls 5 # ours is 2
log_max_size 4096
"""
no_sshd = pytest.mark.skipif(bool(throwaway_sshd.missing()), reason=throwaway_sshd.missing() or "-")


@dataclass
class Pair:
    """The two hosts of a UFM: folders reached by ssh, the second one's disk being the first one's copy."""

    root: Path
    actor: UfmFilesActor
    notes: Notes

    @property
    def gv(self) -> Path:
        return self.root / "u1" / GV_PATH.lstrip("/")

    @property
    def conf(self) -> Path:
        return self.root / "u1" / CONF_PATH.lstrip("/")

    def wanted(self, name: str = "u1", **fields: Any) -> Wanted:
        sm = wanted(by="ufm", vip="10.0.0.9", keys={"sm_key": {"secret": "ib_sm_key"}}, **fields)
        fabric = managed(sm, generation="ndr")
        artifact = host_artifacts(fabric, NVIDIA, ufm_settings(fabric, NVIDIA, TEMPLATES))[0]
        target = Target(name, "127.0.0.1", "ufm-files", labels={"fabric": "q"})
        return Wanted(target, artifact.body, artifact.owned)

    def seen(self, *items: Wanted) -> dict[str, Observed]:
        return self.actor.observe(items or [self.wanted()])

    def request(self, item: Wanted) -> Request:
        found = self.seen(item)[item.target.name]
        assert found.problem is None, found.detail
        return Request(item, self.actor.difference(item, found), found.digest, 60, 240)

    def apply(self, request: Request) -> Outcome:
        return self.actor.apply([request], self.notes)[request.wanted.target.name]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[throwaway_sshd.Sshd]:
    with throwaway_sshd.sshd(tmp_path_factory.mktemp("ssh")) as made:
        yield made


def made(tmp_path: Path, connection: HostConnection) -> Pair:
    """Both hosts as folders that are reached one way."""
    for path, text in ((GV_PATH, GV), (CONF_PATH, CONF)):
        file = tmp_path / "u1" / path.lstrip("/")
        file.parent.mkdir(parents=True)
        file.write_text(text)
        file.chmod(0o640)
    (tmp_path / "u2" / "opt/ufm/files").mkdir(parents=True)
    role = tmp_path / "role"
    role.write_text("Secondary/Primary\n")
    connections = {name: replace(connection, root=str(tmp_path / name)) for name in ("u1", "u2")}
    secrets = SecretStore(known={"ib_sm_key": KEY}, environment={})
    actor = UfmFilesActor(
        PLAYBOOKS, connections, new_handle=numbered(), secrets=secrets, deadline_s=240,
        hosts={"u2": UfmHost(role=("cat", str(role)))},
    )  # fmt: skip
    return Pair(tmp_path, actor, Notes())


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return made(tmp_path, here())


@no_sshd
def test_ours_is_written_and_the_rest_stays(server: throwaway_sshd.Sshd, tmp_path: Path) -> None:
    pair = made(tmp_path, by_ssh(server))
    change = pair.request(pair.wanted())
    shown = {item.path: (item.before, item.after) for item in change.differences}
    assert shown["gv", "SubnetManager", "default_membership"] == ("full", "limited")
    assert shown["opensm", "max_op_vls"] == ("5", "2")
    assert shown["opensm", "sm_key"] == ("(secret)", "$secret:ib_sm_key$")
    assert ("gv", "SubnetManager", "randomize_sa_key") not in shown, "True is true"
    effects = pair.actor.disruption(change.wanted, change.differences)
    assert all("which is not done here" in item.reason for item in effects) and effects[0].severity == "reload"

    outcome = pair.apply(change)
    assert (outcome.status, outcome.detail) == (Status.AWAITING, "")
    assert pair.gv.read_text() == GV.replace("membership = full", "membership = limited") + "m_key_per_port = true\n"
    conf = pair.conf.read_text()
    kept = ("# The port GUID\nguid 0x0002c903a0000001\n", "m_key 0x00000000feedface\n", "log_max_size 4096\n")
    assert all(line in conf for line in (*kept, f"sm_key {KEY}\n", "max_op_vls 2 # ours is 2\n"))
    assert (pair.gv.stat().st_mode & 0o777, pair.conf.stat().st_mode & 0o777) == (0o640, 0o640)
    assert (pair.root / "u1" / ROOTS_PATH.lstrip("/")).read_text().count("0x") == len(SMALL.roots)
    assert not any(word in repr(pair.notes.data) + repr(change) for word in ("beefcafe", "12345678", "hunter2"))


@pytest.mark.nightly
def test_what_was_written_goes_back_and_ufm_is_told_of_its_extension(pair: Pair) -> None:
    told = pair.root / "told"
    pair.actor = replace(pair.actor, hosts={}, host=UfmHost(sync=("touch", str(told))))
    outcome = pair.apply(pair.request(pair.wanted(extension="backup=0x0200 : 0x0002c90300000001=both ;")))
    assert (outcome.status, outcome.detail) == (Status.AWAITING, "")
    extension = pair.root / "u1" / NVIDIA.paths["user_extension"].lstrip("/")
    assert "backup=0x0200" in extension.read_text() and told.exists()
    told.unlink()
    back = pair.actor.revert({"u1": outcome.handle}, pair.notes)["u1"]
    assert (back.status, back.detail) == (Status.REVERTED, "")
    assert (pair.gv.read_text(), pair.conf.read_text()) == (GV, CONF)
    assert not (pair.root / "u1" / ROOTS_PATH.lstrip("/")).exists()
    assert not extension.exists() and told.exists(), "it is told of that too"


@pytest.mark.nightly
def test_nobody_elses_change_is_lost(pair: Pair) -> None:
    outcome = pair.apply(pair.request(pair.wanted()))
    assert outcome.status is Status.AWAITING
    with pair.gv.open("a") as file:
        file.write("[Sharp]\nenable_sharp = true\n")
    back = pair.actor.revert({"u1": outcome.handle}, pair.notes)["u1"]
    assert back.status is Status.UNKNOWN and "changed by somebody else" in back.detail
    assert pair.gv.read_text().endswith("enable_sharp = true\n")

    # UFM writes its file between our reading it and our writing it.
    def meddling(playbook: Path, hosts: Mapping[str, Any], **more: Any) -> Mapping[str, HostReport]:
        if playbook.stem == "opensm":
            pair.conf.write_text("guid 0x1\n")
        return PlaybookRun()(playbook, hosts, **more)

    late = replace(pair.actor, run=meddling)
    failed = late.apply([pair.request(pair.wanted(lmc=1))], pair.notes)["u1"]
    assert failed.status is Status.FAILED and "changed since it was read" in failed.detail
    assert pair.conf.read_text() == "guid 0x1\n"


@pytest.mark.nightly
def test_the_host_that_stands_by_holds_nothing_and_never_alone_says_so(pair: Pair) -> None:
    both = [pair.wanted("u1"), pair.wanted("u2")]
    seen = pair.seen(*both)
    assert seen["u2"].problem is None and pair.actor.difference(both[1], seen["u2"]) == ()
    assert pair.actor.difference(both[0], seen["u1"]) != ()
    pair.gv.unlink()
    pair.conf.unlink()
    seen = pair.seen(*both)
    assert (seen["u1"].problem, seen["u2"].problem) == (Problem.MISMATCH, Problem.MISMATCH)
    assert "gv.cfg" in seen["u1"].detail and "was not read" in seen["u2"].detail


@pytest.mark.nightly
def test_check_mode_shows_whole_files_and_nothing_of_ufms_own(pair: Pair) -> None:
    change = pair.request(pair.wanted())
    with pair.actor.staged([change], pair.actor.look([change.wanted])) as hosts:
        named = {name: {**variables, "opensm_handle": ""} for name, variables in hosts.items()}
        report = PlaybookRun()(PLAYBOOKS / "opensm.yml", named, deadline_s=240, check=True)["u1"]
    assert report.status is HostStatus.OK, report.detail
    assert [item.after for item in report.diffs] == [change.wanted.body["files"][ROOTS_PATH]]
    assert "Say that a file with keys changes" in report.changed
    assert not any(word in repr(report) for word in ("beefcafe", "12345678", "hunter2", "feedface"))
    assert (pair.gv.read_text(), pair.conf.read_text()) == (GV, CONF), "check mode writes nothing"


# --- the ports of its subnet

PORTS = [f"{guid:016x}" for guid in SMALL.adapter_ports]
OPEN = "Default=0x7fff : ALL=full, SELF=full ;\n"


class Site:
    """A site of one fabric that UFM manages, its subnet on the bench; `hosts` are UFM's hosts in the intent."""

    def __init__(self, lab: Bench, connection: HostConnection, hosts: tuple[str, ...] = ("host0000",)) -> None:
        fabric = compiled(SMALL)
        sm = wanted(
            by="ufm", vip="10.0.0.9", routing="updn", hosts=[{"name": name, "address": "127.0.0.1"} for name in hosts]
        )
        labels = {"fabric": NAME}
        every = [Controller("ufm", "ufm", NAME, "10.0.0.9", "", "UFM", labels=labels)]
        every += [Controller(name, "ufm-files", NAME, "127.0.0.1", "", labels=labels) for name in hosts]
        self.compiled: Any = SimpleNamespace(
            name="lab",
            fabric=fabric,
            site=SimpleNamespace(fabrics={NAME: SimpleNamespace(subnet_manager=sm)}),
            partitions=SimpleNamespace(fabrics={NAME: FabricPartitions(NAME, (alpha(), beta()), False)}),
            controllers={item.name: item for item in every},
            artifacts={item.name: None for item in every},
        )
        tools = ("env", f"LD_PRELOAD={SHIM}", f"IBSIM_SOCKNAME={lab.socket}", f"SIM_HOST={SMALL.manager_node}")
        host = UfmHost(log=str(lab.log), tools=tools)
        self.actor = UfmFilesActor(PLAYBOOKS, {}, connection, host=host, deadline_s=240)

    def subnets(self, checks: tuple[Check, ...]) -> Subnets:
        return Subnets(self.compiled, checks, {"ufm-files": self.actor}, {}, changing=["ufm"])


def _partition(name: str, key: int, *ports: str) -> Partition:
    members = tuple(Member(SimpleNamespace(device=port, port=""), port, True) for port in ports)  # type: ignore[arg-type]
    return Partition(key, name, "t", NAME, members, ipoib=True)


def alpha() -> Partition:
    return _partition("alpha", 0x12, PORTS[1], PORTS[2])


def beta() -> Partition:
    return _partition("beta", 0x13, PORTS[3], PORTS[4])


@pytest.fixture(scope="module")
def checks() -> tuple[Check, ...]:
    return load([ROOT / "validators"]).checks


@no_sshd
@pytest.mark.skipif(bool(opensm_bench.missing()), reason=opensm_bench.missing() or "-")
def test_the_canary_of_a_ufm_is_read_on_its_host(server: throwaway_sshd.Sshd, checks: tuple[Check, ...]) -> None:
    connection = by_ssh(server)
    with bench(SMALL) as lab:
        roots = lab.folder / "roots"
        lab._own(roots, "".join(f"0x{guid:016x}\n" for guid in SMALL.roots).encode())
        lab.configure(tenants().encode(), routing_engine="updn", root_guid_file=str(roots))
        lab.start_manager()
        subnets = Site(lab, connection).subnets(checks)
        subnets.remember()
        results, seen = subnets.results(["ufm"], Phase.VERIFY)
        verdicts = {item.check: item.verdict for item in results}
        assert {verdicts.pop("sm-routing"), verdicts.pop("ib-unhealthy")} == {Verdict.UNKNOWN}, "UFM was not asked"
        assert set(verdicts.values()) == {Verdict.PASS}, [item.messages for item in results]
        assert set(seen) == {"ufm"} and seen["ufm"].problems.keys() == {"routing", "unhealthy"}
        assert subnets.judge(["ufm"], frozenset())["ufm"].verdict is Verdict.PASS

        lab.reload(OPEN.encode())
        judged = subnets.judge(["ufm"], frozenset())["ufm"]
        assert judged.verdict is Verdict.FAIL
        assert any("the fabric fell open" in text for text in judged.messages)


@pytest.mark.skipif(bool(opensm_bench.missing()), reason=opensm_bench.missing() or "-")
def test_without_a_host_the_canary_is_unknown_and_says_what_to_add(checks: tuple[Check, ...]) -> None:
    lab: Any = SimpleNamespace(socket="none", log=os.devnull)
    subnets = Site(lab, here(), ()).subnets(checks)
    results, _ = subnets.results(["ufm"], Phase.VERIFY)
    canary = next(item for item in results if item.check == "partitions-canary")
    assert canary.verdict is Verdict.UNKNOWN and "subnet_manager.hosts" in canary.messages[0]
    judged = subnets.judge(["ufm"], frozenset())["ufm"]
    assert judged.verdict is Verdict.PASS, "a change is not undone for what the intent leaves nobody to ask"
    assert any("not proven" in text and "subnet_manager.hosts" in text for text in judged.messages)
