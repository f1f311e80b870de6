"""Our checks of a subnet on the real OpenSM: what is well passes, and each fault is caught by its check."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ib_topologies import fat_tree
from opensm_bench import Bench, BenchError, bench, missing
from sm_samples import tenants
from subnet_fabric import NAME, compiled, expected, observed

from intent.core.verdict import Verdict
from intent.device.observation import Observation
from intent.verify.api import Expected, Phase, Subnet
from intent.verify.engine import CheckResult, run
from intent.verify.registry import load
from intent.verify.snapshot import load as load_snapshot
from intent.verify.snapshot import save

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SMALL = fat_tree(leaves=2, spines=2, hosts_per_leaf=3)
FABRIC = compiled(SMALL)
PARTITIONS = tenants(SMALL)
FIRST, LAST = SMALL.adapter_ports[0], SMALL.adapter_ports[-1]
CHECKS = tuple(
    check
    for check in load([Path(__file__).parents[2] / "validators"]).checks
    if {str(role) for role in check.roles} == {"manager"} and check.subject not in ("nvlink", "validation")
)


def judged(subnet: Subnet, seen: Observation) -> dict[str, CheckResult]:
    results = run(
        CHECKS, FABRIC, {"host0000": seen}, phase=Phase.VERIFY, expected=Expected(subnets={NAME: subnet}),
        devices=["host0000"],
    )  # fmt: skip
    return {result.check: result for result in results}


def verdicts(results: dict[str, CheckResult]) -> dict[str, Verdict]:
    return {name: result.verdict for name, result in results.items()}


def wait(holds: Callable[[], bool], lab: Bench, what: str) -> None:
    """Wait on the bench's own processes until something holds."""
    until = time.monotonic() + 60
    while not holds():
        if time.monotonic() > until:
            raise BenchError(f"not within a minute: {what}")
        try:
            lab.simulator.wait(0.02)
        except subprocess.TimeoutExpired:
            continue


@pytest.fixture
def lab() -> Iterator[Bench]:
    with bench(SMALL) as made:
        roots = made.folder / "roots"
        made._own(roots, "".join(f"0x{guid:016x}\n" for guid in SMALL.roots).encode())
        made.configure(
            PARTITIONS.encode(), routing_engine="updn", root_guid_file=str(roots), honor_guid2lid_file="TRUE",
            sminfo_polling_timeout="1000", polling_retry_number="2", transaction_timeout="100",
        )  # fmt: skip
        made.start_manager()
        yield made


ALONE = expected(SMALL, PARTITIONS, {FIRST: 14})


def test_all_is_well_then_each_fault_is_caught(lab: Bench, tmp_path: Path) -> None:
    before = observed(lab, "host0000")
    assert before.lids is not None and ALONE.canaries
    subnet = replace(ALONE, lids=before.lids)
    assert set(verdicts(judged(subnet, before)).values()) == {Verdict.PASS}
    save(tmp_path / "seen.json", [before])
    assert judged(subnet, load_snapshot(tmp_path / "seen.json")["host0000"]) == judged(subnet, before)

    stand_in = judged(replace(subnet, engine="ar_updn", stand_in="updn"), before)["sm-routing"]
    assert stand_in.verdict is Verdict.SKIPPED and "stands in" in stand_in.message
    other = judged(replace(subnet, engine="ftree"), before)["sm-routing"]
    assert other.message == "Fabric: compute - routed by another engine - expected ftree, actual updn"

    # Somebody pushes a file by hand in which one line is wrong: OpenSM falls open, and says SUBNET UP.
    log = lab.reload(PARTITIONS.encode() + b"oops=0x0014 : host7=full ;\n")
    assert "SUBNET UP" in log
    open_results = judged(subnet, observed(lab, "host0000"))
    canary = open_results["partitions-canary"]
    assert canary.verdict is Verdict.FAIL and "the fabric fell open" in canary.message
    assert open_results["partitions-tables"].verdict is Verdict.FAIL
    assert verdicts(open_results)["sm-roles"] is Verdict.PASS, "every tool above stays green"
    lab.reload(PARTITIONS.encode())

    leaf = next(node for node in SMALL.nodes if node.name == "leaf000").identifier
    lab.console(f'PerformanceSet "{leaf}"[2] PortCounters.SymbolErrorCounter=500')
    wait(lambda: "500" in lab.run("ibqueryerrors", check=False).stdout, lab, "the counter is set")
    dirty = judged(subnet, observed(lab, "host0000"))
    message = "Link: leaf000 2 to host0001 ib1 - symbol errors - expected at most 10, actual 500"
    assert dirty["ib-errors"].messages == (message,)
    assert {name for name, one in dirty.items() if one.verdict is not Verdict.PASS} == {"ib-errors"}

    offset = lab.log.stat().st_size
    lab.console(f'Unlink "{leaf}"[4]')
    wait(lambda: "SUBNET UP" in lab._log_since(offset), lab, "the link is down")
    down = judged(subnet, observed(lab, "host0000"))
    assert down["ib-links"].message.startswith("Link: leaf000 4 to spine000 1 - not active - expected active")
    assert down["ib-cabling"].verdict is Verdict.FAIL
    # Up/down routing has no path from here to that spine any more: what it holds is unknown, never green.
    assert down["ib-errors"].verdict is Verdict.UNKNOWN and down["partitions-tables"].verdict is Verdict.UNKNOWN


