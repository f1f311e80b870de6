"""`intent verify` on a fabric that UFM manages: what REST tells is judged, what nobody can tell is never green."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import intent
from endtoend import Room
from ib_site import guid, site_text, workspace

from intent.core.exitcode import ExitCode


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(workspace(tmp_path)).up()
    yield made
    made.down()


def test_another_engine_and_a_port_set_aside_are_found(room: Room) -> None:
    assert room.plan().code == room.apply().code == ExitCode.OK
    good = room.run("verify", "--lab")
    assert good.code == ExitCode.OK, good.out
    assert "PASS sm-routing" in good.out and "PASS ib-unhealthy" in good.out
    assert "SKIPPED" in good.out and "PASS partitions-canary" not in good.out, "a model has no ports"
    assert room.run("lab", "fault", "unhealthy-port", "q-ufm", f"guid={guid('n1', 1)}", "number=1").code == 0
    assert room.run("lab", "fault", "routing-engine", "q-ufm", "engine=minhop").code == 0
    bad = room.run("verify", "--lab")
    assert bad.code == ExitCode.FINDINGS
    assert "expected ar_updn, actual minhop" in bad.out
    assert "q-r1-l01" in bad.out and "set aside as unhealthy" in bad.out


def test_ufms_own_validation_is_run_when_it_is_asked_for(room: Room) -> None:
    assert room.plan().code == room.apply().code == ExitCode.OK
    assert "ufm-validation" not in room.run("verify", "--lab").out
    said = room.run("verify", "--lab", "--check", "ufm-validation")
    assert said.code == ExitCode.OK and "PASS ufm-validation" in said.out, said.out


def test_lint_says_when_nobody_could_read_the_canary(tmp_path: Path) -> None:
    said = intent("lint", "-C", workspace(tmp_path, site_text(manager="{by: ufm, vip: 10.1.0.20}")))
    assert "L320" in said.out and "subnet_manager" in said.out
    assert "L320" not in intent("lint", "-C", workspace(tmp_path, site_text())).out
