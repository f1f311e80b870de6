"""A simulated subnet with its managers: what those behind a UFM and those on hosts have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from intent.catalog.subnet_managers import SubnetManagers
from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.lab.subnet import faults, netfile
from intent.lab.subnet.manager import OpenSm
from intent.lab.subnet.processes import Processes
from intent.lab.subnet.simulator import Simulator
from intent.lab.subnet.spec import Manager, Subnet
from intent.lab.subnet.worker import Worker

_PARTITIONS_BYTES = netfile.MAX_BYTES


class SubnetRoom(ABC):
    """One simulated subnet.

    Args:
        spec: what the wiring says of it.
        folder: where its processes work.
    """

    def __init__(self, spec: Subnet, folder: Path) -> None:
        self.spec = spec
        self.folder = folder
        self.plain_engine = SubnetManagers().plain_engine(spec.engine)
        self.processes = Processes()
        self.simulator = Simulator(spec.topology, folder, self.processes)
        self.worker = Worker(f"subnet {spec.name}")
        self.managers: dict[str, OpenSm] = {}
        self.cables = faults.Cables(self.simulator, spec.switches)

    @abstractmethod
    def make(self, spec: Manager) -> OpenSm:
        """An OpenSM with its files, not started."""

    @abstractmethod
    def push(self, name: str, data: bytes) -> None:
        """Somebody puts a file in place of a manager's partitions.conf by hand, whatever is in it."""

    def start(self) -> None:
        """Start the simulator and its managers, the first of them first; returns when the subnet is up.

        Raises:
            IntentError: they do not start.
        """
        try:
            self.simulator.start()
            nodes = {spec.name: self.simulator.node(spec.at) for spec in self.spec.managers}
            self.managers = {spec.name: self.make(spec) for spec in self.spec.managers}
            places = self.managers.items()
            self.simulator.note({name: {"at": nodes[name], "log": str(one.log)} for name, one in places})
            for one in self.managers.values():
                one.start()
        except BaseException:
            self.processes.close()
            raise
        self.worker.start()

    def close(self) -> None:
        """End the processes; a job under way ends with them."""
        self.worker.end()
        self.processes.close()
        self.worker.join()

    def settled(self, timeout_s: float) -> bool:
        """Wait until the managers have read what they were told; False when it takes longer."""
        return self.worker.settled(timeout_s)

    @property
    def engine(self) -> str:
        """The engine the master routes with, in words; one that stands in for another says so."""
        used = next((one.engine for one in self.managers.values() if one.role == "master"), "")
        return self.words_of(used)

    def words_of(self, used: str) -> str:
        """An engine at work, and how it comes that it is not the one asked for."""
        asked = self.spec.engine
        if used in ("", asked):
            return used
        return f"{used} (stand-in for {asked})" if used == self.plain_engine else f"{used} (instead of {asked})"

    def state(self) -> dict[str, Any]:
        """What goes on with it."""
        waits = self.worker.pending
        up = "up" if any(one.role == "master" for one in self.managers.values()) else "no master"
        state = self.worker.problem or ("reading files" if waits else up)
        slowed = {"links": "4xHDR (stand-in for faster ones)"} if self.simulator.slowed else {}
        return {"subnet": state, "pending": waits, **slowed}

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """What each manager does, by name."""
        return {
            name: {
                "kind": "opensm",
                "fabric": self.spec.name,
                "role": one.role,
                "priority": one.spec.priority,
                "asked": self.spec.engine,
                "engine": self.words_of(one.engine) if one.role == "master" else "",
                **self.state(),
                "faults": ["sm-kill"] if one.killed else [],
                "cables": self.cables.words(),
            }
            for name, one in self.managers.items()
        }

    def knows(self, kind: str, device: str) -> bool:
        """A fault of this kind can happen to that host or switch here."""
        if device in self.managers:
            return kind in faults.MANAGERS or kind == faults.CLEAR
        return device in self.cables and (kind in faults.SWITCHES or kind == faults.CLEAR)

    def fault(self, kind: str, device: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong; what was done, in words.

        Raises:
            IntentError: the options do not fit, or it cannot.
        """
        if device in self.cables:
            if kind == faults.CLEAR:
                self.cables.clear(device)
                return f"{device}: {kind}"
            return self.cables.fault(kind, device, options)
        manager = self.managers[device]
        if kind == "partitions-by-hand":
            self.push(device, read_file(options))
            return f"{device}: {options['file']} is its partitions.conf now"
        if kind == "sm-kill":
            manager.kill()
        elif not manager.running:
            self.worker.ask(f"start {device}", lambda: self.anew(manager, manager.start))
        elif kind == "sm-start":
            raise IntentError(f"{device}: OpenSM runs already")
        return f"{device}: {kind}"

    def anew(self, manager: OpenSm, start: Callable[[], None]) -> None:
        """Start a manager, and have the others look at the subnet: none of them sweeps by itself, and the trap that
        tells them of another manager may get lost.

        Args:
            manager: the one that starts.
            start: starts it.

        Raises:
            IntentError: it does not start.
        """
        start()
        for other in self.managers.values():
            if other is not manager and other.running:
                other.tell()


def read_file(options: Mapping[str, Any]) -> bytes:
    """The file a fault names.

    Raises:
        IntentError: none is named, or it cannot be read.
    """
    name = str(options.get("file", ""))
    if not name:
        raise IntentError("file is missing", hint=faults.MANAGERS["partitions-by-hand"])
    try:
        return read_regular(Path(name), _PARTITIONS_BYTES)
    except OSError as error:
        raise IntentError(f"{name}: {error.strerror or error}") from None
