"""Subnet managers of a small simulated fabric, as the renderers take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ib_topologies import Topology, fat_tree

from intent.catalog.subnet_managers import Manager, SubnetManagers
from intent.formats.partitions.model import Member, Membership, Partition
from intent.formats.partitions.writer import write
from intent.render.opensm.managed import Managed, ManagerHost
from intent.render.templates import Templates
from intent.schema.infiniband import SubnetManager

TEMPLATES = Templates([Path(__file__).parents[2] / "templates"])
SMALL = fat_tree(leaves=2, spines=2, hosts_per_leaf=3)


def manager(name: str = "opensm") -> Manager:
    """A manager of the catalog."""
    return SubnetManagers().manager(name)


def wanted(**fields: Any) -> SubnetManager:
    """What is written; two hosts unless told otherwise."""
    hosts = [{"name": "sm1", "address": "127.0.0.1"}, {"name": "sm2", "address": "127.0.0.1"}]
    keys = {name: {"secret": f"ib_{name}"} for name in ("m_key", "sm_key", "sa_key")}
    return SubnetManager.model_validate({"hosts": hosts, "keys": keys, **fields})


def managed(
    sm: SubnetManager, topology: Topology = SMALL, *, generation: str = "hdr", design: str = "fat-tree"
) -> Managed:
    """The fabric of a topology: its managers sit on the first and the last adapter."""
    ends = [topology.adapter_ports[0], topology.adapter_ports[-1]]
    priorities = sm.priorities()
    hosts = tuple(
        ManagerHost(host.name, (f"{guid:016x}",), priorities[host.name])
        for host, guid in zip(sm.hosts, ends, strict=False)
    )
    return Managed("compute", generation, design, sm, hosts, tuple(f"{guid:016x}" for guid in topology.roots))


def tenants(topology: Topology = SMALL, *, service_level: int | None = None) -> str:
    """Two tenants of two ports each."""
    from intent.formats.partitions.model import GroupFlags

    ports = topology.adapter_ports
    flags = GroupFlags(service_level=service_level)

    def tenant(name: str, pkey: int, first: int, second: int) -> Partition:
        members = (Member(first, Membership.FULL), Member(second, Membership.FULL))
        return Partition(name, pkey, members, ipoib=True, flags=flags)

    return write([tenant("alpha", 0x12, ports[1], ports[2]), tenant("beta", 0x13, ports[3], ports[4])])
