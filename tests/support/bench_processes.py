"""Processes of a bench of the real OpenSM: the simulator, waiting, ending, and what a tool prints of a table."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

from ib_topologies import Topology

SBIN = "/usr/sbin:/usr/bin:/sbin:/bin"
DEADLINE_S = 120.0
PROMPT = b"sim>"


class BenchError(Exception):
    """The bench itself does not work; never a verdict on the product."""


def start_simulator(folder: Path, topology: Topology, socket: str, user: str | None) -> subprocess.Popen[bytes]:
    """Start the simulator on a topology; it takes orders when this returns."""
    path = shutil.which("ibsim", path=SBIN)
    assert path is not None
    nodes = len(topology.nodes) + 16
    ports = sum(node.ports + 1 for node in topology.nodes) + 64
    out = folder / "ibsim.out"
    limits = ["-N", str(nodes), "-S", str(nodes), "-P", str(ports)]
    process = subprocess.Popen(
        [path, "-s", *limits, "fabric.net"],
        cwd=folder,
        env={"PATH": SBIN, "IBSIM_SOCKNAME": socket},
        user=user,
        stdin=subprocess.PIPE,
        stdout=out.open("wb"),
        stderr=subprocess.STDOUT,
    )
    until = time.monotonic() + DEADLINE_S
    while PROMPT not in out.read_bytes():
        if process.poll() is not None or time.monotonic() > until:
            end(process)
            raise BenchError(f"ibsim does not start: {out.read_text(errors='replace')[-500:]}")
        pause(process, 0.01)
    return process


def pause(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for the process to end or the time to pass, whichever is first."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, with force where words do not help."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def table_of(text: str) -> tuple[int, ...]:
    """`smpquery pkeys` writes rows of eight: `   0: 0xffff 0x8012 …`."""
    keys: list[int] = []
    for line in text.splitlines():
        match = re.match(r"\s*\d+:((?:\s+0x[0-9a-f]{4})+)\s*$", line)
        if match:
            keys += [int(word, 16) for word in match[1].split()]
    if not keys:
        raise BenchError(f"no P_Key table in: {text[:300]}")
    return tuple(keys)
