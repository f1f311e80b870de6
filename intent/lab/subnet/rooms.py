"""All simulated subnets of a lab, and where their hosts are found."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import intent
from intent.core.errors import IntentError
from intent.lab.subnet.follower import Follower
from intent.lab.subnet.hosts import HostedSubnet
from intent.lab.subnet.room import SubnetRoom
from intent.lab.subnet.spec import Subnet
from intent.lab.ufm.spec import Ufm

ACTIONS = ("hup", "restart")


class Rooms:
    """The subnets of a lab.

    Args:
        subnets: what the wiring says of them.
        ufms: UFMs some of them stand behind.
        folder: where each has a folder of its name.
    """

    def __init__(self, subnets: Iterable[Subnet], ufms: Iterable[Ufm], folder: Path) -> None:
        kinds = {spec.name: spec.default_membership for spec in ufms}
        self.followers: dict[str, Follower] = {}
        self.hosted: dict[str, HostedSubnet] = {}
        for spec in subnets:
            if spec.ufm:
                self.followers[spec.name] = Follower(spec, folder / spec.name, kinds[spec.ufm])
            else:
                self.hosted[spec.name] = HostedSubnet(spec, folder / spec.name)
        self._all: dict[str, SubnetRoom] = {**self.followers, **self.hosted}

    def start(self) -> None:
        """Start all of them, one after the other.

        Raises:
            IntentError: one does not start.
        """
        for room in self._all.values():
            room.start()

    def close(self) -> None:
        """End all their processes."""
        for room in self._all.values():
            room.close()

    def settled(self, name: str, timeout_s: float) -> bool:
        """Wait until the managers of a subnet have read what they were told; False when it takes longer."""
        return self._all[name].settled(timeout_s)

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """What each subnet manager does; one that stands in two subnets is told with its subnet."""
        found: dict[str, dict[str, Any]] = {}
        for room in self._all.values():
            for name, facts in room.snapshot().items():
                found[f"{name} ({room.spec.name})" if name in found else name] = facts
        return found

    def fault(self, kind: str, device: str, options: Mapping[str, Any]) -> str | None:
        """Let something go wrong; what was done, in words; None where no subnet knows of such a thing.

        Raises:
            IntentError: the options do not fit.
        """
        room = next((room for room in self._all.values() if room.knows(kind, device)), None)
        return None if room is None else room.fault(kind, device, options)

    def order(self, name: str, action: str) -> str:
        """What a host's service manager is asked.

        Raises:
            IntentError: there is no such host or action, or it cannot be done.
        """
        room = next((room for room in self.hosted.values() if name in room.managers), None)
        if room is None or action not in ACTIONS:
            raise IntentError(f"no host {name[:60]!r} of the lab can be asked for {action[:20]!r}")
        return room.order(name, action)

    def places(self, state_dir: Path) -> dict[str, dict[str, Any]]:
        """How the files of each host are reached, and how it is spoken to.

        Args:
            state_dir: folder of the lab's state file.
        """
        return {
            name: {
                "root": str(room.root_of(name).resolve()),
                "log": str(room.log_of(name).resolve()),
                **{action: _words(state_dir, name, action) for action in ACTIONS},
                "tools": ("env", *(f"{key}={value}" for key, value in room.environment_of(name).items())),
                "python": sys.executable,
            }
            for room in self.hosted.values()
            for name in room.managers
        }


def _words(state_dir: Path, name: str, action: str) -> tuple[str, ...]:
    home = Path(intent.__file__).resolve().parent.parent
    told = (str(state_dir.resolve()), name, action)
    return ("env", f"PYTHONPATH={home}", sys.executable, "-m", "intent.lab.subnet.tell", *told)
