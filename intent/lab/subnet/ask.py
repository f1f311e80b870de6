"""What the tools of a subnet say, asked from any process: the simulator's socket is open to all of this machine."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.subnet import programs
from intent.lab.subnet.processes import FILE

_ASK_S = 60.0
# The simulator takes ten clients: OpenSM, and three who ask at the same time.
_AT_ONCE = 3
_LID = re.compile(r"^\s*EndPortLid\.*(\d+)$", re.M)
_ADAPTER = re.compile(r"^CA\s+(\d+)\s+(\d+)\s+(0x[0-9a-f]{16})\s", re.M)
_SWITCH = re.compile(r"^SW\s+(\d+)\s+\d+\s+(0x[0-9a-f]{16})\s", re.M)
_TOLD = re.compile(r"tables configured|Entering [A-Z-]+ state")
_LAST = 100


class Tools:
    """The tools of one simulated subnet.

    Args:
        folder: where its processes work.
        manager: host of a manager they are run on; empty for the first one.

    Raises:
        IntentError: there is no such subnet.
    """

    def __init__(self, folder: Path, manager: str = "") -> None:
        try:
            held = json.loads((folder / FILE).read_text(encoding="utf-8"))
            place = held["managers"][manager or next(iter(held["managers"]))]
            self._environment = dict(programs.environment(str(held["socket"]), str(place["at"])))
            self._log_file = Path(place["log"])
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            raise IntentError(f"no subnet is simulated in {folder}", hint="intent lab up --engine opensm") from None

    def run(self, tool: str, *arguments: str) -> tuple[str, int]:
        """Output and exit code of one tool."""
        with tempfile.TemporaryDirectory(prefix="lab-tool-") as folder:  # each leaves a trace where it works
            try:
                done = subprocess.run(
                    [programs.program(tool), *arguments],
                    cwd=folder,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=_ASK_S,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return f"{tool} does not end", 124
        return done.stdout.decode("utf-8", errors="replace"), done.returncode

    def answers(self) -> Iterator[tuple[str, str, int]]:
        """What was asked, what was said, how the tool ended: links, managers, log, nodes, the table of each port."""
        yield ("links", *self.run("iblinkinfo", "-l"))
        yield ("errors", *self.run("ibqueryerrors"))
        text, code = self.run("saquery", "-s")
        yield "managers", text, code
        for lid in _LID.findall(text):
            yield (f"sminfo {lid}", *self.run("sminfo", lid))
        yield "log", self._log(), 0
        text, code = self.run("ibnetdiscover", "-p")
        yield "nodes", text, code
        ends = {(guid, lid, port) for lid, port, guid in _ADAPTER.findall(text)}
        ends |= {(guid, lid, "0") for lid, guid in _SWITCH.findall(text)}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(self._table, sorted(ends))

    def _table(self, end: tuple[str, str, str]) -> tuple[str, str, int]:
        guid, lid, port = end
        return (f"pkeys {guid} {lid} {port}", *self.run("smpquery", "pkeys", lid, port))

    def _log(self) -> str:
        try:
            text = self._log_file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return "\n".join([line for line in text.splitlines() if _TOLD.search(line)][-_LAST:])
