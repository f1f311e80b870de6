"""The lab's own door: status, counters, faults and stop, for the one who holds the token."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from intent.core.errors import IntentError
from intent.lab.api import Request, Response, decoded, problem
from intent.lab.tools import Refusal
from intent.lab.world import World


def snapshot(world: World) -> dict[str, Any]:
    """What every switch of the lab is doing: counters, applied revision, standing faults."""
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
            "faults": machine.faults.words(),
            **asdict(machine.counters),
        }
    return {"switches": shown}


class Control:
    """Answers orders to the lab itself.

    Args:
        world: the lab.
        token: what an order must carry.
        stop: ends the lab.
    """

    def __init__(self, world: World, token: str, stop: Callable[[], None]) -> None:
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
                return Response(200, snapshot(self._world))
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
        return self._world.fault(str(body.get("kind", "")), str(body.get("device", "")), body.get("options", {}))
