"""Published designs compile to the published counts, port by port where they say so."""

from __future__ import annotations

from collections import Counter

import pytest
from site_builder import b300, build, check_fabric, counts, errors, fabric_of, only_error, pairs, site_text, switches

from intent.fabric.model import Fabric, Role, Tier

# NVIDIA DGX B300 Spectrum-X twin plane: scalable units, leaves and spines of both planes; links counted at 400G.
T5 = [(1, 16, 8, 16), (2, 32, 16, 8), (4, 64, 32, 4), (8, 128, 64, 2), (16, 256, 128, 1)]


def racks(text: str, topology: str, attach: str = '{racks: "gpu*"}') -> str:
    return site_text("[]", topology, attach, more=f"racks: {text}")


@pytest.mark.parametrize(("units", "leaves", "spines", "per_pair"), T5)
def test_b300_twin_plane_rows(units: int, leaves: int, spines: int, per_pair: int) -> None:
    fabric = fabric_of(b300(64 * units))
    links = 1024 * units
    assert counts(fabric) == (leaves, spines, links, links)
    assert set(pairs(fabric).values()) == {per_pair}
    check_fabric(fabric)
    assert all(len(leaf.ports) == 128 for leaf in switches(fabric, Role.LEAF))


@pytest.mark.parametrize(
    ("nodes", "leaves", "spines", "hosts_of_last_leaf"), [(192, 48, 32, 64), (40, 16, 8, 40), (65, 32, 16, 1)]
)
def test_sizes_in_between(nodes: int, leaves: int, spines: int, hosts_of_last_leaf: int) -> None:
    fabric = fabric_of(b300(nodes))
    assert counts(fabric)[:2] == (leaves, spines)
    check_fabric(fabric)
    last = switches(fabric, Role.LEAF)[-1]
    assert sum(link.tier is Tier.HOST for _, _, link in fabric.neighbors(last.name)) == hosts_of_last_leaf
    assert 64 - hosts_of_last_leaf == {192: 0, 40: 24, 65: 63}[nodes]


def test_b300_by_hand() -> None:
    fabric = fabric_of(b300(64))
    for leaf in switches(fabric, Role.LEAF):
        down = [port.name for port, _, link in fabric.neighbors(leaf.name) if link.tier is Tier.HOST]
        up = [port.name for port, _, link in fabric.neighbors(leaf.name) if link.tier is Tier.FABRIC]
        assert down == [f"swp{cage}s{part}" for cage in range(1, 33) for part in (0, 1)]
        assert up == [f"swp{cage}s{part}" for cage in range(33, 65) for part in (0, 1)]
    for spine in switches(fabric, Role.SPINE):
        assert list(spine.ports) == [f"swp{cage}s{part}" for cage in range(1, 65) for part in (0, 1)]
    assert {link.speed_gbps for link in fabric.links} == {400}
    for link in fabric.links:
        if link.tier is Tier.HOST:
            leaf = fabric.devices[link.b.device]
            assert (leaf.rail, leaf.plane) == (link.rail, link.plane)
            # Card k is rail k, half A of its cage goes to plane 1, half B to plane 2.
            assert link.a.port == f"rail{leaf.rail}p{leaf.plane}"
            assert fabric.devices[link.a.device].ports[link.a.port].sub_port == leaf.plane - 1


def test_leaf_cages_take_two_nodes_of_one_rail() -> None:
    fabric = fabric_of(b300(64))
    for leaf in switches(fabric, Role.LEAF):
        by_cage: dict[str, set[str]] = {}
        for port, end, link in fabric.neighbors(leaf.name):
            if link.tier is Tier.HOST:
                by_cage.setdefault(port.cage, set()).add(end.device)
        assert {len(nodes) for nodes in by_cage.values()} == {2}


def test_gb300_dual_plane_by_racks_per_leaf() -> None:
    text = racks(
        '[{name: "gpu{01..08}", type: gb300-nvl72}]',
        "{attach_by: rail, planes: 2, link: 400G, leaf: {model: SN5600, racks: 2}, spine: SN5600}",
    )
    fabric = fabric_of(text)
    leaves = switches(fabric, Role.LEAF)
    assert Counter(leaf.plane for leaf in leaves) == {1: 16, 2: 16}
    check_fabric(fabric)
    for leaf in leaves:
        tiers = Counter(link.tier for _, _, link in fabric.neighbors(leaf.name))
        # Two racks of 18 trays, and as many uplinks for 1:1.
        assert tiers == {Tier.HOST: 36, Tier.FABRIC: 36}
    # 16 leaves x 36 uplinks / 128 ports = 4.5; the least divisor of 36 from there is 6.
    assert counts(fabric) == (32, 12, 8 * 72 * 2, 32 * 36)


def test_gb200_two_racks() -> None:
    text = racks('[{name: "gpu{01..02}", type: gb200-nvl72}]', "{attach_by: rail, leaf: SN5600, spine: SN5600}")
    fabric = fabric_of(text)
    assert counts(fabric) == (4, 2, 144, 256)
    assert len(fabric.nodes) == 36
    check_fabric(fabric)


