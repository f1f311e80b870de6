"""The state file of a running lab: how to reach its switches, how to log in, how to control it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.regular import read_regular

FILE = "lab.json"
LOCK = "lab.lock"
ERROR = "lab.error"
SUBNETS = "subnets"
ADDRESS_BASE = "127.80.0.0"
"""Loopback address that the switches of a lab are numbered from where nobody says another."""
_LARGEST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a switch of the lab listens.

    Args:
        address: loopback address.
        port: TCP port.
        model: hardware model.
        release: release it runs.
    """

    address: str
    port: int
    model: str
    release: str


@dataclass(frozen=True, slots=True)
class ControllerPlace:
    """Where a controller of the lab listens and how to log in.

    Args:
        kind: platform it stands for.
        address: loopback address.
        port: TCP port.
        version: version it runs.
        username: account.
        password: its password, or an access token.
        token: it is an access token.
    """

    kind: str
    address: str
    port: int
    version: str
    username: str
    password: str = field(repr=False)
    token: bool = False


@dataclass(frozen=True, slots=True)
class ManagerPlace:
    """A host of the lab that runs OpenSM: how its files are reached, and how it is spoken to.

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
class LabInfo:
    """A running lab.

    Args:
        state_dir: folder of its state file, certificates and log.
        pid: its process.
        ca: PEM file of its authority.
        username: account on every switch.
        password: its password.
        control_url: where it takes orders.
        control_token: what an order must carry.
        switches: where they listen, by name.
        controllers: likewise.
        managers: hosts that run OpenSM, by name.
    """

    state_dir: Path
    pid: int
    ca: Path
    username: str
    password: str = field(repr=False)
    control_url: str
    control_token: str = field(repr=False)
    switches: Mapping[str, Place]
    controllers: Mapping[str, ControllerPlace] = field(default_factory=dict)
    managers: Mapping[str, ManagerPlace] = field(default_factory=dict)

    def save(self) -> None:
        """Write the state file at once and whole, readable by the owner only."""
        body = {
            "version": 1,
            "pid": self.pid,
            "ca": str(self.ca),
            "username": self.username,
            "password": self.password,
            "control": {"url": self.control_url, "token": self.control_token},
            "switches": {
                name: {
                    "address": place.address,
                    "port": place.port,
                    "model": place.model,
                    "release": place.release,
                }
                for name, place in self.switches.items()
            },
            "controllers": {name: asdict(place) for name, place in self.controllers.items()},
            "managers": {name: asdict(place) for name, place in self.managers.items()},
        }
        draft = self.state_dir / (FILE + ".new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
        draft.replace(self.state_dir / FILE)


def load(state_dir: Path) -> LabInfo:
    """Read the state file of a lab.

    Raises:
        IntentError: there is none, or it cannot be understood.
    """
    file = state_dir / FILE
    try:
        text = read_regular(file, _LARGEST_BYTES)
    except FileNotFoundError:
        raise IntentError(f"no lab is running: {file} is missing", hint="start one with `intent lab up`") from None
    except OSError as error:
        raise IntentError(f"{file}: {error.strerror or error}") from None
    try:
        return _from(json.loads(text), state_dir)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise IntentError(f"{file}: not the state file of a lab", hint="remove it and run `intent lab up`") from None


def _from(body: Mapping[str, Any], state_dir: Path) -> LabInfo:
    return LabInfo(
        state_dir=state_dir,
        pid=int(body["pid"]),
        ca=Path(str(body["ca"])),
        username=str(body["username"]),
        password=str(body["password"]),
        control_url=str(body["control"]["url"]),
        control_token=str(body["control"]["token"]),
        switches={
            str(name): Place(str(item["address"]), int(item["port"]), str(item["model"]), str(item["release"]))
            for name, item in body["switches"].items()
        },
        controllers={str(name): ControllerPlace(**item) for name, item in (body.get("controllers") or {}).items()},
        managers={str(name): ManagerPlace(**item) for name, item in (body.get("managers") or {}).items()},
    )
