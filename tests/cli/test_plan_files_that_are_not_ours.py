"""A plan's file that somebody edited and signed anew is refused before any device is spoken to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from command import intent, workspace

from intent.change.plan import DevicePlan, DeviceState, Plan, digest_wanted
from intent.change.planfile import write_plan
from intent.change.selection import select
from intent.core.differences import Differences
from intent.core.exitcode import ExitCode
from intent.core.tree import copy, digest, put
from intent.device.actor import Wanted
from intent.operate.context import Work, keep_lock, open_site, strategy_of, targets

NAME = "east-west-r1-l01"
MTU = ("interface", "swp1s0", "link", "mtu")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    made = open_site(workspace(tmp_path_factory.mktemp("ours")), None, "")
    keep_lock(made)
    return made


def planned(work: Work) -> Plan:
    """A first change of one leaf, as `intent plan` would write it of an empty switch."""
    artifact, known = work.compiled.artifacts[NAME], targets(work.compiled)
    wanted = Wanted(known[NAME], artifact.body, artifact.owned, artifact.excepted, artifact.replace)
    found = Differences.between({}, wanted.body)
    device = DevicePlan(
        wanted, DeviceState.CHANGE, digest_wanted(wanted), digest({}), found, tuple(None for _ in found), new=True
    )
    scope = select(known, [NAME], site=work.compiled.name)
    name = work.compiled.document.name
    return Plan("apply", name, "2026-11-30T18:00:00Z", scope, strategy_of(work.compiled), (device,))


def with_wanted(plan: Plan, **change: object) -> Plan:
    (device,) = plan.devices
    wanted = dataclasses.replace(device.wanted, **change)  # type: ignore[arg-type]
    edited = dataclasses.replace(device, wanted=wanted, wanted_digest=digest_wanted(wanted))
    return dataclasses.replace(plan, devices=(edited,))


def other_tree(plan: Plan) -> Plan:
    body = copy(plan.devices[0].wanted.body)
    put(body, MTU, 1500)
    return with_wanted(plan, body=body)


def other_place(plan: Plan) -> Plan:
    return with_wanted(plan, target=dataclasses.replace(plan.devices[0].wanted.target, address="10.1.0.99"))


def other_plane(plan: Plan) -> Plan:
    target = plan.devices[0].wanted.target
    return with_wanted(plan, target=dataclasses.replace(target, labels={**target.labels, "plane": "2"}))


def all_of_it(plan: Plan) -> Plan:
    return with_wanted(plan, replace=not plan.devices[0].wanted.replace)


def nothing_excepted(plan: Plan) -> Plan:
    return with_wanted(plan, excepted=(*plan.devices[0].wanted.excepted, ("interface",)))


def stranger(plan: Plan) -> Plan:
    return with_wanted(plan, target=dataclasses.replace(plan.devices[0].wanted.target, name="leaf99"))


def more_failures(plan: Plan) -> Plan:
    return dataclasses.replace(plan, strategy=dataclasses.replace(plan.strategy, max_failures=99))


def other_intent(plan: Plan) -> Plan:
    return dataclasses.replace(plan, intent_name="another")


def other_site(plan: Plan) -> Plan:
    return dataclasses.replace(plan, scope=dataclasses.replace(plan.scope, site="elsewhere"))


def of_a_rollback(plan: Plan) -> Plan:
    return dataclasses.replace(other_tree(plan), kind="rollback", rolls_back="20261130-180000-aaaaaa")


@pytest.mark.parametrize(
    ("edit", "code", "words"),
    [
        (other_tree, ExitCode.STALE, "the intent has changed since the plan was made, for 1 of 1 devices"),
        (other_place, ExitCode.STALE, "for 1 of 1 devices"),
        (other_plane, ExitCode.STALE, "for 1 of 1 devices"),
        (all_of_it, ExitCode.STALE, "for 1 of 1 devices"),
        (nothing_excepted, ExitCode.STALE, "for 1 of 1 devices"),
        (stranger, ExitCode.STALE, "for 1 of 1 devices: leaf99"),
        (more_failures, ExitCode.STALE, "the strategy of changes is not the one"),
        (other_intent, ExitCode.ERROR, "the plan is for the intent 'another'"),
        (other_site, ExitCode.ERROR, "the plan is for site elsewhere"),
        (of_a_rollback, ExitCode.ERROR, "`intent rollback CHANGE` makes it anew"),
    ],
)
def test_apply_refuses_what_does_not_follow_from_the_workspace(
    work: Work, tmp_path: Path, edit: Callable[[Plan], Plan], code: ExitCode, words: str
) -> None:
    file = tmp_path / "edited.plan.json"
    write_plan(file, edit(planned(work)))
    for command in (("apply", "--yes"), ("precheck",)):
        said = intent(*command, file, "-C", work.workspace.root)
        assert said.code == code, said.err
        assert words in said.err
    assert not (work.workspace.state / "journal.db").exists()


def test_apply_takes_the_plan_as_it_was_written(work: Work, tmp_path: Path) -> None:
    file = tmp_path / "own.plan.json"
    write_plan(file, planned(work))
    said = intent("apply", file, "--lab", "--yes", "-C", work.workspace.root)
    assert "no lab is running" in said.err, said.err
