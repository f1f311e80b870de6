"""Hosts of UFM in the same plan, journal, drift and rollback as everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_change_devices import QUICK, FakeClock, holder
from host_folders import HostFolders
from sm_samples import TEMPLATES, managed, manager, wanted

from intent.change.apply import apply_plan
from intent.change.control import Stop, stamp
from intent.change.drift import DriftReport, find_drift
from intent.change.engine import Judgement
from intent.change.journal import Journal, open_journal
from intent.change.plan import Plan
from intent.change.planning import make_plan
from intent.change.result import Result
from intent.change.rollback import rollback_plan
from intent.change.selection import select
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status, Target
from intent.device.secrets import SecretStore
from intent.device.ufm.hosts import UfmFilesActor
from intent.render.artifact import Artifact
from intent.render.ufm.files import host_artifacts, ufm_settings
from intent.report.plan import human

NVIDIA = manager("nvidia")
GV, CONF = NVIDIA.paths["gv"], "/opt/ufm/files/conf/opensm/opensm.conf"
ROOTS = "/opt/ufm/files/conf/opensm/root_guid.conf"
KEY, OTHER = "0x00000000deadbeef", "0x0000000012345678"
OLD_GV = "[Server]\nrest_port = 8000\n[SubnetManager]\ndefault_membership = full\n"
OLD_CONF = f"guid 0x7\nsm_key {OTHER}\nmax_op_vls 5\n"
HOSTS = ("sm1", "sm2")


class House:
    """The hosts of one UFM as a site."""

    def __init__(self, folder: Path) -> None:
        self.hosts = HostFolders(folder / "hosts")
        for name in HOSTS:
            self.hosts.put(name, GV, OLD_GV)
            self.hosts.put(name, CONF, OLD_CONF)
        self.clock = FakeClock()
        self.file = folder / "journal.db"
        self.verdict = Verdict.PASS
        labels = {"site": "par1", "fabric": "q", "role": "manager"}
        self.targets = {name: Target(name, "10.0.0.1", "ufm-files", labels={**labels, "name": name}) for name in HOSTS}
        sm = wanted(by="ufm", vip="10.0.0.9", keys={"sm_key": {"secret": "ib_sm_key"}})
        fabric = managed(sm, generation="ndr")
        made = host_artifacts(fabric, NVIDIA, ufm_settings(fabric, NVIDIA, TEMPLATES))
        self.artifacts: dict[str, Artifact] = {item.device: item for item in made}
        secrets = SecretStore(known={"ib_sm_key": KEY}, environment={})
        self.actors: Any = {"ufm-files": UfmFilesActor(Path(), {}, run=self.hosts, secrets=secrets)}

    def journal(self) -> Journal:
        return open_journal(self.file, self.clock)

    def plan(self) -> Plan:
        scope = select(self.targets, (), site="par1")
        return make_plan(
            self.artifacts, self.targets, self.actors, scope=scope, intent_name="aurora",
            created_at=stamp(self.clock), settings=QUICK,
        )  # fmt: skip

    def judge(self, names: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        return {name: Judgement(self.verdict, ("Port: x - wrong partition keys",)) for name in names}

    def apply(self, plan: Plan, journal: Journal) -> Result:
        return apply_plan(
            plan, actors=self.actors, journal=journal, judge=self.judge, holder=holder(), clock=self.clock,
            stop=Stop(), reason="CHG-1",
        )  # fmt: skip

    def drift(self) -> DriftReport:
        scope = select(self.targets, (), site="par1")
        return find_drift(self.artifacts, self.targets, self.actors, scope=scope)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_plan_apply_drift_and_roll_back_in_one_journal(house: House) -> None:
    plan = house.plan()
    shown = human(plan).plain
    assert "gv.SubnetManager.default_membership full → limited" in shown
    assert "in force once UFM is restarted" in shown and "which is not done here" in shown
    assert "deadbeef" not in shown and "12345678" not in shown
    with house.journal() as journal:
        result = house.apply(plan, journal)
        assert {row.device: row.status for row in result.rows} == dict.fromkeys(HOSTS, Status.CONFIRMED), result.rows
        for name in HOSTS:
            assert f"sm_key {KEY}\n" in (house.hosts.text(name, CONF) or "")
            assert "rest_port = 8000" in (house.hosts.text(name, GV) or "")
        assert house.drift().exit_code is ExitCode.OK
        assert not house.plan().to_change

        held = house.hosts.text("sm2", GV) or ""
        house.hosts.put("sm2", GV, held.replace("default_membership = limited", "default_membership = full"))
        found = {item.device: item for item in house.drift().devices}
        paths = [item.difference.path for item in found["sm2"].deviations]
        assert paths == [("gv", "SubnetManager", "default_membership")]
        assert house.drift().exit_code is ExitCode.CHANGES
        house.hosts.put("sm2", GV, held)

        stamped = stamp(house.clock)
        back = rollback_plan(journal, result.change, house.actors, created_at=stamped, settings=QUICK)
        assert any("sm_key" in note for note in back.notes), "an old key was never known to us"
        assert {row.status for row in house.apply(back, journal).rows} == {Status.CONFIRMED}
        for name in HOSTS:
            assert house.hosts.text(name, GV) == OLD_GV
            assert sorted((house.hosts.text(name, CONF) or "").split("\n")) == sorted(
                OLD_CONF.replace(OTHER, KEY).split("\n")
            ), "but for the key, which stays"
            assert house.hosts.text(name, ROOTS), "a whole file is not taken away"
        assert journal.verify().holds
    assert b"deadbeef" not in house.file.read_bytes() and b"12345678" not in house.file.read_bytes()


def test_checks_that_fail_put_the_files_back(house: House) -> None:
    house.verdict = Verdict.FAIL
    with house.journal() as journal:
        result = house.apply(house.plan(), journal)
    assert Status.REVERTED in {row.status for row in result.rows}
    for name in HOSTS:
        assert (house.hosts.text(name, GV), house.hosts.text(name, CONF)) == (OLD_GV, OLD_CONF)
        assert house.hosts.text(name, ROOTS) is None


def test_the_host_that_stands_by_is_left_and_a_takeover_makes_the_plan_stale(house: House) -> None:
    house.hosts.standing_by.add("sm2")
    plan = house.plan()
    assert [device.name for device in plan.to_change] == ["sm1"]
    with house.journal() as journal:
        house.hosts.standing_by = {"sm1"}
        result = house.apply(plan, journal)
        assert {row.device: row.status for row in result.rows} == {"sm1": Status.UNCHANGED, "sm2": Status.STALE}
        assert result.exit_code is ExitCode.STALE
        assert house.hosts.text("sm2", GV) == OLD_GV, "nothing was written"
        house.hosts.standing_by = {"sm2"}
        rows = {row.device: row.status for row in house.apply(house.plan(), journal).rows}
        assert rows == {"sm1": Status.CONFIRMED, "sm2": Status.UNCHANGED}
    assert house.drift().exit_code is ExitCode.OK
    assert house.hosts.text("sm2", GV) == OLD_GV


def test_a_host_that_is_silent_is_named_and_the_other_one_judged(house: House) -> None:
    house.hosts.silent.add("sm2")
    plan = house.plan()
    assert plan.exit_code(detailed=False) is ExitCode.UNKNOWN
    assert [device.name for device in plan.to_change] == ["sm1"]
