"""The runner of pages itself: what it takes for equal, and what not."""

from __future__ import annotations

import pytest
from doc_console import agrees, blocks, commands


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a\n…\nz", "a\nb\nc\nz\n"),
        ("a\n…", "a"),
        ("…\nz", "z\n"),
        ("done in …", "done in 3.2 s"),
        ("done in 1.0 s", "done in 3.2 s"),
        ("change 20261130-174608-155654", "change 20270101-000000-abcdef"),
        ("plan " + "0" * 64, "plan " + "f" * 64),
        ("A   B", "A B"),
        ("at 2026-11-30T17:46:08Z", "at 2027-01-01T00:00:00.123Z"),
        ("", "reading … 3/5\nreading … 5/5 done in 1.2 s\nlab … done in 2.0 s\nlab …\n"),
        ("", ""),
    ],
)
def test_alike(said: str, printed: str) -> None:
    assert agrees(said, printed)


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a", "b"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("", "a"),
        ("a.c", "abc"),
        ("24 new", "25 new"),
        ("…\nz", "z\ny"),
        ("a … c", "a\nc"),
    ],
)
def test_not_alike(said: str, printed: str) -> None:
    assert not agrees(said, printed)


def test_blocks_and_commands_know_their_lines() -> None:
    page = "# t\n\n```console\n$ intent lint\nno findings\n$ ls\n```\n\n```yaml\na: 1\n```\n"
    (block,) = blocks(page, "console")
    assert [(item.text, item.expected, item.line) for item in commands(block)] == [
        ("intent lint", "no findings\n", 4),
        ("ls", "\n", 6),
    ]
