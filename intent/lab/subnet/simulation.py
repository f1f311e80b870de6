"""The simulator with an OpenSM on it, as processes of the lab.

Traps, each met on ibsim 0.10 and OpenSM 3.3.23: the simulator ends when its console closes, so its input stays open;
the log lies in a buffer for minutes unless flushing is forced; a sweep of before may end behind the mark of a reload,
so one end of a sweep proves nothing and the second does; a partition file is taken up at any sweep, so it is never
edited but replaced as a whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from intent.catalog.subnet_managers import SubnetManagers
from intent.core.errors import IntentError
from intent.lab.subnet import netfile, programs
from intent.lab.subnet.partitions import text_of
from intent.lab.subnet.spec import Subnet

FILE = "subnet.json"
LOG, PARTITIONS = "opensm.log", "partitions.conf"
PRIORITY = 15
_CONF, _ROOTS, _FABRIC = "opensm.conf", "roots", "fabric.net"
_PROMPT, _UP = b"sim>", b"SUBNET UP"
_DEADLINE_S = 120.0
_STOP_S = 5.0
_LOOK_S = 0.01


class Simulation:
    """One simulated subnet.

    Args:
        spec: what the wiring says of it.
        folder: where its processes work; emptied first.
        default_membership: `full` or `limited`: what adapters are in the default partition.
    """

    def __init__(self, spec: Subnet, folder: Path, default_membership: str) -> None:
        self.spec = spec
        self.folder = folder
        self.engine = SubnetManagers().plain_engine(spec.engine)
        self.slowed = False
        self._default = default_membership
        self._socket = f"lab-{uuid.uuid4().hex[:16]}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._environment: dict[str, str] = {}
        self._closed = False
        self._door = threading.Lock()
        self._account = programs.account()

    @property
    def stand_in(self) -> str:
        """The engine at work, in words; one that stands in for another says so."""
        asked = self.spec.engine
        return self.engine if self.engine == asked else f"{self.engine} (stand-in for {asked})"

    def start(self) -> None:
        """Start the simulator and OpenSM, and wait for the subnet.

        Raises:
            IntentError: a program is missing, the topology is none, or one of them does not start.
        """
        programs.require()
        fabric = netfile.read(self.spec.topology)
        at = self.spec.at or fabric.adapters[0]
        if at not in fabric.adapters:
            raise IntentError(f"topology file {self.spec.topology}: no adapter is called {at!r}")
        self.slowed = fabric.slowed
        sweep(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self._account:
            shutil.chown(self.folder, self._account)
        self._put(_FABRIC, fabric.text.encode())
        self._put(_ROOTS, "".join(f"0x{guid}\n" for guid in self.spec.roots).encode())
        self._put(_CONF, self._configuration().encode())
        self._put(PARTITIONS, text_of({}, self._default))
        self._environment = dict(programs.environment(self._socket, at))
        self._put(FILE, json.dumps({"socket": self._socket, "at": at}).encode())
        try:
            self._simulate(fabric)
            self._manage()
        except BaseException:
            self.close()
            raise

    def reload(self, partitions: bytes) -> None:
        """Put another partition file in place and wait until OpenSM has surely read it; one that died starts anew.

        Raises:
            IntentError: it ended, or takes too long.
        """
        self._put(PARTITIONS, partitions)
        log = self.folder / LOG
        if self._processes["opensm"].poll() is not None:
            self._manage()
            return
        for _ in range(2):
            offset = log.stat().st_size
            self._processes["opensm"].send_signal(signal.SIGHUP)
            self._wait_for(log, _UP, offset, "opensm")

    def close(self) -> None:
        """End both, OpenSM first; nothing starts any more."""
        with self._door:
            self._closed = True
        for process in reversed(self._processes.values()):
            _end(process)

    def _manage(self) -> None:
        """Start OpenSM and wait for its first sweep."""
        (self.folder / LOG).unlink(missing_ok=True)
        self._run("opensm", ["-F", _CONF], self._environment)
        self._wait_for(self.folder / LOG, _UP, 0, "opensm")

    def _configuration(self) -> str:
        values = {
            "sm_priority": str(PRIORITY),
            "routing_engine": self.engine,
            **({"root_guid_file": _ROOTS} if self.spec.roots else {}),
            "partition_config_file": PARTITIONS,
            "log_file": LOG,
            "log_flags": "0x03",
            "force_log_flush": "TRUE",
            "accum_log_file": "FALSE",
            "dump_files_dir": ".",
            "sweep_interval": "0",
            "max_wire_smps": "32",
            "qos": "TRUE",
            "qos_max_vls": "4",
            "console": "off",
            "per_module_logging_file": "/nonexistent",
            "prefix_routes_file": "/nonexistent",
        }
        return "".join(f"{key} {value}\n" for key, value in values.items())

    def _simulate(self, fabric: netfile.Netfile) -> None:
        nodes = str(fabric.nodes + 16)
        limits = ["-N", nodes, "-S", nodes, "-P", str(fabric.ports + 64)]
        environment = {"PATH": programs.PATH, "IBSIM_SOCKNAME": self._socket}
        self._run("ibsim", ["-s", *limits, _FABRIC], environment, stdin=subprocess.PIPE)
        self._wait_for(self.folder / "ibsim.out", _PROMPT, 0, "ibsim")

    def _run(
        self, tool: str, arguments: Sequence[str], environment: dict[str, str], stdin: int = subprocess.DEVNULL
    ) -> None:
        with self._door, (self.folder / f"{tool}.out").open("wb") as out:
            if self._closed:
                raise IntentError("the lab is ending")
            self._processes[tool] = subprocess.Popen(
                [programs.program(tool), *arguments],
                cwd=self.folder,
                env=environment,
                user=self._account,
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def _put(self, name: str, data: bytes) -> None:
        """Replace a file as a whole."""
        fresh = self.folder / f"{name}.new"
        fresh.write_bytes(data)
        fresh.chmod(0o644)
        fresh.replace(self.folder / name)

    def _wait_for(self, path: Path, mark: bytes, offset: int, tool: str) -> None:
        until = time.monotonic() + _DEADLINE_S
        process = self._processes[tool]
        while mark not in _tail(path, offset):
            if process.poll() is not None:
                words = _tail(self.folder / f"{tool}.out", 0)[-300:].decode(errors="replace").split()
                raise IntentError(f"{tool} ended with code {process.returncode}: {' '.join(words)}", hint=f"see {path}")
            if time.monotonic() > until:
                raise IntentError(f"{tool} is not ready within {_DEADLINE_S:.0f} s", hint=f"see {path}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_S)


def sweep(folder: Path) -> None:
    """End what a lab that was killed left behind: processes that hold the socket its file names, and no other.

    Args:
        folder: where they work.
    """
    try:
        socket = json.loads((folder / FILE).read_text(encoding="utf-8"))["socket"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    until = time.monotonic() + _STOP_S
    while (left := [*_holders(socket)]) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)


def _holders(socket: str) -> Iterator[int]:
    """Processes that were told the name of a socket; what is over tells nothing any more."""
    told = f"IBSIM_SOCKNAME={socket}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                if told in (place / "environ").read_bytes().split(b"\0"):
                    yield int(place.name)


def _tail(path: Path, offset: int) -> bytes:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(offset)
        return file.read()
    return b""


def _end(process: subprocess.Popen[bytes]) -> None:
    pipe: IO[bytes] | None = process.stdin
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_STOP_S)
    if pipe is not None:
        with contextlib.suppress(OSError):
            pipe.close()
