"""Plans, results and verdicts by hand, with names that try to break what shows them."""

from __future__ import annotations

from intent.change.drift import Deviation, DeviceDrift, DriftReport, DriftState
from intent.change.plan import DevicePlan, DeviceState, Plan
from intent.change.result import Result, Row
from intent.change.selection import Scope
from intent.change.strategy import Strategy
from intent.core.span import Span
from intent.core.tree import ABSENT, Difference
from intent.core.verdict import Verdict
from intent.device.actor import Disruption, Status, Target, Wanted
from intent.render.artifact import Origin
from intent.verify.api import Phase
from intent.verify.engine import CheckResult

HOSTILE = "<script>alert(1)</script>\x1b[2J\r\n\u202e&\"'"

MTU = Difference(("interface", "swp1s0", "link", "mtu"), 1500, 9216)
VLAN = Difference(("bridge", "domain", "br_default", "vlan", "10"), ABSENT, {})
STALE_USER = Difference(("system", "aaa", "user", "eve"), {}, ABSENT)
MTU_ORIGIN = Origin(Span("sites/par1.yaml", 12, 7), "link mtu")
FLAP = Disruption("flap", "port swp1s0", "interface.*.link.mtu: the port is set down and up")


def wanted(name: str) -> Wanted:
    labels = {"role": "leaf", "plane": "1", "fabric": "east-west"}
    return Wanted(Target(name, "10.1.0.1", "nvue", "5.16", "SN5600", labels), {}, (("interface",),))


def device_plan(name: str, *differences: Difference, new: bool = False) -> DevicePlan:
    return DevicePlan(
        wanted(name),
        DeviceState.CHANGE if differences else DeviceState.UNCHANGED,
        "w" * 64,
        "l" * 64,
        differences,
        tuple(MTU_ORIGIN if item is MTU else Origin(None, "default") for item in differences),
        (FLAP,) if MTU in differences else (),
        "by its own timer after 600 s" if differences else "",
        new,
    )


def plan_of(*devices: DevicePlan, total: int = 0, notes: tuple[str, ...] = ()) -> Plan:
    names = tuple(device.name for device in devices)
    scope = Scope("par1", names, ("leaf*",) if total > len(names) else (), total or len(names))
    return Plan("apply", "aurora", "2026-11-30T22:00:00Z", scope, Strategy(), devices, notes=notes)


def sample_plan() -> Plan:
    """Fifteen leaves alike, one new, one unchanged, one silent, one of another model."""
    same = [device_plan(f"leaf{number:02}", MTU, VLAN, STALE_USER) for number in range(1, 16)]
    silent = DevicePlan(wanted("leaf18"), DeviceState.UNREACHABLE, "w" * 64, detail="timeout: no answer in 10 s")
    other = DevicePlan(
        wanted("leaf19"), DeviceState.MISMATCH, "w" * 64, detail="model - expected SN5600, actual SN4700"
    )
    return plan_of(*same, device_plan("leaf16", VLAN, new=True), device_plan("leaf17"), silent, other)


def sample_result() -> Result:
    rows = [Row(f"leaf{number:02}", Status.CONFIRMED, wave=1, verdict=Verdict.PASS) for number in range(1, 16)]
    bad = Row("leaf16", Status.REVERTED, "checks failed", 2, Verdict.FAIL, ("Port: swp1s0 - down",))
    return Result("c-20261130-1", "d" * 64, (*rows, bad, Row("leaf17", Status.NOT_ATTEMPTED)), "budget spent", 84.2)


def check_result(
    device: str, verdict: Verdict, *messages: str, check: str = "ports-up", subject: str = "links"
) -> CheckResult:
    notes = messages if verdict in (Verdict.SKIPPED, Verdict.PASS) else ()
    said = () if notes else messages
    return CheckResult(device, check, "Every cabled port is up", subject, Phase.VERIFY, verdict, said, notes, 1)


def sample_verdicts() -> list[CheckResult]:
    down = "Port: swp1s0 - down - expected up, actual down"
    return [
        check_result("leaf01", Verdict.PASS),
        check_result("leaf02", Verdict.FAIL, down),
        check_result("leaf03", Verdict.FAIL, down, "Port: swp2s0 - down - expected up, actual down"),
        check_result("leaf04", Verdict.UNKNOWN, "Observation: links - could not be read - timeout"),
        check_result("leaf01", Verdict.SKIPPED, "no profile", check="roce", subject="roce"),
        check_result("leaf02", Verdict.ERROR, "Check: roce - broke at roce.py:3", check="roce", subject="roce"),
    ]


def sample_drift() -> DriftReport:
    same = tuple(
        DeviceDrift(f"leaf{n:02}", DriftState.DRIFT, (Deviation(MTU, MTU_ORIGIN), Deviation(STALE_USER, None)))
        for n in range(1, 5)
    )
    names = tuple(f"leaf{n:02}" for n in range(1, 7))
    rest = (
        DeviceDrift("leaf05", DriftState.IN_SYNC),
        DeviceDrift("leaf06", DriftState.UNKNOWN, detail="timeout: no answer"),
    )
    return DriftReport(Scope("par1", names, (), 6), same + rest)
