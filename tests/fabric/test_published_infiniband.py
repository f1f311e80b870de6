"""Published InfiniBand designs compile to the published counts, row by row; what the sources get wrong is listed.

T1 to T4, T6 and T7 are tables of NVIDIA's DGX SuperPOD reference architectures (see `docs/sizing.md`): H100 and B200,
small (T1) and large (T2), GB200 (T3), B300 XDR (T4), Rubin NVL8 (T6), GB300 (T7).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from infiniband_sites import NVL72, UFM, XDR, check_infiniband, counts, ib_text
from published_infiniband import GB300, ROWS, Row
from site_builder import fabric_of, switches

from intent.fabric.model import Role, Tier

# Errata that are no cell of a row we build: kept as data, so that nobody takes them for ours.
ERRATA = {
    "T2-64": "the H100 web edition heads this row SU=56",
    "T2-4, T2-8": "the H100 web edition prints spine-core cables on two-tier rows; the B200 edition prints a dash",
    "T3-1": "prints a dash for the core; rails without a core would be four subnets",
    "T6-16": "one table prints 64 spines, another one of the same document 72",
}


def _built(row: Row) -> Any:
    fabric = fabric_of(row.text)
    check_infiniband(fabric)
    return fabric


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.table)
def test_row(row: Row) -> None:
    found = counts(_built(row))
    expected = {key: row.errata[key][0] if key in row.errata else value for key, value in row.printed.items()}
    assert {key: found[key] for key in expected} == expected
    for key, (ours, why) in row.errata.items():
        assert ours != row.printed[key] and why


def test_the_score() -> None:
    tables = Counter(row.table.partition("-")[0] for row in ROWS)
    assert tables == {"T1": 4, "T2": 6, "T3": 5, "T4": 5, "T6": 5, "T7": 1}
    assert sum(len(row.errata) for row in ROWS) == 1
    assert all(ERRATA.values())


def test_ufm_takes_the_last_slot_of_the_first_unit() -> None:
    fabric = fabric_of(ib_text(127, manager=UFM))
    ends = {(link.a.device, link.a.port): link.b for link in fabric.links if link.a.device.startswith("ufm")}
    # Slot 32 of rails 1 to 4: port 32 of four leaves.
    assert {end.port for end in ends.values()} == {"IB1/16/2"}
    assert sorted(end.device for end in ends.values()) == [f"q-r{rail}-l01" for rail in (1, 2, 3, 4)]
    assert [fabric.devices[name].role for name in ("ufm1", "ufm2")] == [Role.MANAGER] * 2
    assert len(fabric.nodes) == 127 and len(fabric.managers) == 2
    last = [link.b.device for link in fabric.links if link.a.device == "n0127"]
    assert last == [f"q-r{rail}-l04" for rail in range(1, 9)]


def test_ufm_takes_the_port_apart_of_xdr_and_the_spare_ports_of_nvl72() -> None:
    xdr = fabric_of(ib_text(72, "dgx-b300", XDR, "xdr", UFM))
    mine = [link for link in xdr.links if link.a.device.startswith("ufm")]
    assert {(link.b.port, link.speed_gbps) for link in mine} == {("fnm1", 400)}
    nvl = fabric_of(ib_text(8, "gb200-nvl72", NVL72, manager=UFM))
    mine = [link for link in nvl.links if link.a.device.startswith("ufm")]
    assert {nvl.devices[link.b.device].ports[link.b.port].number for link in mine} == {19}
    assert {link.rail for link in mine} == {1, 2, 3, 4}


def test_nvl72_racks_port_by_port_to_rails() -> None:
    fabric = fabric_of(ib_text(8, "gb200-nvl72", NVL72))
    for link in fabric.links:
        if link.tier is Tier.HOST:
            rack, tray = link.a.device.split("-")
            leaf = fabric.devices[link.b.device]
            # Tray t of rack r, card k: port t of leaf r of rail k.
            assert link.a.port == f"rail{leaf.rail}"
            assert (leaf.index, leaf.ports[link.b.port].number) == (int(rack[1:]), int(tray))
            assert fabric.devices[link.a.device].ports[link.a.port].hca == f"mlx5_{leaf.rail - 1}"


def test_a_rail_group_of_gb200_by_hand() -> None:
    fabric = fabric_of(ib_text(16, "gb200-nvl72", NVL72))
    for leaf in switches(fabric, Role.LEAF):
        spines = Counter(end.device for _, end, link in fabric.neighbors(leaf.name) if link.tier is Tier.FABRIC)
        assert set(spines.values()) == {3} and len(spines) == 6
        assert {(fabric.devices[name].unit, fabric.devices[name].rail) for name in spines} == {(leaf.unit, leaf.rail)}
        assert [port.number for port, _, link in fabric.neighbors(leaf.name) if link.tier is Tier.FABRIC] == [
            *range(33, 51)
        ]
    for spine in switches(fabric, Role.SPINE):
        tiers = Counter(link.tier for _, _, link in fabric.neighbors(spine.name))
        assert tiers == {Tier.FABRIC: 24, Tier.CORE: 24}
        cores = Counter(end.device for _, end, link in fabric.neighbors(spine.name) if link.tier is Tier.CORE)
        assert set(cores.values()) == {8} and {fabric.devices[name].group for name in cores} == {spine.index}


def test_gb300_leaves_serve_four_racks() -> None:
    fabric = fabric_of(ib_text(16, "gb300-nvl72", GB300, "xdr"))
    for leaf in switches(fabric, Role.LEAF):
        racks = {end.device.split("-")[0] for _, end, link in fabric.neighbors(leaf.name) if link.tier is Tier.HOST}
        assert len(racks) == 4
        assert leaf.unit == (leaf.index + 1) // 2


def test_hdr() -> None:
    fabric = fabric_of(ib_text(20, "dgx-a100", "{unit: {nodes: 20}, leaf: QM8700, spine: QM8700}", "hdr"))
    check_infiniband(fabric)
    assert counts(fabric) | {"gpus": 0, "nodes": 0} == {
        "nodes": 0, "gpus": 0, "leaves": 8, "spines": 4, "cores": 0, "host links": 160, "leaf-spine": 160,
        "spine-core": 0, "spine-spine": 0,
    }  # fmt: skip
    assert {port.name for port in fabric.switches[0].ports.values()} == {f"IB1/{number}" for number in range(1, 41)}
