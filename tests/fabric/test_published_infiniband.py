"""Published InfiniBand designs compile to the published counts, row by row; what the sources get wrong is listed.

T1 to T4, T6 and T7 are tables of NVIDIA's DGX SuperPOD reference architectures (see `docs/sizing.md`): H100 and B200,
small (T1) and large (T2), GB200 (T3), B300 XDR (T4), Rubin NVL8 (T6), GB300 (T7).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from infiniband_sites import NVL72, UFM, XDR, check_infiniband, counts, ib_text
from site_builder import fabric_of, switches

from intent.fabric.model import Role, Tier

GB300 = "{unit: {racks: 8}, leaf: Q3400-RD, spine: Q3400-RD}"


@dataclass(frozen=True)
class Row:
    """A published row, and how its design is written.

    Args:
        table: name of the table and its units.
        text: the intent.
        printed: what the source prints.
        errata: columns the source gets wrong: what we get, and why.
    """

    table: str
    text: str
    printed: dict[str, int]
    errata: dict[str, tuple[int, str]] = field(default_factory=dict)


def _t1(units: int, leaves: int, spines: int, hosts: int, fabric: int) -> Row:
    nodes = 32 * units - 1
    printed = {"nodes": nodes, "gpus": 8 * nodes, "leaves": leaves, "spines": spines, "cores": 0}
    return Row(f"T1-{units}", ib_text(nodes, manager=UFM), printed | {"host links": hosts, "leaf-spine": fabric})


def _t2(
    units: int,
    gpus: int,
    leaves: int,
    spines: int,
    cores: int,
    links: int,
    errata: dict[str, tuple[int, str]] | None = None,
) -> Row:
    printed = {"nodes": 32 * units, "gpus": gpus, "leaves": leaves, "spines": spines, "cores": cores}
    printed |= {"host links": links, "leaf-spine": links, "spine-core": links if cores else 0}
    kind = "dgx-b200" if units == 2 else "dgx-h100"
    return Row(f"T2-{units}", ib_text(32 * units, kind), printed, errata or {})


def _t3(units: int, gpus: int, leaves: int, spines: int, cores: int | None) -> Row:
    printed = {"gpus": gpus, "leaves": leaves, "spines": spines} | ({} if cores is None else {"cores": cores})
    return Row(f"T3-{units}", ib_text(8 * units, "gb200-nvl72", NVL72, manager=UFM), printed)


def _t4(
    units: int, gpus: int, leaves: int, spines: int, links: int, errata: dict[str, tuple[int, str]] | None = None
) -> Row:
    printed = {"nodes": 72 * units, "gpus": gpus, "leaves": leaves, "spines": spines, "cores": 0}
    printed |= {"host links": links, "leaf-spine": links}
    return Row(f"T4-{units}", ib_text(72 * units, "dgx-b300", XDR, "xdr"), printed, errata or {})


def _t6(units: int, leaves: int, spines: int, links: int) -> Row:
    # The node's eight XDR ports are those of a B300.
    printed = {"nodes": 72 * units, "gpus": 576 * units, "leaves": leaves, "spines": spines}
    printed |= {"host links": links, "leaf-spine": links}
    return Row(f"T6-{units}", ib_text(72 * units, "dgx-b300", XDR, "xdr"), printed)


ROWS = [
    _t1(1, 8, 4, 252, 256),
    _t1(2, 16, 8, 508, 512),
    _t1(3, 24, 16, 764, 768),
    _t1(4, 32, 16, 1020, 1024),
    _t2(2, 512, 16, 8, 0, 512),
    _t2(4, 1024, 32, 16, 0, 1024),
    _t2(8, 2048, 64, 32, 0, 2048),
    _t2(16, 4096, 128, 128, 64, 4096),
    _t2(32, 8192, 256, 256, 128, 8192),
    _t2(64, 16384, 512, 512, 256, 16384),
    _t3(1, 576, 32, 24, None),
    _t3(2, 1152, 64, 48, 18),
    _t3(4, 2304, 128, 96, 36),
    _t3(8, 4608, 256, 192, 72),
    _t3(16, 9216, 512, 384, 144),
    _t4(1, 576, 8, 4, 576),
    _t4(2, 1152, 16, 8, 1152),
    _t4(4, 2304, 32, 18, 2304),
    _t4(8, 4608, 64, 36, 4608),
    _t4(18, 9216, 144, 72, 10368, {"gpus": (10368, "1296 nodes of 8 GPUs; its cable count says so too")}),
    _t6(1, 8, 4, 576),
    _t6(2, 16, 8, 1152),
    _t6(4, 32, 18, 2304),
    _t6(8, 64, 36, 4608),
    _t6(16, 128, 72, 9216),  # second table of the source; the first prints 64, which does not divide 72 uplinks
    Row(
        "T7-2",
        ib_text(16, "gb300-nvl72", GB300, "xdr"),
        {"gpus": 1152, "leaves": 16, "spines": 8},
    ),
]

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