def test_without_a_canary_the_verdict_is_unknown(lab: Bench) -> None:
    full = PARTITIONS.replace("ALL=limited", "ALL=full")
    lab.reload(full.encode())
    results = judged(expected(SMALL, full, {FIRST: 14}), observed(lab, "host0000"))
    assert results["partitions-canary"].verdict is Verdict.UNKNOWN
    assert results["partitions-tables"].verdict is Verdict.PASS


def test_what_was_not_read_is_unknown() -> None:
    results = judged(ALONE, Observation("host0000", "", problems={"device": "no answer"}))
    skipped = {"lid-stability"}
    assert {one.verdict for name, one in results.items() if name not in skipped} == {Verdict.UNKNOWN}


def test_a_standby_takes_over_and_the_tables_stay(lab: Bench) -> None:
    second = lab.folder / "second.log"
    text = (lab.folder / "opensm.conf").read_text()
    other = text.replace("sm_priority 14", "sm_priority 8").replace(str(lab.log), str(second))
    lab._own(lab.folder / "second.conf", other.encode())
    last = SMALL.adapters[-1].identifier
    standby = lab._start("opensm", "-F", str(lab.folder / "second.conf"), at=last)
    said = lambda: second.read_text(errors="replace") if second.exists() else ""  # noqa: E731
    wait(lambda: "Entering STANDBY" in said(), lab, "the second one stands by")
    pair = expected(SMALL, PARTITIONS, {FIRST: 14, LAST: 8})
    # Table of the second host's own port: limited while the first one is master, so the pair's tables hold for both.
    before = observed(lab, "host0000")
    results = judged(replace(pair, lids=before.lids), before)
    assert set(verdicts(results).values()) == {Verdict.PASS}
    assert judged(expected(SMALL, PARTITIONS, {FIRST: 14}), before)["sm-roles"].verdict is Verdict.FAIL, "a stranger"

    lab.kill_manager()
    wait(lambda: "SUBNET UP" in said(), lab, "the second one takes over")
    assert standby.poll() is None
    after = observed(lab, "host0000", at=last, log=said())
    taken = judged(replace(pair, lids=before.lids), after)
    assert taken["sm-roles"].verdict is Verdict.FAIL and "does not answer" in taken["sm-roles"].message
    assert taken["lid-stability"].verdict is Verdict.PASS, "LIDs are kept"
    assert taken["sm-routing"].verdict is Verdict.PASS
    now = judged(expected(SMALL, PARTITIONS, {LAST: 8}), after)
    assert now["partitions-tables"].verdict is Verdict.PASS, now["partitions-tables"].messages
    tenant = {f"{guid:016x}" for guid in SMALL.adapter_ports[1:5]}
    assert before.pkeys is not None and after.pkeys is not None
    assert {guid: before.pkeys[guid] for guid in tenant} == {guid: after.pkeys[guid] for guid in tenant}
