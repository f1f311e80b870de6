"""Controllers beside switches: they are judged by what their actor reads back, over a connection of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from intent.change.engine import Judgement
    from intent.cli.nvlinks import Nvlinks
    from intent.cli.subnets import Subnets
    from intent.device.actor import Actor, Observed, Target, Wanted
    from intent.device.fanout import Fleet
    from intent.device.labfile import LabFile
    from intent.render.artifact import Artifact
    from intent.verify.engine import CheckResult
    from intent.workspace.compile import Compiled

SWITCHES = "nvue"
"""Platform of what checks of links, protocols and releases judge."""

NOT_IN_LAB = frozenset({"ufm-files"})
"""Platforms of devices that a lab has no stand-in for."""

COMPANIONS: Mapping[str, tuple[str, ...]] = {"ufm": ("ufm-files",), "ufm-files": ("ufm",)}
"""Platforms whose actors help to judge devices of another one."""

_MOST = 5


def makers(
    fleet: Fleet, known: Sequence[Target], *, allow_removals: bool, playbooks: Path | None = None
) -> dict[str, Callable[[], Actor]]:
    """How to make the actor of each platform; what it needs is imported only when one is made.

    Args:
        fleet: the way to the devices.
        known: every device a later call may name.
        allow_removals: what only a controller knows may be removed.
        playbooks: the workspace's own playbooks, which win over ours.
    """

    def nvue() -> Actor:
        from intent.device.nvue.actor import NvueActor

        return NvueActor(fleet, known)

    def ufm() -> Actor:
        from intent.device.ufm.actor import UfmActor

        return UfmActor(fleet, known, allow_removals=allow_removals)

    def nmx() -> Actor:
        from intent.device.nmx.actor import NmxActor

        return NmxActor(fleet, known, allow_removals=allow_removals)

    return {
        SWITCHES: nvue,
        "ufm": ufm,
        "ufm-files": lambda: _ufm_files(fleet, known, playbooks),
        "opensm": lambda: _opensm(fleet, known, playbooks),
        "nmx": nmx,
    }


def _ufm_files(fleet: Fleet, known: Sequence[Target], playbooks: Path | None) -> Actor:
    from intent.catalog.subnet_managers import SubnetManagers
    from intent.device.absent import AbsentActor
    from intent.device.playbook_actor import HostConnection
    from intent.device.ufm.hosts import UfmFilesActor, UfmHost
    from intent.resources import find

    if fleet.endpoints.lab is not None:
        # A rehearsal must never reach a host that is in service.
        return AbsentActor("ufm-files", "the lab has no stand-in for hosts of UFM")
    folder = find("playbooks", "ufm_read.yml", playbooks).parent
    addresses = {item.name: item.address or item.name for item in known if item.platform == "ufm-files"}
    paths = SubnetManagers().manager("nvidia").paths
    host = UfmHost(sync=(paths["sync"],), log=paths["log"])
    return UfmFilesActor(folder, {}, HostConnection(user="root"), addresses, secrets=fleet.endpoints.secrets, host=host)


def _opensm(fleet: Fleet, known: Sequence[Target], playbooks: Path | None) -> Actor:
    from intent.device.opensm import OpenSmActor
    from intent.device.playbook_actor import HostConnection
    from intent.resources import find

    if fleet.endpoints.lab is not None:
        return _opensm_in_lab(fleet.endpoints.lab, fleet, known, playbooks)
    folder = find("playbooks", "opensm.yml", playbooks).parent
    addresses = {item.name: item.address or item.name for item in known if item.platform == "opensm"}
    connection = HostConnection(user="root")
    return OpenSmActor(folder, {}, default=connection, addresses=addresses, secrets=fleet.endpoints.secrets)


def _opensm_in_lab(lab: LabFile, fleet: Fleet, known: Sequence[Target], playbooks: Path | None) -> Actor:
    """Hosts of OpenSM as a lab has them; a rehearsal must never reach a host that is in service.

    What is no host of the lab stands for nothing: not this machine, not its fabric.
    """
    from intent.device.absent import AbsentActor
    from intent.device.opensm import OpenSmActor, OpenSmService
    from intent.device.playbook_actor import HostConnection
    from intent.resources import find

    missing = [item.name for item in known if item.platform == "opensm" and item.name not in lab.managers]
    if not lab.managers:
        return AbsentActor("opensm", "the lab runs no OpenSM: `intent lab up --engine opensm` does")
    if missing:
        why = f"the lab was started from another intent, without host {missing[0]}: `intent lab down`, `intent lab up`"
        return AbsentActor("opensm", why)
    return OpenSmActor(
        find("playbooks", "opensm.yml", playbooks).parent,
        {name: HostConnection(local=True, root=one.root, python=one.python) for name, one in lab.managers.items()},
        default=HostConnection(local=True, root=os.devnull),
        secrets=fleet.endpoints.secrets,
        services={
            name: OpenSmService(hup=one.hup, restart=one.restart, log=one.log, tools=one.tools)
            for name, one in lab.managers.items()
        },
        service=OpenSmService(hup=("false",), restart=("false",), log="", tools=("false",)),
    )


def left_out(compiled: Compiled, *, lab: bool) -> str:
    """What a rehearsal in the lab leaves out, in words; empty when nothing."""
    names = [item.name for item in controller_targets(compiled).values() if item.platform in NOT_IN_LAB]
    if not lab or not names:
        return ""
    return f"the lab has no stand-in for hosts of UFM: {', '.join(names)} left out"


def controller_targets(compiled: Compiled) -> dict[str, Target]:
    """Every controller that has something to hold, as the device layer sees it."""
    from intent.device.actor import Target

    return {
        name: Target(name, item.address, item.platform, item.release, item.model, item.labels)
        for name, item in compiled.controllers.items()
        if name in compiled.artifacts
    }


class ReadBack:
    """Judges controllers: they must hold what was asked for, read anew.

    Args:
        actors: by platform.
        wanted: what each must hold.
        subnets: judges the subnets that hosts manage; those that hold what they must are judged by it too.
        nvlinks: judges the NVLink domains of those that hold what they must.
    """

    def __init__(
        self,
        actors: Mapping[str, Actor],
        wanted: Iterable[Wanted],
        subnets: Subnets | None = None,
        nvlinks: Nvlinks | None = None,
    ) -> None:
        self._actors = actors
        self._wanted = {item.target.name: item for item in wanted}
        self._subnets = subnets
        self._nvlinks = nvlinks
        self.observed: dict[str, Observed] = {}
        """What each device held when it was read last."""

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        from intent.core.verdict import Verdict

        self._look(devices)
        found = {name: self._judge(self._wanted[name]) for name in devices}
        good = [name for name, judgement in found.items() if judgement.verdict is Verdict.PASS]
        found |= self._subnets.judge(good, in_force) if self._subnets is not None else {}
        return found | (self._nvlinks.judge(good) if self._nvlinks is not None else {})

    def _look(self, devices: Sequence[str]) -> None:
        """Read each device, those of a platform together: what one of a set holds may show on another one only."""
        by_platform: dict[str, list[Wanted]] = {}
        for name in devices:
            by_platform.setdefault(self._wanted[name].target.platform, []).append(self._wanted[name])
        for platform, items in by_platform.items():
            self.observed |= self._actors[platform].observe(items)

    def _judge(self, wanted: Wanted) -> Judgement:
        from intent.change.engine import Judgement
        from intent.core.tree import dotted
        from intent.core.verdict import Verdict

        actor, name = self._actors[wanted.target.platform], wanted.target.name
        seen = self.observed[name]
        if seen.problem:
            return Judgement(Verdict.UNKNOWN, (f"Read back: {name} - {seen.problem} - {seen.detail}",))
        left = actor.difference(wanted, seen)
        if not left:
            return Judgement(Verdict.PASS)
        more = f" and {len(left) - _MOST} more" if len(left) > _MOST else ""
        paths = ", ".join(dotted(item.path) for item in left[:_MOST])
        return Judgement(Verdict.FAIL, (f"Read back: {name} - not as asked for - {paths}{more}",))


def read_back(
    artifacts: Mapping[str, Artifact], targets: Mapping[str, Target], actors: Mapping[str, Actor]
) -> tuple[CheckResult, ...]:
    """Verdicts on controllers outside of a change: what they hold against what they must hold.

    Args:
        artifacts: by device.
        targets: the controllers.
        actors: by platform.
    """
    from intent.change.plan import wanted_of
    from intent.cli.sets import same_files
    from intent.verify.api import Phase
    from intent.verify.engine import CheckResult

    wanted = [wanted_of(artifacts[name], target) for name, target in targets.items()]
    reading = ReadBack(actors, wanted)
    judgements = reading([*targets], frozenset())
    found = tuple(
        CheckResult(name, "read-back", "it holds what the intent says", "controller", Phase.VERIFY, item.verdict,
                    item.messages, judged=1)
        for name, item in judgements.items()
    )  # fmt: skip
    return found + same_files(targets, reading.observed)


class ByPlatform:
    """Judges switches one way and controllers another.

    Args:
        switches: judges switches.
        controllers: judges the rest.
        platforms: platform of each device.
    """

    def __init__(
        self,
        switches: Callable[[Sequence[str], frozenset[str]], Mapping[str, Judgement]],
        controllers: ReadBack,
        platforms: Mapping[str, str],
    ) -> None:
        self._switches = switches
        self._controllers = controllers
        self._platforms = platforms

    def __call__(self, devices: Sequence[str], in_force: frozenset[str]) -> Mapping[str, Judgement]:
        """The judgement of a wave."""
        switches = [name for name in devices if self._platforms[name] == SWITCHES]
        others = [name for name in devices if self._platforms[name] != SWITCHES]
        found = dict(self._switches(switches, in_force)) if switches else {}
        return found | dict(self._controllers(others, in_force))
