"""Clocks, memory, tables: what the benchmarks share."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """A table of results.

    Args:
        title: what was measured.
        columns: names of the columns, units included.
        rows: cells, as text.
        notes: what has to be known to read it.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table as it stands in the documentation."""
        widths = [max(len(row[at]) for row in (self.columns, *self.rows)) for at in range(len(self.columns))]
        lines = [
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
            for row in (self.columns, tuple("-" * width for width in widths), *self.rows)
        ]
        return "\n".join([f"### {self.title}", "", *lines, *(f"\n{note}" for note in self.notes)]) + "\n"


def median_ms(work: Callable[[], object], runs: int) -> float:
    """Median CPU time of this process over several runs, in milliseconds. Garbage of earlier runs is cleared first."""
    times = []
    for _ in range(max(1, runs)):
        gc.collect()
        begun = time.process_time()
        work()
        times.append((time.process_time() - begun) * 1000)
    return statistics.median(times)


def retained_kib(work: Callable[[], T]) -> tuple[T, float]:
    """What is made, and the memory it holds on to, in KiB (Python's own allocations, traced)."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = work()
        gc.collect()
        return made, (tracemalloc.get_traced_memory()[0] - before) / 1024
    finally:
        tracemalloc.stop()


@dataclass
class Process:
    """CPU and memory of another process, by its files under /proc.

    Args:
        pid: its number.
    """

    pid: int

    def cpu_s(self) -> float:
        """User and system time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mib(self) -> float:
        """Resident memory now."""
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0


@contextmanager
def children_cpu() -> Iterator[list[float]]:
    """CPU seconds of the child processes waited for meanwhile, as the only entry of a list."""
    found: list[float] = []
    before = os.times()
    yield found
    after = os.times()
    found.append(after.children_user + after.children_system - before.children_user - before.children_system)


def ratio(values: Sequence[tuple[int, float]]) -> str:
    """How a cost per switch grows from the smallest to the largest size: 1.00 is linear in all."""
    if len(values) < 2 or not values[0][1]:
        return "-"
    return f"{values[-1][1] / values[0][1]:.2f}"


def machine() -> str:
    """One line about where this ran."""
    load = os.getloadavg()[0]
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, load {load:.1f}"
