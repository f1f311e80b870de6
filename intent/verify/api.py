"""What a validator may import: nothing else of `intent` is needed, and this stays stable.

A check is a function that takes a `Context` and yields results:

    from intent.verify.api import Context, Results, check, failed, passed

    @check("ports-up", title="Every cabled port is up", subject="links", parts=("links",))
    def ports_up(context: Context) -> Results:
        for cabled in context.cabled():
            state = context.links.get(cabled.port.name)
            if state is not None and state.oper == "up":
                yield passed()
            else:
                yield failed("Port", cabled.port.name, f"link to {cabled.far.device} is not up", expected="up")

It runs once for every switch. What it needs from the device it names in `parts`; when that could not be read, the
verdict is `unknown` without the check being called. A check that yields nothing judged nothing and is `unknown` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from intent.core.verdict import Verdict
from intent.device.observation import (
    BgpSession,
    IbPort,
    LinkState,
    LldpNeighbor,
    NvlinkPartition,
    NvlinkState,
    Observation,
    PortErrors,
    RoceState,
    SmState,
    SystemState,
)
from intent.fabric.model import Device, End, Fabric, Link, Port, Role, Tier
from intent.fabric.qos import EcnReadBack, QosProfile
from intent.verify.expected import Expected, Nvlink, Subnet
from intent.verify.names import Directory, normal_mac
from intent.verify.results import Result, Results, failed, passed, sentence, skipped, unknown

__all__ = [
    "BgpSession",
    "Cabled",
    "Check",
    "Context",
    "Device",
    "EcnReadBack",
    "End",
    "Expected",
    "Fabric",
    "IbPort",
    "Link",
    "LinkState",
    "LldpNeighbor",
    "Nvlink",
    "NvlinkPartition",
    "NvlinkState",
    "Observation",
    "Phase",
    "Port",
    "PortErrors",
    "QosProfile",
    "Result",
    "Results",
    "RoceState",
    "Role",
    "SmState",
    "Subnet",
    "SystemState",
    "Tier",
    "Verdict",
    "check",
    "failed",
    "normal_mac",
    "passed",
    "sentence",
    "skipped",
    "unknown",
]


class Phase(StrEnum):
    """When checks run: before a change, after it (they decide confirm or revert), or on request."""

    PRE = "pre"
    POST = "post"
    VERIFY = "verify"


PARTS = (
    "system", "links", "lldp", "bgp", "roce", "ib_ports", "ib_errors", "pkeys", "sm", "lids", "routing", "unhealthy",
    "nvlink",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cabled:
    """One cabled port of the device under judgement, and what hangs at the other end."""

    port: Port
    link: Link
    far: End
    far_device: Device
    far_port: Port


class PartMissing(Exception):
    """A check asked for a part of the observation that could not be read; the engine answers `unknown`."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a check may look at. All of it is values: a check reads no network, file or clock.

    Args:
        device: the device under judgement.
        fabric: the compiled fabric.
        observation: what was read from the device.
        expected: further facts of the intent.
        phase: when the check runs.
        directory: finds a device by the name a neighbour sends.
        scope: which links are judged; every link when None.
    """

    device: Device
    fabric: Fabric
    observation: Observation
    expected: Expected
    phase: Phase
    directory: Directory
    scope: Callable[[Link], bool] | None = None

    def cabled(self) -> Iterator[Cabled]:
        """Every cabled port to be judged, in cage order."""
        for port, far, link in self.fabric.neighbors(self.device.name):
            if self.scope is None or self.scope(link):
                device = self.fabric.devices[far.device]
                yield Cabled(port, link, far, device, device.ports[far.port])

    @property
    def subnet(self) -> Subnet | None:
        """What the intent asks of the InfiniBand subnet this device manages; None when of none."""
        return self.expected.subnets.get(self.device.fabric)

    @property
    def ib_ports(self) -> Mapping[str, IbPort]:
        """InfiniBand ports of the subnet by `guid/number`."""
        if self.observation.ib_ports is None:
            raise PartMissing("ib_ports")
        return self.observation.ib_ports

    @property
    def ib_errors(self) -> Mapping[str, PortErrors]:
        """Error counters by `guid/number`; a port without errors is not among them."""
        if self.observation.ib_errors is None:
            raise PartMissing("ib_errors")
        return self.observation.ib_errors

    @property
    def pkeys(self) -> Mapping[str, tuple[int, ...]]:
        """P_Key tables by port GUID."""
        if self.observation.pkeys is None:
            raise PartMissing("pkeys")
        return self.observation.pkeys

    @property
    def sm(self) -> tuple[SmState, ...]:
        """Subnet managers of the subnet."""
        if self.observation.sm is None:
            raise PartMissing("sm")
        return self.observation.sm

    @property
    def lids(self) -> Mapping[str, int]:
        """Local identifiers by port GUID."""
        if self.observation.lids is None:
            raise PartMissing("lids")
        return self.observation.lids

    @property
    def routing(self) -> str:
        """The routing engine that made the present paths."""
        if self.observation.routing is None:
            raise PartMissing("routing")
        return self.observation.routing

    @property
    def unhealthy(self) -> tuple[str, ...]:
        """Ports set aside, as `guid/number`."""
        if self.observation.unhealthy is None:
            raise PartMissing("unhealthy")
        return self.observation.unhealthy

    @property
    def nvlink_wanted(self) -> Nvlink | None:
        """What the intent asks of the NVLink domains this device manages; None when of none."""
        return self.expected.nvlink.get(self.device.name)

    @property
    def nvlink(self) -> NvlinkState:
        """NVLink domains and their partitions."""
        if self.observation.nvlink is None:
            raise PartMissing("nvlink")
        return self.observation.nvlink

    @property
    def qos(self) -> QosProfile | None:
        """The QoS profile the intent gives this device; None when it gives none."""
        return self.expected.qos.get(self.device.name)

    @property
    def system(self) -> SystemState:
        """Release, model and name as reported."""
        if self.observation.system is None:
            raise PartMissing("system")
        return self.observation.system

    @property
    def links(self) -> Mapping[str, LinkState]:
        """Ports by name."""
        if self.observation.links is None:
            raise PartMissing("links")
        return self.observation.links

    @property
    def lldp(self) -> Mapping[str, tuple[LldpNeighbor, ...]]:
        """Neighbours by local port."""
        if self.observation.lldp is None:
            raise PartMissing("lldp")
        return self.observation.lldp

    @property
    def bgp(self) -> tuple[BgpSession, ...]:
        """BGP sessions."""
        if self.observation.bgp is None:
            raise PartMissing("bgp")
        return self.observation.bgp

    @property
    def roce(self) -> RoceState:
        """RoCE as in force."""
        if self.observation.roce is None:
            raise PartMissing("roce")
        return self.observation.roce


CheckFunction: TypeAlias = Callable[[Context], Iterable[Result] | Result]


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a validator.

    Args:
        name: unique, lower case with dashes; never reused for something else.
        title: what holds when it passes, in one line.
        subject: what it is about (`links`, `bgp`): groups checks in reports.
        function: the check itself.
        phases: when it runs.
        parts: parts of the observation it needs.
        roles: roles it is run for.
    """

    name: str
    title: str
    subject: str
    function: CheckFunction
    phases: frozenset[Phase]
    parts: tuple[str, ...]
    roles: frozenset[Role]

    def __call__(self, context: Context) -> Iterable[Result] | Result:
        """Run the check as the plain function it is."""
        return self.function(context)


