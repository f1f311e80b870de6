"""The lab in one event loop: every switch on an address of its own, and the control door."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import secrets
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from intent.core.errors import IntentError
from intent.lab.agenda import Clock
from intent.lab.api import Api, Request, Response, problem
from intent.lab.control import Control
from intent.lab.controller import Controller
from intent.lab.crypt512 import hashed
from intent.lab.http import IDLE_S, Connection, Service
from intent.lab.nmx.manager import NmxManager
from intent.lab.state import ADDRESS_BASE, SUBNETS, ControllerPlace, LabInfo, ManagerPlace, Place
from intent.lab.subnet.rooms import Rooms
from intent.lab.tls import issue
from intent.lab.tools import Timing
from intent.lab.ufm.manager import Observer, UfmManager
from intent.lab.wiring import Wiring
from intent.lab.world import World

PORT = 8765
USER = "cumulus"
_SWEEP_S = 15.0
_BACKLOG = 128

_log = logging.getLogger("intent.lab")


def addresses(base: str, count: int) -> list[str]:
    """Loopback addresses from a base on, without those that end in 0 or 255.

    Raises:
        IntentError: the base is no loopback address, or there are not enough.
    """
    try:
        start = ipaddress.IPv4Address(base)
    except ValueError:
        raise IntentError(f"{base!r} is not an IPv4 address", hint=f"such as {ADDRESS_BASE}") from None
    if not start.is_loopback:
        raise IntentError(f"{base} is not a loopback address", hint="the lab listens on 127.0.0.0/8 only")
    found: list[str] = []
    for candidate in _from(int(start)):
        if len(found) == count:
            break
        found.append(candidate)
    if len(found) < count:
        raise IntentError(f"from {base} on there are {len(found)} loopback addresses, {count} are needed")
    return found


def _from(start: int) -> Iterator[str]:
    for number in range(start, int(ipaddress.IPv4Address("127.255.255.255"))):
        if number & 255 not in (0, 255):
            yield str(ipaddress.IPv4Address(number))


class SwitchService:
    """A switch behind its address."""

    __slots__ = ("_api", "_machine", "_name")

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self._name = name
        self._machine = api.world.machines[name]

    def opened(self) -> None:
        """A client connected."""
        self._machine.counters.connections += 1

    def reachable(self) -> str:
        """Whether it answers now."""
        return self._machine.reachable(self._api.world.agenda.run())

    def handle(self, request: Request) -> Response:
        """Answer; a bug of the lab is an answer 500 and a trace in its log, never a crash."""
        try:
            return self._api.handle(self._name, request)
        except Exception:
            _log.exception("%s: %s %s", self._name, request.method, request.target[:200])
            return problem(500, "The lab failed to answer; see its log")


class Server:
    """A lab that listens.

    Args:
        wiring: switches, hosts and cables.
        state_dir: folder for certificates and the state file.
        address_base: loopback address the numbering starts from.
        port: port of every address; 0 takes a free one.
        clock: seconds, never running backwards.
        timing: how long things take.
        password: password of the user `cumulus`; made up when None.
        observers: told of the partitions of UFMs, by name, after each change: a real subnet manager can follow them.

    Raises:
        IntentError: a switch has a model or release nobody knows, or the addresses do not suffice.
    """

    def __init__(
        self,
        wiring: Wiring,
        state_dir: Path,
        *,
        address_base: str = ADDRESS_BASE,
        port: int = PORT,
        clock: Clock = time.monotonic,
        timing: Timing | None = None,
        password: str | None = None,
        observers: Mapping[str, Observer] | None = None,
    ) -> None:
        self.password = secrets.token_urlsafe(18) if password is None else password
        user_hash = hashed(self.password, secrets.token_hex(8))
        self.world = World(wiring, clock=clock, user_hash=user_hash, timing=timing)
        self.state_dir = state_dir
        self.api = Api(self.world)
        self._port = port
        watching = observers or {}
        self.subnets = Rooms(wiring.subnet, wiring.ufm, state_dir / SUBNETS)
        made: list[Controller] = [
            UfmManager(spec, clock, self.password, watching.get(spec.name), self.subnets.followers.get(spec.name))
            for spec in wiring.ufm
        ]
        made += [NmxManager(spec, clock, self.password) for spec in wiring.nmx]
        self.controllers: dict[str, Controller] = {item.name: item for item in made}
        self._addresses = addresses(address_base, len(wiring.switches) + len(self.controllers) + 1)
        self._connections: set[Connection] = set()
        self._listeners: list[asyncio.Server] = []
        self._stopping = asyncio.Event()

    async def start(self) -> LabInfo:
        """Listen everywhere.

        Raises:
            IntentError: an address is taken, too many files are open, or the OpenSM of a subnet does not start.
        """
        control_address, *places = self._addresses
        contexts = issue(self.state_dir, places)
        token = secrets.token_urlsafe(24)
        try:
            await asyncio.to_thread(self.subnets.start)
            door = Control(self.world, token, self._stopping.set, self.controllers, self.subnets)
            await self._listen(door, control_address, None)
            services: list[Service] = [SwitchService(self.api, name) for name in self.world.machines]
            for service, address in zip((*services, *self.controllers.values()), places, strict=True):
                await self._listen(service, address, contexts[address])
        except BaseException:
            await self.close()
            raise
        machines = self.world.machines.items()
        return LabInfo(
            state_dir=self.state_dir,
            pid=os.getpid(),
            ca=(self.state_dir / "ca.pem").resolve(),
            username=USER,
            password=self.password,
            control_url=f"http://{control_address}:{self._port}",
            control_token=token,
            switches={
                name: Place(address, self._port, machine.spec.model, machine.spec.release)
                for (name, machine), address in zip(machines, places, strict=False)
            },
            controllers={
                item.name: self._place(item, address)
                for item, address in zip(self.controllers.values(), places[len(machines) :], strict=True)
            },
            managers={name: ManagerPlace(**words) for name, words in self.subnets.places(self.state_dir).items()},
        )

    def _place(self, item: Controller, address: str) -> ControllerPlace:
        login = item.login()
        return ControllerPlace(
            item.kind, address, self._port, item.version, login.username, login.password, login.token
        )

    async def _listen(self, service: Service, address: str, context: ssl.SSLContext | None) -> None:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setblocking(False)
            listener.bind((address, self._port))
        except OSError as error:
            listener.close()
            raise _no_listener(error, address, self._port) from None
        self._port = listener.getsockname()[1]
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Connection(service, context, self._connections, loop.time), sock=listener, backlog=_BACKLOG
        )
        self._listeners.append(server)

    def stop(self) -> None:
        """Ask the lab to end."""
        self._stopping.set()

    async def run(self) -> None:
        """Serve until somebody says stop; idle connections are dropped on the way."""
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            try:
                await asyncio.wait_for(self._stopping.wait(), _SWEEP_S)
            except TimeoutError:
                limit = loop.time() - IDLE_S
                for connection in [item for item in self._connections if item.active_at < limit]:
                    connection.abort()
        await asyncio.sleep(0.05)  # the answer to the order to stop still has to leave
        await self.close()

    async def close(self) -> None:
        """Stop listening, drop every connection, end the processes of subnets."""
        for listener in self._listeners:
            listener.close()
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)
        self._listeners.clear()
        await asyncio.to_thread(self.subnets.close)


def _no_listener(error: OSError, address: str, port: int) -> IntentError:
    if error.errno == errno.EADDRINUSE:
        return IntentError(
            f"{address}:{port} is already in use",
            hint="another lab may be running: say `intent lab down` where it was started, or take another "
            "--address-base, as 127.90.0.0",
        )
    if error.errno == errno.EMFILE:
        return IntentError("too many open files for so many switches", hint="raise the limit: ulimit -n 65536")
    return IntentError(f"cannot listen on {address}:{port}: {error.strerror or error}")
