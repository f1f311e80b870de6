"""Keeps the OpenSM behind a UFM on its partitions, on every node of the UFM alike."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.lab.subnet.manager import OpenSm
from intent.lab.subnet.partitions import Rule, text_of
from intent.lab.subnet.processes import DEADLINE_S, put
from intent.lab.subnet.room import SubnetRoom, read_file
from intent.lab.subnet.spec import Manager, Subnet
from intent.lab.ufm.model import Partition

LOG, PARTITIONS = "opensm.log", "partitions.conf"
_ROOTS = "roots"
_LOOK_S = 0.02
# With polls of 200 ms and the usual timeouts a standby was seen to stay in DISCOVERING for good; with these, never.
_TAKEOVER = {"sminfo_polling_timeout": "1000", "polling_retry_number": "2", "transaction_timeout": "100"}


class Follower(SubnetRoom):
    """The subnet behind one UFM.

    Args:
        spec: what the wiring says of it.
        folder: where its processes work.
        default_membership: `full` or `limited`: what adapters are in the default partition.
    """

    def __init__(self, spec: Subnet, folder: Path, default_membership: str) -> None:
        super().__init__(spec, folder)
        self._default = default_membership
        self._managers = [one.guid for one in spec.managers if one.guid]
        self._data = text_of({}, default_membership, self._managers)

    def make(self, spec: Manager) -> OpenSm:
        """An OpenSM with files the lab wrote."""
        folder = self.processes.folder(self.folder / "managers" / spec.name)
        put(folder / _ROOTS, "".join(f"0x{guid}\n" for guid in self.spec.roots).encode())
        put(folder / PARTITIONS, self._data)
        return OpenSm(spec, self.simulator, self.processes, folder, folder / LOG, lambda: self._configuration(spec))

    def follow(self, partitions: Mapping[int, Partition]) -> None:
        """Partitions changed; OpenSM gets them as they are now."""
        rules = {key: Rule(held.ipoib, held.level, dict(held.members)) for key, held in partitions.items()}
        self.worker.ask("partitions", lambda: self._reload(text_of(rules, self._default, self._managers)))

    def by_hand(self, options: Mapping[str, Any]) -> str:
        """Somebody puts a file in place of partitions.conf by hand; what was done, in words.

        Raises:
            IntentError: it cannot be read.
        """
        self.push(self.spec.ufm, read_file(options))
        return f"{self.spec.ufm}: {options['file']} is its partitions.conf now"

    def push(self, name: str, data: bytes) -> None:  # noqa: ARG002 - the nodes of a UFM share their files
        """Somebody puts a file in place of partitions.conf by hand, whatever is in it."""
        self.worker.ask("partitions", lambda: self._reload(data))

    def state(self) -> dict[str, Any]:
        """What goes on with it; of a UFM's too, MTU and rate of groups are left out."""
        return super().state() | {"left out": "mtu and rate of IPoIB groups"}

    def seen(self) -> dict[str, Any]:
        """Engine, role of each manager, reloads, and whether OpenSM holds what was asked last."""
        roles = {name: one.role for name, one in self.managers.items()}
        return {"engine": self.engine, "managers": roles, "reloads": self.worker.done, **self.state()}

    def _reload(self, data: bytes) -> None:
        """Put another partition file in place, and wait until the master has surely read it; what died starts anew.

        Raises:
            IntentError: none runs, or it takes too long.
        """
        self._data = data
        for one in self.managers.values():
            put(one.work / PARTITIONS, data)
        for one in self.managers.values():
            if not one.running and not one.killed:
                one.start()
        until = time.monotonic() + DEADLINE_S
        while True:
            master = self._master(until)
            try:
                master.reload()
                break
            except IntentError:
                if master.running or self.processes.closed:
                    raise
        for one in self.managers.values():
            if one is not master and one.running:
                one.tell()

    def _master(self, until: float) -> OpenSm:
        """The one that manages, once one does: a standby takes its time to take over."""
        while True:
            running = [one for one in self.managers.values() if one.running]
            found = next((one for one in running if one.role == "master"), None)
            if found is not None:
                return found
            if not running or time.monotonic() > until:
                raise IntentError(f"{self.spec.name}: no OpenSM manages the subnet", hint="intent lab fault sm-start …")
            time.sleep(_LOOK_S)

    def _configuration(self, spec: Manager) -> str:
        values = {
            "sm_priority": str(spec.priority),
            "routing_engine": self.plain_engine,
            **({"root_guid_file": _ROOTS} if self.spec.roots else {}),
            "partition_config_file": PARTITIONS,
            "log_file": LOG,
            "log_flags": "0x03",
            "force_log_flush": "TRUE",
            "dump_files_dir": ".",
            "sweep_interval": "0",
            "max_wire_smps": "32",
            "honor_guid2lid_file": "TRUE",
            "qos": "TRUE",
            "qos_max_vls": "4",
            "console": "off",
            "per_module_logging_file": "/nonexistent",
            "prefix_routes_file": "/nonexistent",
            **_TAKEOVER,
        }
        return "".join(f"{key} {value}\n" for key, value in values.items())
