"""The README's two commands exist and run what they say; links and folders of the pages lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def expanded(target: str) -> str:
    """What `make target` would run."""
    # Run by make itself, its variables would be inherited.
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "-n", target, "VENV=.venv", "TESTS="]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False, env=plain)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_the_first_block_of_the_readme_is_the_two_commands() -> None:
    block = re.search(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert block
    assert [line.split("#")[0].strip() for line in block[1].splitlines()] == ["make demo", "make test"]


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize(
    ("target", "runs"),
    [
        ("demo", [".venv/bin/intent demo"]),
        ("test", [".venv/bin/pytest"]),
        (
            "check",
            ["ruff check", "ruff format --check", ".venv/bin/mypy", ".venv/bin/lint-imports", ".venv/bin/pytest"],
        ),
    ],
)
def test_make_runs_what_the_readme_says(target: str, runs: list[str]) -> None:
    lines = expanded(target)
    for command in runs:
        assert command in lines


def test_ci_runs_both_as_written() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert "make demo" in script
    assert "make check" in script
    assert re.search(r"^check: .*\btest\b", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_folders_of_the_readme_exist() -> None:
    table = README.split("## Where things are")[1].split("\n## ")[0]
    for row in table.splitlines():
        if row.startswith("| `"):
            for folder in re.findall(r"`([a-z_]+/)`", row.split("|")[1]):
                assert (ROOT / folder).is_dir(), folder


def test_license_is_the_one_the_package_names() -> None:
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
