"""One OpenSM on a node of the simulated fabric.

Traps, each met on OpenSM 3.3.23: its log lies in a buffer for minutes unless flushing is forced; a sweep of before may
end behind the mark of a reload, so one end of a sweep proves nothing and the second does; a partition file is taken up
at any sweep, so it is never edited but replaced as a whole.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.subnet.processes import Processes, end, put, size_of, tail, wait_for
from intent.lab.subnet.simulator import Simulator
from intent.lab.subnet.spec import Manager

CONF = "opensm.conf"
_UP, _STANDBY = b"SUBNET UP", b"Entering STANDBY"
_ROLE = re.compile(rb"Entering ([A-Z-]+) state")
_ENGINE = re.compile(rb"osm_ucast_mgr_process: (\S+) tables configured")


class OpenSm:
    """One OpenSM.

    Args:
        spec: where it runs, and its priority.
        simulator: the fabric.
        processes: starts it.
        work: its own folder.
        log: its log.
        configure: makes the text of its options, asked anew before it is started or told to read them.
    """

    def __init__(
        self,
        spec: Manager,
        simulator: Simulator,
        processes: Processes,
        work: Path,
        log: Path,
        configure: Callable[[], str],
    ) -> None:
        self.spec = spec
        self.work = work
        self.log = log
        self.killed = False
        self._simulator = simulator
        self._processes = processes
        self._configure = configure
        self._process: subprocess.Popen[bytes] | None = None
        self._born = 0

    @property
    def running(self) -> bool:
        """Its process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def role(self) -> str:
        """`master`, `standby`, `discovering`, `not-active`; `down` while it does not run."""
        if not self.running:
            return "down"
        roles = _ROLE.findall(tail(self.log, self._born))
        return roles[-1].decode().lower() if roles else "discovering"

    @property
    def engine(self) -> str:
        """The engine that made the tables it last wrote; empty while it wrote none."""
        engines = _ENGINE.findall(tail(self.log, self._born))
        return engines[-1].decode() if engines else ""

    def start(self) -> None:
        """Start it, and wait until the subnet is up or another one is found to manage it.

        Raises:
            IntentError: it does not start.
        """
        if self._process is not None:
            self._simulator.forget(self._process.pid)
        self.killed = False
        self._write()
        self._born = size_of(self.log)
        environment = self._simulator.environment(self._simulator.node(self.spec.at))
        self._process = self._processes.start("opensm", ["-F", CONF], self.work, environment)
        wait_for(self._process, [_UP, _STANDBY], self.log, self._born, self.work / "opensm.out")

    def tell(self) -> None:
        """Have it read its files again.

        Raises:
            IntentError: it does not run.
        """
        process = self._process
        if process is None or process.poll() is not None:
            raise IntentError(
                f"{self.spec.name}: OpenSM does not run", hint=f"intent lab fault sm-start {self.spec.name}"
            )
        self._write()
        process.send_signal(signal.SIGHUP)

    def reload(self) -> None:
        """Have it read its files again; of a master, wait until it surely has.

        Raises:
            IntentError: it does not run, ends, or takes too long.
        """
        for _ in range(2):
            offset = size_of(self.log)
            self.tell()
            if self.role != "master" or self._process is None:
                return
            wait_for(self._process, [_UP], self.log, offset, self.work / "opensm.out")

    def restart(self) -> None:
        """End it as its host's service manager would, and start it anew.

        The simulator forgets it first: another manager that asks a node in the moment it ends would wait for ever.
        """
        if self._process is not None:
            self._simulator.forget(self._process.pid)
            end(self._process)
        self.start()

    def kill(self) -> None:
        """End it as a power cut would; it stays so until it is started.

        Raises:
            IntentError: it does not run, or the simulator takes no orders.
        """
        if self._process is None or self._process.poll() is not None:
            raise IntentError(f"{self.spec.name}: OpenSM does not run already")
        self.killed = True  # first: nobody starts it anew meanwhile
        try:
            self._simulator.forget(self._process.pid)
        except IntentError:
            self.killed = False
            raise
        self._process.kill()
        self._process.wait()

    def _write(self) -> None:
        """Its options; they may hold keys."""
        file = self.work / CONF
        put(file, self._configure().encode(), mode=0o600)
        if self._processes.account:
            shutil.chown(file, self._processes.account)
