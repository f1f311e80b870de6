"""The whole path against a lab: plan, apply, verify, drift, repair, rollback, with faults on the way."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import intent, workspace
from loopback import own_base

from intent.core.exitcode import ExitCode

LEAF, SPINE = "east-west-r1-l01", "east-west-s01"
PORT = "interface.swp1s0.link.mtu"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = workspace(tmp_path_factory.mktemp("lab") / "small")
    up = intent("lab", "up", "-C", folder, "--address-base", own_base(), "--apply-seconds", "0.02")
    assert up.code == ExitCode.OK, up.err
    yield folder
    intent("lab", "down", "-C", folder)


def writes(folder: Path) -> int:
    """Write calls all switches of the lab have seen."""
    rows = json.loads(intent("lab", "status", "-C", folder, "--json").out)["lab"]
    return sum(int(row["writes"]) for row in rows)


def change(folder: Path, *limit: str) -> int:
    planned = intent("plan", "--lab", "-C", folder, *limit)
    assert planned.code == ExitCode.OK, planned.err
    return intent("apply", "--lab", "--yes", "-C", folder).code


@pytest.fixture
def built(small: Path) -> Path:
    """The lab with the intent in force everywhere."""
    assert change(small) == ExitCode.OK
    return small


def test_plan_apply_verify_and_nothing_more_to_do(small: Path) -> None:
    planned = intent("plan", "--lab", "-C", small, "--detailed-exitcode")
    assert planned.code in (ExitCode.CHANGES, ExitCode.OK)
    report = small / "report.html"
    applied = intent("apply", "--lab", "--yes", "-C", small, "--report", report)
    assert applied.code == ExitCode.OK, applied.out + applied.err
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    verified = intent("verify", "--lab", "-C", small)
    assert verified.code == ExitCode.OK, verified.out
    before = writes(small)
    again = intent("plan", "--lab", "-C", small, "--detailed-exitcode")
    assert again.code == ExitCode.OK
    assert "0 to change, 5 unchanged" in again.out
    assert intent("apply", "--lab", "--yes", "-C", small).code == ExitCode.OK
    assert writes(small) == before, "a second apply makes no write call at all"


def test_drift_names_the_line_and_only_reads(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    before = writes(built)
    found = intent("drift", "--lab", "-C", built)
    assert found.code == ExitCode.CHANGES
    assert f"{PORT} - expected 9216, actual 1500" in found.out
    assert "intent.yaml:13 (host port)" in found.out
    assert writes(built) == before
    failed = intent("verify", "--lab", "-C", built, "--check", "links")
    assert failed.code == ExitCode.FINDINGS
    assert "expected 9216, actual 1500" in failed.out
    assert change(built, "--limit", LEAF) == ExitCode.OK
    assert intent("drift", "--lab", "-C", built).code == ExitCode.OK


def test_what_is_not_ours_is_left_alone(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", SPINE, "system.message.pre-login=hands-off", "-C", built)
    assert intent("drift", "--lab", "-C", built).code == ExitCode.OK
    assert "0 to change" in intent("plan", "--lab", "-C", built).out


def test_a_stale_plan_is_refused(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    intent("plan", "--lab", "-C", built)
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1600", "-C", built)
    before = writes(built)
    assert intent("apply", "--lab", "--yes", "-C", built).code == ExitCode.STALE
    assert writes(built) == before


def test_an_unreachable_switch_is_unknown_never_green(built: Path) -> None:
    intent("lab", "fault", "unreachable", SPINE, "-C", built)
    try:
        assert intent("drift", "--lab", "-C", built).code == ExitCode.UNKNOWN
        verified = intent("verify", "--lab", "-C", built)
        assert verified.code == ExitCode.UNKNOWN
        assert SPINE in verified.out
        assert intent("plan", "--lab", "-C", built).code == ExitCode.UNKNOWN
    finally:
        intent("lab", "fault", "clear", SPINE, "-C", built)
    assert intent("verify", "--lab", "-C", built).code == ExitCode.OK


def test_a_swapped_cable_is_found_by_name(built: Path) -> None:
    swap = ("lab", "fault", "swap-cable", LEAF, "port=swp63s0", "with_device=east-west-r2-l01", "with_port=swp63s1",
            "-C", built)  # fmt: skip
    assert intent(*swap).code == ExitCode.OK
    try:
        found = intent("verify", "--lab", "-C", built, "--check", "cabling")
        assert found.code == ExitCode.FINDINGS
        assert "swp63s0" in found.out
    finally:
        intent(*swap)


def test_an_apply_that_fails_is_not_kept_and_the_rest_is_not_touched(built: Path) -> None:
    for name in (LEAF, "east-west-r2-l01"):
        intent("lab", "fault", "change-by-hand", name, f"{PORT}=1500", "-C", built)
    intent("lab", "fault", "apply-fail", LEAF, "-C", built)
    intent("plan", "--lab", "-C", built)
    applied = intent("apply", "--lab", "--yes", "-C", built)
    intent("lab", "fault", "clear", LEAF, "-C", built)
    assert applied.code != ExitCode.OK
    assert "not attempted: east-west-r2-l01" in applied.out
    assert change(built) == ExitCode.OK


def test_checks_decide_and_a_bad_change_goes_back(built: Path) -> None:
    """A check of the workspace's own says no: the device is put back by the engine."""
    own = built / "validators"
    own.mkdir(exist_ok=True)
    (own / "mine.py").write_text(
        "from intent.verify.api import check, failed, passed\n\n\n"
        '@check("small-frames", title="No jumbo frames", subject="mine", parts=("links",))\n'
        "def small_frames(context):\n"
        '    large = context.links["swp1s0"].mtu > 9000\n'
        '    yield failed("Port", "swp1s0", "not today") if large else passed()\n',
        encoding="utf-8",
    )
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    try:
        intent("plan", "--lab", "-C", built)
        applied = intent("apply", "--lab", "--yes", "-C", built, "--patience", "0")
        assert applied.code == ExitCode.ROLLED_BACK, applied.out
        assert "not today" in applied.out
    finally:
        shutil.rmtree(own)
    assert "actual 1500" in intent("drift", "--lab", "-C", built).out, "it holds what it held before"
    assert change(built) == ExitCode.OK