def test_attach_by_rack_keeps_a_node_on_one_leaf_per_plane() -> None:
    text = site_text(topology="{attach_by: rack, planes: 2, link: 400G, leaf: SN5600, spine: SN5600}")
    fabric = fabric_of(text)
    check_fabric(fabric)
    assert counts(fabric) == (16, 8, 1024, 1024)
    for node in fabric.nodes:
        leaves = Counter(end.device for _, end, _ in fabric.neighbors(node.name))
        assert sorted(leaves.values()) == [8, 8]
        assert {fabric.devices[leaf].rail for leaf in leaves} == {0}


def test_attach_by_rack_never_parts_a_rack() -> None:
    topology = "{attach_by: rack, leaf: SN5600, spine: SN5600, oversubscription: '3:1'}"
    fabric = fabric_of(racks('[{name: "gpu{01..03}", type: gb200-nvl72}]', topology))
    check_fabric(fabric)
    leaf_of: dict[str, set[str]] = {}
    for link in fabric.links:
        if link.tier is Tier.HOST:
            leaf_of.setdefault(link.a.device[:5], set()).add(link.b.device)
    assert [len(leaves) for leaves in leaf_of.values()] == [1, 1, 1]


def down_up(fabric: Fabric) -> set[tuple[int, int]]:
    """Cages given to hosts and uplinks of each leaf."""
    found = set()
    for leaf in switches(fabric, Role.LEAF):
        tiers = Counter(link.tier for _, _, link in fabric.neighbors(leaf.name))
        found.add((tiers[Tier.HOST], tiers[Tier.FABRIC]))
    return found


@pytest.mark.parametrize(
    ("ratio", "nodes", "expected"),
    [("2:1", 84, (84, 42)), ("5:3", 80, (80, 48)), ("1:1", 64, (64, 64)), ("3:1", 96, (96, 32)), ("1:2", 42, (42, 84))],
)
def test_oversubscription(ratio: str, nodes: int, expected: tuple[int, int]) -> None:
    text = b300(nodes, topology=f"{{planes: 2, link: 400G, leaf: SN5600, spine: SN5600, oversubscription: '{ratio}'}}")
    fabric = fabric_of(text)
    assert down_up(fabric) == {expected}
    check_fabric(fabric)


@pytest.mark.parametrize(("uplinks", "spines"), [(16, 1), (18, 2), (36, 3), (61, 61), (7, 1)])
def test_explicit_uplinks(uplinks: int, spines: int) -> None:
    text = b300(40, topology=f"{{planes: 2, link: 400G, leaf: SN5600, spine: SN5600, uplinks: {uplinks}}}")
    fabric = fabric_of(text)
    assert down_up(fabric) == {(40, uplinks)}
    assert counts(fabric)[1] == 2 * spines
    check_fabric(fabric)


def test_leaf_spine_design_is_the_same_two_tiers() -> None:
    leaf_spine = b300(64, topology="{design: leaf-spine, planes: 2, link: 400G, leaf: SN5600, spine: SN5600}")
    assert fabric_of(leaf_spine).links == fabric_of(b300(64)).links


def test_a_unit_smaller_than_a_leaf_limits_what_it_serves() -> None:
    topology = "{planes: 2, link: 400G, unit: {nodes: 32}, leaf: SN5600, spine: SN5600}"
    fabric = fabric_of(b300(64, topology=topology))
    assert down_up(fabric) == {(32, 32)}
    assert {leaf.unit for leaf in switches(fabric, Role.LEAF)} == {1, 2}
    check_fabric(fabric)


def test_uplinks_faster_than_host_ports() -> None:
    # H100: 400G to the card, whole 800G cages to the spines.
    text = site_text(
        '[{name: "h{001..064}", type: dgx-h100}]', "{link: 800G, leaf: SN5600, spine: SN5600}", '{nodes: "h*"}'
    )
    fabric = fabric_of(text)
    assert down_up(fabric) == {(64, 32)}
    assert {link.speed_gbps for link in fabric.links if link.tier is Tier.FABRIC} == {800}
    check_fabric(fabric)


def test_other_cages_for_uplinks() -> None:
    # The 1G ports are RJ45 cages, the uplinks other ones further on.
    text = site_text(
        '[{name: "h{001..040}", type: dgx-h100}]',
        "{attach_by: rack, link: 100G, leaf: SN2201, spine: SN4600C, uplinks: 2}",
        '{nodes: "h*", nics: management}',
    )
    fabric = fabric_of(text)
    check_fabric(fabric)
    assert counts(fabric) == (1, 1, 40, 2)
    ports = [*fabric.switches[0].ports]
    assert ports == [*(f"swp{number}" for number in range(1, 41)), "swp49", "swp50"]


def test_too_many_nodes_for_two_tiers() -> None:
    error = only_error(build(b300(1025)))
    assert error.code == "F004"
    assert "136 leaves per plane do not fit two tiers of SN5600" in error.message
    assert "1024 nodes" in error.hint
    assert error.span


