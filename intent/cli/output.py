"""Printing for commands: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from intent.report.console import Task
    from intent.report.tables import Table


def show(what: Text | str | Table) -> None:
    """Print a result for people."""
    from intent.report.console import make_consoles
    from intent.report.console import show as print_on

    print_on(make_consoles(sys.stdout, sys.stderr).out, what)


def write(text: str) -> None:
    """Print a machine's format as it is."""
    sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")
    sys.stdout.flush()


def remark(what: Text | str) -> None:
    """Print a remark or progress on standard error."""
    from intent.report.console import make_consoles
    from intent.report.console import show as print_on

    print_on(make_consoles(sys.stdout, sys.stderr).err, what)


def interrupted() -> None:
    """Say at once that Ctrl-C was heard; straight to the terminal, for the interrupted thread may be printing."""
    words = "\nstopping: nothing new is begun, what is in flight is finished; once more leaves it to the timers\n"
    with suppress(OSError):
        os.write(2, words.encode())


def show_table(table: Table, *, as_json: bool) -> None:
    """Print a table for people, or as JSON."""
    from intent.report.tables import table_json

    if as_json:
        write(table_json(table))
    else:
        show(table)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Task]:
    """Show progress on standard error once it takes longer than a second."""
    from intent.report.console import make_consoles
    from intent.report.console import progress as show_progress

    with show_progress(make_consoles(sys.stdout, sys.stderr), what, total) as task:
        yield task
