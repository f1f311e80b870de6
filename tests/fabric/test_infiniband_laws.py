"""Growth, order and limits of InfiniBand fabrics: what is built never moves, what cannot be built says why."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from infiniband_sites import NDR, NVL72, UFM, XDR, check_infiniband, counts, ib_text
from site_builder import build, catalog, errors, fabric_of, only_error, reread, site_text, switches

from intent.core.diagnostic import Severity
from intent.fabric.lock import Lock
from intent.fabric.model import Fabric, Network, Role, Tier

DRAGONFLY = "{design: dragonfly-plus, unit: {racks: 1, planned: 4}, leaf: QM9700, spine: QM9700}"


def ends(fabric: Fabric) -> dict[str, tuple[str, str]]:
    """Upper end of every cable, by the lower one."""
    return {link.cable: (link.b.device, link.b.port) for link in fabric.links}


def grow(first: str, second: str) -> tuple[Fabric, Fabric, int]:
    """Two fabrics, the second grown from the first, and the number of cables that moved."""
    before = build(first)
    assert before.fabric
    after = build(second, reread(before.lock))
    assert after.fabric, [str(item) for item in after.diagnostics]
    assert after.growth.renumbered == ()
    check_infiniband(after.fabric)
    moved = [cable for cable, end in ends(before.fabric).items() if ends(after.fabric).get(cable, end) != end]
    assert len(moved) == len(after.growth.moves)
    kept = set(before.fabric.devices) & set(after.fabric.devices)
    for name in kept:
        old, new = before.fabric.devices[name], after.fabric.devices[name]
        assert (old.model, old.index, old.unit, old.rail, old.management) == (
            new.model, new.index, new.unit, new.rail, new.management,
        )  # fmt: skip
    return before.fabric, after.fabric, len(moved)


@pytest.mark.parametrize(
    ("kind", "topology", "generation", "small", "large"),
    [
        ("dgx-h100", "{unit: {nodes: 32, planned: 4}, leaf: QM9700, spine: QM9700}", "ndr", 31, 127),
        ("dgx-b300", "{unit: {nodes: 72, planned: 8}, leaf: Q3400-RA, spine: Q3400-RA}", "xdr", 72, 300),
        ("gb200-nvl72", NVL72.replace("racks: 8", "racks: 8, planned: 4"), "ndr", 5, 27),
        ("gb200-nvl72", DRAGONFLY, "ndr", 1, 4),
    ],
)
def test_growth_up_to_the_plan_moves_no_cable(
    kind: str, topology: str, generation: str, small: int, large: int
) -> None:
    first, second, moved = grow(
        ib_text(small, kind, topology, generation, UFM), ib_text(large, kind, topology, generation, UFM)
    )
    assert moved == 0
    assert set(first.devices) <= set(second.devices)
    assert set(ends(first).items()) <= set(ends(second).items())


def test_growth_beyond_the_plan_moves_the_least() -> None:
    _, after, moved = grow(ib_text(32), ib_text(64))
    # Links per pair of leaf and spine go from 8 to 4: half of the 8 x 32 uplinks move.
    assert moved == 128
    assert counts(after)["spines"] == 8
    _, _, moved = grow(ib_text(16, "gb200-nvl72", NVL72), ib_text(32, "gb200-nvl72", NVL72))
    # Core groups go from 3 to 6 switches; leaves and their spines stay.
    assert moved == 48 * 24 // 2


def test_managers_added_to_a_full_fabric_take_a_new_slot() -> None:
    first = build(ib_text(32))
    later = build(ib_text(32, manager=UFM), first.lock)
    assert later.fabric and later.growth.renumbered == ()
    mine = [link for link in later.fabric.links if link.a.device.startswith("ufm")]
    assert {later.fabric.devices[link.b.device].index for link in mine} == {2}


def test_another_order_of_managers_moves_none() -> None:
    first = build(ib_text(31, manager=UFM))
    assert first.fabric
    turned = UFM.replace("ufm1", "x").replace("ufm2", "ufm1").replace("x,", "ufm2,")
    second = fabric_of(ib_text(31, manager=turned), first.lock)
    assert {k: v for k, v in ends(first.fabric).items() if "ufm" in k} == {
        k: v for k, v in ends(second).items() if "ufm" in k
    }


def test_a_manager_on_a_node_needs_no_port() -> None:
    fabric = fabric_of(ib_text(32, manager="{by: opensm, hosts: [{name: n0001, address: n0001}]}"))
    assert fabric.managers == () and counts(fabric)["host links"] == 256


def test_reserved_slots_stay_free_without_managers() -> None:
    reserved = NDR.replace("nodes: 32", "nodes: 32, reserved: 1")
    fabric = fabric_of(ib_text(31, topology=reserved))
    assert counts(fabric)["leaves"] == 8
    fabric = fabric_of(ib_text(32, topology=reserved))
    assert counts(fabric)["leaves"] == 16
    message = only_error(build(ib_text(31, topology=NDR.replace("nodes: 32", "nodes: 32, reserved: 0"), manager=UFM)))
    assert "no port is left for subnet manager ufm1" in message.message


def test_dragonfly_plus_at_its_full_size() -> None:
    # A group is 8 leaves of 16 hosts and 16 uplinks, so 8 spines of 16 ports down and 16 out: 128 links to 8 others.
    topology = "{design: dragonfly-plus, attach_by: rack, unit: {nodes: 16, planned: 9}, leaf: QM8700, spine: QM8700}"
    fabric = fabric_of(ib_text(144, "dgx-a100", topology, "hdr"))
    check_infiniband(fabric)
    found = counts(fabric)
    assert (found["nodes"], found["leaves"], found["spines"], found["cores"]) == (144, 72, 72, 0)
    assert found["spine-spine"] == 9 * 8 // 2 * 16
    groups = {device.unit for device in fabric.switches}
    pairs: Counter[tuple[int, int]] = Counter()
    for link in fabric.links:
        if link.tier is Tier.GLOBAL:
            a, b = fabric.devices[link.a.device], fabric.devices[link.b.device]
            assert a.role is b.role is Role.SPINE and a.unit < b.unit
            pairs[a.unit, b.unit] += 1
    assert set(pairs) == {(a, b) for a in groups for b in groups if a < b}
    assert len(set(pairs.values())) == 1


def test_dragonfly_plus_wants_its_groups_planned() -> None:
    error = only_error(build(ib_text(5, "gb200-nvl72", DRAGONFLY)))
    assert "5 groups are attached - 4 are planned" in error.message and "planned: 5" in error.hint
    many = DRAGONFLY.replace("planned: 4", "planned: 200")
    assert "at most 73 groups" in only_error(build(ib_text(4, "gb200-nvl72", many))).message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (ib_text(4, topology=NDR.replace("QM9700, spine", "SN5600, spine")), "SN5600 is a switch of kind ethernet"),
        (ib_text(4, generation="xdr"), "1xXDR"),
        (ib_text(4, topology=NDR.replace("leaf: QM9700", "leaf: QM8700")), "QM8700 has no port of 400G"),
        (ib_text(4, topology="{planes: 2, leaf: QM9700, spine: QM9700}"), "2 planes"),
        (ib_text(4, topology="{leaf: QM97OO, spine: QM9700}"), "'QM97OO' is not in the catalog"),
        (ib_text(4, topology="{leaf: QM9700, spine: QM9700, uplinks: 65}"), "no room"),
        (ib_text(2100, topology="{design: leaf-spine, leaf: QM9700, spine: QM9700}"), "do not fit two tiers"),
        (ib_text(4, "gb200-nvl72", "{unit: {racks: 8}, leaf: {model: Q3400-RA, racks: 3}, spine: Q3400-RA}"),
         "no whole number of leaves of 3"),
        (ib_text(72, "gb200-nvl72", "{unit: {racks: 72, planned: 1}, spine_group: unit, leaf: QM9700, spine: QM9700}"),
         "288 leaves of a unit do not fit half of the ports of QM9700"),
        (site_text('[{name: "n{1..4}", type: dgx-h100}]', "{design: dragonfly-plus, leaf: SN5600, spine: SN5600}",
                   '{nodes: "n*"}'), "an InfiniBand topology"),
        (site_text('[{name: "n{1..4}", type: dgx-h100}]', "{leaf: QM9700, spine: SN5600}", '{nodes: "n*"}'),
         "QM9700 is a switch of kind infiniband"),
        (ib_text(4).replace("        generation: ndr\n", ""), "generation is missing"),
    ],
)  # fmt: skip
def test_what_cannot_be_built_says_why(text: str, part: str) -> None:
    first = errors(build(text))[0]
    assert part in first.message and first.span and first.hint


def test_sizes_of_what_is_built_do_not_change() -> None:
    first = build(ib_text(16, "gb200-nvl72", NVL72))
    for topology, part in (
        (NVL72.replace(", core: QM9700", ""), "tiers: built 3, now 2"),
        (NVL72.replace("racks: 8", "racks: 4"), "leaves per rail of a unit: built 8, now 4"),
        (NVL72.replace("core:", "spine_group: unit, core:"), "what spines serve: built rail, now unit"),
    ):
        assert part in only_error(build(ib_text(16, "gb200-nvl72", topology), first.lock)).message


def test_names_follow_templates() -> None:
    names = 'names: {leaf: "l{unit}{rail}{n}", spine: "s{unit}{rail}{n}", core: "c{group}x{n}"}'
    fabric = fabric_of(ib_text(16, "gb200-nvl72", NVL72, more=names))
    assert {"l111", "s216", "c6x3"} <= set(fabric.devices)
    clash = build(ib_text(16, "gb200-nvl72", NVL72, more='names: {spine: "s{n}"}'))
    assert errors(clash)[0].code == "F007"


def test_two_networks_of_one_site_stay_apart() -> None:
    text = ib_text(8).rstrip("\n") + (
        "\n      e:\n        topology: {leaf: SN5600, spine: SN5600, link: 200G}\n"
        "        attach: {nodes: 'n*', nics: north-south}\n"
    )
    built = build(text)
    assert built.fabric, [str(item) for item in built.diagnostics]
    both, ethernet = built.fabric, built.fabric.only(Network.ETHERNET)
    infiniband = both.only(Network.INFINIBAND)
    assert both.networks == {Network.ETHERNET, Network.INFINIBAND}
    assert {switch.model for switch in ethernet.switches} == {"SN5600"}
    assert {switch.model for switch in infiniband.switches} == {"QM9700"}
    assert len(ethernet.links) + len(infiniband.links) == len(both.links)
    assert {port for node in ethernet.nodes for port in node.ports} == {"ns1p1", "ns1p2", "ns2p1", "ns2p2"}
    assert {len(node.ports) for node in infiniband.nodes} == {8}
    assert ethernet.only(Network.ETHERNET) is ethernet
    check_infiniband(infiniband)


def test_split_ports_have_numbers_of_their_own() -> None:
    # Hosts of 200 Gb/s on a QM9700: the whole switch counts in quarters of a cage.
    text = ib_text(64, "dgx-a100", "{link: 400G, leaf: QM9700, spine: QM9700}", "hdr")
    fabric = fabric_of(text)
    check_infiniband(fabric)
    leaf = switches(fabric, Role.LEAF)[0]
    tiers = {port.name: (port.number, link.tier) for port, _, link in fabric.neighbors(leaf.name)}
    assert tiers["IB1/1/1/1"] == (1, Tier.HOST) and tiers["IB1/1/1/2"] == (2, Tier.HOST)
    assert min(number for number, tier in tiers.values() if tier is Tier.FABRIC) % 2 == 1


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from([("dgx-h100", NDR, "ndr"), ("dgx-b300", XDR, "xdr"), ("gb200-nvl72", NVL72, "ndr")]),
    st.integers(1, 20),
    st.integers(1, 20),
    st.booleans(),
)
def test_any_growth_keeps_names_and_slots(design: tuple[str, str, str], small: int, large: int, managed: bool) -> None:
    kind, topology, generation = design
    manager = UFM if managed else ""
    _, after, _ = grow(
        ib_text(small, kind, topology, generation, manager), ib_text(large, kind, topology, generation, manager)
    )
    again = build(ib_text(large, kind, topology, generation, manager), Lock("lab"))
    assert again.fabric and len(again.fabric.nodes) == len(after.nodes)
    assert all(item.severity is not Severity.ERROR for item in again.diagnostics)
    assert all(catalog().switch(device.model).infiniband for device in after.switches)
