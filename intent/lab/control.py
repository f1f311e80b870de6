"""The lab's own door: status, counters, faults and stop, for the one who holds the token."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from intent.core.errors import IntentError
from intent.lab.api import Request, Response, decoded, problem
from intent.lab.controller import Controller
from intent.lab.subnet import faults
from intent.lab.subnet.rooms import Rooms
from intent.lab.tools import Refusal
from intent.lab.world import World


def snapshot(
    world: World, controllers: Mapping[str, Controller] | None = None, subnets: Rooms | None = None
) -> dict[str, Any]:
    """What every switch, controller and subnet manager of the lab is doing: counters, revision, role, faults."""
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
    return {
        "switches": shown,
        "controllers": {name: item.snapshot() for name, item in (controllers or {}).items()},
        "managers": subnets.snapshot() if subnets is not None else {},
    }


def let_fail(
    world: World,
    controllers: Mapping[str, Controller],
    subnets: Rooms,
    kind: str,
    device: str,
    options: Mapping[str, Any],
) -> str:
    """Let something go wrong at a switch, a controller or a subnet manager; returns what was done.

    Raises:
        IntentError: no such kind or device, or the options do not fit.
    """
    controller = controllers.get(device)
    if controller is None or kind in ONLY_SUBNETS:
        done = subnets.fault(kind, device, options)
        if done is not None:
            return done
    return controller.fault(kind, options) if controller is not None else world.fault(kind, device, options)


ONLY_SUBNETS = frozenset(faults.KINDS) - {faults.CLEAR, "partitions-by-hand"}
"""Faults that happen to a subnet, never to the controller that may have the same name as its host."""


class Control:
    """Answers orders to the lab itself.

    Args:
        world: the lab.
        token: what an order must carry.
        stop: ends the lab.
        controllers: by name.
        subnets: simulated subnets.
    """

    def __init__(
        self,
        world: World,
        token: str,
        stop: Callable[[], None],
        controllers: Mapping[str, Controller],
        subnets: Rooms,
    ) -> None:
        self._controllers = controllers
        self._subnets = subnets
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
                return Response(200, snapshot(self._world, self._controllers, self._subnets))
            if place == ("POST", "/stop"):
                self._stop()
                return Response(200, {"stopping": True})
            if place == ("POST", "/fault"):
                return Response(200, {"done": self._fault(decoded(request))})
            if place == ("POST", "/manager"):
                return Response(200, {"done": self._manager(decoded(request))})
        except Refusal as error:
            return problem(error.status, error.detail)
        except IntentError as error:
            return problem(400, f"{error.message} ({error.hint})" if error.hint else error.message)
        return problem(404, "The lab knows GET /status, POST /fault, POST /manager and POST /stop")

    def _fault(self, body: Any) -> str:
        if not isinstance(body, dict) or not isinstance(body.get("options", {}), dict):
            raise IntentError("a fault is an object with kind, device and options")
        kind, device, options = str(body.get("kind", "")), str(body.get("device", "")), body.get("options", {})
        return let_fail(self._world, self._controllers, self._subnets, kind, device, options)

    def _manager(self, body: Any) -> str:
        if not isinstance(body, dict):
            raise IntentError("an order to a subnet manager is an object with name and action")
        return self._subnets.order(str(body.get("name", "")), str(body.get("action", "")))
