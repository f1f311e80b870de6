"""A lab's UFM with a real OpenSM behind it: what is written over REST is read back from the simulated ports."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ib_topologies import fat_tree
from loopback import own_base
from opensm_bench import missing
from ufm_client import PlainClient

from intent.core.errors import IntentError
from intent.lab import process
from intent.lab.inprocess import LabServer
from intent.lab.subnet import programs
from intent.lab.subnet.ask import Tools
from intent.lab.subnet.follower import Follower
from intent.lab.subnet.netfile import read
from intent.lab.subnet.partitions import Rule, text_of
from intent.lab.wiring import load

needs_opensm = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SMALL = fat_tree(leaves=2, spines=2, hosts_per_leaf=2)
UFM = "ufm01"
OURS, THEIRS, LAST = (f"{guid:016x}" for guid in SMALL.adapter_ports[1:4])


def wired(folder: Path, **subnet: Any) -> Path:
    """A wiring file of one UFM with a subnet behind it."""
    (folder / "topology.net").write_text(SMALL.netfile(), encoding="ascii")
    ports = [{"guid": f"{guid:016x}", "host": f"h{at}"} for at, guid in enumerate(SMALL.adapter_ports)]
    roots = [f"{guid:016x}" for guid in SMALL.roots]
    managers = [{"name": "u1", "at": SMALL.adapters[0].identifier}]
    behind = {
        "ufm": UFM, "topology": "topology.net", "engine": "ar_updn", "roots": roots, "managers": managers, **subnet
    }  # fmt: skip
    file = folder / "wiring.json"
    document = {"ufm": [{"name": UFM, "version": "6.23.1-6", "ports": ports}], "subnet": [behind]}
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def tables(folder: Path) -> dict[str, frozenset[int]]:
    """Keys of every end port by its GUID, as `smpquery pkeys` reads them from the port itself."""
    found = {}
    for what, text, code in Tools(folder / "lab" / "subnets" / UFM).answers():
        if what.startswith("pkeys "):
            assert code == 0, text
            keys = {int(key, 16) for line in text.splitlines() for key in re.findall(r"\s0x([0-9a-f]{4})\b", line)}
            found[what.split()[1].removeprefix("0x")] = frozenset(keys - {0})
    return found


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[LabServer]:
    with LabServer(load(wired(tmp_path)), tmp_path / "lab") as running:
        yield running


def settled(lab: LabServer) -> None:
    assert lab.settled(UFM)


@needs_opensm
def test_a_key_written_over_rest_is_read_from_the_ports_and_one_pushed_by_hand_lets_the_fabric_fall_open(
    lab: LabServer, tmp_path: Path
) -> None:
    ufm = PlainClient(lab.info, UFM)
    body = {"pkey": "0x12", "guids": [OURS, THEIRS], "memberships": ["full", "limited"], "index0": False}
    assert ufm.call("POST", "/ufmRest/resources/pkeys", body | {"ip_over_ib": True})[0] == 200
    settled(lab)
    held = tables(tmp_path)
    assert held[OURS] == {0x7FFF, 0x8012}
    assert held[THEIRS] == {0x7FFF, 0x0012}
    assert held[LAST] == {0x7FFF}
    assert len(held) == len(SMALL.ports)
    status = lab.status()["controllers"][UFM]
    assert (status["engine"], status["subnet"]) == ("updn (stand-in for ar_updn)", "up")
    bad = tmp_path / "bad.conf"
    bad.write_text("Default=0x7fff : ALL=limited, SELF=full ;\ntenant=0xZZ : ALL=full ;\n", encoding="ascii")
    assert "partitions.conf" in lab.fault("partitions-by-hand", UFM, file=str(bad))
    settled(lab)
    assert set(tables(tmp_path).values()) == {frozenset({0xFFFF})}
    assert ufm.call("GET", "/ufmRest/resources/pkeys/0x12?guids_data=true")[1]["guids"], "UFM itself stays green"
    lab.fault("clear", UFM)
    settled(lab)
    assert tables(tmp_path) == held
    assert ufm.call("DELETE", f"/ufmRest/resources/pkeys/0x12/guids/{OURS}")[0] == 200
    settled(lab)
    assert tables(tmp_path)[OURS] == {0x7FFF}


@needs_opensm
def test_members_at_index_0_and_others_in_one_partition(lab: LabServer, tmp_path: Path) -> None:
    ufm = PlainClient(lab.info, UFM)
    for guid, index0 in ((OURS, True), (THEIRS, False)):
        body = {"pkey": "0x12", "guids": [guid], "membership": "full", "index0": index0, "ip_over_ib": False}
        assert ufm.call("POST", "/ufmRest/resources/pkeys", body)[0] == 200
    settled(lab)
    first = {}
    for what, text, _ in Tools(tmp_path / "lab" / "subnets" / UFM).answers():
        match = re.search(r"^\s*0:\s+0x([0-9a-f]{4})", text, re.M)
        if what.startswith("pkeys ") and match:
            first[what.split()[1].removeprefix("0x")] = int(match[1], 16)
    assert (first[OURS], first[THEIRS]) == (0x8012, 0x7FFF)


@needs_opensm
@pytest.mark.parametrize("data", [b"", b"\0\xff" * 3000, b"x" * 70_000, b"a=0x1 : 0x" + b"f" * 5000 + b" ;\n"])
def test_whatever_is_pushed_the_next_write_over_rest_puts_it_right(lab: LabServer, tmp_path: Path, data: bytes) -> None:
    bad = tmp_path / "bad.conf"
    bad.write_bytes(data)
    lab.fault("partitions-by-hand", UFM, file=str(bad))
    assert lab.settled(UFM)
    ufm = PlainClient(lab.info, UFM)
    body = {"pkey": "0x13", "guids": [OURS], "membership": "limited", "index0": False, "ip_over_ib": False}
    assert ufm.call("POST", "/ufmRest/resources/pkeys", body)[0] == 200
    assert lab.settled(UFM)
    assert lab.status()["controllers"][UFM]["subnet"] == "up"
    assert tables(tmp_path)[OURS] == {0x7FFF, 0x0013}


@needs_opensm
def test_an_opensm_that_died_starts_anew_with_the_next_write(lab: LabServer, tmp_path: Path) -> None:
    (manager,) = [
        pid for pid in told(socket_of(tmp_path / "lab")) if b"opensm" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    os.kill(manager, signal.SIGKILL)
    lab.fault("add-member", UFM, pkey="0x12", guid=OURS)
    assert lab.settled(UFM)
    lab.fault("add-member", UFM, pkey="0x13", guid=OURS)
    assert lab.settled(UFM)
    assert lab.status()["controllers"][UFM]["subnet"] == "up"
    assert tables(tmp_path)[OURS] == {0x7FFF, 0x8012, 0x8013}


@needs_opensm
def test_processes_end_with_the_lab_and_those_of_a_killed_one_are_found(tmp_path: Path) -> None:
    file = wired(tmp_path, engine="minhop", roots=[])
    folder = tmp_path / "lab"
    info = process.up(file, folder, address_base=own_base(), port=0)
    assert process.status(folder)["controllers"][UFM]["engine"] == "minhop"
    process.fault(folder, "add-member", UFM, pkey="0x12", guid=OURS)
    process.settled(folder, UFM)
    assert tables(tmp_path)[OURS] == {0x7FFF, 0x8012}
    first = socket_of(folder)
    assert len(told(first)) == 2
    os.kill(info.pid, signal.SIGKILL)
    process.down(folder)
    assert told(first) == []
    process.up(file, folder, address_base=own_base(), port=0)
    second = socket_of(folder)
    assert len(told(second)) == 2
    with pytest.raises(IntentError, match="nowhere"):
        process.fault(folder, "partitions-by-hand", UFM, file=str(tmp_path / "nowhere"))
    assert process.down(folder)
    assert told(second) == []
    assert not (folder / "subnets").exists()


def socket_of(folder: Path) -> str:
    """Name of the socket of the lab's subnet."""
    held = json.loads((folder / "subnets" / UFM / "subnet.json").read_text(encoding="utf-8"))
    return str(held["socket"])


