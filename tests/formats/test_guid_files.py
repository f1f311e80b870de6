"""Files of GUIDs: read whole, or refused with the line. CSV as spreadsheets leave it, ibnetdiscover as run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ib_topologies import fat_tree

from intent.core.diagnostic import Severity, has_errors
from intent.formats.guids import doubles, guid_digits, read_csv, read_discovered, read_guids

GOOD = "device,port,guid\nn1,mlx5_0,0x0002c903a0000101\nn2,mlx5_0,0002C903A0000201\n"


def problems(text: str) -> list[str]:
    file = read_csv(text, "g.csv")
    return [f"{item.span}: {item.message}" for item in file.diagnostics]


def test_rows_become_entries_with_their_lines() -> None:
    file = read_csv(GOOD, "g.csv")
    assert file.diagnostics == ()
    assert [(e.device, e.port, e.rail, e.guid, str(e.span)) for e in file.entries] == [
        ("n1", "mlx5_0", 0, "0002c903a0000101", "g.csv:2:1"),
        ("n2", "mlx5_0", 0, "0002c903a0000201", "g.csv:3:1"),
    ]


def test_columns_in_any_order_rails_comments_blank_lines_and_carriage_returns() -> None:
    text = "# of Tuesday\r\nguid,node,rail\r\n\r\n0002:c903:a000:0101,n1,1\r\n00:02:c9:03:a0:00:01:02,n1,2\r\n"
    file = read_csv(text, "g.csv")
    assert file.diagnostics == ()
    assert [(e.device, e.rail, e.guid) for e in file.entries] == [
        ("n1", 1, "0002c903a0000101"),
        ("n1", 2, "0002c903a0000102"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "g.csv:1:1: no GUID in it"),
        ("device,port,guid\n", "g.csv:1:1: no GUID in it"),
        ("n1,mlx5_0,0x0002c903a0000101\n", "g.csv:1:1: columns 'n1', 'mlx5_0', '0x0002c903a0000101' - expected device"),
        ("device,port\nn1,mlx5_0\n", "g.csv:1:1: column guid stands 0 times in 'device', 'port'"),
        ("device,node,guid\n", "g.csv:1:1: column device stands 2 times"),
        ("device,guid\nn1\n", "g.csv:2:1: 1 columns - expected 2"),
        ("device,guid\nn1,x,y\n", "g.csv:2:1: 3 columns - expected 2"),
        ("device,guid\nn 1,0x0002c903a0000101\n", "g.csv:2:1: device 'n 1' - expected a name"),
        ("device,guid\n,0x0002c903a0000101\n", "g.csv:2:1: device '' - expected a name"),
        ("device,guid\nn1,2.45E+18\n", "g.csv:2:1: n1: GUID '2.45E+18' - expected sixteen hexadecimal digits"),
        ("device,guid\nn1,0x2c903a0000101\n", "g.csv:2:1: n1: GUID '0x2c903a0000101' - expected sixteen"),
        ("device,guid\nn1,0x0000000000000000\n", "g.csv:2:1: n1: GUID '0x0000000000000000' - expected sixteen"),
        ("device,guid\nn1,0xffffffffffffffff\n", "g.csv:2:1: n1: GUID"),
        ("device,rail,guid\nn1,0,0x0002c903a0000101\n", "g.csv:2:1: n1: rail '0' - expected a number from 1"),
        ("device,rail,guid\nn1,²,0x0002c903a0000101\n", "g.csv:2:1: n1: rail '\\xb2' - expected a number from 1"),
        ('device,guid\n"n1,0x0002c903a0000101\n', "g.csv:2:1: not CSV"),
        ("device,guid\nn1,\0\n", "g.csv:2:1: a zero byte"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: str) -> None:
    found = problems(text)
    assert len(found) == 1
    assert found[0].startswith(expected)
    assert read_csv(text, "g.csv").entries == () or "columns" in expected


def test_one_guid_twice_and_one_port_twice_show_both_places() -> None:
    text = GOOD + "n3,mlx5_0,0x0002c903a0000101\nn1,mlx5_0,0x0002c903a0000909\n"
    one, other = read_csv(text, "g.csv").diagnostics
    assert "GUID 0x0002c903a0000101 of n3 mlx5_0 is that of n1 mlx5_0 too" in one.message
    assert (str(one.span), str(one.related[0][0])) == ("g.csv:4:1", "g.csv:2:1")
    assert "n1 mlx5_0 has two GUIDs: 0x0002c903a0000101 and 0x0002c903a0000909" in other.message
    assert (str(other.span), str(other.related[0][0])) == ("g.csv:5:1", "g.csv:2:1")


def test_a_guid_in_two_files_shows_both_files() -> None:
    files = [read_csv(GOOD, "a.csv"), read_csv(GOOD.replace("n1", "m1"), "b.csv")]
    found = doubles(files)
    assert [str(item.span) for item in found] == ["b.csv:2:1", "b.csv:3:1"]
    assert found[0].related == ((files[0].entries[0].span, "given to n1 mlx5_0 here"),)


@given(st.text(max_size=400))
def test_any_text_gives_entries_or_findings_and_never_an_exception(text: str) -> None:
    for read in (read_csv, read_discovered, read_guids):
        file = read(text, "g.csv")
        assert file.entries or file.diagnostics
        assert all(item.span is not None for item in file.diagnostics)


@given(st.integers(min_value=1, max_value=2**64 - 2))
def test_every_spelling_of_a_guid_is_one_guid(number: int) -> None:
    digits = f"{number:016x}"
    spellings = (digits, f"0x{digits.upper()}", ":".join(digits[at : at + 4] for at in range(0, 16, 4)))
    assert {guid_digits(text) for text in spellings} == {digits}


def test_what_ibnetdiscover_prints_names_hosts_cards_and_switches() -> None:
    text = (
        "# Topology file: generated on Mon Nov 30 10:00:00 2026\n#\n"
        "vendid=0x2c9\nswitchguid=0xb83fd20300f1a2c0(b83fd20300f1a2c0)\n"
        'Switch\t65 "S-b83fd20300f1a2c0"\t\t# "MF0;leaf01:MQM9700/U1" enhanced port 0 lid 1 lmc 0\n'
        '[1]\t"H-0002c903a0000100"[1](2c903a0000101) \t\t# "n1 mlx5_0" lid 3 4xNDR\n'
        '[2]\t"H-0002c903a0000100"[2](2c903a0000102) \t\t# "n1 mlx5_0" lid 4 4xNDR\n'
        '[65]\t"H-0002c903a0000200"[1](2c903a0000201) \t\t# "Mellanox Technologies Aggregation Node" lid 5 4xNDR\n\n'
        "caguid=0x2c903a0000100\n"
        'Ca\t2 "H-0002c903a0000100"\t\t# "n1 mlx5_0"\n'
        '[1](2c903a0000101) \t"S-b83fd20300f1a2c0"[1]\t\t# lid 3 lmc 0 "MF0;leaf01:MQM9700/U1" lid 1 4xNDR\n'
        '[2](2c903a0000102) \t"S-b83fd20300f1a2c0"[2]\t\t# lid 4 lmc 0 "MF0;leaf01:MQM9700/U1" lid 1 4xNDR\n\n'
        'caguid=0x2c903a0000200\nCa\t1 "H-0002c903a0000200"\t\t# "Mellanox Technologies Aggregation Node"\n'
        '[1](2c903a0000201) \t"S-b83fd20300f1a2c0"[65]\t\t# lid 5\n'
    )
    file = read_guids(text, "net.topo")
    assert [(e.device, e.port, e.guid) for e in file.entries] == [
        ("leaf01", "", "b83fd20300f1a2c0"),
        ("n1", "mlx5_0", "0002c903a0000101"),
        ("n1", "mlx5_0/2", "0002c903a0000102"),
    ]
    (finding,) = file.diagnostics
    assert finding.severity is Severity.WARNING
    assert "1 nodes have no host name in their description" in finding.message


def test_a_truncated_or_contradictory_topology_is_refused_whole() -> None:
    text = fat_tree(leaves=2, spines=2, hosts_per_leaf=4).netfile()
    for cut in (text[: len(text) // 2], text[:-40], text.replace("[1]", "[2]", 1)):
        file = read_guids(cut, "sim.net")
        assert file.entries == ()
        assert has_errors(file.diagnostics)


def test_the_simulators_own_files_are_read() -> None:
    topology = fat_tree(leaves=2, spines=2, hosts_per_leaf=4)
    file = read_guids(topology.netfile(), "sim.net")
    assert not has_errors(file.diagnostics)
    assert {int(entry.guid, 16) for entry in file.entries if entry.port} == set(topology.adapter_ports)


@pytest.mark.parametrize(
    "name", ["ndt_bad_garbage.ndt", "ndt_bad_incorrect_columns.ndt", "exporter_ibnetdiscover_test3.out", "SOURCES.md"]
)
def test_files_of_other_kinds_are_refused(name: str) -> None:
    shared = Path(os.environ.get("INTENT_SHARED") or Path(__file__).parents[3] / "shared")
    path = shared / "data" / "ib_samples" / name
    if not path.is_file():
        pytest.skip("the collected samples are not here")
    file = read_guids(path.read_text(encoding="utf-8", errors="replace"), name)
    assert file.entries == ()
    assert has_errors(file.diagnostics)
