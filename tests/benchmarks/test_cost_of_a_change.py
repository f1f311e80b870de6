"""Requests and connections of a whole apply, counted at the lab: at most 20 and 3 for each switch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import SMALL, intent, workspace
from loopback import own_base

from intent.core.exitcode import ExitCode

MOST_REQUESTS, MOST_CONNECTIONS = 20, 3
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def counters(folder: Path) -> dict[str, tuple[int, int]]:
    """Requests and connections every switch of the lab has seen."""
    rows = json.loads(intent("lab", "status", "-C", folder, "--json").out)["lab"]
    return {row["name"]: (int(row["requests"]), int(row["connections"])) for row in rows}


def applied(folder: Path) -> dict[str, tuple[int, int]]:
    """Requests and connections of an apply of everything that is to change, by switch."""
    planned = intent("plan", "--lab", "-C", folder)
    assert planned.code == ExitCode.OK, planned.out + planned.err
    before = counters(folder)
    done = intent("apply", "--lab", "--yes", "-C", folder)
    assert done.code == ExitCode.OK, done.out + done.err
    after = counters(folder)
    return {name: (after[name][0] - before[name][0], after[name][1] - before[name][1]) for name in after}


def within(cost: dict[str, tuple[int, int]]) -> None:
    dear = {name: item for name, item in cost.items() if item[0] > MOST_REQUESTS or item[1] > MOST_CONNECTIONS}
    assert not dear, f"more than {MOST_REQUESTS} requests or {MOST_CONNECTIONS} connections: {dear}"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Path]:
    folder = workspace(tmp_path / "cost")
    up = intent("lab", "up", "-C", folder, "--address-base", own_base(), "--apply-seconds", "0.02")
    assert up.code == ExitCode.OK, up.err
    yield folder
    intent("lab", "down", "-C", folder)


def test_a_first_change_and_a_later_one_cost_few_requests(started: Path) -> None:
    first = applied(started)
    assert len(first) == 5
    within(first)
    # The second connection is the proof that the switch can still be reached after the apply.
    assert {connections for _, connections in first.values()} == {2}
    text = SMALL.replace("adaptive_routing: true", "adaptive_routing: false")
    workspace(started, text=text)
    later = applied(started)
    assert all(requests > 5 for requests, _ in later.values()), later
    within(later)


@pytest.mark.nightly
def test_384_switches_cost_as_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import designs

    folder = designs.write(tmp_path / "large", designs.NODES[384])
    up = intent("lab", "up", "-C", folder, "--address-base", own_base(512), "--apply-seconds", "0.05")
    assert up.code == ExitCode.OK, up.err
    try:
        cost = applied(folder)
        assert len(cost) == 384
        within(cost)
    finally:
        intent("lab", "down", "-C", folder)
