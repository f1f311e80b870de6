"""State of links and LLDP, from what both ends have applied and how they are wired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intent.lab.machine import Machine
from intent.lab.trees import Json
from intent.lab.world import World

DEFAULT_MTU = 9216
LLDP_AGE_LIMIT_S = 30


@dataclass(frozen=True, slots=True)
class Link:
    """A front-panel port.

    Args:
        admin: administratively up.
        up: operationally up.
        speed_gbps: speed it runs at, or would.
        reason: why it is down, empty when up.
    """

    admin: bool
    up: bool
    speed_gbps: int
    reason: str = ""


class Links:
    """The links of a lab.

    Args:
        world: the lab.
    """

    def __init__(self, world: World) -> None:
        self.world = world

    def of(self, machine: Machine, port: str) -> Link | None:
        """State of a front-panel port; None when the switch has no such port."""
        own = self._end(machine, port)
        if own is None:
            return None
        admin, speed, fec = own
        if not admin:
            return Link(False, False, speed, "administratively down")
        far = self.world.far(machine.spec.name, port)
        if far is None:
            return Link(True, False, speed, "no cable")
        if far.host is not None:
            return Link(True, True, speed)
        peer = self.world.machines[far.end.device]
        other = self._end(peer, far.end.port)
        if peer.booted_at > self.world.agenda.clock():
            reason = f"{far.end.device} is booting"
        elif other is None:
            reason = f"{far.end} does not exist"
        elif not other[0]:
            reason = f"{far.end} is down"
        elif other[1] != speed:
            reason = f"speed {speed}G here, {other[1]}G at {far.end}"
        elif fec and other[2] and fec != other[2]:
            reason = f"fec {fec} here, {other[2]} at {far.end}"
        else:
            return Link(True, True, speed)
        return Link(True, False, speed, reason)

    @staticmethod
    def _end(machine: Machine, port: str) -> tuple[bool, int, str] | None:
        speeds = machine.layout.speeds.get(port)
        if speeds is None:
            return None
        held = machine.facts.ports.get(port)
        if held is None:
            return port in machine.facts.members, speeds[0], ""
        return held.up, held.speed_gbps or speeds[0], held.fec

    def up(self, machine: Machine, interface: str) -> bool:
        """True when an interface of any kind is up."""
        link = self.of(machine, interface)
        if link is not None:
            return link.up
        held = machine.facts.ports.get(interface)
        return held is not None and held.up and held.kind != "swp"

    def neighbor(self, machine: Machine, port: str) -> tuple[str, Json] | None:
        """What LLDP hears on a port: the neighbour's system name and its record; None when it hears nothing."""
        link, now = self.of(machine, port), self.world.agenda.clock()
        far = self.world.far(machine.spec.name, port)
        if link is None or not link.up or far is None or not machine.facts.lldp:
            return None
        if far.host is not None:
            record = _record(far.host.mac, far.end.device, far.end.port, "ifname", now)
            record["chassis"]["system-description"] = "Linux"
            return far.end.device, record
        peer = self.world.machines[far.end.device]
        if not peer.facts.lldp:
            return None
        name = peer.facts.hostname
        record = _record(peer.spec.mac, name, far.end.port, "ifname", now)
        held = peer.facts.ports.get(far.end.port)
        record["chassis"]["system-description"] = (
            f"Cumulus Linux version {peer.spec.release} running on {peer.spec.model}"
        )
        record["port"]["ttl"] = 120
        management = peer.facts.ports.get("eth0")
        if management is not None and management.addresses:
            record["chassis"]["management-address-ipv4"] = management.addresses[0].partition("/")[0]
        if held is not None:
            record["port"]["description"] = far.end.port
        return name, record


def _record(mac: str, name: str, port: str, kind: str, now: float) -> dict[str, Any]:
    return {
        "age": str(int(now) % LLDP_AGE_LIMIT_S),
        "chassis": {"chassis-id": mac, "system-name": name},
        "port": {"name": port, "type": kind},
    }
