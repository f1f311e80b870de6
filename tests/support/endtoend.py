"""A workspace with its own lab, driven as a person drives it: by the command, in this process or as one of its own."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from command import Said, intent
from lab_client import LabClient

from intent.lab import state as lab_state

LEAVES = tuple(f"east-west-r{rail}-l01" for rail in range(1, 5))
SPINE = "east-west-s01"
ALL = (*LEAVES, SPINE)
MTU = "interface.swp1s0.link.mtu"
_numbers = count()
_TRIES = 50

# Four leaves and a spine, with timers of seconds.
QUICK = """\
version: 1
name: NAME
sites:
  lab1:
    management: {prefix: 10.1.0.0/24, gateway: 10.1.0.1}
    releases: {cumulus: 5.16.4}
    users: {cumulus: {hashed_password: {secret: cumulus_hash}}}
    racks: [{name: "gpu{01..01}", type: gb200-nvl72}]
    fabrics:
      east-west:
        kind: ethernet
        topology: {design: fat-tree, attach_by: rail, leaf: SN5600, spine: SN5600, uplinks: 4}
        attach: {racks: "gpu*", nics: east-west}
        adaptive_routing: true
        qos: roce-lossless
    changes:
      strategy: {canary: 1, batch: 50%, soak: 0s, confirm: 8s, deadline: 2s, checks: 1s, max_failures: FAILURES}
"""


def no_trace(text: str) -> bool:
    """True when no trace and no word of our inner failure stands in a text."""
    return "Traceback" not in text and "internal error" not in text


@dataclass(frozen=True)
class Room:
    """One workspace with its lab.

    Args:
        folder: the workspace.
        base: loopback address its switches are numbered from.
    """

    folder: Path
    base: str = field(default_factory=lambda: f"127.93.{os.getpid() % 250}.{next(_numbers) * 8 % 248}")

    @classmethod
    def make(cls, folder: Path, *, failures: int = 0, name: str = "small", text: str = QUICK) -> Room:
        """Write the workspace; no lab yet."""
        folder.mkdir(parents=True, exist_ok=True)
        written = text.replace("NAME", name).replace("FAILURES", str(failures))
        (folder / "intent.yaml").write_text(written, encoding="utf-8")
        return cls(folder)

    def up(self, *more: object, apply_s: float = 0.05) -> Room:
        """Start the lab."""
        said = self.run("lab", "up", "--address-base", self.base, "--apply-seconds", apply_s, *more)
        assert said.code == 0, said.err
        return self

    def down(self) -> None:
        """Stop the lab."""
        self.run("lab", "down")

    def run(self, *arguments: object) -> Said:
        """Run the command in this process, in this workspace; it must not fail in a way of its own."""
        said = intent(*arguments, "-C", self.folder)
        assert no_trace(said.out + said.err), said.out + said.err
        return said

    def plan(self, *more: object) -> Said:
        """Plan on the lab."""
        return self.run("plan", "--lab", *more)

    def apply(self, *more: object) -> Said:
        """Apply on the lab, unasked."""
        return self.run("apply", "--lab", "--yes", *more)

    def fault(self, kind: str, device: str, *options: object) -> None:
        """Let something go wrong."""
        said = self.run("lab", "fault", kind, device, *options)
        assert said.code == 0, said.err

    def calm(self, *devices: str) -> None:
        """End every standing fault."""
        for device in devices or ALL:
            self.fault("clear", device)

    def by_hand(self, value: object, *devices: str, path: str = MTU) -> None:
        """A change by hand on some devices."""
        for device in devices:
            self.fault("change-by-hand", device, f"{path}={value}")

    def status(self) -> dict[str, Any]:
        """What every switch of the lab is doing."""
        from intent.lab import process

        found: dict[str, Any] = process.status(self.folder / ".intent" / "lab")["switches"]
        return found

    def writes(self) -> int:
        """Write calls all switches have seen."""
        return sum(int(row["writes"]) for row in self.status().values())

    def held(self, devices: Sequence[str] = ALL) -> dict[str, str]:
        """What each switch holds, as text, asked of the switch itself with a client of our own."""
        info = lab_state.load(self.folder / ".intent" / "lab")
        found = {}
        for name in devices:
            client = LabClient(info, name)
            try:
                found[name] = json.dumps(client.applied(), sort_keys=True)
            finally:
                client.close()
        return found

    def settled(self, within_s: float = 30.0) -> None:
        """Wait until no switch has a confirm timer running or an apply under way."""
        wait_until(
            lambda: all(
                str(row["state"]).startswith("applied") and not row["under_way"] for row in self.status().values()
            ),
            within_s,
            "timers",
        )

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / ".intent" / "journal.sqlite3"

    def rows(self) -> int:
        """Rows of the journal, read beside whoever writes it."""
        return journal_rows(self.journal)

    def steps(self) -> list[tuple[str, str]]:
        """Device and step of every row of the journal."""
        for attempt in count():
            try:
                with sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True) as connection:
                    return list(connection.execute("SELECT device, step FROM entries ORDER BY seq"))
            except sqlite3.OperationalError:  # whoever writes is just making or leaving its log
                if attempt == _TRIES:
                    raise
                time.sleep(0.02)
        raise AssertionError("unreachable")

    def changes(self) -> list[dict[str, Any]]:
        """The history, newest first."""
        said = self.run("history", "--json")
        assert said.code == 0, said.err
        found: list[dict[str, Any]] = json.loads(said.out)["changes"]
        return found

    def start(self, *arguments: object, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """The command as a process of its own."""
        return start(*arguments, "-C", self.folder, env=env)


def start(*arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
    """The command as a process of its own, without a terminal."""
    clean = {key: value for key, value in os.environ.items() if key != "INTENT_DEBUG"}
    return subprocess.Popen(
        [sys.executable, "-m", "intent.cli.main", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="backslashreplace",
        cwd=cwd,
        env={**clean, **(env or {})},
    )


def outcome(process: subprocess.Popen[str], within_s: float = 60.0) -> Said:
    """What a process said, once it ended."""
    try:
        out, err = process.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"still running after {within_s} s: {out[-2000:]}{err[-2000:]}") from None
    return Said(process.returncode, out, err)


def journal_rows(file: Path) -> int:
    """Number of the last row of a journal; 0 while there is none."""
    with RowCounter(file) as counter:
        return counter()


class RowCounter:
    """Counts a journal's rows beside whoever writes it, over one connection."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None

    def __call__(self) -> int:
        """Number of the last row; 0 while there is none."""
        try:
            if self._connection is None:
                if not self._file.exists():
                    return 0
                self._connection = sqlite3.connect(f"file:{self._file}?mode=ro", uri=True, timeout=1)
            query = "SELECT coalesce(max(seq), 0) FROM entries"
            return int(self._connection.execute(query).fetchone()[0])
        except sqlite3.Error:
            return 0

    def __enter__(self) -> RowCounter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()


def wait_until(holds: Callable[[], bool], within_s: float, what: str, pause_s: float = 0.02) -> None:
    """Look again and again until something holds."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(pause_s)


def counts(text: str) -> dict[str, int]:
    """Devices by status, from the summary line of an apply."""
    line = next(line for line in reversed(text.splitlines()) if re.search(r" in [0-9.]+ s - ", line))
    return {
        status: int(number)
        for number, status in re.findall(r"(\d+) ([a-z-]+(?: attempted)?)", line.partition(" in ")[0])
    }
