"""What the actor makes of a run's reports: stale, stopped, half written, silent, settled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from host_bench import PLAYBOOKS, Notes
from small_fabric import small_fabric

from intent.core.tree import digest
from intent.device.actor import Observed, Problem, Request, Status, Target, Wanted
from intent.device.hosts import HostActor, HostConnection, imex_file, imex_hashes
from intent.device.playbook import HostReport, HostStatus
from intent.render.hosts import HostDefaults, host_data

BODY = host_data(small_fabric(), HostDefaults(4200, 1001))["node1"]
OK = HostReport(HostStatus.OK)


class Script:
    """Answers each playbook with a prepared report and remembers what was asked."""

    def __init__(self, **reports: HostReport) -> None:
        self.reports = reports
        self.asked: list[str] = []

    def __call__(
        self, playbook: Path, hosts: Mapping[str, Mapping[str, Any]], *, deadline_s: float, check: bool = False
    ) -> dict[str, HostReport]:
        play = "observe" if playbook.stem == "rails_read" else playbook.stem
        self.asked.append(play)
        return {name: self.reports.get(play, OK) for name in hosts}


def nodes(script: Script) -> HostActor:
    return HostActor(PLAYBOOKS, {}, HostConnection(user="root"), run=script, new_handle=lambda: "h1")


def request(planned_from: dict[str, Any] | None = None) -> Request:
    return Request(Wanted(Target("node1", "10.1.0.9", "host"), BODY), (), digest(planned_from or {}), 60, 60)


def report(status: HostStatus, *changed: str, **read: str) -> HostReport:
    return HostReport(status, changed, "" if status is HostStatus.OK else "why", read=read)


FAILED, OFF, SILENT = HostStatus.FAILED, HostStatus.UNREACHABLE, HostStatus.NOT_RUN


@pytest.mark.parametrize(
    ("reports", "status", "asked"),
    [
        ({}, Status.AWAITING, ["observe", "rails"]),
        ({"observe": report(HostStatus.OK, x="by hand")}, Status.STALE, ["observe"]),
        ({"observe": report(OFF)}, Status.FAILED, ["observe"]),
        ({"observe": report(SILENT)}, Status.FAILED, ["observe"]),
        ({"rails": report(FAILED)}, Status.FAILED, ["observe", "rails"]),
        ({"rails": report(OFF)}, Status.FAILED, ["observe", "rails"]),
        ({"rails": report(OFF, "Write network files")}, Status.UNKNOWN, ["observe", "rails"]),
        ({"rails": report(SILENT)}, Status.UNKNOWN, ["observe", "rails"]),
        ({"rails": report(FAILED, "Write network files")}, Status.REVERTED, ["observe", "rails", "rails_revert"]),
        ({"rails": report(FAILED, "Write network files"), "rails_revert": report(OFF)}, Status.UNKNOWN,
         ["observe", "rails", "rails_revert"]),
    ],
)  # fmt: skip
def test_apply(reports: dict[str, HostReport], status: Status, asked: list[str]) -> None:
    script = Script(**reports)
    outcome = nodes(script).apply([request()], Notes())["node1"]
    assert (outcome.status, script.asked) == (status, asked)
    assert bool(outcome.handle) == (status in (Status.AWAITING, Status.UNKNOWN))
    assert outcome.detail or status is Status.AWAITING


def test_each_step_is_recorded_before_its_run() -> None:
    notes = Notes()
    nodes(Script(rails=report(FAILED, "Write network files"))).apply([request()], notes)
    assert notes.steps == [("node1", "apply"), ("node1", "rails_revert")]


def test_nothing_new_is_started_when_stopping() -> None:
    script = Script()
    assert nodes(script).apply([request()], Notes(stop=True))["node1"].status is Status.NOT_ATTEMPTED
    assert script.asked == ["observe"]


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (report(HostStatus.OK, record='{"state": "awaiting", "before": {}}'), Status.AWAITING),
        (report(HostStatus.OK, record='{"state": "confirmed"}'), Status.CONFIRMED),
        (report(HostStatus.OK, record='{"state": "reverted"}'), Status.REVERTED),
        (report(HostStatus.OK), Status.UNCHANGED),
        (report(HostStatus.OK, record='{"state": "?"}'), Status.UNKNOWN),
        (report(HostStatus.OK, record="{"), Status.UNKNOWN),
        (report(HostStatus.OK, record="[]"), Status.UNKNOWN),
        (report(OFF), Status.UNKNOWN),
        (report(SILENT), Status.UNKNOWN),
    ],
)
def test_settle_reads_the_nodes_own_record(found: HostReport, status: Status) -> None:
    outcome = nodes(Script(rails_status=found)).settle({"node1": "h1"})["node1"]
    assert outcome.status is status
    assert outcome.handle == ("h1" if status in (Status.AWAITING, Status.UNKNOWN) else "")


@pytest.mark.parametrize(
    ("status", "detail", "problem"),
    [
        (OFF, "no route", Problem.UNREACHABLE),
        (OFF, "root@10.1.0.9: Permission denied (publickey).", Problem.AUTHENTICATION),
        (FAILED, "find: broken", Problem.PROTOCOL),
        (SILENT, "ended at its deadline", Problem.TIMEOUT),
    ],
)
def test_a_node_that_cannot_be_read_says_why(status: HostStatus, detail: str, problem: Problem) -> None:
    script = Script(observe=HostReport(status, detail=detail))
    assert nodes(script).observe([request().wanted]) == {"node1": Observed("node1", problem=problem, detail=detail)}


def test_hashes_of_imex_lists_say_what_could_not_be_read() -> None:
    path = "/etc/nvidia-imex/nodes_config.cfg"
    item = Wanted(Target("node1", "10.1.0.9", "host"), {**BODY, "imex": {"path": path, "addresses": ["10.0.0.1"]}})
    held = HostReport(HostStatus.OK, read={path: "10.0.0.1\n"})
    assert imex_hashes(nodes(Script(observe=held)), [item]) == {"node1": (imex_file(item.body)["sha256"], "")}
    assert imex_hashes(nodes(Script()), [item]) == {"node1": ("", "")}, "there is none"
    assert imex_hashes(nodes(Script(observe=HostReport(OFF, detail="no route"))), [item]) == {"node1": ("", "no route")}
    assert imex_file(BODY) == {}


def test_no_node_is_no_run() -> None:
    script = Script()
    actor = nodes(script)
    assert actor.observe([]) == actor.settle({}) == actor.confirm({}, Notes()) == actor.apply([], Notes()) == {}
    assert script.asked == []