def check(
    name: str,
    *,
    title: str,
    subject: str,
    phases: Iterable[str] = ("pre", "post", "verify"),
    parts: Iterable[str] = (),
    roles: Iterable[str] = ("leaf", "spine"),
) -> Callable[[CheckFunction], Check]:
    """Make a check of a function that takes a `Context` and yields results.

    Args:
        name: unique name in lower case with dashes (`lldp-cabling`).
        title: what holds when it passes.
        subject: what it is about; groups checks in reports.
        phases: any of `pre`, `post`, `verify`.
        parts: parts of the observation it needs: `system`, `links`, `lldp`, `bgp`, `roce`; of a subnet, read by the
            hosts of its managers: `ib_ports`, `ib_errors`, `pkeys`, `sm`, `lids`, `routing`, `unhealthy`;
            of an NMX-M: `nvlink`.
        roles: roles of the devices it is run for.

    Raises:
        ValueError: a word that is none of these; shown with the validator's file and line.
    """
    if not name or not all(part.isalnum() and part == part.lower() for part in name.split("-")):
        raise ValueError(f"check name {name!r}: lower-case letters and digits, joined by single dashes")
    wanted = tuple(_words(parts, "parts"))
    strange = [part for part in wanted if part not in PARTS]
    if strange:
        raise ValueError(f"check {name}: no part {strange[0]!r} in an observation; there are {', '.join(PARTS)}")

    def make(function: CheckFunction) -> Check:
        return Check(
            name=name,
            title=title,
            subject=subject,
            function=function,
            phases=frozenset(Phase(phase) for phase in _words(phases, "phases")),
            parts=wanted,
            roles=frozenset(Role(role) for role in _words(roles, "roles")),
        )

    return make


def _words(values: Iterable[str], what: str) -> Iterable[str]:
    if isinstance(values, str):
        raise ValueError(f"{what}={values!r}: give several words in parentheses, as in {what}=({values!r},)")
    return values
