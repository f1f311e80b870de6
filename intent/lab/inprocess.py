"""A lab in a thread of this process, for tests and notebooks; it behaves as the one `intent lab up` starts."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from intent.core.errors import IntentError
from intent.lab.agenda import Clock
from intent.lab.control import let_fail, snapshot
from intent.lab.controller import Controller
from intent.lab.server import Server
from intent.lab.state import ADDRESS_BASE, LabInfo
from intent.lab.tools import Timing
from intent.lab.ufm.manager import Observer
from intent.lab.wiring import Wiring
from intent.lab.world import World

_Answer = TypeVar("_Answer")


class LabServer:
    """A running lab as a context manager.

    Args:
        wiring: switches, hosts and cables.
        state_dir: folder for certificates and the state file; a temporary one when None.
        address_base: loopback address the numbering starts from.
        port: port of every switch; 0 takes a free one.
        clock: seconds, never running backwards.
        timing: how long things take; fast by default.
        password: password of the user `cumulus`; made up when None.
        observers: told of the partitions of UFMs, by name, after each change.
    """

    def __init__(
        self,
        wiring: Wiring,
        state_dir: Path | None = None,
        *,
        address_base: str = ADDRESS_BASE,
        port: int = 0,
        clock: Clock = time.monotonic,
        timing: Timing | None = None,
        password: str | None = None,
        observers: Mapping[str, Observer] | None = None,
    ) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="lab-") if state_dir is None else None
        self._folder = Path(self._temporary.name) if self._temporary else state_dir or Path()

        def make() -> Server:
            return Server(
                wiring,
                self._folder,
                address_base=address_base,
                port=port,
                clock=clock,
                timing=timing or Timing(apply_s=0.02, boot_s=0.5),
                password=password,
                observers=observers,
            )

        self._make = make
        self._thread = threading.Thread(target=self._run, name="lab", daemon=True)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: Server | None = None
        self._info: LabInfo | None = None
        self._problem: IntentError | None = None

    def __enter__(self) -> LabServer:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            self._thread.join()
            raise self._problem
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._loop is not None and self._server is not None:
            self._loop.call_soon_threadsafe(self._server.stop)
        self._thread.join()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        try:
            self._loop = asyncio.get_running_loop()
            self._server = server = self._make()
            self._info = await server.start()
            self._info.save()
        except IntentError as error:
            self._problem = error
            return
        finally:
            self._ready.set()
        await server.run()

    @property
    def info(self) -> LabInfo:
        """How to reach it."""
        if self._info is None:
            raise RuntimeError("the lab is not running")
        return self._info

    def status(self) -> dict[str, Any]:
        """Counters, applied revision, reachability and standing faults of every switch, under `switches`."""
        running = self._running()
        return self.call(lambda world: snapshot(world, running.controllers, running.subnets))

    def fault(self, kind: str, device: str, **options: Any) -> str:
        """Let something go wrong at a switch; the kinds stand in `intent.lab.faults`.

        Raises:
            IntentError: no such kind or switch, or the options do not fit.
        """
        running = self._running()
        return self.call(lambda world: let_fail(world, running.controllers, running.subnets, kind, device, options))

    def settled(self, name: str, timeout_s: float = 240.0) -> bool:
        """Wait until the OpenSM behind a UFM has read what it was asked to hold; False when it takes longer."""
        return self._running().subnets.settled(name, timeout_s)

    def controller(self, name: str) -> Controller:
        """A controller of the lab, to look at; it works in the lab's thread."""
        return self._running().controllers[name]

    def _running(self) -> Server:
        if self._server is None:
            raise RuntimeError("the lab is not running")
        return self._server

    def call(self, act: Callable[[World], _Answer]) -> _Answer:
        """Do something with the lab's world, in its own thread."""
        if self._loop is None or self._server is None:
            raise RuntimeError("the lab is not running")
        world = self._server.world

        async def inside() -> _Answer:
            return act(world)

        return asyncio.run_coroutine_threadsafe(inside(), self._loop).result()
