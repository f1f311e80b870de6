"""The two consoles: results on stdout, progress on stderr; and progress that suits who is looking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import RLock, Timer
from typing import IO, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from intent.report.tables import Table, table_text
from intent.report.text import one_line

# Into a pipe nothing is wrapped: whoever reads it there splits at line ends.
_UNBOUNDED = 1_000_000
_FALSE = frozenset({"", "0", "false", "no"})
SHOW_AFTER_S = 1.0
EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Consoles:
    """Where a command writes.

    Args:
        out: results.
        err: progress, remarks, errors.
        interactive: progress may move on `err`: a terminal, and no CI.
    """

    out: Console
    err: Console
    interactive: bool


def make_consoles(stdout: IO[str], stderr: IO[str], environ: Mapping[str, str] | None = None) -> Consoles:
    """Both consoles, by what the environment asks for.

    `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `COLUMNS` are honoured. `CI` set to anything but false means that nobody
    watches: no bars. A character the stream cannot encode is written as its escape.

    Args:
        stdout: stream for results.
        stderr: stream for all else.
        environ: the environment; the process's own when None.
    """
    variables = os.environ if environ is None else environ
    out, err = _console(stdout, variables), _console(stderr, variables)
    watched = variables.get("CI", "").casefold() in _FALSE and variables.get("TERM") != "dumb"
    return Consoles(out, err, err.is_terminal and watched and _is_tty(stderr))


def _console(stream: IO[str], environ: Mapping[str, str]) -> Console:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    width = None if _is_tty(stream) else _width(environ)
    return Console(
        file=stream,
        width=width,
        color_system="auto",
        no_color=True if environ.get("NO_COLOR") else None,
        highlight=False,
        markup=False,
        emoji=False,
        _environ=environ,
    )


def _is_tty(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # no such method, or the stream is closed
        return False


def _width(environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdigit() and 20 <= int(columns) <= _UNBOUNDED else _UNBOUNDED


def show(console: Console, what: Text | str | Table) -> None:
    """Print a text or a table. Long lines are left to the terminal, markup in names is left alone."""
    if isinstance(what, Table):
        shown = table_text(what, console)
        console.print(shown, soft_wrap=isinstance(shown, Text))
    else:
        console.print(what if isinstance(what, Text) else Text(what), soft_wrap=True)


def write(console: Console, text: str) -> None:
    """Write a machine's format as it is: no wrapping, no colour."""
    console.file.write(text)
    console.file.flush()


class Task(Protocol):
    """Work under way."""

    def advance(self, count: int = 1, note: str = "") -> None:
        """So many more are done. Safe from any thread."""


TimerFactory = Callable[[float, Callable[[], None]], Timer]


@contextmanager
def progress(
    consoles: Consoles,
    label: str,
    total: int | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    timer: TimerFactory = Timer,
) -> Iterator[Task]:
    """Show how far work is, once it takes longer than a second.

    On a terminal a bar that goes when the work is done; elsewhere, and in CI, plain lines at most every five seconds.

    Args:
        consoles: `err` is written to.
        label: what is done, `reading devices`.
        total: how many there are to do; None when it is not known.
        clock: seconds, monotonic.
        timer: makes the timer that brings the display up.
    """
    display: _Bar | _Lines = (
        _Bar(consoles.err, label, total) if consoles.interactive else _Lines(consoles.err, label, total, clock)
    )
    waiting = timer(SHOW_AFTER_S, display.show)
    waiting.daemon = True
    waiting.start()
    try:
        yield display
    finally:
        waiting.cancel()
        display.close()


class _Bar:
    """A bar and a spinner that leave no trace."""

    def __init__(self, console: Console, label: str, total: int | None) -> None:
        columns = [SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._label = one_line(label)
        self._task: TaskID = self._progress.add_task(self._label, total=total)
        self._lock, self._open = RLock(), True

    def show(self) -> None:
        with self._lock:
            if self._open:
                self._progress.start()

    def advance(self, count: int = 1, note: str = "") -> None:
        text = f"{self._label}: {one_line(note)}" if note else self._label
        self._progress.update(self._task, advance=count, description=text)

    def close(self) -> None:
        with self._lock:
            self._open = False
            self._progress.stop()


class _Lines:
    """Plain lines for logs."""

    def __init__(self, console: Console, label: str, total: int | None, clock: Callable[[], float]) -> None:
        self._console, self._label, self._total, self._clock = console, one_line(label), total, clock
        self._lock, self._done, self._began, self._last = RLock(), 0, clock(), 0.0
        self._shown = self._closed = False

    def show(self) -> None:
        with self._lock:
            if not self._closed and not self._shown:
                self._shown = True
                self._say("")

    def advance(self, count: int = 1, note: str = "") -> None:
        with self._lock:
            self._done += count
            # Some of them take more than one look.
            self._done = self._done if self._total is None else min(self._done, self._total)
            if self._shown and not self._closed and self._clock() - self._last >= EVERY_S:
                self._say(one_line(note))

    def close(self) -> None:
        with self._lock:
            if self._shown and not self._closed:
                self._say(f"done in {self._clock() - self._began:.1f} s")
            self._closed = True

    def _say(self, note: str) -> None:
        self._last = self._clock()
        count = f"{self._done}/{self._total}" if self._total is not None else (str(self._done) if self._done else "")
        words = " ".join(word for word in (count, note) if word)
        with suppress(ValueError):  # the stream is closed: nobody reads
            self._console.print(f"{self._label} … {words}".rstrip(), soft_wrap=True)
