"""What the plays run on a host is plain sh, and shellcheck finds nothing in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "playbooks" / "files").glob("*.sh"))
# Values that the play or another script sets or reads, and `a && b || fail`, where fail ends the script.
LEFT_OUT = "SC2034,SC2154,SC2015"


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_shellcheck_finds_nothing(file: Path) -> None:
    shellcheck = Path(sys.executable).parent / "shellcheck"
    command = [str(shellcheck), "--shell", "sh", "--exclude", LEFT_OUT, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_there_are_scripts() -> None:
    assert SCRIPTS
