"""Write, lint, load into the real OpenSM, read back, compare: 64 and 1,000 ports, 5,000 in the nightly set."""

from __future__ import annotations

import random

import pytest
from ib_topologies import Topology, fat_tree, three_tiers
from opensm_bench import Bench, bench, missing

from intent.analysis.credit_loops import check_routes
from intent.formats.forwarding_dump import read_forwarding_dump
from intent.formats.partitions.model import Member, Membership, Partition
from intent.formats.partitions.reader import read_strict
from intent.formats.partitions.tables import EndPort, PortKind, canaries, pkey_tables
from intent.formats.partitions.writer import write

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SIXTY_FOUR = fat_tree(leaves=8, spines=4, hosts_per_leaf=8)
THOUSAND = three_tiers(pods=4, leaves=8, spines=8, hosts_per_leaf=32)
FIVE_THOUSAND = three_tiers(pods=10, leaves=16, spines=16, hosts_per_leaf=32)


def tenants(topology: Topology, keys: int) -> list[Partition]:
    """Tenants of random size with random members; nobody is in more than 40."""
    draw = random.Random(20)
    guids = topology.adapter_ports
    made = []
    for key in range(1, keys + 1):
        chosen = draw.sample(guids, draw.randint(1, min(400, len(guids))))
        members = tuple(Member(guid, draw.choice((Membership.FULL, Membership.LIMITED))) for guid in chosen)
        made.append(Partition(f"tenant{key}", key, members, ipoib=key % 3 == 0))
    return made


def written_loaded_read_back(made: Bench, engine: str, keys: int) -> None:
    topology = made.topology
    data = write(tenants(topology, keys)).encode()
    ports = [
        EndPort(guid, PortKind.SWITCH if guid in topology.switches else PortKind.ADAPTER) for guid in topology.ports
    ]
    wanted = pkey_tables(read_strict(data), ports, manager=topology.manager_port)
    roots = made.write("roots.guid", "".join(f"0x{guid:016x}\n" for guid in topology.roots))
    made.configure(data, routing_engine=engine, root_guid_file=str(roots), log_flags="0x43", qos="FALSE")
    log = made.once(deadline_s=540)
    assert f"{engine} tables configured" in log
    assert made.pkey_tables() == {guid: table.keys for guid, table in wanted.items()}
    assert len(canaries(wanted)) == len(topology.adapter_ports) - 1
    adapters = {guid: topology.ports[guid].node.guid for guid in topology.adapter_ports}
    destinations = {lid: adapters[guid] for guid, lid in made.lids().items() if guid in adapters}
    dump = read_forwarding_dump(made.forwarding())
    routes = check_routes(dump.tables, topology.directed_links(), destinations)
    assert (routes.loops, routes.broken) == ((), ())


@pytest.mark.parametrize("engine", ["updn", "ftree"])
def test_sixty_four_ports(engine: str) -> None:
    with bench(SIXTY_FOUR) as made:
        written_loaded_read_back(made, engine, keys=20)


def test_a_thousand_ports() -> None:
    assert len(THOUSAND.adapter_ports) == 1024
    with bench(THOUSAND) as made:
        written_loaded_read_back(made, "updn", keys=40)


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["updn", "ftree"])
def test_five_thousand_ports(engine: str) -> None:
    assert len(FIVE_THOUSAND.adapter_ports) == 5120
    with bench(FIVE_THOUSAND) as made:
        written_loaded_read_back(made, engine, keys=60)
