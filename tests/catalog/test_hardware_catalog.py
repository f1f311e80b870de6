"""The hardware catalog: counts of published port tables, names, lookups."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from nvue_trees import shared

from intent.catalog.hardware import Catalog, Confidence, UnknownName, custom_group
from intent.core.errors import IntentError

CATALOG = Catalog.load()
DATA = Path(__file__).resolve().parents[2] / "intent" / "catalog" / "data"


@pytest.mark.parametrize(
    ("name", "speed", "ports"),
    [
        ("SN5600", 800, 64),
        ("SN5600", 400, 128),
        ("SN5600", 200, 256),
        ("SN5600", 100, 256),
        ("SN5400", 400, 64),
        ("SN5400", 200, 128),
        ("SN4700", 400, 32),
        ("SN4700", 100, 128),
        ("SN4700", 50, 128),
        ("SN4600C", 100, 64),
        ("SN4600C", 25, 128),
        ("SN4600", 50, 128),
        ("SN3700", 200, 32),
        ("SN3700", 50, 128),
        ("SN3700C", 25, 128),
        ("SN2201", 1, 64),
        ("SN2201", 100, 4),
        ("SN2201", 25, 16),
        ("SN2201", 800, 0),
    ],
)
def test_logical_ports_are_those_of_the_guide(name: str, speed: int, ports: int) -> None:
    assert CATALOG.switch(name).logical_ports(speed) == ports


def test_breakout_rules_of_sn5600() -> None:
    switch = CATALOG.switch("SN5600")
    split = switch.breakout(2, 400)
    assert split is not None
    assert (split.word, split.lanes, len(split.cages), split.disabled_by(1)) == ("2x", 4, 64, None)
    eight = switch.breakout(8, 100)
    assert eight is not None
    assert eight.cages[:3] == (1, 3, 5)
    assert eight.disabled_by(1) == 2
    assert switch.breakout(2, 800) is None
    assert switch.breakout(3, 100) is None
    assert [cage.number for cage in switch.bonus_cages] == [65]
    assert 65 not in split.cages


def test_port_names() -> None:
    switch = CATALOG.switch("SN5600D")
    assert switch.name == "SN5600"
    assert switch.port_name(1) == "swp1"
    assert switch.port_name(1, 0, 2) == "swp1s0"
    with pytest.raises(IntentError, match="no part 2") as caught:
        switch.port_name(1, 2, 2)
    assert "0 to 1" in caught.value.hint
    with pytest.raises(IntentError, match="no cage 66"):
        switch.port_name(66)


def test_adaptive_routing_by_chip_and_speed() -> None:
    assert CATALOG.switch("SN5600").asic.routes_adaptively(400)
    assert not CATALOG.switch("SN5600").asic.routes_adaptively(800)
    assert not CATALOG.switch("SN5600").asic.routes_adaptively(100)
    assert CATALOG.switch("SN5640").asic.routes_adaptively(800)
    assert not CATALOG.switch("SN4700").asic.routes_adaptively(400)
    assert CATALOG.asics["Spectrum-4"].ecn_min_readback_bytes == 159744


def test_b300_ports_go_half_to_each_plane() -> None:
    ports = CATALOG.node("dgx-b300").group("east-west").ports()
    assert len(ports) == 16
    assert [(p.name, p.cage, p.sub_port, p.breakout, p.part) for p in ports[:2]] == [
        ("rail1p1", "east-west-1", 0, 2, 1),
        ("rail1p2", "east-west-1", 1, 2, 2),
    ]
    assert {p.speed_gbps for p in ports} == {400}
    assert [p.rail for p in ports[::2]] == list(range(1, 9))
    assert len({p.name for p in ports}) == 16
    assert all(len(p.name) <= 15 for p in ports)


@pytest.mark.parametrize(("rack", "nics", "ports", "speed"), [("gb200-nvl72", 4, 4, 400), ("gb300-nvl72", 4, 8, 400)])
def test_racks(rack: str, nics: int, ports: int, speed: int) -> None:
    node = CATALOG.node(rack)
    assert (node.trays, node.gpus, node.is_rack) == (18, 4, True)
    group = node.group("east-west")
    assert group.count == nics
    assert [p.speed_gbps for p in group.ports()] == [speed] * ports
    if rack == "gb300-nvl72":
        assert len(group.ports("ethernet", "4x200G")) == 16
        assert len(group.ports("infiniband")) == 4


def test_h100_twin_cages_hold_two_cards() -> None:
    ports = CATALOG.node("dgx-h100").group("east-west").ports()
    assert [(p.cage, p.sub_port) for p in ports[:3]] == [("east-west-1", 0), ("east-west-1", 1), ("east-west-2", 0)]


def test_unknown_names_say_what_is_near() -> None:
    with pytest.raises(UnknownName) as caught:
        CATALOG.switch("sn56O0")
    assert "SN5600" in caught.value.near
    assert "did you mean" in caught.value.hint
    with pytest.raises(UnknownName, match="'4x400G'"):
        CATALOG.node("dgx-b300").group("east-west").ports("ethernet", "4x400G")
    with pytest.raises(UnknownName) as caught:
        CATALOG.node("servers").group("east-west")
    assert "management" in caught.value.hint


def test_a_group_described_by_the_intent() -> None:
    group = custom_group("data", CATALOG.nic("cx7"), 2, "2x200G")
    assert [p.name for p in group.ports()] == ["data1p1", "data1p2", "data2p1", "data2p2"]
    assert {p.cage for p in group.ports()} == {"data-1", "data-2", "data-3", "data-4"}
    for layout in ("2x800G", "x", "0x400G", "2x400"):
        with pytest.raises(IntentError, match="ports"):
            custom_group("data", CATALOG.nic("cx7"), 1, layout)


def test_every_row_has_a_source() -> None:
    for name in ("switches", "infiniband", "asics", "nodes"):
        data = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
        for rows in data.values():
            assert all(row["source"] for row in rows)
    for switch in CATALOG.switches.values():
        assert switch.buffer.source
        assert (switch.buffer.size_bytes == 0) == (switch.buffer.confidence is Confidence.UNKNOWN)


# Where the public device-type library differs from the vendor's guide, which we follow: it knows no bonus ports.
LIBRARY_DIFFERS = {"SN5600": {"swp65"}, "SN5610": {"swp65", "swp66"}}


def test_against_the_public_device_type_library() -> None:
    compared = 0
    for path in sorted((shared() / "data" / "devicetypes").glob("*/*.y*ml")):
        row = yaml.safe_load(path.read_text(encoding="utf-8"))
        if row["model"] not in CATALOG.switches or CATALOG.switch(row["model"]).infiniband:
            continue
        switch = CATALOG.switch(row["model"])
        theirs = {i["name"] for i in row["interfaces"] if i["name"].startswith("swp")}
        ours = {switch.port_name(cage.number) for cage in switch.cages}
        assert ours ^ theirs == LIBRARY_DIFFERS.get(switch.name, set()), switch.name
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize(
    ("name", "generation", "speed", "ports", "first", "last"),
    [
        ("QM8700", "hdr", 200, 40, "IB1/1", "IB1/40"),
        ("QM8790", "hdr", 200, 40, "IB1/1", "IB1/40"),
        ("QM8700", "hdr", 100, 80, "IB1/1/1", "IB1/40/2"),
        ("QM9700", "ndr", 400, 64, "IB1/1/1", "IB1/32/2"),
        ("MQM9790", "ndr", 400, 64, "IB1/1/1", "IB1/32/2"),
        ("QM9700", "ndr", 200, 128, "IB1/1/1/1", "IB1/32/2/2"),
        ("Q3400", "xdr", 800, 144, "sw1p1", "sw72p2"),
        ("Q3400-RD", "xdr", 800, 144, "sw1p1", "sw72p2"),
    ],
)
def test_infiniband_ports(name: str, generation: str, speed: int, ports: int, first: str, last: str) -> None:
    switch = CATALOG.switch(name)
    assert switch.infiniband and switch.infiniband.generation == generation
    assert switch.kind == "infiniband" and CATALOG.switch("SN5600").kind == "ethernet"
    assert switch.logical_ports(speed) == ports
    way = switch.breakout_for(speed)
    assert way is not None
    names = [
        switch.port_name(cage, part if way.parts > 1 else None, way.parts)
        for cage in way.cages
        for part in range(way.parts)
    ]
    assert (names[0], names[-1], len(set(names))) == (first, last, ports)


def test_infiniband_names_against_the_public_device_type_library() -> None:
    found = shared() / "data" / "devicetypes" / "Nvidia" / "Q3400-RA.yaml"
    theirs = {i["name"] for i in yaml.safe_load(found.read_text(encoding="utf-8"))["interfaces"]}
    switch = CATALOG.switch("Q3400-RA")
    assert switch.infiniband
    ours = {switch.port_name(cage.number, part, 2) for cage in switch.cages for part in (0, 1)}
    ours |= {port.name for port in switch.infiniband.sm_ports}
    assert ours == {name for name in theirs if name.startswith(("sw", "fnm"))}


def test_infiniband_layouts_of_nodes() -> None:
    for name, speed, count in (
        ("dgx-a100", 200, 8),
        ("dgx-h100", 400, 8),
        ("dgx-b300", 800, 8),
        ("gb200-nvl72", 400, 4),
    ):
        ports = CATALOG.node(name).group("east-west").ports("infiniband")
        assert [(p.speed_gbps, p.hca) for p in ports] == [(speed, f"mlx5_{index}") for index in range(count)]
    assert CATALOG.nic("cx7").pkeys == 128
