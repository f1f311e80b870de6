"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from intent.core.errors import IntentError


def replace_file(file: Path, content: bytes) -> None:
    """Write a file durably under a temporary name and rename it; only its owner may read it.

    Raises:
        IntentError: the file system refuses; nothing is left behind.
    """
    temporary = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
        temporary = ""
        sync_directory(file.parent)
    except OSError as error:
        raise IntentError(f"{file} - cannot be written: {error.strerror or error}") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def sync_directory(folder: Path) -> None:
    """Make a rename or a new file in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
