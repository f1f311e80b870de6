"""Subnets of a lab whose UFM has a real OpenSM behind it: what is expected of them, and what their ports say.

The simulator runs links of NDR and XDR as HDR: where it has any, their width and speed are not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.fabric.model import Device, Fabric, Network, Port, Role
from intent.operate.managed import Managed

if TYPE_CHECKING:
    from intent.device.observation import Observation
    from intent.workspace.compile import Compiled

PLATFORM = "ufm"
_SIMULATED = "hdr"
MODELLED = frozenset({"partitions", "subnet-manager", "cabling"})
"""Subjects of checks that a simulator can answer for, whatever the speed of its links."""


def lab_subnets(compiled: Compiled, lab: Path, names: Collection[str]) -> dict[str, Managed]:
    """The subnets behind a lab's UFMs, by fabric; none where a model stands in for the subnet manager.

    Args:
        compiled: the site.
        lab: the lab's folder.
        names: devices.
    """
    from intent.lab.state import SUBNETS
    from intent.lab.subnet.processes import FILE

    ours = [compiled.controllers[name] for name in names if name in compiled.controllers and name in compiled.artifacts]
    return {
        item.fabric: lab_managed(compiled, item.fabric, item.name)
        for item in ours
        if item.platform == PLATFORM and (lab / SUBNETS / item.name / FILE).exists()
    }


def lab_managed(compiled: Compiled, name: str, ufm: str) -> Managed:
    """What is expected of one subnet of a lab.

    Args:
        compiled: the site.
        name: the fabric.
        ufm: its UFM.
    """
    from intent.operate.ufm_subnets import definitions
    from intent.render.ib import own_guid, port_guid
    from intent.render.lab_subnet import lab_managers
    from intent.verify.subnets import end_ports_of, subnet_of

    part = compiled.fabric.only(Network.INFINIBAND, name)
    wanted = compiled.site.fabrics[name].subnet_manager
    ports, _ = end_ports_of(compiled.fabric, name)
    managers = lab_managers(part, wanted)
    expected = subnet_of(
        name,
        [*definitions(compiled.partitions.fabrics[name], [one.guid for one in managers])],
        ports,
        managers={one.guid: one.priority for one in managers},
        engine=wanted.engine,
        laboratory=True,
        sets_aside=False,
        one_at_a_time=True,
    )
    first = part.devices[managers[0].name]
    devices = {own: _with_guids(device, own_guid, port_guid) for own, device in part.devices.items()}
    devices[ufm] = replace(first, name=ufm, role=Role.MANAGER, fabric=name)
    slow = all(device.generation == _SIMULATED for device in part.switches)
    subjects = frozenset() if slow else MODELLED
    return Managed(expected, (ufm,), Fabric(part.site, devices, part.links), subjects, ufm)


def _with_guids(device: Device, own: Callable[[Device], str], of: Callable[[Device, Port], str]) -> Device:
    """The device as the lab has it: what nobody told is a placeholder there."""
    if device.is_switch:
        return replace(device, guid=own(device))
    ports = {name: replace(port, guid=of(device, port)) for name, port in device.ports.items()}
    return replace(device, ports=ports)


def lab_settled(lab: Path, host: str) -> None:
    """Wait until a host's OpenSM of a lab has read what it was told; what it then holds is for others to judge."""
    from intent.core.errors import IntentError
    from intent.lab import process

    with suppress(IntentError):
        process.settled(lab, host)


def lab_observation(lab: Path, ufm: str) -> Observation:
    """What the ports of a lab's subnet say, once its OpenSM has read what it was asked to hold."""
    from datetime import UTC, datetime

    from intent.core.errors import IntentError
    from intent.device.observation import Observation
    from intent.device.opensm_state import subnet_observation
    from intent.device.playbook import HostReport, HostStatus
    from intent.lab import process
    from intent.lab.state import SUBNETS
    from intent.lab.subnet.ask import Tools

    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        process.settled(lab, ufm)
        roles = process.status(lab)["controllers"][ufm]["managers"]
        master = next((name for name, role in roles.items() if role == "master"), "")
        answers = [*Tools(lab / SUBNETS / ufm, master).answers()]
    except IntentError as problem:
        return Observation(ufm, stamp, problems={"device": problem.message})
    text = "".join(f"@@ {what}\n{said.rstrip()}\n@@ end {code}\n" for what, said, code in answers)
    return subnet_observation(ufm, stamp, HostReport(HostStatus.OK, read={"answers": text}))
