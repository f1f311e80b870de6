"""What the everyday commands may import, and what they cost beside a bare interpreter."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command import workspace

HEAVY = ("napalm", "nornir", "httpx", "ansible_runner", "cryptography", "h11", "ansible", "netmiko", "paramiko")
_RUN = """
import contextlib, io, sys
from intent.cli.main import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = run(sys.argv[1:])
heavy = {heavy!r}
print(code, *[name for name in heavy if name in sys.modules])
"""


def _run(cache: Path, *arguments: object) -> tuple[str, float]:
    """What a fresh interpreter printed, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    unwanted = ("INTENT_DEBUG", "PYTHONDONTWRITEBYTECODE")
    environment = {key: value for key, value in os.environ.items() if key not in unwanted}
    environment["PYTHONPYCACHEPREFIX"] = str(cache)
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, env=environment, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout.strip(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize(
    "command", [("--help",), ("--version",), ("lint",), ("compile", "-o", "out"), ("show", "devices"), ("schema",)]
)
def test_offline_commands_import_nothing_of_the_network(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = workspace(tmp_path / "w")
    more = () if command[0] in ("--help", "--version", "schema") else ("-C", folder)
    words = [str(tmp_path / "out") if word == "out" else word for word in command]
    said, _ = _run(tmp_path, "-c", _RUN.format(heavy=HEAVY), *words, *more)
    assert said == "0"


def test_help_and_lint_cost_little_more_than_an_interpreter(tmp_path: Path, record_property: object) -> None:
    """Ratios, for a slow machine is slow at both; the best of three, for others work here too."""
    folder = workspace(tmp_path / "w")
    bare = min(_run(tmp_path, "-c", "import typer, pydantic, yaml, rich.console")[1] for _ in range(3))
    costs = {
        "help": min(_run(tmp_path, "-m", "intent.cli.main", "--help")[1] for _ in range(3)),
        "lint": min(_run(tmp_path, "-m", "intent.cli.main", "lint", "-C", folder)[1] for _ in range(3)),
    }
    for name, seconds in costs.items():
        record_property(f"{name}_cpu_ratio", round(seconds / bare, 2))  # type: ignore[operator]
    assert costs["help"] < 5 * bare, (costs, bare)
    assert costs["lint"] < 7 * bare, (costs, bare)
