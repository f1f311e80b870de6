"""Routes OpenSM really programs, judged by our channel-dependency check."""

from __future__ import annotations

import re
import shutil

import pytest
from ib_topologies import Topology, adapter, dragonfly, fat_tree, make, switch, three_tiers
from opensm_bench import Bench, bench, missing

from intent.analysis.credit_loops import Routes, check_lanes, check_routes, describe
from intent.core.verdict import Verdict
from intent.formats.forwarding_dump import ForwardingDump, read_forwarding_dump
from intent.formats.lane_dump import read_lane_dump

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

PARTITIONS = b"Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
OPEN = PARTITIONS.replace(b"ALL=limited", b"ALL=full")  # two limited ports have no path to ask for


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


def ring(switches: int) -> Topology:
    """Switches in a ring, a host on each: the short way round waits for itself in one lane."""
    own = [switch(1, number, f"ring{number:03}") for number in range(switches)]
    hosts = [adapter(number) for number in range(switches)]
    links = [((host.guid, 1), (at.guid, 1)) for host, at in zip(hosts, own, strict=True)]
    links += [((at.guid, 2), (own[(number + 1) % switches].guid, 3)) for number, at in enumerate(own)]
    return make([*hosts, *own], links)


RING = ring(5)


def levels_of(made: Bench) -> dict[tuple[int, int], int]:
    """Service level of the route of every pair of hosts, as the subnet manager gives it to who asks for a path."""
    lids = made.lids()
    ends = [lids[guid] for guid in made.topology.adapter_ports]
    found = {}
    for source, lid in ((a, b) for a in ends for b in ends if a != b):
        said = made.run("saquery", "PR", "--slid", str(source), "--dlid", str(lid)).stdout
        (level,) = re.findall(r"^\s*sl\.+0x([0-9a-f]+)$", said, re.MULTILINE)
        found[source, lid] = int(level, 16)
    return found


@pytest.mark.parametrize("engine", ["lash", "dfsssp", "nue"])
def test_engines_that_change_lanes_are_judged_lane_by_lane(engine: str) -> None:
    with bench(RING) as made:
        more = {"nue_max_num_vls": "4"} if engine == "nue" else {}
        options = {"routing_engine": engine, "log_flags": "0x43", "qos": "TRUE", "qos_max_vls": "4", **more}
        made.configure(OPEN, **options)
        assert f"{engine} tables configured" in made.start_manager()
        dump = read_forwarding_dump(made.forwarding())
        lanes = read_lane_dump((made.folder / "opensm-sl2vl.dump").read_text(encoding="utf-8"))
        lids = made.lids()
        destinations = {lids[guid]: port.node.guid for guid, port in RING.ports.items() if guid not in RING.switches}
        levels = levels_of(made)
        routes = check_lanes(dump.tables, RING.directed_links(), destinations, levels, lanes)
        assert (routes.loops, routes.broken, routes.unjudged, routes.verdict) == ((), (), 0, Verdict.PASS)
        assert len(set(levels.values())) > 1, "the lanes are what breaks the circle"
        assert check_routes(dump.tables, RING.directed_links(), destinations).loops, "in one lane it is there"
        one = {guid: dict.fromkeys(rows, (0,) * 16) for guid, rows in lanes.items()}
        assert check_lanes(dump.tables, RING.directed_links(), destinations, levels, one).verdict is Verdict.FAIL
        assert check_lanes(dump.tables, RING.directed_links(), destinations, {}, lanes).verdict is Verdict.UNKNOWN
