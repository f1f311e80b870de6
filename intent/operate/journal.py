"""The journal of a workspace's changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from intent.workspace.files import Workspace

if TYPE_CHECKING:
    from intent.change.control import Clock
    from intent.change.journal import Journal

NAME = "journal.sqlite3"


@contextmanager
def journal(workspace: Workspace, clock: Clock, *, create: bool = True) -> Iterator[Journal | None]:
    """The journal while inside; None when there is none and it is not to be made."""
    from intent.change.journal import open_journal

    file = workspace.state / NAME
    if not create and not os.path.lexists(file):
        yield None
        return
    if create:
        file.parent.mkdir(parents=True, exist_ok=True)
    book = open_journal(file, clock, create=create)
    try:
        yield book
    finally:
        book.close()
