"""The benchmarks run, at the smallest size, and say what they measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "run.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd="/")


def test_trees_and_fabric_at_the_smallest_sizes() -> None:
    done = run("--section", "trees", "--section", "fabric", "--nodes", "4,8", "--runs", "1", "--releases", "5.16.4")
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line[:1] == "|"]
    measured = [row for row in rows if row[0] == "5.16.4"]
    assert [row[1] == "growth" for row in measured] == [False, False, True]
    assert all(float(cell) > 0 for row in measured for cell in row[2:])
    assert "From text to fabric" in done.stdout


@pytest.mark.parametrize("words", [("--switches", "7"), ("--switches", "many"), ("--section", "nothing")])
def test_a_size_or_section_there_is_not(words: tuple[str, str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
