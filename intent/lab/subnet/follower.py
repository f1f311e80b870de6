"""Keeps an OpenSM on the partitions of its UFM: a thread of its own, so that the lab goes on answering meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from intent.core.errors import IntentError
from intent.core.regular import read_regular
from intent.lab.subnet.partitions import Rule, text_of
from intent.lab.subnet.simulation import Simulation
from intent.lab.subnet.spec import Subnet
from intent.lab.ufm.model import Partition

MAX_BYTES = 64 * 1024 * 1024
_log = logging.getLogger("intent.lab")


class Follower:
    """The subnet behind one UFM. What is asked while a reload goes on is done in one go after it, the last of it.

    Args:
        spec: what the wiring says of it.
        folder: where its processes work.
        default_membership: `full` or `limited`: what adapters are in the default partition.
    """

    def __init__(self, spec: Subnet, folder: Path, default_membership: str) -> None:
        self._simulation = Simulation(spec, folder, default_membership)
        self._default = default_membership
        self._work = threading.Condition()
        self._asked: Callable[[], bytes] | None = None
        self._busy = False
        self._ended = False
        self._problem = ""
        self._reloads = 0
        self._thread = threading.Thread(target=self._run, name=f"subnet of {spec.ufm}", daemon=True)

    @property
    def engine(self) -> str:
        """The routing engine at work, in words."""
        return self._simulation.stand_in

    def start(self) -> None:
        """Start simulator and OpenSM; returns when the subnet is up.

        Raises:
            IntentError: they do not start.
        """
        self._simulation.start()
        self._thread.start()

    def follow(self, partitions: Mapping[int, Partition]) -> None:
        """Partitions changed; OpenSM gets them as they are now."""
        rules = {key: Rule(held.ipoib, held.level, dict(held.members)) for key, held in partitions.items()}
        self._ask(lambda: text_of(rules, self._default))

    def push(self, path: Path) -> None:
        """Somebody puts a file in place of partitions.conf by hand, whatever is in it.

        Raises:
            IntentError: it cannot be read.
        """
        try:
            data = read_regular(path, MAX_BYTES)
        except OSError as error:
            raise IntentError(f"{path}: {error.strerror or error}") from None
        self._ask(lambda: data)

    def settled(self, timeout_s: float) -> bool:
        """Wait until nothing is left to be read; False when it takes longer."""
        with self._work:
            return self._work.wait_for(lambda: self._asked is None and not self._busy, timeout_s)

    def snapshot(self) -> dict[str, Any]:
        """Engine, reloads, and whether OpenSM holds what was asked last."""
        with self._work:
            waits = self._asked is not None or self._busy
            state = self._problem or ("reading partitions" if waits else "up")
            slowed = {"links": "4xHDR (stand-in for faster ones)"} if self._simulation.slowed else {}
            return {"engine": self.engine, "subnet": state, "reloads": self._reloads, "pending": waits, **slowed}

    def close(self) -> None:
        """End the thread, then the processes."""
        with self._work:
            self._ended = True
            self._work.notify_all()
        self._simulation.close()  # a reload under way ends with them
        if self._thread.is_alive():
            self._thread.join()

    def _ask(self, make: Callable[[], bytes]) -> None:
        with self._work:
            self._asked = make
            self._work.notify_all()

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._ended or self._asked is not None)
                if self._ended:
                    return
                make, self._asked, self._busy = self._asked, None, True
            problem = self._reload(make) if make else ""
            with self._work:
                self._busy, self._problem = False, problem
                self._reloads += 1
                self._work.notify_all()

    def _reload(self, make: Callable[[], bytes]) -> str:
        try:
            self._simulation.reload(make())
        except (IntentError, OSError) as error:
            if not self._ended:
                _log.error("%s: %s", self._thread.name, error)
            return f"failed: {error}"
        return ""
