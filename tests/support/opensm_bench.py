"""A real subnet manager on a simulated fabric: ibsim, OpenSM and the diagnostic tools, unprivileged.

Each bench has its own abstract socket (IBSIM_SOCKNAME), working folder and processes; several run side by side.
Processes are ended by their own handle. Every wait has a deadline and ends on what was waited for, never on time.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench_processes import DEADLINE_S, PROMPT, SBIN, BenchError, end, pause, start_simulator, table_of
from ib_topologies import Topology

TOOLS = ("opensm", "ibsim", "smpquery", "saquery")
SHIM = next(iter(sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))), None)
UP = "SUBNET UP"


def missing() -> str:
    """Why no bench can be set up here; empty when one can."""
    for tool in TOOLS:
        if shutil.which(tool, path=SBIN) is None:
            return f"{tool} is not installed (apt: opensm ibsim-utils infiniband-diags)"
    return "" if SHIM else "libumad2sim.so is not installed (apt: libumad2sim0)"


@dataclass(slots=True)
class Bench:
    """A simulated fabric with, once started, a subnet manager.

    Args:
        folder: working folder of all processes.
        topology: what is simulated.
        socket: name of the simulator's socket.
        simulator: the simulator.
        user: whom the processes run as; None is whoever runs the tests.
        at: node the subnet manager is attached to.
        manager: the subnet manager, once started.
        reader: process that reads tables, once needed.
        started: all processes but the simulator, of benches beside this one as well.
    """

    folder: Path
    topology: Topology
    socket: str
    simulator: subprocess.Popen[bytes]
    user: str | None
    at: str
    manager: subprocess.Popen[bytes] | None = None
    reader: subprocess.Popen[bytes] | None = None
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """Log of the subnet manager."""
        return self.folder / "opensm.log"

    @property
    def partitions(self) -> Path:
        """Its partition file."""
        return self.folder / "partitions.conf"

    def configure(self, partitions: bytes | None, **options: str) -> None:
        """Write opensm.conf and the partition file (None: there is none)."""
        values = {
            "sm_priority": "14",
            "routing_engine": "minhop",
            "partition_config_file": str(self.partitions),
            "log_file": str(self.log),
            "log_flags": "0x03",
            "force_log_flush": "TRUE",
            "accum_log_file": "FALSE",
            "dump_files_dir": str(self.folder),
            "sweep_interval": "0",
            "max_wire_smps": "32",
            "qos": "TRUE",
            "qos_max_vls": "4",
            "console": "off",
            "per_module_logging_file": "/nonexistent",
            "prefix_routes_file": "/nonexistent",
            **options,
        }
        lines = [f"{key} {value}" for key, value in values.items()]
        self._own(self.folder / "opensm.conf", "\n".join(lines).encode() + b"\n")
        self.install(partitions)

    def install(self, partitions: bytes | None) -> None:
        """Replace the partition file the safe way: a new file, then a rename."""
        if partitions is None:
            self.partitions.unlink(missing_ok=True)
            return
        fresh = self.folder / "partitions.new"
        self._own(fresh, partitions)
        fresh.rename(self.partitions)

    def write(self, name: str, text: str) -> Path:
        """A further file for the manager; its path."""
        self._own(self.folder / name, text.encode())
        return self.folder / name

    def once(self, deadline_s: float = DEADLINE_S) -> str:
        """One sweep of a fresh subnet manager, within so many seconds; what its log says."""
        self.log.unlink(missing_ok=True)
        ran = self.run("opensm", "-o", "-F", str(self.folder / "opensm.conf"), check=False, deadline_s=deadline_s)
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        if UP not in text:
            raise BenchError(f"opensm ended with {ran.returncode} and no SUBNET UP: {text[-500:]}{ran.stdout[-500:]}")
        return text

    def start_manager(self, until: str = UP) -> str:
        """Start a subnet manager that stays; what it logs until a text comes, by default the end of its first sweep."""
        self.log.unlink(missing_ok=True)
        self.manager = self._start("opensm", "-F", str(self.folder / "opensm.conf"))
        return self.wait_for(until)

    def kill_manager(self) -> None:
        """End the subnet manager as a power cut would.

        The simulator forgets it first: it answers nothing at all to a packet that finds its receiver dead, unlike a
        port with nobody behind it, and the OpenSM that sent the packet waits for its end for ever.
        """
        assert self.manager is not None
        client = re.search(rf"^Client (\d+): pid {self.manager.pid} ", self.console("Attached"), re.MULTILINE)
        if client is None:
            raise BenchError(f"the simulator does not know the manager with pid {self.manager.pid}")
        self.console(f"X {client[1]}")
        self.manager.kill()
        self.manager.wait(DEADLINE_S)

    def beside(self, at: str, name: str) -> Bench:
        """Another subnet manager of the same fabric, with files of its own.

        Args:
            at: node it is attached to.
            name: name of its folder.
        """
        folder = self.folder / name
        folder.mkdir()
        if self.user:
            shutil.chown(folder, self.user)
        return Bench(folder, self.topology, self.socket, self.simulator, self.user, at, started=self.started)

    def reload(self, partitions: bytes | None) -> str:
        """Give the running manager another partition file; what it logs until it has surely read it.

        Now and then a sweep of before ends behind the mark, so one end of a sweep proves nothing: the second does.
        """
        if self.manager is None:
            raise BenchError("no manager runs")
        start = self.mark()
        self.install(partitions)
        for _ in range(2):
            offset = self.mark()
            self.manager.send_signal(signal.SIGHUP)
            self.wait_for(UP, offset)
        return self._log_since(start)

    def mark(self) -> int:
        """Where the log ends now; taken before a change, so that what follows is its effect."""
        return self.log.stat().st_size

    def wait_for(self, text: str, offset: int = 0) -> str:
        """What the manager logs behind an offset until a text comes."""
        if self.manager is None:
            raise BenchError("no manager runs")
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            said = self._log_since(offset)
            if text in said:
                return said
            if self.manager.poll() is not None:
                raise BenchError(f"opensm ended with {self.manager.returncode}: {said[-500:]}")
            pause(self.manager, 0.01)
        raise BenchError(f"no {text!r} within {DEADLINE_S:.0f} s: {self._log_since(offset)[-500:]}")

    def run(
        self, tool: str, *arguments: str, at: str = "", check: bool = True, deadline_s: float = DEADLINE_S
    ) -> subprocess.CompletedProcess[str]:
        """Run a tool on the simulated fabric.

        Args:
            tool: name of the program.
            arguments: its arguments.
            at: node it is attached to; empty means the node of the subnet manager.
            check: raise when it fails.
            deadline_s: seconds it may take.
        """
        path = shutil.which(tool, path=SBIN)
        if path is None:
            raise BenchError(f"{tool} is not installed")
        ran = subprocess.run(
            [path, *arguments],
            cwd=self.folder,
            env=self._environment(at),
            user=self.user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=deadline_s,
            check=False,
        )
        text = ran.stdout.decode("utf-8", errors="replace")
        if check and ran.returncode:
            raise BenchError(f"{tool} {' '.join(arguments)}: exit code {ran.returncode}: {text[-800:]}")
        return subprocess.CompletedProcess(ran.args, ran.returncode, text, "")

    def lids(self) -> dict[int, int]:
        """LID of each port GUID, from the manager's own map."""
        text = (self.folder / "guid2lid").read_text(encoding="ascii")
        rows = (line.split() for line in text.splitlines() if line.strip())
        return {int(row[0], 16): int(row[1], 16) for row in rows}

    def pkeys_of(self, guid: int, *, lids: Mapping[int, int] | None = None) -> tuple[int, ...]:
        """P_Key table of one end port as the port itself reports it, by index; zero where empty."""
        lid = (lids or self.lids())[guid]
        return table_of(self.run("smpquery", "pkeys", str(lid), str(self._port_number(guid))).stdout)

    def pkey_tables(self) -> dict[int, frozenset[int]]:
        """P_Keys of every end port, read from the ports themselves, by port GUID."""
        return {guid: frozenset(keys) - {0} for guid, keys in self._read_tables().items()}

    def first_keys(self) -> dict[int, int]:
        """P_Key at index 0 of every end port, by port GUID."""
        return {guid: keys[0] for guid, keys in self._read_tables().items()}

    def groups(self, at: str) -> dict[str, tuple[int, int]]:
        """Codes of MTU and rate of the multicast groups a node can see, by MGID. An answer of many groups is cut."""
        said = self.run("saquery", "-g", at=at).stdout
        found = re.findall(r"MGID\.+(\S+)\s.*?Mtu\.+0x(\w+)\s.*?Rate\.+0x(\w+)", said, re.DOTALL)
        return {mgid: (int(mtu, 16) & 63, int(rate, 16) & 63) for mgid, mtu, rate in found}

    def forwarding(self) -> str:
        """Forwarding tables of all switches; `configure` must have set log_flags 0x43."""
        return (self.folder / "opensm-lfts.dump").read_text(encoding="utf-8")

    def console(self, command: str) -> str:
        """One command on the simulator's console (`Unlink`, `ReLink`, `PerformanceSet` …); what it says until done."""
        assert self.simulator.stdin is not None
        out = self.folder / "ibsim.out"
        before = out.read_bytes()
        self.simulator.stdin.write(command.encode() + b"\n")
        self.simulator.stdin.flush()
        self.eventually(lambda: out.read_bytes().count(PROMPT) > before.count(PROMPT))
        return out.read_bytes()[len(before) :].decode("utf-8", errors="replace")

    def eventually(self, holds: Callable[[], bool]) -> None:
        """Ask until something holds; it must within the deadline. A port that does not answer yet is asked again."""
        until = time.monotonic() + DEADLINE_S
        while not _answers(holds):
            if time.monotonic() > until or self.simulator.poll() is not None:
                raise BenchError(f"did not come true within {DEADLINE_S:.0f} s")
            pause(self.simulator, 0.05)

    def close(self) -> None:
        """End what was started, newest first."""
        for process in reversed(self.started):
            end(process)

    def _read_tables(self) -> dict[int, list[int]]:
        """Tables from the ports themselves; one process reads them all, because starting a tool for each costs most."""
        if self.reader is None:
            self.reader = subprocess.Popen(
                [sys.executable, "-I", str(Path(__file__).with_name("pkey_reader.py"))],
                cwd=self.folder,
                env=self._environment(""),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self.started.append(self.reader)
        assert self.reader.stdin is not None
        assert self.reader.stdout is not None
        lids, tables = self.lids(), {}
        for guid in self.topology.ports:
            is_switch = guid in self.topology.switches
            self.reader.stdin.write(f"{lids[guid]} 0 {int(is_switch)} {1 if is_switch else 2}\n".encode())
            self.reader.stdin.flush()
            answer = self.reader.stdout.readline().decode()
            if not answer or answer.startswith("error"):
                raise BenchError(f"no P_Key table of 0x{guid:016x}: {answer}")
            tables[guid] = [int(key, 16) for key in answer.split()]
        return tables

    def _port_number(self, guid: int) -> int:
        return 0 if guid in self.topology.switches else self.topology.ports[guid].number

    def _start(self, tool: str, *arguments: str, at: str = "") -> subprocess.Popen[bytes]:
        path = shutil.which(tool, path=SBIN)
        if path is None:
            raise BenchError(f"{tool} is not installed")
        process = subprocess.Popen(
            [path, *arguments],
            cwd=self.folder,
            env=self._environment(at),
            user=self.user,
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / f"{tool}.out").open("wb"),
            stderr=subprocess.STDOUT,
        )
        self.started.append(process)
        return process

    def _log_since(self, offset: int) -> str:
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(offset)
            return file.read().decode("utf-8", errors="replace")

    def _environment(self, at: str) -> dict[str, str]:
        return {
            "PATH": SBIN,
            "IBSIM_SOCKNAME": self.socket,
            "SIM_HOST": at or self.at,
            "LD_PRELOAD": str(SHIM),
            "OSM_CACHE_DIR": str(self.folder),
            "OSM_TMP_DIR": str(self.folder),
        }

    def _own(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        if self.user:
            shutil.chown(path, self.user)


@contextmanager
def bench(topology: Topology) -> Iterator[Bench]:
    """Simulate a topology; everything is ended and removed afterwards."""
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="opensm-bench-"))
    try:
        folder.chmod(0o755)
        if user:
            shutil.chown(folder, user)
        (folder / "fabric.net").write_text(topology.netfile(), encoding="ascii")
        socket = f"bench-{uuid.uuid4().hex[:16]}"
        simulator = start_simulator(folder, topology, socket, user)
        made = Bench(folder, topology, socket, simulator, user, topology.manager_node)
        try:
            yield made
        finally:
            made.close()
            end(simulator)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answers(holds: Callable[[], bool]) -> bool:
    try:
        return holds()
    except BenchError:
        return False
