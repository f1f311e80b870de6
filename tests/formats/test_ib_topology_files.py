"""Topology files of InfiniBand fabrics: what is written is read back; what is damaged is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nvue_trees import shared

from intent.core.diagnostic import Diagnostic
from intent.formats.ib.findings import LARGEST_CHARACTERS
from intent.formats.ib.names import names_text, read_names
from intent.formats.ib.ndt import NdtLink, ndt_text, read_ndt
from intent.formats.ib.netdiscover import read_topology, topology_text
from intent.formats.ib.topoconfig import StaticLink, read_topoconfig, topoconfig_text
from intent.formats.ib.topology import Cable, Node, NodeKind, Topology

SAMPLE = """\
#
# Topology file: generated on Mon Nov 30 12:00:00 2026
#
vendid=0x2c9
devid=0xd2f2
sysimgguid=0xb0cf0e0300d66c80
switchguid=0xb0cf0e0300d66c80(b0cf0e0300d66c80)
Switch\t65 "S-b0cf0e0300d66c80"\t\t# "MF0;leaf01:MQM9700/U1" enhanced port 0 lid 2 lmc 0
[1]\t"H-946dae03005985c8"[1](946dae03005985c8) \t\t# "node01 mlx5_0" lid 22 4xNDR
[64]\t"S-b0cf0e0300d66c90"[1]\t\t# "MF0;spine01:MQM9700/U1" lid 3 4xNDR

vendid=0x2c9
switchguid=0xb0cf0e0300d66c90(b0cf0e0300d66c90)
Switch\t65 "S-b0cf0e0300d66c90"\t\t# "MF0;spine01:MQM9700/U1" enhanced port 0 lid 3 lmc 0
[1]\t"S-b0cf0e0300d66c80"[64]\t\t# "MF0;leaf01:MQM9700/U1" lid 2 4xNDR

