"""A folder only we can read, in memory where there is a file system of that kind, gone afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intent.device.lifeline import lifeline

_IN_MEMORY = ("tmpfs", "ramfs")
_PLACES = ("/dev/shm", "/run/shm")  # noqa: S108 - only as parents of a folder of mode 0700


def memory_folder() -> Path | None:
    """Where files live in memory; None where there is no such place we can write to."""
    try:
        rows = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    mounted = {row[1]: row[2] for row in rows if len(row) > 2}
    usable = (Path(place) for place in _PLACES if mounted.get(place) in _IN_MEMORY)
    return next((place for place in usable if os.access(place, os.W_OK | os.X_OK)), None)


@contextmanager
def private_folder() -> Iterator[Path]:
    """Such a folder; with its content it is gone at the end, whatever happens, also when we are killed."""
    with tempfile.TemporaryDirectory(prefix="intent-private-", dir=memory_folder()) as name:  # mode 0700
        folder = Path(name)
        with lifeline(folder):
            yield folder


def write_private(file: Path, data: bytes) -> None:
    """Write a new file that only its owner can read.

    Raises:
        FileExistsError: there is one of that name.
    """
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
