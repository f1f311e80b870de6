"""A lock that contradicts what is written is told, never silently kept and never silently renumbered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from site_builder import B300, b300, build, check_fabric, errors, fabric_of, only_error, site_text

from intent.core.diagnostic import Severity
from intent.fabric.lock import Lock, dump

MANAGED = "management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}"


def changed(lock: Lock, kind: str, change: Callable[[str, str], str]) -> Lock:
    """The lock with every value of a kind run through `change(owner, value)`."""
    return replace(lock, held={**lock.held, kind: {o: change(o, v) for o, v in lock.held[kind].items()}})


@pytest.mark.parametrize(
    ("more", "pool", "count"),
    [
        ("pools: {loopbacks: 10.254.0.0/18}", "loopbacks", 24),
        ("pools: {hosts: 10.96.0.0/12}", "hosts", 16),
        ("pools: {hosts: 10.64.8.0/21}", "hosts", 8),
        ("pools: {asns: 4200100010-4200199999}", "asns", 10),
    ],
)
def test_a_pool_that_no_longer_holds_what_is_built(more: str, pool: str, count: int) -> None:
    lock = build(b300(64)).lock
    error = only_error(build(b300(64, more=more), lock))
    assert error.code == "F011" and f"pool {pool} no longer holds" in error.message
    assert f"and {count - 1} more" in error.message and error.span and error.span.line == 6


def test_a_management_network_that_moved_or_whose_gateway_is_a_switch() -> None:
    lock = build(b300(64, more=MANAGED)).lock
    moved = only_error(build(b300(64, more="management: {prefix: 10.2.0.0/22, gateway: 10.2.0.1}"), lock))
    assert moved.code == "F011" and "management" in moved.message
    gateway = only_error(build(b300(64, more="management: {prefix: 10.1.0.0/22, gateway: 10.1.0.7}"), lock))
    assert "10.1.0.7 of" in gateway.message


def test_management_by_dhcp_and_back() -> None:
    first = build(b300(64, more=MANAGED))
    dhcp = build(b300(64, more=MANAGED.replace("}", ", address: dhcp}")), first.lock)
    assert dhcp.fabric and all(not device.management for device in dhcp.fabric.switches)
    assert "management" in dhcp.lock.released
    assert dump(build(b300(64, more=MANAGED), dhcp.lock).lock) == dump(first.lock)


def test_a_released_value_outside_its_pool_harms_nobody() -> None:
    other = "other:\n  topology: {attach_by: rack, leaf: SN5600, spine: SN5600}\n"
    other += '  attach: {nodes: "b300-*", nics: north-south}'
    both = build(b300(64, fabrics=other)).lock
    alone = build(b300(64), both).lock
    assert "10.64.16.0/24" in alone.released["host-prefix"].values()
    pool = "pools: {hosts: 10.64.0.0/20}"
    assert build(b300(64, more=pool), alone).fabric
    assert only_error(build(b300(64, more=pool, fabrics=other), alone)).code == "F011"


def test_reserved_parts_are_not_given_out() -> None:
    fabric = fabric_of(b300(64, more="pools: {reserved: [10.64.0.0/20, 10.64.17.0/25, 10.255.0.0/28, 0.0.0.0/8]}"))
    check_fabric(fabric)
    leaf = fabric.switches[0]
    assert leaf.loopback == "10.255.0.16"
    prefixes = {port.address.rpartition(".")[0] for d in fabric.switches for port in d.ports.values() if port.address}
    assert prefixes == {f"10.64.{number}" for number in (16, *range(18, 33))}


@pytest.mark.parametrize(
    ("topology", "words"),
    [
        (B300.replace("rail,", "rack,"), "attach_by: built rail, now rack"),
        (B300.replace("planes: 2", "planes: 1"), "planes: built 2, now 1"),
        (B300.replace("}", ", oversubscription: '2:1'}"), "uplinks of a leaf: built 64, now 42"),
        (B300.replace("}", ", uplinks: 32}"), "uplink ports of a leaf: built 2x400G-from-33, now 2x400G-from-49"),
        (B300.replace("planes: 2, link: 400G", "planes: 1, link: 800G"), "host ports of a leaf: built 2x400G-from-1"),
        (B300.replace("SN5600, spine", "{model: SN5600, racks: 32}, spine"), "uplinks of a leaf: built 64, now 32"),
    ],
)
def test_sizes_of_what_is_built_do_not_change(topology: str, words: str) -> None:
    lock = build(b300(64)).lock
    built = build(b300(64, topology=topology), lock)
    error = only_error(built)
    assert error.code == "F004" and words in error.message and error.span
    assert built.lock == lock and built.growth.moves == built.growth.changed == ()


def test_a_switch_of_another_name_and_the_same_ports_may_take_its_place() -> None:
    lock = build(b300(64)).lock
    built = build(b300(64, topology=B300.replace("SN5600", "SN5610")), lock)
    assert built.fabric and {device.model for device in built.fabric.switches} == {"SN5610"}
    assert (built.growth.moves, built.growth.renumbered, built.growth.new) == ((), (), ())


def test_smaller_leaf_blocks_than_built() -> None:
    def text(racks: int) -> str:
        topology = f"{{attach_by: rack, uplinks: 8, leaf: {{model: SN5600, racks: {racks}}}, spine: SN5600}}"
        return site_text('[{name: "h{01..08}", type: dgx-h100}]', topology, '{nodes: "h*"}')

    lock = build(text(4)).lock
    error = only_error(build(text(2), lock))
    assert error.code == "F004" and "a leaf block of fabric ew now holds 2 places" in error.message
    assert build(text(6), lock).growth.renumbered == ()


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("uplinks", lambda o, v: v.rpartition(" ")[0], "expected 64, each on a port of its own"),
        ("uplinks", lambda o, v: f"{v.rpartition(' ')[0]} {v.split(' ')[0]}", "expected 64, each on a port"),
        ("uplinks", lambda o, v: v if o.startswith("ew-p2") else "1.0 " + v.partition(" ")[2], "also held by"),
        ("uplinks", lambda o, v: "x", "expected spine.port"),
        ("uplinks", lambda o, v: v.replace("1.127", "1.900"), "expected ports 0 to 127 of at most 64 spines"),
        ("uplinks", lambda o, v: v.replace("1.127", "65.1"), "expected ports 0 to 127 of at most 64 spines"),
        ("slot", lambda o, v: "other:1.1", "expected ew:block.place"),
        ("slot", lambda o, v: "ew:1.65", "now holds 64 places"),
        ("slot", lambda o, v: "ew", "expected ew:block.place"),
    ],
)
def test_a_lock_changed_by_hand(kind: str, change: Callable[[str, str], str], words: str) -> None:
    lock = changed(build(b300(64)).lock, kind, change)
    found = errors(build(b300(64), lock))
    assert found and any(words in item.message for item in found)
    assert all(item.hint for item in found)


def test_a_spine_of_fewer_ports() -> None:
    def text(spine: str) -> str:
        topology = f"{{attach_by: rack, link: 400G, uplinks: 4, leaf: SN5600, spine: {spine}}}"
        return site_text('[{name: "h{01..08}", type: dgx-h100}]', topology, '{nodes: "h*"}')

    error = only_error(build(text("SN4700"), build(text("SN5400")).lock))
    assert error.code == "F004" and "ports of a spine: built 1x400G-on-64, now 1x400G-on-32" in error.message


def test_template_of_names_changed_later() -> None:
    lock = build(b300(64)).lock
    more = 'names: {leaf: "{site}-leaf-{plane}{rail}{n:02}"}'
    built = build(b300(128, more=more), lock)
    assert built.fabric and built.growth.renumbered == ()
    names = {device.name for device in built.fabric.switches}
    assert {name for name in names if "leaf" in name} == {f"lab-leaf-{p}{r}02" for p in (1, 2) for r in range(1, 9)}
    assert set(lock.held["loopback"]) <= names
    (kept,) = [item for item in built.diagnostics if item.code == "F013"]
    assert kept.severity is Severity.WARNING and kept.span and "and 15 more" in kept.message and kept.hint


def test_first_names_follow_the_template() -> None:
    more = 'names: {leaf: "L{plane}-{rail}-{unit}-{n}", spine: "S{plane}-{n:03}"}'
    fabric = fabric_of(b300(65, more=more, topology=B300.replace("}", ", unit: {nodes: 32}}")))
    names = [device.name for device in fabric.switches]
    assert names[0] == "L1-1-1-1" and "L2-8-3-3" in names and "S1-001" in names


def test_a_unit_of_several_leaf_blocks() -> None:
    more = 'names: {leaf: "p{plane}-r{rail}-u{unit}-l{n}"}'
    fabric = fabric_of(b300(192, more=more, topology=B300.replace("}", ", unit: {nodes: 128}}")))
    assert {name for name in fabric.devices if name.startswith("p1-r1")} == {
        "p1-r1-u1-l1",
        "p1-r1-u1-l2",
        "p1-r1-u2-l3",
    }
    assert fabric.devices["p1-r1-u2-l3"].unit == 2


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ('names: {leaf: "leaf{n:02}"}', "F007", "the name leaf01 belongs to another switch"),
        ('names: {spine: "s{n}"}', "F007", "the name s1 belongs to another switch"),
        ('names: {spine: "b300-000{n}-{plane}"}', None, ""),
        ('names: {spine: "{fabric}_{plane}-{n}"}', "F009", "'ew_1-1' is no host name a switch takes"),
        ('names: {leaf: "{fabric}.{plane}{rail}-{n}"}', "F009", "no host name"),
        (f'names: {{leaf: "{"x" * 61}{{plane}}{{rail}}{{n}}"}}', "F009", "no host name"),
    ],
)
def test_names_are_unique_host_names(more: str, code: str | None, words: str) -> None:
    built = build(b300(64, more=more))
    if code is None:
        assert built.fabric
        return
    error = only_error(built)
    assert error.code == code and words in error.message and error.span


def test_a_node_with_the_name_of_a_switch() -> None:
    text = site_text('[{name: "EW-p1-s01", type: dgx-b300}]', attach='{nodes: "EW-*"}')
    found = errors(build(text))
    assert [item.code for item in found] == ["F007"]
    assert "node EW-p1-s01 has the name of spine ew-p1-s01" in found[0].message and found[0].related


def test_two_nodes_of_one_name() -> None:
    text = site_text('[{name: "b300-{1..4}", type: dgx-b300}, {name: "b300-{3..5}", type: dgx-b300}]')
    error = only_error(build(text))
    assert error.code == "F007" and "b300-3 and 1 more" in error.message and error.related


def test_a_rack_with_the_name_of_a_node() -> None:
    text = site_text('[{name: gpu01, type: dgx-h100}]', "{attach_by: rack, leaf: SN5600, spine: SN5600}",
        '{nodes: "*", nics: north-south}', 'racks: [{name: gpu01, type: gb200-nvl72}]')  # fmt: skip
    error = only_error(build(text))
    assert error.code == "F007" and "gpu01" in error.message


def test_names_of_trays_that_are_too_long() -> None:
    more = f'names: {{node: "{"n" * 60}{{rack}}-{{n}}"}}\nracks: [{{name: "gpu{{01..02}}", type: gb200-nvl72}}]'
    error = only_error(build(site_text("[]", "{leaf: SN5600, spine: SN5600}", '{racks: "gpu*"}', more)))
    assert error.code == "F009" and "at most 63" in error.message


def second(topology: str, attach: str) -> str:
    return f"other:\n  topology: {topology}\n  attach: {attach}"


def test_a_port_attaches_once() -> None:
    error = only_error(build(b300(8, fabrics=second(B300, '{nodes: "b300-0003 b300-0005"}'))))
    assert error.code == "F008" and "the east-west ports of 2 nodes" in error.message
    assert "by fabric ew: b300-0003" in error.message
    assert error.span and error.related and error.related[0][0].line < error.span.line


def test_one_interface_name_for_two_ports() -> None:
    nodes = "[{name: h1, type: dgx-h100, nics: {east-west: {interfaces: [a, b, c, d, e, f, g, ns1p1]}}}]"
    topology = "{attach_by: rack, leaf: SN5600, spine: SN5600}"
    text = site_text(nodes, topology, "{nodes: h1}", fabrics=second(topology, "{nodes: h1, nics: north-south}"))
    error = only_error(build(text))
    assert error.code == "F008" and "h1 ns1p1 has a cable already" in error.message
    twice = site_text(nodes.replace("ns1p1", "a"), topology, "{nodes: h1}")
    assert "expected 8 names, found 8, of which 7 differ" in only_error(build(twice)).message


def test_two_fabrics_share_a_site() -> None:
    topology = "{attach_by: rack, oversubscription: '3:1', leaf: SN5600, spine: SN5600}"
    text = b300(70, more=MANAGED, fabrics=second(topology, '{nodes: "b300-*", nics: north-south}'))
    built = build(text)
    assert built.fabric, [str(item) for item in built.diagnostics]
    check_fabric(built.fabric)
    assert {device.fabric for device in built.fabric.switches} == {"ew", "other"}
    assert all(len(node.ports) == 20 for node in built.fabric.nodes)


def test_prefixes_of_two_sizes_do_not_overlap() -> None:
    # 200G ports: 256 of them on a leaf, so a /23 beside the /24 of the other fabric.
    nodes = '[{name: "h{01..64}", type: dgx-h100}]'
    fabrics = second("{attach_by: rack, leaf: SN5600, spine: SN5600}", '{nodes: "h*", nics: north-south}')
    text = site_text(nodes, "{leaf: SN5600, spine: SN5600}", '{nodes: "h*"}', fabrics=fabrics)
    built = build(text)
    assert built.fabric
    check_fabric(built.fabric)
    assert {value.partition("/")[2] for value in built.lock.held["host-prefix"].values()} == {"23", "24"}
    # The other way round: the wide ones first, then narrow ones, with a lock of only one fabric.
    wide = build(site_text(nodes, "", fabrics=fabrics)).lock
    grown = build(text, wide)
    assert grown.fabric and grown.growth.renumbered == ()
    check_fabric(grown.fabric)


def test_a_fabric_that_goes_and_comes_back() -> None:
    both = build(b300(40, fabrics=second("{attach_by: rack, leaf: SN5600, spine: SN5600}",
        '{nodes: "b300-*", nics: north-south}')))  # fmt: skip
    one = build(b300(40), both.lock)
    assert one.fabric and {name.partition("-")[0] for name in one.growth.removed} == {"other"}
    again = build(b300(40, fabrics=second("{attach_by: rack, leaf: SN5600, spine: SN5600}",
        '{nodes: "b300-*", nics: north-south}')), one.lock)  # fmt: skip
    assert dump(again.lock) == dump(both.lock)
