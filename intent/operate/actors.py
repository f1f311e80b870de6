"""Who configures each kind of device of a site, on the wire or in a lab.

What an actor needs is imported when one is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from intent.device.actor import Actor, Target
    from intent.device.fanout import Fleet
    from intent.device.labfile import LabFile
    from intent.workspace.compile import Compiled

SWITCHES = "nvue"
"""Platform of what checks of links, protocols and releases judge."""

NOT_IN_LAB = frozenset({"ufm-files"})
"""Platforms of devices that a lab has no stand-in for."""

COMPANIONS: Mapping[str, tuple[str, ...]] = {"ufm": ("ufm-files",), "ufm-files": ("ufm",)}
"""Platforms whose actors help to judge devices of another one."""


def actors(
    fleet: Fleet, known: Iterable[Target], *, allow_removals: bool = False, playbooks: Path | None = None
) -> dict[str, Actor]:
    """Actors of the platforms of these devices.

    Args:
        fleet: the way to the devices.
        known: the devices.
        allow_removals: what only a controller knows may be removed.
        playbooks: the workspace's own playbooks, which win over ours.
    """
    devices = tuple(known)
    ways = _makers(fleet, devices, allow_removals=allow_removals, playbooks=playbooks)
    named = dict.fromkeys(item.platform for item in devices)
    # The ports of a UFM's fabric are asked on its hosts, also where no file of theirs changes.
    named |= dict.fromkeys(each for platform in named for each in COMPANIONS.get(platform, ()))
    return {platform: ways[platform]() for platform in named if platform in ways}


def _makers(
    fleet: Fleet, known: Sequence[Target], *, allow_removals: bool, playbooks: Path | None = None
) -> dict[str, Callable[[], Actor]]:
    """How to make the actor of each platform."""

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
