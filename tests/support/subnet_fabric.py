"""A simulated topology as a compiled fabric, and what its tools say as observations."""

from __future__ import annotations

from ib_topologies import NodeKind, Topology
from opensm_bench import Bench

from intent.core.errors import IntentError
from intent.device.observation import Observation
from intent.device.subnet import observation_of
from intent.fabric.model import Device, End, Fabric, Link, Network, Port, Role, Tier
from intent.formats.ib_diags import read_linkinfo, read_pkeys, read_queryerrors, read_sm_lids, read_sminfo
from intent.formats.opensm.log import read_log
from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import EndPort, PortKind
from intent.verify.api import Subnet
from intent.verify.subnets import subnet_of

NAME = "compute"


def compiled(topology: Topology, *, speed_gbps: int = 200) -> Fabric:
    """The plan of a topology: its adapters are nodes, the first and the last hosts of subnet managers."""
    ends = {topology.adapters[0].guid, topology.adapters[-1].guid}
    devices: dict[str, Device] = {}
    names: dict[tuple[int, int], End] = {}
    for node in topology.nodes:
        switch = node.kind is NodeKind.SWITCH
        name = node.name if switch else node.name.partition(" ")[0]
        ports: dict[str, Port] = {}
        used = sorted({port for pair in topology.links for guid, port in pair if guid == node.guid})
        for number in used:
            guid = "" if switch else f"{node.guid + number:016x}"
            text = str(number) if switch else f"ib{number}"
            ports[text] = Port(text, text, None, 1, speed_gbps, 4, number=number, guid=guid)
            names[(node.guid, number)] = End(name, text)
        role = (Role.SPINE if node.guid in topology.roots else Role.LEAF) if switch else Role.NODE
        role = Role.MANAGER if node.guid in ends else role
        devices[name] = Device(
            name, role, "QM8700", "lab", NAME if role is not Role.NODE else "", ports=ports,
            network=Network.INFINIBAND, generation="hdr", guid=f"{node.guid:016x}" if switch else "",
        )  # fmt: skip
    links = tuple(
        Link(names[one], names[other], _tier(topology, one), speed_gbps, f"cable{number}", network=Network.INFINIBAND)
        for number, (one, other) in enumerate(topology.links)
    )
    return Fabric("lab", devices, links)


def _tier(topology: Topology, end: tuple[int, int]) -> Tier:
    return Tier.FABRIC if end[0] in topology.switches else Tier.HOST


def end_ports(topology: Topology) -> list[EndPort]:
    """End ports of a topology."""
    kinds = {True: PortKind.SWITCH, False: PortKind.ADAPTER}
    return [EndPort(guid, kinds[guid in topology.switches]) for guid in topology.ports]


def expected(
    topology: Topology, partitions: str, managers: dict[int, int], engine: str = "updn", *, sets_aside: bool = True
) -> Subnet:
    """What is expected of a subnet with these partitions and managers (port GUID: priority)."""
    named = {f"{guid:016x}": priority for guid, priority in managers.items()}
    return subnet_of(
        NAME,
        read_strict(partitions.encode()),
        end_ports(topology),
        managers=named,
        engine=engine,
        laboratory=True,
        sets_aside=sets_aside,
    )


def observed(lab: Bench, device: str, *, at: str = "", log: str | None = None, healthy: bool = True) -> Observation:
    """One observation of the bench, by its tools only."""
    links = read_linkinfo(lab.run("iblinkinfo", "-l", at=at).stdout)
    lids = {int(line.guid, 16): line.lid for line in links if line.lid}
    numbers = {guid: 0 if guid in lab.topology.switches else port.number for guid, port in lab.topology.ports.items()}
    tables = {}
    for guid, lid in lids.items():
        said = lab.run("smpquery", "pkeys", str(lid), str(numbers[guid]), at=at, check=False)
        if not said.returncode:  # a port that does not answer is not in the tables, and unknown
            tables[guid] = read_pkeys(said.stdout)
    problems: dict[str, str] = {}
    errors = None
    try:
        errors = read_queryerrors(lab.run("ibqueryerrors", at=at, check=False).stdout)
    except IntentError as problem:
        problems["ib_errors"] = problem.message
    managers = [
        read_sminfo(said.stdout)
        for lid in read_sm_lids(lab.run("saquery", "-s", at=at).stdout)
        if not (said := lab.run("sminfo", str(lid), at=at, check=False)).returncode
    ]
    text = lab.log.read_text(errors="replace") if log is None else log
    return observation_of(
        device, "2026-01-01T00:00:00+00:00", links=links, errors=errors, pkeys=tables, managers=managers, lids=lids,
        engine=read_log(text).engine, unhealthy=() if healthy else None, problems=problems,
    )  # fmt: skip
