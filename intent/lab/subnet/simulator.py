"""The simulated fabric: ibsim with its console, which pulls cables and makes counters count.

Traps, each met on ibsim 0.10: it ends when its console closes, so its input stays open; it answers nothing at all to a
packet that finds its receiver dead, and whoever sent the packet waits for ever, so it must forget a client that dies.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.subnet import netfile, programs
from intent.lab.subnet.processes import FILE, Processes, put, size_of, sweep, tail, wait_for

_FABRIC, _OUT = "fabric.net", "ibsim.out"
_PROMPT = b"sim>"
_CLIENT = r"^Client (\d+): pid {pid} "


class Simulator:
    """One simulated fabric.

    Args:
        topology: its nodes and links in the form `ibnetdiscover` prints.
        folder: where it works; emptied first.
        processes: starts it.
    """

    def __init__(self, topology: Path, folder: Path, processes: Processes) -> None:
        self.folder = folder
        self.slowed = False
        self._topology = topology
        self._processes = processes
        self._adapters: tuple[str, ...] = ()
        self._socket = f"lab-{uuid.uuid4().hex[:16]}"
        self._process: subprocess.Popen[bytes] | None = None
        self._console = threading.Lock()

    def start(self) -> None:
        """Start it, and wait until it takes orders.

        Raises:
            IntentError: a program is missing, the topology is none, or it does not start.
        """
        programs.require()
        fabric = netfile.read(self._topology)
        self.slowed, self._adapters = fabric.slowed, fabric.adapters
        sweep(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._processes.folder(self.folder)
        put(self.folder / _FABRIC, fabric.text.encode())
        self.note({})
        nodes = str(fabric.nodes + 16)
        limits = ["-N", nodes, "-S", nodes, "-P", str(fabric.ports + 64)]
        environment = {"PATH": programs.PATH, "IBSIM_SOCKNAME": self._socket}
        process = self._processes.start(
            "ibsim", ["-s", *limits, _FABRIC], self.folder, environment, stdin=subprocess.PIPE
        )
        self._process = process
        wait_for(process, [_PROMPT], self.folder / _OUT, 0, self.folder / _OUT)

    def note(self, managers: Mapping[str, Mapping[str, str]]) -> None:
        """Write down how the fabric is spoken to, and where which manager runs and logs."""
        put(self.folder / FILE, json.dumps({"socket": self._socket, "managers": managers}).encode())

    def node(self, at: str) -> str:
        """Id of the node a manager runs on: the one asked for, or the first adapter.

        Raises:
            IntentError: there is none of that id.
        """
        if at and at not in self._adapters:
            raise IntentError(f"topology file {self._topology}: no adapter is called {at!r}")
        return at or self._adapters[0]

    def environment(self, at: str) -> dict[str, str]:
        """What a program on a node of this fabric is told."""
        return dict(programs.environment(self._socket, at))

    def console(self, command: str) -> str:
        """One order on the console; what it says until the next prompt.

        Raises:
            IntentError: the simulator ended.
        """
        process = self._process
        if process is None or process.stdin is None or "\n" in command:
            raise IntentError("the simulator takes no orders")
        out = self.folder / _OUT
        with self._console:
            offset = size_of(out)
            try:
                process.stdin.write(command.encode() + b"\n")
                process.stdin.flush()
            except OSError:
                raise IntentError("the simulator ended", hint=f"see {out}") from None
            wait_for(process, [_PROMPT], out, offset, out)
            return tail(out, offset).decode(errors="replace")

    def forget(self, pid: int) -> None:
        """A client is about to die, or dead: nobody waits for it any more."""
        found = re.search(_CLIENT.format(pid=pid), self.console("Attached"), re.M)
        if found is not None:
            self.console(f"X {found[1]}")
