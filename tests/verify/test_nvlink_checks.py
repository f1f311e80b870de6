"""NVLink partitions as an NMX-M reads them back, held against the intent."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.core.verdict import Verdict
from intent.device.observation import NvlinkPartition, NvlinkState, Observation
from intent.fabric.model import Device, Fabric, Role
from intent.operate.nvlinks import wanted_nvlink
from intent.render.artifact import Artifact
from intent.verify.api import Expected, Nvlink, Phase
from intent.verify.engine import CheckResult, run
from intent.verify.registry import load

CHECKS = [item for item in load([Path(__file__).parents[2] / "validators"]).checks if item.subject == "nvlink"]
DOMAIN = "3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a01"
ALL = tuple(f"1.{slot}.1.{gpu}" for slot in range(1, 5) for gpu in (1, 2))
A, B, REST = ALL[:2], ALL[2:4], ALL[4:]
WANTED = Nvlink({DOMAIN: {"a": frozenset(A), "b": frozenset(B)}}, frozenset({(DOMAIN, "theirs")}), {DOMAIN: "g1"})


def part(name: str, gpus: tuple[str, ...], *, default: bool = False) -> NvlinkPartition:
    return NvlinkPartition(DOMAIN if gpus else "", name, gpus, default)


def default(gpus: tuple[str, ...]) -> NvlinkPartition:
    return part("Default Partition", gpus, default=True)


def judged(
    *parts: NvlinkPartition, phase: Phase = Phase.VERIFY, known: tuple[str, ...] = ALL, wanted: Nvlink | None = WANTED
) -> dict[str, CheckResult]:
    state = NvlinkState({DOMAIN: known} if known else {}, parts)
    site = Fabric("s", {"nmx1": Device("nmx1", Role.MANAGER, "", "s")}, ())
    expected = Expected(nvlink={"nmx1": wanted} if wanted else {})
    seen = {"nmx1": Observation("nmx1", "", nvlink=state)}
    return {item.check: item for item in run(CHECKS, site, seen, phase=phase, expected=expected, devices=["nmx1"])}


def verdicts(found: dict[str, CheckResult]) -> list[str]:
    return [str(found[name].verdict) for name in ("nvlink-gpus", "nvlink-partitions", "nvlink-default")]


def test_as_the_intent_says() -> None:
    assert verdicts(judged(default(REST), part("a", A), part("b", B))) == ["pass"] * 3


@pytest.mark.parametrize("remains", [part("old", ()), part("a", ()), part("Default Partition", ())])
def test_partitions_without_members_are_tolerated(remains: NvlinkPartition) -> None:
    assert verdicts(judged(default(REST), part("a", A), part("b", B), remains)) == ["pass"] * 3


@pytest.mark.parametrize(
    ("parts", "expected", "words"),
    [
        ((default(REST), part("a", A), part("b", B[:1])), ["pass", "fail", "pass"],
         "b of g1 - GPUs are missing - expected 1.2.1.2"),
        ((default(REST[1:]), part("a", A), part("b", (*B, REST[0]))), ["pass", "fail", "fail"], "actual 1.3.1.1"),
        ((default((*REST, B[1])), part("a", A), part("b", B[:1])), ["pass", "fail", "fail"],
         "g1 - the default partition still holds GPUs of tenants - expected none, actual 1.2.1.2"),
        ((default(REST), part("a", (*A, B[0])), part("b", B)), ["fail", "fail", "pass"],
         "1.2.1.1 of g1 - in several partitions - expected one, actual a, b"),
        ((default(REST), part("a", A)), ["pass", "fail", "pass"], "b of g1 - it holds no GPU"),
        ((default(REST), part("a", A), part("b", ())), ["pass", "fail", "pass"], "b of g1 - it holds no GPU"),
        ((part("a", A), part("b", B), part("old", REST)), ["pass", "pass", "fail"], "not in the default partition"),
        ((part("a", A), part("b", B)), ["pass", "pass", "fail"], "expected 1.3.1.1 1.3.1.2 1.4.1.1 1.4.1.2"),
    ],
)  # fmt: skip
def test_otherwise_than_the_intent_says(parts: tuple[NvlinkPartition, ...], expected: list[str], words: str) -> None:
    found = judged(*parts)
    assert verdicts(found) == expected
    assert words in "\n".join(text for item in found.values() for text in item.messages)


def test_gpus_of_somebody_elses_partition_are_none_of_the_rest() -> None:
    assert verdicts(judged(default(REST[:2]), part("a", A), part("b", B), part("theirs", REST[2:]))) == ["pass"] * 3


def test_a_gpu_that_is_gone_fails_before_the_change_too() -> None:
    found = judged(default(ALL[:-1]), phase=Phase.PRE, known=ALL[1:])
    assert list(found) == ["nvlink-gpus"], "members are as they were before the change, the default one holds them all"
    assert found["nvlink-gpus"].verdict is Verdict.FAIL
    assert found["nvlink-gpus"].messages == (
        "Domain: g1 - GPUs of the intent are not there - expected 1.1.1.1, actual absent",
    )


def test_what_nobody_knows_is_unknown_and_what_is_not_ours_is_skipped() -> None:
    assert verdicts(judged(known=()))[0] == "unknown"
    assert verdicts(judged(known=()))[2] == "unknown"
    assert verdicts(judged(default(ALL), wanted=None)) == ["skipped"] * 3


@pytest.mark.parametrize(
    ("excepted", "judged_names", "theirs"),
    [
        ((), {"a", "b"}, set()),
        ((("domain",),), set(), set()),
        ((("domain", DOMAIN),), set(), set()),
        ((("domain", DOMAIN, "partition"),), set(), set()),
        ((("domain", "another"),), {"a", "b"}, set()),
        ((("domain", DOMAIN, "partition", "a"),), {"b"}, {"a"}),
        ((("domain", DOMAIN, "partition", "a", "member", A[0]),), {"b"}, {"a"}),
    ],
)
def test_what_the_user_takes_out_is_not_judged(
    excepted: tuple[tuple[str, ...], ...], judged_names: set[str], theirs: set[str]
) -> None:
    body = {"domain": {DOMAIN: {"partition": {"a": {"member": {A[0]: {}}}, "b": {"member": {B[0]: {}}}}}}}
    wanted = wanted_nvlink(Artifact("nmx1", "nmx", "", "", body, excepted=excepted))
    assert {name for held in wanted.partitions.values() for name in held} == judged_names
    assert {name for _, name in wanted.excepted} == theirs


def test_an_nmx_that_cannot_be_read_is_unknown() -> None:
    site = Fabric("s", {"nmx1": Device("nmx1", Role.MANAGER, "", "s")}, ())
    seen = {"nmx1": Observation("nmx1", "", problems={"device": "no route"})}
    found = run(CHECKS, site, seen, phase=Phase.POST, expected=Expected(nvlink={"nmx1": WANTED}), devices=["nmx1"])
    assert [item.verdict for item in found] == [Verdict.UNKNOWN] * 3
    assert all("no route" in item.message for item in found)