def test_link_speed_chooses_the_cards_layout() -> None:
    one_plane = b300(32, topology="{link: 400G, leaf: SN5600, spine: SN5600}")
    fabric = fabric_of(one_plane)
    check_fabric(fabric)
    assert {link.speed_gbps for link in fabric.links} == {400}
    assert counts(fabric) == (8, 4, 512, 512)
    whole = fabric_of(b300(32, topology="{leaf: SN5600, spine: SN5600}"))
    assert {link.speed_gbps for link in whole.links} == {800}
    check_fabric(whole)


def test_two_kinds_of_node_with_equal_ports_share_a_fabric() -> None:
    nodes = '[{name: "h{01..10}", type: dgx-h100}, {name: "b{01..10}", type: dgx-b200}]'
    fabric = fabric_of(site_text(nodes, "{leaf: SN5600, spine: SN5600}", '{nodes: "h* b*"}'))
    check_fabric(fabric)
    assert {node.model for node in fabric.nodes} == {"dgx-h100", "dgx-b200"}


def test_two_kinds_of_node_with_other_ports_do_not() -> None:
    nodes = '[{name: "h{01..10}", type: dgx-h100}, {name: "b{01..10}", type: dgx-b300}]'
    error = only_error(build(site_text(nodes, "{leaf: SN5600, spine: SN5600}", '{nodes: "h* b*"}')))
    assert (error.code, error.span is not None) == ("F002", True)
    assert "differ in number or speed" in error.message


@pytest.mark.parametrize(
    ("text", "name", "near"),
    [
        (b300(8, topology="{planes: 2, leaf: SN5660, spine: SN5600}"), "SN5660", "SN5600"),
        (b300(8, topology="{planes: 2, leaf: SN5600, spine: sn560}"), "sn560", "SN5600"),
        (site_text('[{name: "n{1..4}", type: dgx-b30}]', attach='{nodes: "n*"}'), "dgx-b30", "dgx-b300"),
        (racks("[{name: gpu01, type: gb200-nvl7}]", "{leaf: SN5600, spine: SN5600}"), "gb200-nvl7", "gb200-nvl72"),
    ],
)
def test_unknown_models_name_their_neighbours(text: str, name: str, near: str) -> None:
    first = errors(build(text))[0]
    assert first.code == "F001" and repr(name) in first.message and near in first.hint and first.span


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        (b300(4, attach='{nodes: "c300-*"}'), "F002", "no node is attached"),
        (b300(4, attach='{nodes: "b300-*", nics: east}'), "F002", "'east'"),
        (b300(4, topology="{planes: 3, leaf: SN5600, spine: SN5600}"), "F002", "multiple of 3 planes"),
        (b300(4, topology="{planes: 2, link: 300G, leaf: SN5600, spine: SN5600}"), "F002", "no port of 300G"),
        (b300(4, topology="{planes: 2, leaf: SN2201, spine: SN5600}"), "F002", "no port of 400G"),
        (b300(4, topology="{planes: 2, leaf: SN5600, spine: SN4600C}"), "F002", "no port of 400G"),
        (b300(4, topology="{planes: 2, leaf: SN5600, spine: SN5600, uplinks: 128}"), "F004", "no room"),
        (b300(4, topology="{planes: 2, leaf: {model: SN5600, racks: 65}, spine: SN5600}"), "F003", "offers 64"),
        (b300(4, topology="{planes: 2, unit: {racks: 2}, leaf: SN5600, spine: SN5600}"), "F002", "stand in no racks"),
        (site_text('[{name: "gpu{1..2}", type: gb200-nvl72}]', attach='{nodes: "gpu*"}'), "F001", "under racks"),
        (b300(4, more="pools: {hosts: 224.0.0.0/12}"), "F012", "holds multicast addresses"),
        (b300(4, more="pools: {loopbacks: 0.0.0.0/0}"), "F012", "holds unspecified addresses"),
        (b300(4, more="management: {prefix: 127.0.0.0/24, gateway: 127.0.0.1}"), "F012", "management network 127"),
        (b300(4, more="pools: {hosts: 10.64.0.0/25}"), "F005", "pool hosts is exhausted"),
        (b300(4, more="pools: {loopbacks: 10.255.0.0/28}"), "F005", "pool loopbacks is exhausted"),
        (b300(4, more="pools: {asns: 65000-65010}"), "F005", "pool asns is exhausted"),
        (b300(4, more="management: {prefix: 10.1.0.0/28, gateway: 10.1.0.1}"), "F005", "pool management is exhausted"),
    ],
)  # fmt: skip
def test_what_cannot_be_built_says_why(text: str, code: str, part: str) -> None:
    first = errors(build(text))[0]
    assert first.code == code and part in first.message and first.span


def test_pool_errors_come_once() -> None:
    assert len(errors(build(b300(64, more="pools: {loopbacks: 10.255.0.0/28}")))) == 1
