"""Topology files that are compiled, read by the real simulator and swept by the real OpenSM.

The simulator of Debian 12 knows no speed beyond HDR, so links are told as HDR there; speeds are checked on the model.
"""

from __future__ import annotations

import pytest
from ib_topologies import Node as BenchNode
from ib_topologies import NodeKind as BenchKind
from ib_topologies import Topology as BenchTopology
from infiniband_sites import NVL72, UFM, ib_text
from opensm_bench import bench, missing
from site_builder import catalog, fabric_of

from intent.fabric.model import Fabric, Role
from intent.formats.ib.topology import NodeKind
from intent.render.ib import TOPOLOGY, topology_files, topology_of

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

NDR = "{unit: {nodes: 8}, leaf: QM9700, spine: QM9700}"
DRAGONFLY = "{design: dragonfly-plus, unit: {racks: 1, planned: 3}, leaf: QM9700, spine: QM9700}"


class _AsWritten(BenchTopology):
    """A bench whose netfile is the file we write, its manager on the first adapter of it."""

    def __init__(self, text: str, adapter: str, nodes: tuple[BenchNode, ...]) -> None:
        super().__init__(nodes, ())  # the simulator's limits follow from the nodes
        object.__setattr__(self, "_written", (text, adapter))

    def netfile(self) -> str:
        return str(self._written[0])

    @property
    def manager_node(self) -> str:
        return str(self._written[1])


def _bench(fabric: Fabric) -> BenchTopology:
    (made,) = topology_files(fabric, catalog())
    nodes = topology_of(fabric, catalog()).nodes
    adapter = next(node.id for node in nodes if node.kind is NodeKind.ADAPTER)
    sizes = tuple(BenchNode(number, BenchKind.SWITCH, "", node.ports) for number, node in enumerate(nodes))
    return _AsWritten(made.files[TOPOLOGY].replace("4xNDR", "4xHDR"), adapter, sizes)


@pytest.mark.parametrize(
    ("text", "engine", "top"),
    [
        (ib_text(16, topology=NDR), "ftree", Role.SPINE),
        (ib_text(15, topology=NDR, manager=UFM), "updn", Role.SPINE),
        (ib_text(3, "gb200-nvl72", NVL72.replace("racks: 8", "racks: 2")), "ftree", Role.CORE),
        (ib_text(2, "gb200-nvl72", NVL72.replace("racks: 8", "racks: 2"), manager=UFM), "updn", Role.CORE),
        (ib_text(3, "gb200-nvl72", DRAGONFLY), "minhop", Role.SPINE),
    ],
    ids=["two tiers ftree", "two tiers updn", "three tiers ftree", "three tiers updn", "dragonfly+ minhop"],
)
def test_opensm_sweeps_what_is_compiled(text: str, engine: str, top: Role) -> None:
    fabric = fabric_of(text)
    topology = topology_of(fabric, catalog())
    guids = {node.description: node.guid for node in topology.nodes}
    roots = [guids[f"MF0;{d.name}:MQM9700/U1"] for d in fabric.switches if d.role is top]
    with bench(_bench(fabric)) as made:
        file = made.write("roots.guid", "".join(f"0x{guid}\n" for guid in roots))
        made.configure(None, routing_engine=engine, root_guid_file=str(file))
        log = made.once()
    assert f"{engine} tables configured on all switches" in log
    assert "SUBNET UP" in log
    # The engine asked for, and no fallback to another one.
    assert log.count("tables configured") == 1