caguid=0x946dae03005985c8
Ca\t1 "H-946dae03005985c8"\t\t# "node01 mlx5_0"
[1](946dae03005985c8) \t"S-b0cf0e0300d66c80"[1]\t\t# lid 22 lmc 0 "MF0;leaf01:MQM9700/U1" lid 2 4xNDR
"""


def told(found: tuple[Diagnostic, ...]) -> list[str]:
    for item in found:
        assert item.span and item.span.line >= 1 and item.span.column >= 1
        assert len(item.message) < 500 and item.message.isprintable() and item.message.isascii()
    return [f"{item.span.line}:{item.span.column} {item.code} {item.message}" for item in found if item.span]


def test_what_ibnetdiscover_prints_is_read() -> None:
    read = read_topology(SAMPLE, "t.net")
    assert read.diagnostics == ()
    leaf, _, node = read.topology.nodes
    assert (leaf.kind, leaf.ports, leaf.guid, leaf.lid) == (NodeKind.SWITCH, 65, "b0cf0e0300d66c80", 2)
    assert (node.kind, node.guid, node.description) == (NodeKind.ADAPTER, "946dae03005985c8", "node01 mlx5_0")
    assert node.cables[0].guid == leaf.cables[0].peer_guid == "946dae03005985c8"
    assert [(each.id[:1], cable.port, cable.rate) for each, cable in read.topology.links()] == [
        ("S", 1, "4xNDR"),
        ("S", 64, "4xNDR"),
    ]


def test_line_ends_of_other_systems_change_nothing() -> None:
    assert len(read_topology(SAMPLE.replace("\n", "\r\n"), "t.net").topology.nodes) == 3


LEAF, SPINE, CARD = "S-b0cf0e0300d66c80", "S-b0cf0e0300d66c90", "946dae03005985c8"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1 T001 no node in the file"),
        ("# nothing\n", "1:1 T001 no node in the file"),
        (SAMPLE[: SAMPLE.index("caguid")], f"9:1 T003 {LEAF} [1] goes to 'H-{CARD}', which is not in the file"),
        (SAMPLE[: SAMPLE.rindex("[1](")], f"9:1 T003 {LEAF} [1] goes to H-{CARD} [1], which has no line of its own"),
        (SAMPLE[: SAMPLE.rindex('"S-')], '19:22 T001 expected "id"[port] of the other end, got '),
        ('[1] "x"[1]\n' + SAMPLE, "1:1 T001 expected a node (Switch, Ca, Rt) before its ports"),
        ("SW  479 22 0x0002c90300407027 4x QDR\n", "1:1 T001 expected the output of ibnetdiscover without -p"),
        ("\x1b[2J\u202e\n" + SAMPLE, "1:1 T001"),
    ],
)
def test_what_is_cut_off_is_refused_with_its_place(text: str, message: str) -> None:
    read = read_topology(text, "t.net")
    assert read.topology.nodes == ()
    assert any(message in line for line in told(read.diagnostics)), told(read.diagnostics)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[64]\t"S', '[66]\t"S', f"10:2 T001 expected a port from 1 to 65, which {LEAF} has"),
        ('c90"[1]\t\t# "MF0;spine', 'c90"[2]\t\t# "MF0;spine', "10:1 T003"),
        (f'"{LEAF}"[64]', f'"{LEAF}"[1]', f"T002 {SPINE} [1] goes to"),
        (f'[1]({CARD}) \t"S', '[1](946dae03005985c9) \t"S', "has 0x946dae03005985c9"),
        (f'Switch\t65 "{SPINE}"', f'Switch\t65 "{LEAF}"', f"T002 node '{LEAF}' is there twice"),
        ("0xb0cf0e0300d66c90(b0cf0e0300d66c90)", "0xb0cf0e0300d66c80", "T002 node GUID 'b0cf0e0300d66c80' is there"),
        ('[64]\t"S', '[1]\t"S', f"10:1 T002 {LEAF} [1] is cabled twice"),
        ("Switch\t65", "Switch\t0", "expected a number of ports from 1 to 255"),
        ("Switch\t65", "Swich\t65", "8:1 T001 expected Switch, Ca or Rt, got"),
        (f'Switch\t65 "{LEAF}"', 'Switch\t65 "S\x1f1"', "8:7 T001 expected a number of ports and the id in quotes"),
        ("switchguid=0xb0cf", "switchguid=b0cf", "7:12 T001 expected 0x and up to 16 hexadecimal digits"),
        (' \t\t# "node01', ' \t\t "node01', "expected # or the end of the line"),
    ],
)
def test_what_is_damaged_is_refused_with_its_place(old: str, new: str, message: str) -> None:
    assert old in SAMPLE
    read = read_topology(SAMPLE.replace(old, new), "t.net")
    assert read.topology.nodes == ()
    assert any(message in line for line in told(read.diagnostics)), told(read.diagnostics)


def test_a_flood_of_findings_ends() -> None:
    found = read_topology("nonsense\n" * 100_000, "t.net").diagnostics
    assert len(found) == 51 and "left out" in found[-1].message


class _Huge(str):
    def __len__(self) -> int:
        return LARGEST_CHARACTERS + 1


def test_a_file_larger_than_any_fabric_is_refused_unread() -> None:
    assert [item.code for item in read_topology(_Huge("x"), "t").diagnostics] == ["T004"]
    assert [item.code for item in read_ndt(_Huge("x"), "t")[1]] == ["T004"]


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    leaves, hosts = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    switch_cables: dict[int, list[Cable]] = {number: [] for number in range(leaves)}
    nodes: list[Node] = []
    for number in range(leaves * hosts):
        leaf, port = number % leaves, number // leaves + 1
        guid = f"{0x0002C903A0000000 + number * 16:016x}"
        switch_cables[leaf].append(Cable(port, f"H-{guid}", 1, "", guid, "4xNDR"))
        cable = Cable(1, f"S-{leaf}", port, guid, "", "4xNDR")
        words = draw(st.text(st.characters(whitelist_categories=("Lu", "Ll", "Nd")), min_size=1, max_size=8))
        nodes.append(Node(NodeKind.ADAPTER, f"H-{guid}", 1, guid, f"{words} mlx5_0", cables=(cable,)))
    switches = [
        Node(
            NodeKind.SWITCH, f"S-{number}", 65, f"{number + 1:016x}", f"MF0;l{number}:MQM9700/U1", cables=tuple(cables)
        )
        for number, cables in switch_cables.items()
    ]
    return Topology((*switches, *nodes))


def plain(topology: Topology) -> list[object]:
    return [
        (node.kind, node.id, node.ports, node.guid, node.description,
         [(c.port, c.peer, c.peer_port, c.guid, c.peer_guid, c.rate) for c in node.cables])
        for node in topology.nodes
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(topologies())
def test_what_is_written_is_read_back(topology: Topology) -> None:
    text = topology_text(topology, ("a fabric",))
    read = read_topology(text, "t.net")
    assert read.diagnostics == ()
    assert plain(read.topology) == plain(topology)
    assert topology_text(read.topology, ("a fabric",)) == text


def test_what_the_format_cannot_hold_is_refused() -> None:
    for description in ('a "quoted" name', "two\nlines"):
        with pytest.raises(ValueError, match="cannot be written"):
            topology_text(Topology((Node(NodeKind.SWITCH, "S-1", 65, "", description),)))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_reader_ever_raises(data: st.DataObject) -> None:
    start = data.draw(st.sampled_from([SAMPLE, NDT, TOPOCONFIG, NAMES, ""]))
    cut = data.draw(st.integers(0, len(start)))
    middle = data.draw(st.text(max_size=30))
    text = start[:cut] + middle + start[cut + data.draw(st.integers(0, 10)) :]
    told(read_topology(text, "f").diagnostics)
    for _, found in (read_ndt(text, "f"), read_topoconfig(text, "f"), read_names(text, "f")):
        told(found)


NDT = """\
#StartDevice,StartPort,EndDevice,EndPort,LinkType
leaf01,Port 21,core01,Blade 16_Port 2/20,Data
node01,node01 ibp11s0f0,leaf01,Port 1, Data
"""


def test_ndt() -> None:
    links, found = read_ndt(NDT, "a.ndt")
    assert found == ()
    assert [(link.start, link.end, link.kind) for link in links] == [
        (("leaf01", "Port 21"), ("core01", "Blade 16_Port 2/20"), "Data"),
        (("node01", "node01 ibp11s0f0"), ("leaf01", "Port 1"), "Data"),
    ]
    assert ndt_text(links) == NDT.replace(", Data", ",Data")
    assert ndt_text([NdtLink(("a", "Port 1"), ("b", "Port 2"))]).endswith("\na,Port 1,b,Port 2,Data\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1 T001 expected the header #StartDevice,"),
        ("cyber sport > usual sport\n", "1:1 T001 expected the header"),
        (NDT.replace("StartPort,", ""), "1:1 T001 expected the header"),
        (NDT + "a,Port 1,b,Port 2\n", "4:1 T001 expected 5 columns, got 4"),
        (NDT + "a,abra,b,Port 2,Data\n", "4:3 T001 expected a port such as 'Port 21' or 'a mlx5_0', got 'abra'"),
        (NDT + "a,b mlx5_0,b,Port 2,Data\n", "4:3 T001 expected a port"),
        (NDT + "a b,Port 1,b,Port 2,Data\n", "4:1 T001 expected the name of a device"),
        (NDT + "leaf01,Port 21,b,Port 2,Data\n", "4:1 T002 leaf01, Port 21: two cables in one port"),
        (NDT + "a,Port 1,a,Port 1,Data\n", "4:1 T002 a Port 1 is plugged into itself"),
    ],
)
def test_ndt_that_is_refused(text: str, message: str) -> None:
    links, found = read_ndt(text, "a.ndt")
    assert links == ()
    assert any(message in line for line in told(found)), told(found)


TOPOCONFIG = (
    "0xb0cf0e0300d66c80,1,0x946dae03005985c8,1,Any,Active\n0xb0cf0e0300d66c80,64,0xb0cf0e0300d66c90,1,Any,Active\n"
)


def test_topoconfig() -> None:
    links, found = read_topoconfig("# all links\n\n" + TOPOCONFIG, "topoconfig.conf")
    assert found == () and links[0].target == ("946dae03005985c8", 1)
    assert topoconfig_text(links) == TOPOCONFIG
    assert topoconfig_text([]) == ""
    assert topoconfig_text([StaticLink(("1" * 16, 1), ("2" * 16, 2))]) == f"0x{'1' * 16},1,0x{'2' * 16},2,Any,Active\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0xb0cf0e0300d66c80,1,0x946dae03005985c8,1,Any", "T001 expected srcGUID"),
        ("0xb0cf0e0300d66c8,2,0x946dae03005985c8,1,Any,Active", "3:1 T001"),
        ("0xb0cf0e0300d66c80,2,946dae03005985c8,1,Any,Active", "3:22 T001"),
        ("0xb0cf0e0300d66c80,x,0x946dae03005985c8,1,Any,Active", "got 'x'"),
        ("0xb0cf0e0300d66c80,2,0x946dae03005985c8,2,Some,Active", "got 'Some,Active'"),
        ("0xb0cf0e0300d66c80,1,0x946dae03005985c9,1,Any,Active", "T002 0xb0cf0e0300d66c80 port 1: two links"),
        ("0xb0cf0e0300d66c81,1,0xb0cf0e0300d66c81,1,Any,Active", "T002 0xb0cf0e0300d66c81 port 1"),
    ],
)
def test_topoconfig_that_is_refused(line: str, message: str) -> None:
    links, found = read_topoconfig(TOPOCONFIG + line + "\n", "topoconfig.conf")
    assert links == ()
    assert any(message in each for each in told(found)), told(found)


NAMES = '0xb0cf0e0300d66c80 "leaf01"\n0xb0cf0e0300d66c90 "spine01"\n'


def test_node_name_map() -> None:
    names, found = read_names("# ours\n" + NAMES, "ib-node-name-map")
    assert found == () and names["b0cf0e0300d66c90"] == "spine01"
    assert names_text(names) == NAMES
    assert read_names('0x1 "a"\n', "m")[0] == {"0" * 15 + "1": "a"}
    for line, part in (("leaf01", "expected 0xGUID"), ('0x1 "a\x1bb"', "T001"), (NAMES.splitlines()[0], "two names")):
        assert any(part in each for each in told(read_names(NAMES + line + "\n", "m")[1]))


def _samples() -> list[Path]:
    data = shared() / "data"
    return sorted(path for folder in ("ib_samples", "cabling_samples") for path in (data / folder).iterdir())


def test_public_files_are_read_whole_or_refused_with_a_place() -> None:
    whole = []
    for path in _samples():
        text = path.read_text(encoding="utf-8")
        read = read_topology(text, path.name)
        assert bool(read.topology.nodes) != bool(told(read.diagnostics))
        links, found = read_ndt(text, path.name)
        assert not links and told(found)
        whole += [path.name] if read.topology.nodes else []
    assert whole == ["ibsim_net.2sw2path", "ibtopotool_2.topo"]