def told(socket: str) -> list[int]:
    """Processes that were told the name of a socket."""
    words, found = f"IBSIM_SOCKNAME={socket}".encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if words in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


@needs_opensm
@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", "", "no adapter or no switch"),
        (SMALL.netfile(), "H-0000000000000000", "no adapter is called"),
        ('Switch 4 "S-1"\n[1] "H-1"[1]\n\nCa 1 "H-1"\n[1] "S-1"[1]\n' * 2, "", "ibsim|opensm"),
    ],
)
def test_a_topology_that_is_none_is_refused_and_nothing_is_left(tmp_path: Path, text: str, at: str, words: str) -> None:
    file = wired(tmp_path, managers=[{"name": "u1", "at": at}])
    (tmp_path / "topology.net").write_text(text, encoding="ascii")
    (spec,) = load(file).subnet
    made = Follower(spec, tmp_path / "work", "limited")
    with pytest.raises(IntentError, match=words):
        made.start()
    made.close()


@pytest.mark.parametrize(
    ("node", "ports", "words"),
    [
        ("0002c90300000010", ("0002c90300000010",), ""),
        ("0002c90300000010", ("0002c90300000011", "0002c90300000012"), ""),
        ("0002c90300000010", ("0002c90300000011", "0002c90300000019"), "in sequence"),
        ("0002c90300000010", ("0000000000000001",), "cannot be numbered"),
        ("0002c90300000010", ("0002c90300000002",), "2 come to GUID 0x0002c90300000001"),
    ],
)
def test_the_simulator_numbers_ports_as_they_were(
    tmp_path: Path, node: str, ports: tuple[str, ...], words: str
) -> None:
    lines = [
        "switchguid=0x0002c90300000001(0002c90300000001)",
        'Switch 4 "S-1"',
        f'[1] "H-1"[1]({ports[0]}) # x 4xNDR',
        "",
    ]
    lines += [f"caguid=0x{node}", 'Ca 2 "H-1"']
    lines += [
        f'[{number}]({guid}) "S-1"[{number}]  # lid 0 lmc 0 "x 4xNDR" lid 0 4xXDR'
        for number, guid in enumerate(ports, 1)
    ]
    file = tmp_path / "t.net"
    file.write_text("\n".join(lines), encoding="ascii")
    if words:
        with pytest.raises(IntentError, match=words):
            read(file)
        return
    made = read(file)
    assert f"caguid=0x{int(ports[0], 16) - 1:x}\n" in made.text
    assert made.slowed and made.text.count("4xHDR") == 1 + len(ports) and '"x 4xNDR"' in made.text
    assert (made.nodes, made.ports, made.adapters) == (2, 8, ("H-1",))


