"""A subnet as its manager's host sees it: answers of tools, cut off and whole, and one run of the play for real."""

from __future__ import annotations

import sys
from pathlib import Path

import opensm_bench
import pytest
from opensm_bench import SHIM, bench
from sm_samples import SMALL, tenants
from subnet_fabric import NAME, compiled, expected

from intent.core.errors import IntentError
from intent.core.verdict import Verdict
from intent.device.actor import Target
from intent.device.opensm import OpenSmActor, OpenSmService
from intent.device.opensm_state import gather_subnets, read_answers, subnet_observation
from intent.device.playbook import HostReport, HostStatus
from intent.device.playbook_actor import HostConnection
from intent.verify.api import Expected, Phase
from intent.verify.engine import run
from intent.verify.registry import load

ROOT = Path(__file__).parents[2]
WHOLE = (
    "@@ links\n@@ end 0\n@@ errors\n## Summary: 1 nodes checked\n@@ end 1\n@@ managers\n@@ end 0\n"
    "@@ nodes\n@@ end 0\n@@ log\nx -> osm_ucast_mgr_process: updn tables configured on all switches\n@@ end 0\n"
    "@@ sminfo 1\nsminfo: sm lid 1 sm guid 0x1, activity count 4 priority 14 state 3 SMINFO_MASTER\n@@ end 0\n"
    "@@ sminfo 2\nsminfo: iberror: failed: query\n@@ end 255\n"
    "@@ pkeys 0x00000000000000aa 7 1\nibwarn: timeout\n@@ end 255\n"
)


def report(text: str) -> HostReport:
    return HostReport(HostStatus.OK, read={"answers": text})


def test_answers_become_an_observation() -> None:
    seen = subnet_observation("sm1", "now", report(WHOLE))
    assert (seen.routing, seen.ib_errors, seen.pkeys) == ("updn", {}, {}), "a port that is silent has no table"
    assert seen.sm is not None and [(one.guid, one.state) for one in seen.sm] == [("0000000000000001", "master")]
    assert list(seen.problems) == ["unhealthy"] and seen.unhealthy is None


@pytest.mark.parametrize("damage", [WHOLE[:-10], WHOLE + "noise\n", WHOLE.replace("@@ end 1\n", "", 1) + "@@ x\n"])
def test_answers_cut_off_are_no_observation(damage: str) -> None:
    with pytest.raises(IntentError):
        read_answers(damage)
    assert "device" in subnet_observation("sm1", "now", report(damage)).problems


def test_a_part_that_is_not_understood_is_a_problem_of_its_own() -> None:
    text = WHOLE.replace("@@ links\n@@ end 0", "@@ links\niblinkinfo: failed\n@@ end 255").replace("## Summary", "##")
    seen = subnet_observation("sm1", "now", report(text))
    assert set(seen.problems) == {"ib_ports", "ib_errors", "unhealthy"}
    assert seen.ib_ports is seen.lids is None and seen.routing == "updn"
    assert subnet_observation("sm1", "now", HostReport(HostStatus.UNREACHABLE, detail="gone")).problems == {
        "device": "gone"
    }


@pytest.mark.skipif(bool(opensm_bench.missing()), reason=opensm_bench.missing() or "-")
def test_the_play_reads_a_real_subnet_and_the_checks_judge_it() -> None:
    partitions = tenants()
    first = SMALL.adapter_ports[0]
    with bench(SMALL) as lab:
        roots = lab.folder / "roots"
        lab._own(roots, "".join(f"0x{guid:016x}\n" for guid in SMALL.roots).encode())
        lab.configure(partitions.encode(), routing_engine="updn", root_guid_file=str(roots))
        lab.start_manager()
        tools = ("env", f"LD_PRELOAD={SHIM}", f"IBSIM_SOCKNAME={lab.socket}", f"SIM_HOST={SMALL.manager_node}")
        service = OpenSmService(log=str(lab.log), tools=tools)
        connection = HostConnection(local=True, python=sys.executable)
        actor = OpenSmActor(ROOT / "playbooks", {}, connection, service=service, deadline_s=240)
        seen = gather_subnets(actor, [Target("host0000", "", "opensm")])["host0000"]
        assert list(seen.problems) == ["unhealthy"], seen.problems
        known = [item for item in load([ROOT / "validators"]).checks if "manager" in {str(r) for r in item.roles}]
        checks = [item for item in known if item.subject not in ("nvlink", "validation")]
        fabric, subnet = compiled(SMALL), expected(SMALL, partitions, {first: 14}, sets_aside=False)
        results = run(
            checks, fabric, {"host0000": seen}, phase=Phase.PRE, expected=Expected(subnets={NAME: subnet}),
            devices=["host0000"],
        )  # fmt: skip
        verdicts = {item.check: item.verdict for item in results}
        assert verdicts.pop("ib-unhealthy") is Verdict.SKIPPED, "OpenSM keeps no list"
        assert set(verdicts.values()) == {Verdict.PASS}, [item.messages for item in results]
