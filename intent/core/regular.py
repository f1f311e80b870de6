"""Reading a file that somebody else may have put there: a regular one, of bounded size, without waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int) -> bytes:
    """The content of a regular file.

    A pipe or a device in its place is refused at once: reading it could wait, or go on, for ever.

    Args:
        path: the file; a symbolic link is followed.
        most: largest size in bytes.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger; `strerror` says which.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as stream:  # noqa: PTH123 - a handle has no path
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
    return data
