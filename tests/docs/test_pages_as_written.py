"""Every console and Python block of the README and of docs/ is executed: what a page shows is what happens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from command import workspace
from doc_console import Session, agrees, blocks, commands, files
from loopback import own_base

from intent.schema.skeleton import demo_workspace

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_COMMANDS = [page for page in PAGES if blocks(page.read_text(encoding="utf-8"), "console")]
_BIG = "<!-- workspace: 64 nodes -->"
"""A page with this comment works on the demo's design of 24 switches; others on a small one of five."""


@pytest.fixture
def session(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    page: Path = request.param
    monkeypatch.setenv("LOGNAME", "netops")
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / "site"
    text = page.read_text(encoding="utf-8")
    workspace(folder, text=demo_workspace()["intent.yaml"]) if _BIG in text else workspace(folder)
    for name, content in files(text).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    reader = Session(folder if page.name != "README.md" else tmp_path, own_base())
    yield reader
    reader.leave()


@pytest.mark.parametrize(
    ("page", "session"), [(page, page) for page in WITH_COMMANDS], indirect=["session"], ids=lambda item: item.stem
)
def test_commands_print_what_the_page_says(page: Path, session: Session) -> None:
    for block in blocks(page.read_text(encoding="utf-8"), "console"):
        for command in commands(block):
            printed = session.type(command.text)
            assert agrees(command.expected, printed), (
                f"{page.name}:{command.line}: $ {command.text}\n--- the page says\n{command.expected}"
                f"--- printed (exit code {session.code})\n{printed}"
            )


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page.read_text(encoding="utf-8"), "python")])
def test_python_blocks_run(page: Path) -> None:
    for number, block in enumerate(blocks(page.read_text(encoding="utf-8"), "python")):
        module = ModuleType(f"page_{page.stem}_{number}")
        sys.modules[module.__name__] = module  # dataclasses and checks look their module up
        try:
            exec(compile(block.text, f"{page.name}:{block.line}", "exec"), module.__dict__)
        finally:
            del sys.modules[module.__name__]


def test_every_intent_command_of_a_page_is_executed_or_a_fragment() -> None:
    """A console block has a prompt; without one nothing in it would run."""
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8"), "console"):
            assert block.text.startswith("$ "), f"{page.name}:{block.line}"
