"""The processes of one simulated subnet: started, waited for, ended; once it is closed none starts any more."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.subnet import programs

FILE = "subnet.json"
"""Tells whoever asks about a subnet, or cleans up after it, the name of its socket."""

DEADLINE_S = 120.0
_STOP_S = 5.0
_LOOK_S = 0.01


class Processes:
    """What runs for one subnet, under an account that has no rights."""

    def __init__(self) -> None:
        self.account = programs.account()
        self._started: list[subprocess.Popen[bytes]] = []
        self._closed = False
        self._door = threading.Lock()

    @property
    def closed(self) -> bool:
        """Nothing starts any more."""
        return self._closed

    def start(
        self,
        tool: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a program in a folder, its output in `<tool>.out` there.

        Raises:
            IntentError: it is not installed, or the lab is ending.
        """
        with self._door, (folder / f"{tool}.out").open("wb") as out:
            if self._closed:
                raise IntentError("the lab is ending")
            made = subprocess.Popen(
                [programs.program(tool), *arguments],
                cwd=folder,
                env=environment,
                user=self.account,
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            self._started = [process for process in self._started if process.poll() is None] + [made]
            return made

    def close(self) -> None:
        """End all of them, the newest first."""
        with self._door:
            self._closed = True
        for process in reversed(self._started):
            end(process)

    def folder(self, path: Path) -> Path:
        """A new folder the programs may write to."""
        path.mkdir(parents=True)
        path.chmod(0o755)
        if self.account:
            shutil.chown(path, self.account)
        return path


def put(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Replace a file as a whole: whoever reads it meets the old one or the new one."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_bytes(data)
    fresh.chmod(mode)
    fresh.replace(path)


def wait_for(process: subprocess.Popen[bytes], marks: Sequence[bytes], file: Path, offset: int, said: Path) -> None:
    """Wait until a process writes one of several marks into a file, behind an offset.

    Args:
        process: who writes.
        marks: any of these will do.
        file: where.
        offset: bytes of it that do not count.
        said: what it prints, for a message.

    Raises:
        IntentError: it ended, or does not write it in time.
    """
    until = time.monotonic() + DEADLINE_S
    while True:
        text = tail(file, offset)
        if any(mark in text for mark in marks):
            return
        if process.poll() is not None:
            words = tail(said, 0)[-300:].decode(errors="replace").split()
            raise IntentError(
                f"{said.stem} ended with code {process.returncode}: {' '.join(words)}", hint=f"see {file}"
            )
        if time.monotonic() > until:
            raise IntentError(f"{said.stem} is not ready within {DEADLINE_S:.0f} s", hint=f"see {file}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)


def size_of(file: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def tail(file: Path, offset: int) -> bytes:
    """What stands in a file behind an offset."""
    with contextlib.suppress(FileNotFoundError), file.open("rb") as held:
        held.seek(offset)
        return held.read()
    return b""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, with force where words do not help."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_STOP_S)
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def sweep(folder: Path) -> None:
    """End what a lab that was killed left behind: processes that hold the socket its file names, and no other.

    Args:
        folder: where they work.
    """
    try:
        socket = json.loads((folder / FILE).read_text(encoding="utf-8"))["socket"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    until = time.monotonic() + _STOP_S
    while (left := [*_holders(socket)]) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)


def _holders(socket: str) -> Iterator[int]:
    """Processes that were told the name of a socket; what is over tells nothing any more."""
    told = f"IBSIM_SOCKNAME={socket}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                if told in (place / "environ").read_bytes().split(b"\0"):
                    yield int(place.name)
