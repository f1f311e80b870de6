"""The state file of a running lab: where its switches listen, what signed their certificates, how to log in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.regular import read_regular

_LARGEST_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class LabSwitch:
    """One switch of the lab.

    Args:
        address: loopback address it listens on.
        port: its TCP port.
        server_name: name in its certificate when that is not the address.
    """

    address: str
    port: int
    server_name: str = ""


@dataclass(frozen=True, slots=True)
class LabController:
    """One controller of the lab: it has accounts of its own.

    Args:
        kind: platform it stands for.
        address: loopback address it listens on.
        port: its TCP port.
        username: account.
        password: its password, or an access token where `token` is true.
        token: it is spoken to with an access token.
    """

    kind: str
    address: str
    port: int
    username: str
    password: str = field(repr=False)
    token: bool = False


@dataclass(frozen=True, slots=True)
class LabManager:
    """One host of the lab that runs OpenSM, on this machine.

    Args:
        root: folder that stands for its file system.
        log: OpenSM's log.
        hup: words of the command that has OpenSM read its files again.
        restart: words of the command that starts it anew.
        tools: words put before a diagnostic tool, so that it asks the simulated fabric.
        python: interpreter on the host.
    """

    root: str
    log: str
    hup: tuple[str, ...]
    restart: tuple[str, ...]
    tools: tuple[str, ...]
    python: str


@dataclass(frozen=True, slots=True)
class LabFile:
    """A running lab.

    Args:
        source: the file, for messages.
        ca: PEM file of the lab's authority.
        username: account on every switch.
        password: its password.
        switches: by name.
        controllers: by name.
        managers: hosts that run OpenSM, by name; none where a lab simulates no subnet of theirs.
    """

    source: str
    ca: str
    username: str
    password: str = field(repr=False)
    switches: Mapping[str, LabSwitch] = field(default_factory=dict)
    controllers: Mapping[str, LabController] = field(default_factory=dict)
    managers: Mapping[str, LabManager] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path) -> LabFile:
        """Read a lab's state file.

        Raises:
            IntentError: there is no lab, or the file is not one.
        """
        try:
            data = read_regular(file, _LARGEST_BYTES)
        except FileNotFoundError:
            raise IntentError(f"no lab is running: {file} is missing", hint="start one with `intent lab up`") from None
        except OSError as problem:
            raise IntentError(f"{file}: {problem.strerror or problem}") from None
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise IntentError(f"{file}: not the state file of a lab", hint="`intent lab down`, then `intent lab up`")
        try:
            return _from(body, file)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise IntentError(
                f"{file}: the lab's state file misses something", hint="`intent lab down`, then `intent lab up`"
            ) from None


def _from(body: Mapping[str, Any], file: Path) -> LabFile:
    ca = Path(str(body["ca"]))
    return LabFile(
        source=str(file),
        ca=str(ca if ca.is_absolute() else file.parent / ca),
        username=str(body["username"]),
        password=str(body["password"]),
        switches={
            str(name): LabSwitch(str(item["address"]), int(item["port"]), str(item.get("server_name") or ""))
            for name, item in body["switches"].items()
        },
        controllers={str(name): _controller(item) for name, item in (body.get("controllers") or {}).items()},
        managers={str(name): _manager(item) for name, item in (body.get("managers") or {}).items()},
    )


def _manager(item: Mapping[str, Any]) -> LabManager:
    """Every word must be there: without the words before a tool it would ask the fabric of this machine."""
    words = {key: tuple(str(word) for word in item[key]) for key in ("hup", "restart", "tools")}
    root = str(item["root"])
    if not all(words.values()) or not Path(root).is_absolute() or root == "/":
        raise ValueError("a host of the lab is not whole")
    return LabManager(root=root, log=str(item["log"]), python=str(item["python"]), **words)


def _controller(item: Mapping[str, Any]) -> LabController:
    return LabController(
        kind=str(item["kind"]),
        address=str(item["address"]),
        port=int(item["port"]),
        username=str(item["username"]),
        password=str(item["password"]),
        token=bool(item.get("token")),
    )
