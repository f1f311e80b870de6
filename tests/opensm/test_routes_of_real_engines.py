"""Routes OpenSM really programs, judged by our channel-dependency check."""

from __future__ import annotations

import shutil

import pytest
from ib_topologies import Topology, dragonfly, fat_tree, three_tiers
from opensm_bench import Bench, bench, missing

from intent.analysis.credit_loops import Routes, check_routes, describe
from intent.formats.forwarding_dump import ForwardingDump, read_forwarding_dump

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

PARTITIONS = b"Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"


def routed(made: Bench, engine: str) -> tuple[str, ForwardingDump, Routes]:
    """Log, tables and verdict of one sweep with an engine."""
    topology = made.topology
    options = {"routing_engine": engine, "log_flags": "0x43"}
    if topology.roots:
        options["root_guid_file"] = str(
            made.write("roots.guid", "\n".join(f"0x{guid:016x}" for guid in topology.roots))
        )
    made.configure(PARTITIONS, **options)
    log = made.once()
    dump = read_forwarding_dump(made.forwarding())
    adapters = {guid: port.node.guid for guid, port in topology.ports.items() if guid not in topology.switches}
    destinations = {lid: adapters[guid] for guid, lid in made.lids().items() if guid in adapters}
    assert len(destinations) == len(adapters)
    return log, dump, check_routes(dump.tables, topology.directed_links(), destinations)


def verdict_of_ibdmchk(made: Bench) -> bool | None:
    """Whether the independent checker finds circles too; None where it is not installed."""
    if shutil.which("ibdmchk", path="/usr/sbin:/usr/bin") is None:
        return None
    said = made.run(
        "ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs", check=False
    ).stdout
    if "credit loops in routing" in said:
        return True
    return False if "no credit loops found" in said else None


SMALL = [
    fat_tree(leaves=4, spines=2, hosts_per_leaf=8),
    fat_tree(leaves=3, spines=2, hosts_per_leaf=4, parallel=2),
    three_tiers(pods=2, leaves=2, spines=2, hosts_per_leaf=4),
]


@pytest.mark.parametrize("engine", ["updn", "ftree"])
@pytest.mark.parametrize("topology", SMALL, ids=["two tiers", "parallel links", "three tiers"])
def test_fat_trees_have_no_circle(topology: Topology, engine: str) -> None:
    with bench(topology) as made:
        log, _, routes = routed(made, engine)
        assert f"{engine} tables configured" in log
        assert (routes.loops, routes.broken) == ((), ())
        assert routes.dependencies
        assert verdict_of_ibdmchk(made) is not True


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_a_dragonfly_routed_by_minhop_has_a_circle_and_it_is_named(engine: str) -> None:
    """updn and ftree cannot route it; OpenSM falls back to minhop and says SUBNET UP."""
    topology = dragonfly(groups=5, switches=4, hosts=2)
    with bench(topology) as made:
        log, _, routes = routed(made, engine)
        assert "minhop tables configured" in log
        assert routes.broken == ()
        assert routes.loops
        names = topology.names()
        for loop in routes.loops:
            _is_a_circle(topology, loop)
            assert "group" in describe(loop, names)
            assert describe(loop, names).count("→") == len(loop)
        assert verdict_of_ibdmchk(made) is not False


def test_ibroute_reads_the_tables_of_the_dump() -> None:
    topology = SMALL[0]
    with bench(topology) as made:
        _, dump, _ = routed(made, "updn")
        lids = made.lids()
        for guid in sorted(topology.switches)[:3]:
            asked = read_forwarding_dump(made.run("ibroute", str(lids[guid])).stdout, "ibroute")
            assert asked.tables == {guid: dump.tables[guid]}
            assert asked.owners == dump.owners


def _is_a_circle(topology: Topology, loop: tuple[object, ...]) -> None:
    """Each channel ends at the switch the next one starts from."""
    links = topology.directed_links()
    for here, there in zip(loop, [*loop[1:], loop[0]], strict=True):
        assert links[here.switch, here.port][0] == there.switch  # type: ignore[attr-defined]