def test_without_the_programs_the_packages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "PATH", str(tmp_path))
    (spec,) = load(wired(tmp_path)).subnet
    with pytest.raises(IntentError) as caught:
        Follower(spec, tmp_path / "work", "limited").start()
    assert "opensm ibsim-utils libumad2sim0 infiniband-diags" in caught.value.hint


@pytest.mark.parametrize(
    ("subnet", "words"),
    [
        ({"ufm": "other"}, "no UFM is called 'other'"),
        ({"ufm": "../up"}, "not valid"),
        ({"roots": ["x"]}, "no GUID"),
        ({"engine": "updn\nx"}, "not valid"),
        ({"topology": ""}, "a file is needed"),
        ({"speed": 1}, "unknown key"),
        ({"managers": []}, "at least one"),
        ({"managers": [{"name": "../up"}]}, "not valid"),
        ({"managers": [{"name": "a", "priority": 16}]}, "from 0 to 15"),
        ({"managers": [{"name": "a"}, {"name": "a"}]}, "stands twice"),
        ({"ufm": "", "fabric": "q", "managers": [{"name": UFM}]}, "name of a controller"),
        ({"ufm": ""}, "ufm or fabric is needed"),
        ({"switches": [{"name": "s", "node": "S-1", "ports": {"a": "b"}}]}, "port numbers"),
        ({"switches": [{"name": "s", "node": 'S-1"[1]'}]}, "not valid"),
    ],
)
def test_a_subnet_in_the_wiring_file_is_read_strictly(tmp_path: Path, subnet: dict[str, Any], words: str) -> None:
    with pytest.raises(IntentError, match=words):
        load(wired(tmp_path, **subnet))


def test_without_a_subnet_nothing_can_be_pushed(tmp_path: Path) -> None:
    file = wired(tmp_path)
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["subnet"]
    file.write_text(json.dumps(document), encoding="utf-8")
    with LabServer(load(file), tmp_path / "lab") as lab:
        assert lab.status()["controllers"][UFM]["engine"] == "internal model"
        with pytest.raises(IntentError, match="no OpenSM runs behind it"):
            lab.fault("partitions-by-hand", UFM, file="x")


def test_members_stand_one_to_a_line_and_no_name_gets_into_the_file() -> None:
    rules = {0x12: Rule(True, 2, {"b" * 16: ("full", True), "a" * 16: ("limited", False)}), 0x13: Rule()}
    assert text_of(rules, "limited").decode() == (
        "management=0x7fff, ipoib : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
        f"p0012=0x0012, ipoib, sl=2 :\n    0x{'a' * 16}=limited ;\n"
        f"p0012=0x0012, indx0, ipoib, sl=2 :\n    0x{'b' * 16}=full ;\n"
        "p0013=0x0013 : ;\n"
    )
