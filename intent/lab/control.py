"""The lab's own door: status, counters, faults and stop, for the one who holds the token."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from intent.core.errors import IntentError
from intent.lab.api import Request, Response, decoded, problem
from intent.lab.controller import Controller
from intent.lab.tools import Refusal
from intent.lab.world import World


def snapshot(world: World, controllers: Mapping[str, Controller] | None = None) -> dict[str, Any]:
    """What every switch and controller of the lab is doing: counters, applied revision, standing faults."""
    now = world.agenda.run()
    shown = {}
    for name, machine in world.machines.items():
        applied = machine.revision("applied")
        shown[name] = {
            "release": machine.spec.release,
            "model": machine.spec.model,
            "reachable": not machine.reachable(now),
            "factory": machine.accounts.factory,
            "revision": applied.id,
            "state": applied.state,
            "under_way": machine.life.under_way,
            "faults": machine.faults.words(),
            **asdict(machine.counters),
        }
    return {"switches": shown, "controllers": {name: item.snapshot() for name, item in (controllers or {}).items()}}


def let_fail(
    world: World, controllers: Mapping[str, Controller], kind: str, device: str, options: Mapping[str, Any]
) -> str:
    """Let something go wrong at a switch or a controller; returns what was done.

    Raises:
        IntentError: no such kind or device, or the options do not fit.
    """
    controller = controllers.get(device)
    return controller.fault(kind, options) if controller is not None else world.fault(kind, device, options)


class Control:
    """Answers orders to the lab itself.

    Args:
        world: the lab.
        token: what an order must carry.
        stop: ends the lab.
        controllers: by name.
    """

    def __init__(
        self, world: World, token: str, stop: Callable[[], None], controllers: Mapping[str, Controller] | None = None
    ) -> None:
        self._controllers = controllers or {}
        self._world = world
        self._token = token
        self._stop = stop

    def opened(self) -> None:
        """Connections to the control door are not counted."""

    def reachable(self) -> str:
        """The control door always answers."""
        return ""

    def handle(self, request: Request) -> Response:
        """Answer an order."""
        given = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
            return problem(401, "The token of the lab's state file is needed")
        place = (request.method, request.target.partition("?")[0])
        try:
            if place == ("GET", "/status"):
                return Response(200, snapshot(self._world, self._controllers))
            if place == ("POST", "/stop"):
                self._stop()
                return Response(200, {"stopping": True})
            if place == ("POST", "/fault"):
                return Response(200, {"done": self._fault(decoded(request))})
        except Refusal as error:
            return problem(error.status, error.detail)
        except IntentError as error:
            return problem(400, f"{error.message} ({error.hint})" if error.hint else error.message)
        return problem(404, "The lab knows GET /status, POST /fault and POST /stop")

    def _fault(self, body: Any) -> str:
        if not isinstance(body, dict) or not isinstance(body.get("options", {}), dict):
            raise IntentError("a fault is an object with kind, device and options")
        kind, device, options = str(body.get("kind", "")), str(body.get("device", "")), body.get("options", {})
        return let_fail(self._world, self._controllers, kind, device, options)
