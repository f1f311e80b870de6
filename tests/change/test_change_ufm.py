"""A UFM in the same plan, journal and rollback as everything else; killed at any moment it can be put back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from fake_change_devices import QUICK, FakeClock, Killed, MortalJournal, holder
from ufm_bench import NAME, OWNED, Rig, members, wiring

from intent.change.apply import apply_plan
from intent.change.control import Stop, stamp
from intent.change.engine import Judgement
from intent.change.journal import Journal, open_journal
from intent.change.plan import DeviceState, Plan
from intent.change.planning import make_plan
from intent.change.recover import Holds, Recovered, settle_site
from intent.change.result import Result
from intent.change.rollback import rollback_plan
from intent.change.selection import select
from intent.core.exitcode import ExitCode
from intent.core.verdict import Verdict
from intent.device.actor import Status
from intent.lab.inprocess import LabServer
from intent.render.artifact import Artifact

OLD = {"0x8012": {"ipoib": True, "member": members(1, 2)}, "0x8013": {"member": members(9)}}
NEW = {
    "0x8012": {"ipoib": True, "member": {**members(*range(1, 130)), **members(200, membership="limited")}},
    "0x8013": {"member": members(9)},
    "0x8014": {"name": "c", "mtu": 4096, "member": members(7, index0=True)},
}


OLD_SETTINGS = {"m_key": "$secret:mk$", "max_wire_smps": "16", "polling_retry_number": "9"}
NEW_SETTINGS = {"m_key": "$secret:other$", "max_wire_smps": "32", "polling_retry_number": "3"}
KEYS = {"mk": "0xc0ffee00deadbeef", "other": "0xabad1dea0badf00d"}


@pytest.fixture
def lab() -> Iterator[LabServer]:
    with LabServer(wiring()) as running:
        yield running


class House:
    """One UFM as a site: plan, apply, recover."""

    def __init__(self, lab: LabServer, folder: Path) -> None:
        self.lab = lab
        self.rig = Rig(lab, known=KEYS)
        self.clock = FakeClock()
        self.file = folder / "journal.db"
        self.verdict = Verdict.PASS

    @property
    def actors(self) -> Mapping[str, object]:
        return {"ufm": self.rig.fresh()}

    def journal(self) -> Journal:
        return open_journal(self.file, self.clock)

    def plan(self, partition: Mapping[str, object], settings: Mapping[str, str] | None = None) -> Plan:
        body = {"fabric": "ib", "partition": partition, **({"setting": settings} if settings else {})}
        owned = (*OWNED, *(("setting", name) for name in settings or ()))
        artifact = Artifact(NAME, "ufm", "", "", body, owned)
        targets = {NAME: self.rig.target}
        return make_plan(
            {NAME: artifact},
            targets,
            self.actors,  # type: ignore[arg-type]
            scope=select(targets, (), site="par1"),
            intent_name="aurora",
            created_at=stamp(self.clock),
            settings=QUICK,
        )

    def judge(self, names: Sequence[str], in_force: frozenset[str]) -> dict[str, Judgement]:
        return {
            name: Judgement(self.verdict, ("P_Key: 0x8012 - absent - expected present, actual absent",))
            for name in names
        }

    def apply(self, plan: Plan, journal: Journal, *, actors: Mapping[str, object] | None = None) -> Result:
        return apply_plan(
            plan,
            actors=actors or self.actors,  # type: ignore[arg-type]
            journal=journal,
            judge=self.judge,
            holder=holder(),
            clock=self.clock,
            stop=Stop(),
            reason="CHG-1",
        )

    def recover(self) -> tuple[Recovered, ...]:
        with self.journal() as journal:
            return settle_site(journal, self.actors, site="par1", holder=holder(78), clock=self.clock)  # type: ignore[arg-type]

    def holds(self, *, settings: bool = False) -> Holds:
        for state, asked, holds in ((OLD, OLD_SETTINGS, Holds.OLD), (NEW, NEW_SETTINGS, Holds.NEW)):
            plan = self.plan(state, asked if settings else None)
            if all(device.state is DeviceState.UNCHANGED for device in plan.devices):
                return holds
        return Holds.OTHER


@pytest.fixture
def house(lab: LabServer, tmp_path: Path) -> House:
    made = House(lab, tmp_path)
    with made.journal() as journal:
        assert made.apply(made.plan(OLD), journal).exit_code is ExitCode.OK
    return made


def test_plan_apply_and_roll_back_in_one_journal(house: House) -> None:
    plan = house.plan(NEW)
    assert "compensating writes" in plan.devices[0].revert
    with house.journal() as journal:
        result = house.apply(plan, journal)
        assert [row.status for row in result.rows] == [Status.CONFIRMED]
        assert house.holds() is Holds.NEW
        again = house.apply(house.plan(NEW), journal)
        assert [row.status for row in again.rows] == [Status.UNCHANGED]
        allowed = {"ufm": house.rig.fresh(allow_removals=True)}
        stamped = stamp(house.clock)
        back = rollback_plan(journal, result.change, allowed, created_at=stamped, settings=QUICK)  # type: ignore[arg-type]
        assert [row.status for row in house.apply(back, journal, actors=allowed).rows] == [Status.CONFIRMED]
        assert house.holds() is Holds.OLD
        assert journal.verify().holds


def test_checks_that_fail_put_it_back(house: House) -> None:
    house.verdict = Verdict.FAIL
    with house.journal() as journal:
        result = house.apply(house.plan(NEW), journal)
    assert [row.status for row in result.rows] == [Status.REVERTED]
    assert house.holds() is Holds.OLD


def test_a_failover_during_the_change_is_no_failure(house: House) -> None:
    house.lab.fault("lost-write", NAME, when="after", skip=1, for_s=0.2)
    with house.journal() as journal:
        result = house.apply(house.plan(NEW), journal)
    assert [row.status for row in result.rows] == [Status.CONFIRMED], result.rows
    assert house.holds() is Holds.NEW


@pytest.mark.parametrize("afterwards", [False, True])
@pytest.mark.parametrize("point", [5, 7, 8, 9, 11, 13])
def test_killed_at_any_write_it_is_put_back_or_known_to_be_done(house: House, point: int, afterwards: bool) -> None:
    plan = house.plan(NEW)
    journal = house.journal()
    journal.__class__ = MortalJournal
    journal.arm(point, after=afterwards)  # type: ignore[attr-defined]
    with contextlib.suppress(Killed):
        house.apply(plan, journal)
    journal.close()
    found = house.recover()
    now = house.holds()
    assert now in (Holds.OLD, Holds.NEW)
    for item in found:
        assert item.settled and item.holds is now, item
        assert item.status is (Status.REVERTED if now is Holds.OLD else Status.CONFIRMED)


# --- settings of the subnet manager


def test_settings_and_partitions_are_one_change_and_checks_that_fail_put_both_back(house: House) -> None:
    with house.journal() as journal:
        assert house.apply(house.plan(OLD, OLD_SETTINGS), journal).exit_code is ExitCode.OK
        house.verdict = Verdict.FAIL
        result = house.apply(house.plan(NEW, NEW_SETTINGS), journal)
    assert [row.status for row in result.rows] == [Status.REVERTED], result.rows
    assert house.holds(settings=True) is Holds.OLD, "the old key too: this very process replaced it"


@pytest.mark.parametrize("afterwards", [False, True])
@pytest.mark.parametrize("point", [5, 6, 7, 8, 9, 10, 12, 15])
def test_killed_at_any_write_of_settings_it_is_told_which_key_stays(house: House, point: int, afterwards: bool) -> None:
    with house.journal() as journal:
        assert house.apply(house.plan(OLD, OLD_SETTINGS), journal).exit_code is ExitCode.OK
    plan = house.plan(NEW, NEW_SETTINGS)
    dying = house.journal()
    dying.__class__ = MortalJournal
    dying.arm(point, after=afterwards)  # type: ignore[attr-defined]
    with contextlib.suppress(Killed):
        house.apply(plan, dying)
    dying.close()
    found = house.recover()
    held = house.rig.manager.settings.values
    now = house.holds(settings=True)
    for item in found:
        assert item.holds is now, item
        if item.status is Status.REVERTED:
            assert now is Holds.OLD and held["m_key"] == KEYS["mk"]
        elif item.status is Status.CONFIRMED:
            assert now is Holds.NEW
        else:  # all but the key went back, which is told and settled
            assert now is Holds.OTHER and item.settled and held["m_key"] == KEYS["other"]
            assert "not put back: setting m_key stays as written" in item.detail
            assert (held["max_wire_smps"], held["polling_retry_number"]) == (16, 9)
            assert house.holds() is Holds.OLD
    told = house.file.read_bytes().lower()
    assert not [key for key in KEYS.values() if key.removeprefix("0x").encode() in told]
