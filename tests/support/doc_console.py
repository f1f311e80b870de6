"""Runs the console blocks of a page in a scratch folder and compares what is printed with what the page says.

A block is a fence of kind `console`. A line that begins with `$ ` is a command, what follows up to the next one is what
it prints on both streams. `…` alone on a line stands for any lines, within a line for any words. Digests, times,
durations, change numbers and loopback addresses are compared by kind, not by value. Progress lines are left out. A
change number in a command stands for the last one printed.

A block below a comment `<!-- file: NAME -->` is written to that file of the folder before the first command.

Commands: `intent …` (in this process), `cd`, and a few that read or edit files (see `_PROGRAMS`); `| head -3` and the
like at the end; `echo $?` prints the last exit code.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from intent.cli.main import run

_FENCE = re.compile(r"^```(?P<kind>\w+)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAMS = frozenset({"cat", "grep", "head", "ls", "sed", "tail", "wc", "cp", "mkdir"})
_PROGRESS = re.compile(r" …( \d+/\d+)?( done in .*)?\s*$")
_FILE = re.compile(r"^<!-- file: (\S+) -->\n+```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CHANGE = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b")
_KINDS = (
    (_CHANGE, "<change>"),
    (re.compile(r"\b[0-9a-f]{40,64}\b"), "<digest>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? s\b"), "<seconds>"),
    (re.compile(r"\b127\.\d+\.\d+\.\d+\b"), "<loopback>"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command of a console block and what the page says it prints."""

    text: str
    expected: str
    line: int


def blocks(page: str, kind: str) -> list[Block]:
    """The fenced blocks of a kind, in order."""
    return [
        Block(found["kind"], found["text"], page.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(page)
        if found["kind"] == kind
    ]


def files(page: str) -> dict[str, str]:
    """Files a page asks for: blocks below a comment `<!-- file: validators/mine.py -->`."""
    return {found[1]: found[2] for found in _FILE.finditer(page)}


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for number, line in enumerate(block.text.split("\n"), block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], "", number))
        elif found:
            last = found[-1]
            found[-1] = Command(last.text, f"{last.expected}{line}\n", last.line)
    return found


def agrees(expected: str, actual: str) -> bool:
    """Whether what is printed is what the page says."""
    said = [_word(line) for line in expected.strip("\n").split("\n")]
    return bool(re.fullmatch("".join(_pattern(line) for line in said), f"{_plain(actual)}\n"))


def _pattern(line: str) -> str:
    if line == "…":
        return r"(?:[^\n]*\n)*?"
    return ".*".join(re.escape(part) for part in line.split("…")) + r"\n"


def _word(line: str) -> str:
    for pattern, kind in _KINDS:
        line = pattern.sub(kind, line)
    return line.strip()


def _plain(text: str) -> str:
    lines = [line for line in text.strip("\n").split("\n") if not _PROGRESS.search(line)]
    return "\n".join(_word(line) for line in lines).strip("\n")


@dataclass
class Session:
    """One reader of a page, who types every command of it.

    Args:
        folder: where they sit.
        address_base: loopback addresses of the labs they start.
    """

    folder: Path
    address_base: str
    code: int = 0
    change: str = ""
    labs: list[Path] = field(default_factory=list)

    def type(self, text: str) -> str:
        """Run a command; returns what it prints on both streams."""
        first, *rest = [part.strip() for part in _CHANGE.sub(self.change, text).split(" | ")]
        words = shlex.split(first, comments=True)
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            printed = self._run(words)
        finally:
            os.chdir(before)
        for part in rest:
            printed = self._program(shlex.split(part), printed)
        self.change = [self.change, *_CHANGE.findall(printed)][-1]
        return printed

    def leave(self) -> None:
        """Stop what was started."""
        for folder in self.labs:
            run(["lab", "down", "-C", str(folder)])

    def _run(self, words: list[str]) -> str:
        if words[0] == "intent":
            return self._intent(words[1:])
        if words[0] == "cd":
            self.folder = (self.folder / words[1]).resolve(strict=True)
            return ""
        if words[:2] == ["echo", "$?"]:
            return f"{self.code}\n"
        return self._program(words, "")

    def _intent(self, words: list[str]) -> str:
        if words[:2] == ["lab", "up"]:
            words = [*words, "--address-base", self.address_base, "--apply-seconds", "0.02"]
            self.labs.append(self.folder)
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            self.code = run(words)
        return printed.getvalue()

    def _program(self, words: list[str], given: str) -> str:
        assert words[0] in _PROGRAMS, f"{words[0]}: no program a page may use"
        done = subprocess.run(
            words, input=given, capture_output=True, text=True, cwd=self.folder, timeout=20, check=False
        )
        return done.stdout + done.stderr
