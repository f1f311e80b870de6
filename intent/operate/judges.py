"""Who judges the devices of a plan while it is carried out: of an apply by checks, of a rollback by their answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intent.operate.actors import SWITCHES
from intent.operate.checks import Answering, Judging, checks_of
from intent.operate.context import lab_state
from intent.operate.controllers import ByPlatform, ReadBack
from intent.operate.nvlinks import Nvlinks
from intent.operate.subnets import Subnets

if TYPE_CHECKING:
    from intent.change.control import Clock
    from intent.change.plan import Plan
    from intent.device.actor import Actor, Target
    from intent.device.fanout import Fleet
    from intent.operate.context import Work


@dataclass(frozen=True, slots=True)
class Way:
    """How devices are reached, and by whom they are served.

    Args:
        fleet: the way to them.
        known: every device, by name.
        actors: by platform.
        lab: the lab stands in for the site.
    """

    fleet: Fleet
    known: Mapping[str, Target]
    actors: Mapping[str, Actor]
    lab: bool = False


@dataclass(frozen=True, slots=True)
class Judges:
    """The judges of one plan.

    Args:
        judge: judges a wave.
        remember: looks at the devices before anything is written, given those that earlier changes of ours reached.
    """

    judge: ByPlatform
    remember: Callable[[Collection[str]], None]


def judges_of(
    work: Work, plan: Plan, way: Way, clock: Clock, *, patience_s: float | None, remark: Callable[[str], None]
) -> Judges:
    """The judges of a plan.

    Args:
        work: the site.
        plan: what is to be carried out.
        way: how the devices are reached.
        clock: gives the time.
        patience_s: seconds the checks of a wave may take; None, or more than the strategy allows, for the strategy's.
        remark: told what is odd about checks, and what is being done.

    Raises:
        DiagnosticError: a file of checks is broken.
    """
    wanted = [device.wanted for device in plan.devices]
    platforms = {device.name: device.wanted.target.platform for device in plan.devices}
    if plan.kind == "rollback":
        # What it restores is what was before, and that need not be what the intent says now.
        back = ByPlatform(Answering(way.fleet, way.known), ReadBack(way.actors, wanted), platforms)
        return Judges(back, lambda _reached: None)
    checks = checks_of(work.workspace, remark=remark)
    most_s = plan.strategy.checks_s
    most_s = most_s if patience_s is None else min(most_s, patience_s)
    changing = [device.name for device in plan.to_change]
    switches = [name for name in changing if platforms[name] == SWITCHES]
    judging = Judging(work.compiled, checks, way.fleet, way.known, clock, most_s)
    subnets = Subnets(
        work.compiled,
        checks,
        way.actors,
        way.known,
        changing=changing,
        lab=lab_state(work.workspace).parent if way.lab else None,
        clock=clock,
        patience_s=most_s,
    )
    nvlinks = Nvlinks(work.compiled, checks, way.fleet, way.known)

    def remember(reached: Collection[str]) -> None:
        if switches:
            remark("looking at the devices before the change")
            judging.remember(switches, reached, list(platforms))
        subnets.remember()

    return Judges(ByPlatform(judging, ReadBack(way.actors, wanted, subnets, nvlinks), platforms), remember)
