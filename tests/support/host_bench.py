"""What tests of hosts share: a session, how a throw-away sshd is reached, names of changes, what still runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import throwaway_sshd

from intent.device.playbook_actor import HostConnection

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"


class Notes:
    """A session that remembers what was announced.

    Args:
        stop: whether nothing new is to be started.
    """

    def __init__(self, stop: bool = False) -> None:
        self.stop = stop
        self.steps: list[tuple[str, str]] = []
        self.data: list[Any] = []

    def record(self, device: str, step: str, data: Any = None) -> None:
        """A step is about to be made."""
        self.steps.append((device, step))
        self.data.append(data)

    def stopping(self) -> bool:
        """Whether to start nothing new."""
        return self.stop


def by_ssh(server: throwaway_sshd.Sshd, root: Path | str = "") -> HostConnection:
    """How a throw-away server is reached, its host key known.

    Args:
        server: on loopback.
        root: folder that stands for /.
    """
    return HostConnection(
        "127.0.0.1", server.port, server.user, str(server.key_file), str(server.known_hosts), sys.executable,
        root=str(root),
    )  # fmt: skip


def here(root: Path | str = "") -> HostConnection:
    """This machine without ssh, a folder standing for /."""
    return HostConnection(local=True, python=sys.executable, root=str(root))


def numbered() -> Callable[[], str]:
    """Names of changes: `change1`, `change2` and so on."""
    handles = iter(f"change{number}" for number in range(1, 99))
    return lambda: next(handles)


def running_with(word: str) -> list[int]:
    """Processes, other than those already dead, with a word in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
