"""Checks outside of a change: of a live site, and of the devices of a plan before it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intent.operate.actors import SWITCHES, actors
from intent.operate.checks import expected_of, parts_of
from intent.operate.controllers import read_back
from intent.operate.nvlinks import Nvlinks
from intent.operate.subnets import Subnets

if TYPE_CHECKING:
    from intent.change.plan import Plan
    from intent.device.actor import Target
    from intent.device.fanout import Fleet
    from intent.device.observation import Observation
    from intent.operate.context import Work
    from intent.verify.api import Check
    from intent.verify.engine import CheckResult


@dataclass(frozen=True, slots=True)
class Verified:
    """Verdicts on a site.

    Args:
        results: of every check on every device.
        observed: what was read of the devices.
    """

    results: tuple[CheckResult, ...]
    observed: tuple[Observation, ...]


def verify_site(
    work: Work,
    checks: Sequence[Check],
    fleet: Fleet,
    known: Mapping[str, Target],
    devices: Sequence[str],
    *,
    lab: Path | None = None,
    asked: Collection[str] = (),
) -> Verified:
    """Is what these devices hold and do what the intent says? Reads only.

    Args:
        work: the site.
        checks: what to check.
        fleet: the way to the devices.
        known: every device; a subnet may be read on another host of its set.
        devices: names of those to judge.
        lab: folder of the lab that stands in for the site.
        asked: checks named by the user, or their subjects; one that makes a controller work is run only then.
    """
    from intent.device.observe import gather
    from intent.verify.api import Phase
    from intent.verify.engine import run

    compiled = work.compiled
    targets = [known[name] for name in devices]
    switches = [target for target in targets if target.platform == SWITCHES]
    others = {target.name: target for target in targets if target.platform != SWITCHES}
    seen = gather(fleet, switches, parts_of(checks)) if switches else {}
    results: tuple[CheckResult, ...] = ()
    if switches:
        names = [target.name for target in switches]
        expected = expected_of(compiled)
        results = run(checks, compiled.fabric, seen, phase=Phase.VERIFY, expected=expected, devices=names)
    doers = actors(fleet, others.values(), playbooks=work.workspace.overlay("playbooks"))
    results += read_back(compiled.artifacts, others, doers)
    subnets = Subnets(compiled, checks, doers, known, lab=lab, asked=asked)
    of_subnets, seen_by_hosts = subnets.results(others, Phase.VERIFY)
    of_racks, seen_by_nmx = Nvlinks(compiled, checks, fleet, known).results(others, Phase.VERIFY)
    return Verified(results + of_subnets + of_racks, (*seen.values(), *seen_by_hosts.values(), *seen_by_nmx.values()))


def check_before(
    work: Work, plan: Plan, fleet: Fleet, reached: Collection[str], remark: Callable[[str], None]
) -> tuple[CheckResult, ...]:
    """Checks before a change: all of them on what an earlier change reached, the system's on what is new. Reads only.

    Args:
        work: the site.
        plan: the change.
        fleet: the way to the devices.
        reached: devices an earlier change of ours configured.
        remark: told what is odd about checks.
    """
    from intent.device.observe import gather
    from intent.operate.checks import checks_of
    from intent.verify.api import Phase
    from intent.verify.engine import run

    compiled = work.compiled
    switches = {device.name for device in compiled.fabric.switches}
    checks = tuple(check for check in checks_of(work.workspace, remark=remark) if Phase.PRE in check.phases)
    system = tuple(check for check in checks if check.parts == ("system",) and check.name != "hostname")
    results: tuple[CheckResult, ...] = ()
    for chosen, old in ((checks, True), (system, False)):
        wanted = [d.wanted.target for d in plan.to_change if d.name in switches and (d.name in reached) is old]
        if wanted and chosen:
            seen = gather(fleet, wanted, parts_of(chosen))
            names = [target.name for target in wanted]
            expected = expected_of(compiled)
            results += run(chosen, compiled.fabric, seen, phase=Phase.PRE, expected=expected, devices=names)
    known = {device.name: device.wanted.target for device in plan.to_change}
    of_racks, _ = Nvlinks(compiled, checks, fleet, known).results([*known], Phase.PRE)
    return results + of_racks
