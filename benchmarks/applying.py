"""What a change of the whole lab costs: requests, connections and CPU of the client per switch, and CPU of the lab."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import designs
from measure import Process, Table, children_cpu

from intent.lab import process, state

_COMMAND = "from intent.cli.main import main; main()"


@dataclass(frozen=True)
class Cost:
    """One command against the lab.

    Args:
        requests: most that one switch saw.
        connections: most that one switch saw.
        client_ms: CPU of the command's process per switch, start and imports of Python included.
        lab_ms: CPU of the lab per switch.
        seconds: wall time of the whole command.
    """

    requests: int
    connections: int
    client_ms: float
    lab_ms: float
    seconds: float

    def cells(self) -> tuple[str, ...]:
        """For a table."""
        return (
            str(self.requests), str(self.connections), f"{self.client_ms:.1f}", f"{self.lab_ms:.1f}",
            f"{self.seconds:.0f}",
        )  # fmt: skip


class Lab:
    """A running lab of a workspace.

    Args:
        folder: the workspace.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state_dir = folder / ".intent" / "lab"
        self.process = Process(state.load(self.state_dir).pid)

    def seen(self) -> Mapping[str, Any]:
        """Counters of every switch."""
        found: Mapping[str, Any] = process.status(self.state_dir)["switches"]
        return found

    def cost(self, *arguments: str) -> Cost:
        """Run a command and say what it cost."""
        before, lab_before, begun = self.seen(), self.process.cpu_s(), time.monotonic()
        with children_cpu() as cpu:
            run(self.folder, *arguments)
        seconds, lab_s, after = time.monotonic() - begun, self.process.cpu_s() - lab_before, self.seen()

        def most(key: str) -> int:
            return max(int(after[name][key]) - int(before[name][key]) for name in after)

        count = len(after)
        return Cost(most("requests"), most("connections"), cpu[0] * 1000 / count, lab_s * 1000 / count, seconds)


def warm(folder: Path) -> None:
    """Have everything imported once, so that no command that is measured compiles byte code."""
    first = str(folder / "first.json")
    run(folder, "plan", "--lab", "--out", first)
    run(folder, "precheck", first, "--lab", ends=tuple(range(10)))  # new switches fail checks; that is not the point
    run(folder, "recover", "--lab")


def run(folder: Path, *arguments: str, ends: Sequence[int] = (0,)) -> None:
    """Run `intent` in a process of its own, as a person does."""
    command = [sys.executable, "-c", _COMMAND, *arguments, "-C", str(folder)]
    around = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    around["PYTHONPYCACHEPREFIX"] = str(folder / ".bytecode")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=around)
    if done.returncode not in ends:
        raise SystemExit(f"intent {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


@contextmanager
def lab_of(folder: Path) -> Iterator[Lab]:
    """A lab for a workspace, gone at the end."""
    run(folder, "lab", "up", "--apply-seconds", "0.05", "--address-base", "127.94.0.0")
    try:
        yield Lab(folder)
    finally:
        run(folder, "lab", "down")


def applies(nodes: Sequence[int]) -> Table:
    """Plan and apply of whole labs: first everything new, then one setting of every switch, then nothing."""
    rows: list[tuple[str, ...]] = []
    for count in nodes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = designs.write(Path(temporary), count)
            with lab_of(folder) as lab:
                switches = str(len(lab.seen()))
                warm(folder)

                def line(what: str, *command: str, lab: Lab = lab, switches: str = switches) -> tuple[str, ...]:
                    cost = lab.cost(*command)
                    return (switches, what, *cost.cells(), f"{lab.process.rss_mib():.0f}")

                rows.append(line("plan, all new", "plan", "--lab"))
                rows.append(line("apply, all new", "apply", "--lab", "--yes"))
                designs.write(folder, count, bfd="3x600ms")
                rows.append(line("plan, one setting", "plan", "--lab"))
                rows.append(line("apply, one setting", "apply", "--lab", "--yes"))
                rows.append(line("drift, none", "drift", "--lab"))
    columns = ("switches", "command", "requests", "connections", "client ms", "lab ms", "seconds", "lab RSS MiB")
    notes = (
        "Requests and connections are the most that one switch saw. Client and lab milliseconds are CPU per switch, "
        "each of its own process; the client's holds the start of Python and all imports. One run, of a whole system.",
    )
    return Table("Changes against the lab, per switch", columns, tuple(rows), notes)
