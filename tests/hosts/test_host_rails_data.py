"""What a node's rail interfaces get follows from the fabric alone."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import replace

import pytest
from small_fabric import port, small_fabric

from intent.core.errors import IntentError
from intent.fabric.model import Device, End, Fabric, Link, Role, Tier
from intent.render.hosts import HostDefaults, host_data, host_defaults, host_rails

DEFAULTS = HostDefaults(mtu_bytes=4200, first_table=1001)


def rail_fabric(nodes: int, leaves: int) -> Fabric:
    """One rail over several leaves; each leaf has its own /25 of host addresses, as the allocator gives it."""
    devices: dict[str, Device] = {}
    links = []
    ports: dict[str, dict[str, object]] = {}
    for index in range(nodes * leaves):
        leaf, node = f"leaf{index // nodes + 1}", f"node{index + 1}"
        low = ipaddress.ip_address("10.64.0.0") + 128 * (index // nodes) + 2 * (index % nodes)
        near, far = port("eth1", f"{low + 1}/31"), port(f"swp{index % nodes + 1}s0", f"{low}/31")
        ports.setdefault(leaf, {})[far.name] = far
        ports[node] = {near.name: near}
        links.append(Link(End(node, near.name), End(leaf, far.name), Tier.HOST, 400, f"c{index}", 2, 5))
    for name, own in ports.items():
        role = Role.LEAF if name.startswith("leaf") else Role.NODE
        fabric = "east-west" if role is Role.LEAF else ""
        devices[name] = Device(name, role, "m", "s", fabric, ports=own)  # type: ignore[arg-type]
    return Fabric("s", devices, tuple(links))


def test_defaults_come_from_the_catalog() -> None:
    assert host_defaults() == DEFAULTS


def test_every_routed_port_of_a_node_is_there_with_both_ends_of_its_31() -> None:
    """Case D07, in part: both addresses of a /31 are used, one on each end."""
    rails = host_rails(small_fabric(), DEFAULTS)
    assert list(rails) == ["node1"]
    assert [(r.name, r.rail, r.address, r.gateway, r.mtu_bytes, r.table) for r in rails["node1"]] == [
        ("eth1", 1, "10.64.0.1/31", "10.64.0.0", 4200, 1001),
        ("eth2", 2, "10.64.0.3/31", "10.64.0.2", 4200, 1002),
    ]


@pytest.mark.parametrize(("nodes", "leaves"), [(1, 1), (2, 1), (64, 1), (64, 2), (64, 3), (40, 2)])
def test_routes_cover_exactly_the_hosts_of_the_rail(nodes: int, leaves: int) -> None:
    fabric = rail_fabric(nodes, leaves)
    every = {ipaddress.ip_interface(node.ports["eth1"].address).ip for node in fabric.nodes}
    for node, (rail,) in host_rails(fabric, DEFAULTS).items():
        own = ipaddress.ip_interface(fabric.devices[node].ports["eth1"].address).network
        covered = {address for route in rail.routes for address in ipaddress.ip_network(route.destination)} | set(own)
        assert every <= covered
        assert len(covered) == 2 * nodes * leaves, "nothing beyond the hosts of the rail"
        assert {route.gateway for route in rail.routes} <= {rail.gateway}
    if nodes == 64:
        assert len(rail.routes) <= leaves


def test_growth_changes_no_address_table_or_gateway() -> None:
    before, after = (host_rails(rail_fabric(64, leaves), DEFAULTS) for leaves in (1, 2))
    for node, (rail,) in before.items():
        assert replace(after[node][0], routes=()) == replace(rail, routes=())


def test_the_data_is_plain_and_equal_for_equal_input() -> None:
    first, second = (json.dumps(host_data(small_fabric(), DEFAULTS)) for _ in range(2))
    assert first == second
    assert set(json.loads(first)["node1"]["rails"][0]) == {
        "name", "fabric", "plane", "rail", "address", "gateway", "mtu_bytes", "table", "routes",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["eth1/../../x", "a b", "", "x" * 16, "eth1\nName=*", ".hidden", "{{x}}"])
def test_interface_names_linux_does_not_take_are_refused(name: str) -> None:
    fabric = rail_fabric(1, 1)
    node = fabric.devices["node1"]
    bad = replace(node.ports["eth1"], name=name)
    link = replace(fabric.links[0], a=End("node1", name))
    devices = {**fabric.devices, "node1": replace(node, ports={name: bad})}
    with pytest.raises(IntentError, match="interface name"):
        host_rails(Fabric("s", devices, (link,)), DEFAULTS)


@pytest.mark.parametrize("far", ["", "10.64.0.2/31", "10.64.0.1/31"])
def test_ends_that_share_no_subnet_are_refused(far: str) -> None:
    """Case D07, in part: the two ends of a link are in one subnet, and are not the same address."""
    fabric = rail_fabric(1, 1)
    leaf = fabric.devices["leaf1"]
    ports = {"swp1s0": replace(leaf.ports["swp1s0"], address=far)}
    with pytest.raises(IntentError, match="two addresses of one subnet"):
        host_rails(replace(fabric, devices={**fabric.devices, "leaf1": replace(leaf, ports=ports)}), DEFAULTS)
