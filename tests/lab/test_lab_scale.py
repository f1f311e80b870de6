"""What a thousand switches cost. The figures are the limits the lab promises."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from lab_client import LabClient
from lab_trees import wide_tree
from loopback import own_base

from intent.lab import process

PORTS = 128
MEMORY_MB = 400
CPU_MS = 50


def resident_mb(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def change_all(folder: Path, count: int, base: str) -> tuple[float, float]:
    """Apply and confirm a 128-port configuration on every switch; memory in MB and CPU in ms per switch."""
    switches = [{"name": f"l{number}", "model": "SN5600", "release": "5.16.4"} for number in range(count)]
    file = folder / "wiring.json"
    file.write_text(json.dumps({"switches": switches}))
    info = process.up(file, folder / "lab", port=0, address_base=base)
    try:
        before = cpu_s(info.pid)
        for number, name in enumerate(info.switches):
            leaf = LabClient(info, name)
            revision = leaf.load(wide_tree(PORTS, 65000 + number))
            assert leaf.get("/", rev=revision, diff="applied", filled="false")
            assert leaf.get("/", rev="applied", diff=revision, filled="false")
            leaf.start(revision, confirm=600)
            assert leaf.wait(revision)["state"] == "confirm"
            assert leaf.order(revision, {"state": "confirm_yes"})[0] == 200
            leaf.close()
        return resident_mb(info.pid), (cpu_s(info.pid) - before) * 1000 / count
    finally:
        process.down(folder / "lab")


def test_an_apply_is_cheap_for_the_lab(tmp_path):
    memory, cpu = change_all(tmp_path, 24, own_base())
    assert memory < 120
    assert cpu < 3 * CPU_MS, "three times the promise: the machine may be busy"


@pytest.mark.nightly
def test_a_thousand_switches_of_128_ports_fit_in_400_mb(tmp_path):
    memory, cpu = change_all(tmp_path, 1000, own_base(1024))
    print(f"1000 switches of {PORTS} ports: {memory:.0f} MB, {cpu:.1f} ms CPU per apply")
    assert memory < MEMORY_MB
    assert cpu < CPU_MS
