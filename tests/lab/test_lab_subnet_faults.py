"""Simulated subnets of the lab under faults: two managers behind a UFM, and hosts with files of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from endtoend import wait_until
from ib_topologies import fat_tree
from opensm_bench import missing
from ufm_client import PlainClient

from intent.core.errors import IntentError
from intent.lab.inprocess import LabServer
from intent.lab.subnet import tell
from intent.lab.subnet.ask import Tools
from intent.lab.wiring import load

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SMALL = fat_tree(leaves=2, spines=2, hosts_per_leaf=2)
UFM = "ufm01"
FIRST, OURS, THEIRS, LAST = (f"{guid:016x}" for guid in SMALL.adapter_ports)
LEAF = next(node for node in SMALL.nodes if node.name == "leaf000")
MANAGERS = [
    {"name": "a", "at": SMALL.adapters[0].identifier, "priority": 14, "guid": FIRST},
    {"name": "b", "at": SMALL.adapters[-1].identifier, "priority": 13, "guid": LAST},
]
KEYS = f"Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\nT=0x0012 :\n    0x{OURS}=full ;\n"


def wired(folder: Path, **subnet: Any) -> Path:
    """A wiring file of one subnet."""
    (folder / "topology.net").write_text(SMALL.netfile(), encoding="ascii")
    switches = [{"name": "leaf", "node": LEAF.identifier, "ports": {"up": 3}}]
    one = {"topology": "topology.net", "managers": MANAGERS, "switches": switches, **subnet}
    document: dict[str, Any] = {"subnet": [one]}
    if "ufm" in subnet:
        document["ufm"] = [{"name": UFM, "version": "6.23.1-6"}]
    file = folder / "wiring.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[LabServer]:
    """A UFM with two managers behind it."""
    roots = [f"{guid:016x}" for guid in SMALL.roots]
    with LabServer(load(wired(tmp_path, ufm=UFM, engine="ar_updn", roots=roots)), tmp_path / "lab") as lab:
        yield lab


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[LabServer]:
    """Two hosts with files of their own."""
    with LabServer(load(wired(tmp_path, fabric="q", engine="ar_updn")), tmp_path / "lab") as lab:
        yield lab


def roles(lab: LabServer) -> dict[str, str]:
    return {name: row["role"] for name, row in lab.status()["managers"].items()}


def become(lab: LabServer, a: str, b: str) -> None:
    wait_until(lambda: roles(lab) == {"a": a, "b": b}, 60, f"a is {a}, b is {b}", 0.05)


def comes_back(lab: LabServer) -> None:
    """The first manager takes over again. On a busy machine the simulator may lose a packet, and who sent it waits for
    its end for ever; then it is started once more.
    """
    for _ in range(3):
        lab.fault("sm-start", "a")
        with suppress(AssertionError):
            wait_until(lambda: roles(lab) == {"a": "master", "b": "standby"}, 20, "a is master again", 0.05)
            return
        lab.fault("sm-kill", "a")
    raise AssertionError(f"started three times, and yet: {roles(lab)}")


def asked(lab: LabServer, subnet: str, at: str = "") -> dict[str, str]:
    """What the tools say, by what was asked."""
    return {what: text for what, text, _ in Tools(lab.info.state_dir / "subnets" / subnet, at).answers()}


def table(answers: dict[str, str], guid: str) -> set[int]:
    text = next(text for what, text in answers.items() if what.startswith(f"pkeys 0x{guid} "))
    return {int(key, 16) for line in text.splitlines() for key in re.findall(r"\s0x([0-9a-f]{4})\b", line)} - {0}


def test_behind_a_ufm_a_standby_takes_over_with_the_same_keys(pair: LabServer) -> None:
    ufm = PlainClient(pair.info, UFM)
    body = {"pkey": "0x12", "guids": [OURS], "membership": "full", "index0": False, "ip_over_ib": True}
    assert ufm.call("POST", "/ufmRest/resources/pkeys", body)[0] == 200
    assert pair.settled(UFM)
    assert roles(pair) == {"a": "master", "b": "standby"}
    assert pair.status()["controllers"][UFM]["managers"] == {"a": "master", "b": "standby"}
    before = asked(pair, UFM)
    assert table(before, OURS) == {0x7FFF, 0x8012}
    assert table(before, FIRST) == table(before, LAST) == {0xFFFF}, "ports of UFM's hosts, whichever is active"
    pair.fault("sm-kill", "a")
    # Written while nobody manages: whoever takes over has it.
    assert ufm.call("POST", "/ufmRest/resources/pkeys", {**body, "pkey": "0x13"})[0] == 200
    become(pair, "down", "master")
    assert pair.settled(UFM)
    row = pair.status()["managers"]["b"]
    assert (row["asked"], row["engine"], row["subnet"]) == ("ar_updn", "updn (stand-in for ar_updn)", "up")
    assert "mtu and rate" in row["left out"]
    assert table(asked(pair, UFM, "b"), OURS) == {0x7FFF, 0x8012, 0x8013}
    with pytest.raises(IntentError, match="does not run"):
        pair.fault("sm-kill", "a")
    comes_back(pair)
    assert table(asked(pair, UFM), OURS) == {0x7FFF, 0x8012, 0x8013}


def test_cables_and_counters(pair: LabServer) -> None:
    pair.fault("counter", "leaf", port="up", counter="LinkDownedCounter", value=7)
    assert "LinkDownedCounter == 7" in asked(pair, UFM)["errors"]
    pair.fault("link-down", "leaf", port=3)
    assert pair.status()["managers"]["a"]["cables"] == ["leaf 3 link-down"]
    down = re.compile(rf"^0x{LEAF.guid:016x} .*\s3\[.*Down/ ?Polling", re.M)
    wait_until(lambda: bool(down.search(asked(pair, UFM)["links"])), 30, "the link is down", 0.05)
    pair.fault("clear", "leaf")
    wait_until(lambda: not down.search(asked(pair, UFM)["links"]), 30, "the link is up", 0.05)
    assert pair.status()["managers"]["a"]["cables"] == []


def test_a_host_obeys_the_files_in_its_own_folder(hosts: LabServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are those of a real host, options too; only what routes is the plain engine."""
    place = hosts.info.managers["a"]
    assert table(asked(hosts, "q"), LAST) == {0xFFFF}, "nobody configured it: open, as OpenSM is without a file"
    etc = Path(place.root) / "etc" / "opensm"
    (etc / "opensm.conf").write_text(
        f"guid 0x{FIRST}\nsm_priority 15  # ours\nrouting_engine ar_updn, minhop\nroot_guid_file /etc/opensm/roots\n"
        "partition_config_file /etc/opensm/partitions.conf\n",
        encoding="ascii",
    )
    other = Path(hosts.info.managers["b"].root) / "etc" / "opensm" / "opensm.conf"
    other.write_text("sminfo_polling_timeout 1000\npolling_retry_number 2\n", encoding="ascii")
    (etc / "roots").write_text("".join(f"0x{guid:016x}\n" for guid in SMALL.roots), encoding="ascii")
    (etc / "partitions.conf").write_text(KEYS, encoding="ascii")

    def told(action: str, name: str = "a") -> int:
        monkeypatch.setattr("sys.argv", ["tell", str(hosts.info.state_dir), name, action])
        return tell.main()

    assert place.restart[-2:] == ("a", "restart")
    assert told("restart") == 0
    assert hosts.settled("q")
    assert told("restart", "b") == 0
    assert hosts.settled("q")
    become(hosts, "master", "standby")
    assert hosts.status()["managers"]["a"]["engine"] == "updn (stand-in for ar_updn)"
    assert table(asked(hosts, "q"), OURS) == {0x7FFF, 0x8012}
    assert "priority 15" in "".join(text for what, text in asked(hosts, "q").items() if what.startswith("sminfo"))

    (etc / "partitions.conf").write_text(KEYS.replace("0x0012", "0x0013"), encoding="ascii")
    assert told("hup") == 0
    changed: Callable[[], bool] = lambda: table(asked(hosts, "q"), OURS) == {0x7FFF, 0x8013}  # noqa: E731
    wait_until(changed, 30, "it read its file", 0.05)
    assert told("reboot") == 1
    assert told("hup", "nobody") == 1
    hosts.fault("sm-kill", "a")
    assert told("hup") == 1, "what does not run cannot be told"
    become(hosts, "down", "master")
    assert table(asked(hosts, "q", "b"), OURS) == {0xFFFF}, "the standby has no file: at takeover the fabric is open"
