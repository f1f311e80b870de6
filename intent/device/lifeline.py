"""Ends what a run of a playbook started, also when the process that started it was killed.

A killed process ends nothing and removes nothing: ansible-playbook would go on to the end of its task, and the run's
folder stay. So a small process of ours holds the end of a pipe; when the pipe closes without a word it does both. This
file is what it runs, in an interpreter without packages: it imports the standard library alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ENDED = b"."
# How often to look for what is left: a process that was about to start shows a moment later.
_LOOKS, _BETWEEN_S = 20, 0.1


@contextmanager
def lifeline(folder: Path) -> Iterator[None]:
    """While this lasts, a run in the folder does not outlive us.

    Args:
        folder: the run's own; it stands in the command line of all it starts. Removed only when we are killed.
    """
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # what ends us by the terminal or our group must not end it
    )
    try:
        yield
    finally:
        end_leftovers(folder)
        with suppress(OSError):
            watcher.communicate(_ENDED)


def end_leftovers(folder: Path) -> None:
    """End every process of a run.

    An ended run kills ansible-playbook's process group, but its workers lead groups of their own and would go on, as
    would ssh's waiting masters. All of them carry the run's folder in their command line.

    Args:
        folder: the run's own.
    """
    mark = os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if mark not in command or not (b"ansible-playbook" in command or command.startswith(b"ssh")):
            continue
        pid = int(entry.name)
        with suppress(OSError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)  # with the module it runs
            else:
                os.kill(pid, signal.SIGKILL)


def _watch(folder: Path) -> None:
    if sys.stdin.buffer.read(1) == _ENDED:
        return
    import shutil

    for _ in range(_LOOKS):
        end_leftovers(folder)
        time.sleep(_BETWEEN_S)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _watch(Path(sys.argv[1]))
