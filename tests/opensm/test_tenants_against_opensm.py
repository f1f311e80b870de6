"""Tenants all the way into a real subnet manager: compiled, written, read back from the ports of the same fabric."""

from __future__ import annotations

import pytest
from ib_site import OPENSM, guids_csv, settled, site_text
from ib_topologies import Node, NodeKind, Topology, make
from opensm_bench import bench, missing

from intent.core.diagnostic import has_errors
from intent.fabric.model import Fabric, Role
from intent.render.opensm.partitions import partitions_conf

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

_SWITCH_GUID = 0x0002C903E0000000
TENANTS = """\
tenants:
  physics:
    nodes: "n{1..2}"
    partitions:
      train: {fabric: q, pkey: 0x0012, index0: true}
      files: {fabric: q, ipoib: true, mtu: 2048, rate: 10G, sl: 1}
  biology: {nodes: "n{3..4}", partitions: {train: {fabric: q, membership: {"*": limited, n3: full}}}}
"""


def topology_of(fabric: Fabric) -> Topology:
    """The compiled fabric as the simulator wires it; the first subnet manager's host comes first."""
    nodes: dict[str, Node] = {}
    for number, device in enumerate(fabric.switches, 1):
        nodes[device.name] = Node(_SWITCH_GUID + 256 * number, NodeKind.SWITCH, device.name, 64)
    adapters: dict[tuple[str, str], Node] = {}
    for device in (*fabric.managers, *fabric.nodes):
        for port in device.ports.values():
            name = f"{device.name} {port.hca}"
            adapters[device.name, port.name] = Node(int(port.guid, 16) - 1, NodeKind.ADAPTER, name, 1)
    links = []
    for link in fabric.links:
        ends = []
        for end in (link.a, link.b):
            node = adapters.get((end.device, end.port)) or nodes[end.device]
            number = fabric.devices[end.device].ports[end.port].number
            ends.append((node.guid, number))
        links.append((ends[0], ends[1]))
    tops = [nodes[device.name].guid for device in fabric.switches if device.role is Role.SPINE]
    return make([*adapters.values(), *nodes.values()], links, tops)


def test_opensm_gives_every_port_the_keys_of_its_tenants_and_no_other() -> None:
    result = settled(site_text(TENANTS, OPENSM), guids=guids_csv(managers=["o1", "o2"]))
    fabric = result.built.fabric
    assert fabric is not None
    assert not has_errors(result.built.diagnostics)
    text = partitions_conf(result.partitions.fabrics["q"], fabric)
    topology = topology_of(fabric)
    managers = {int(port.guid, 16) for device in fabric.managers for port in device.ports.values()}
    expected = {guid: {0xFFFF if guid in (*topology.switches, *managers) else 0x7FFF} for guid in topology.ports}
    for partition in result.partitions:
        for member in partition.members:
            expected[int(member.guid, 16)].add(partition.key | (0x8000 if member.full else 0))
    with bench(topology) as lab:
        lab.configure(text.encode())
        log = lab.once()
        assert "PARSE ERROR" not in log
        assert "retrying with default config" not in log
        tables = lab.pkey_tables()
        assert {guid: set(held) for guid, held in tables.items()} == expected
        first, *_ = (member for item in result.partitions if item.index0 for member in item.members)
        assert lab.pkeys_of(int(first.guid, 16))[0] == 0x8012