def test_rollback_brings_back_what_was(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    assert change(built) == ExitCode.OK
    last = json.loads(intent("history", "--json", "-C", built).out)["changes"][0]["change"]
    rolled = intent("rollback", last, "--lab", "--yes", "-C", built, "--patience", "0")
    assert "actual 1500" in intent("drift", "--lab", "-C", built).out, rolled.out
    assert change(built) == ExitCode.OK
    assert intent("history", "--check", "-C", built).code == ExitCode.OK


def test_apply_asks_and_refuses_without_a_terminal(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    intent("plan", "--lab", "-C", built)
    said = intent("apply", "--lab", "-C", built)
    assert said.code == ExitCode.USAGE
    assert "--yes" in said.err
    assert change(built) == ExitCode.OK


def test_precheck_tells_ready_stale_and_what_is_wrong_already(built: Path) -> None:
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1500", "-C", built)
    intent("plan", "--lab", "-C", built)
    before = writes(built)
    ready = intent("precheck", "--lab", "-C", built)
    assert ready.code == ExitCode.FINDINGS, ready.out + ready.err
    assert "1 ready, 4 left alone" in ready.out
    assert "expected 9216, actual 1500" in ready.out
    assert json.loads(intent("precheck", "--lab", "--json", "-C", built).out)["ready"] == [LEAF]
    intent("lab", "fault", "change-by-hand", LEAF, f"{PORT}=1600", "-C", built)
    assert intent("precheck", "--lab", "-C", built).code == ExitCode.STALE
    assert writes(built) == before
    assert change(built) == ExitCode.OK
