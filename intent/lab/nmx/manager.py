"""One NMX-M of the lab: its REST API over a model of its domains.

Every write is answered 202 with an operation; what can be refused at once is refused at once, as the OpenAPI says.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from intent.lab import rest_controller
from intent.lab.agenda import Clock
from intent.lab.api import Request, Response
from intent.lab.controller import Login
from intent.lab.nmx.model import Model, Partition
from intent.lab.nmx.operations import Operation
from intent.lab.nmx.spec import Nmx
from intent.lab.rest_controller import RestController
from intent.lab.tools import Refusal

ROOT = "/nmx/v1"
USER, READER = "rw-user", "ro-user"
KINDS = {
    **{kind: words for kind, words in rest_controller.KINDS.items() if kind != "clear"},
    "failover": "connections drop, nobody answers for for_s seconds, operations are forgotten",
    "lost-write": "a write's connection drops, when=before or when=after it is accepted; skip=n go well first",
    "operation-fails": "an operation ends as failed, nothing is done",
    "slow-operation": "operations take delay_s seconds",
    "move-gpu": "somebody moves GPU place of domain into partition (empty for none) by hand",
    "clear": rest_controller.KINDS["clear"],
}
_OPERATION_S = 0.02


@dataclass(slots=True)
class Faults(rest_controller.Standing):
    """Standing faults of an NMX-M.

    Args:
        fails: operations end as failed.
        operation_s: seconds an operation takes.
    """

    fails: bool = False
    operation_s: float = _OPERATION_S

    def loses(self, options: Mapping[str, Any], seconds: float) -> None:
        """Writes get lost; what is accepted then goes well."""
        self.fails = False
        rest_controller.Standing.loses(self, options, seconds)

    def hits(self) -> bool:
        """True when a fault of writes is due now; counts it."""
        return bool(self.lost or self.fails) and self.due()

    def words(self) -> list[str]:
        """The standing faults by name."""
        held = {
            "unreachable": self.down,
            "slow": self.delay_s,
            "lost-write": self.times and self.lost,
            "operation-fails": self.times and self.fails,
            "slow-operation": self.operation_s != _OPERATION_S,
        }
        return [name for name, value in held.items() if value]


class NmxManager(RestController):
    """An NMX-M with a model of its domains.

    Args:
        spec: what the wiring says of it.
        clock: seconds, never running backwards.
        password: of its accounts.
    """

    kind = "nmx"
    kinds = KINDS
    what = "an NMX-M"

    def __init__(self, spec: Nmx, clock: Clock, password: str) -> None:
        super().__init__(spec.name, spec.version, clock)
        self.spec = spec
        self.model = Model(spec.domains, spec.default_kind)
        self.faults: Faults = Faults()
        self.operations: dict[str, Operation] = {}
        self._password = password
        entity = "([0-9a-fA-F]{24})"
        self._routes: list[tuple[str, re.Pattern[str], Callable[..., Response]]] = [
            (method, re.compile(path), handler)
            for method, path, handler in (
                ("GET", "/gpus", self._gpus),
                ("GET", "/gpus/count", lambda _: Response(200, {"total": len(self.model.gpus)})),
                ("GET", "/compute-nodes/count", lambda _: Response(200, {"total": self._trays()})),
                ("GET", "/partitions", self._partitions),
                ("POST", "/partitions", self._create),
                ("GET", f"/partitions/{entity}", lambda _, key: Response(200, self.model.shown(self._found(key)))),
                ("PUT", f"/partitions/{entity}", self._update),
                ("DELETE", f"/partitions/{entity}", self._delete),
                ("GET", "/operations", lambda _: Response(200, [o.shown(self.now) for o in self.operations.values()])),
                ("GET", f"/operations/{entity}", self._operation),
                ("DELETE", f"/operations/{entity}", self._cancel),
            )
        ]

    def login(self) -> Login:
        """How to log in."""
        return Login(USER, self._password)

    def error(self, status: int, detail: str) -> Response:
        """An error in its own words."""
        return _error(status, detail)

    def answer(self, request: Request, reading: bool) -> Response:
        """Answer a request.

        Raises:
            Refusal: it makes no sense, or the account may not.
        """
        for operation in list(self.operations.values()):
            operation.run(self.now)
        user = self._user(request.headers.get("authorization", ""))
        if not reading and user == READER:
            raise Refusal(403, "the account may only read")
        path = request.target.partition("?")[0]
        if not path.startswith(ROOT + "/"):
            raise Refusal(404, "Not found")
        path = path.removeprefix(ROOT).rstrip("/")
        hit = False
        if not reading:
            self.calls.append((request.method, path))
            hit = path.startswith("/partitions") and self.faults.hits()
        if hit and self.faults.lost == "before":
            return self.dropped()
        answer = self._routed(request, path, fails=hit and self.faults.fails)
        return self.dropped() if hit and self.faults.lost == "after" else answer

    def _routed(self, request: Request, path: str, *, fails: bool) -> Response:
        there = False
        for method, pattern, handler in self._routes:
            match = pattern.fullmatch(path)
            if match and method == request.method:
                answer = handler(request, *match.groups())
                if fails and answer.status == 202:
                    self.operations[answer.body["operationId"]].fail()
                return answer
            there = there or match is not None
        raise Refusal(405 if there else 404, "Method not allowed" if there else "Not found")

    def _user(self, header: str) -> str:
        scheme, _, value = header.partition(" ")
        try:
            user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
        except ValueError:
            raise Refusal(401, "Unauthorized") from None
        known = scheme.lower() == "basic" and user in (USER, READER)
        if not known or not hmac.compare_digest(password.encode(), self._password.encode()):
            raise Refusal(401, "Unauthorized")
        return user

    # --- routes

    def _gpus(self, _: Request) -> Response:
        return Response(200, [self.model.shown_gpu(identifier) for identifier in self.model.gpus])

    def _trays(self) -> int:
        return sum(domain.trays for domain in self.spec.domains)

    def _partitions(self, _: Request) -> Response:
        return Response(200, [self.model.shown(held) for held in self.model.partitions.values()])

    def _found(self, identifier: str) -> Partition:
        held = self.model.partitions.get(identifier)
        if held is None:
            raise Refusal(404, f"partition {identifier} does not exist")
        return held

    def _create(self, request: Request) -> Response:
        name, kind, spots = self.model.asked(_body(request), name=True)
        self.model.check_name(name, spots)
        self.model.check_free(spots)

        def act() -> None:
            self.model.check_name(name, spots)
            self.model.check_free(spots)
            self.model.make(name, kind, spots, self.now)

        return self._later(request, act)

    def _update(self, request: Request, identifier: str) -> Response:
        held = self._found(identifier)
        _, kind, spots = self.model.asked(_body(request), name=False)
        if kind and kind != held.kind:
            raise Refusal(409, f"partition {held.name} is {held.kind}")
        self.model.check_free(spots, held.id)

        def act() -> None:
            self.model.check_free(spots, held.id)
            held.spots, held.updated = spots, self.now

        return self._later(request, act)

    def _delete(self, request: Request, identifier: str) -> Response:
        self._found(identifier)

        def act() -> None:
            self.model.partitions.pop(identifier, None)

        return self._later(request, act)

    # --- operations

    def _later(self, request: Request, act: Callable[[], None]) -> Response:
        made = Operation(
            self.model.new_id(),
            request.method,
            request.target,
            _body(request) if request.body else None,
            self.now,
            self.now + self.faults.operation_s,
            act,
        )
        self.operations[made.id] = made
        return Response(202, {"operationId": made.id}, (("Location", f"{ROOT}/operations/{made.id}"),))

    def _known(self, identifier: str) -> Operation:
        operation = self.operations.get(identifier)
        if operation is None:
            raise Refusal(404, f"operation {identifier} does not exist")
        return operation

    def _operation(self, _: Request, identifier: str) -> Response:
        return Response(200, self._known(identifier).shown(self.now))

    def _cancel(self, _: Request, identifier: str) -> Response:
        self._known(identifier).cancel()
        return Response(202, {"operationId": identifier})

    # --- faults

    def forget(self) -> None:
        """The node that takes over knows no operation."""
        self.operations.clear()

    def calm(self) -> None:
        """Every standing fault ends."""
        self.faults = Faults()

    def faulty(self, kind: str, options: Mapping[str, Any]) -> str | None:
        """A fault of NMX-M's own."""
        if kind == "operation-fails":
            self.faults.counted(options)
            self.faults.fails, self.faults.lost = True, ""
        elif kind == "slow-operation":
            self.faults.operation_s = float(options.get("delay_s", 1.0))
        else:
            self._move(str(options["domain"]), str(options["place"]), str(options.get("partition", "")))
        return None

    def _move(self, domain: str, place: str, name: str) -> None:
        chassis, slot, host, device = (int(part) for part in place.split("."))
        spot = (domain, chassis, slot, host, device)
        holder = self.model.holder(spot)
        if holder is not None:
            holder.spots.discard(spot)
        if not name:
            return
        own = [held for held in self.model.partitions.values() if held.name == name]
        same = [held for held in own if domain in {at[0] for at in held.spots}] or own
        held = same[0] if same else self.model.make(name, "", set(), self.now)
        held.spots.add(spot)

    def seen(self) -> dict[str, Any]:
        """Partitions by number of members, standing faults."""
        return {
            "partitions": {held.id: len(held.spots) for held in self.model.partitions.values()},
            "faults": self.faults.words(),
        }


def _body(request: Request) -> Any:
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError):
        raise Refusal(400, "the body is not JSON") from None


def _error(status: int, detail: str) -> Response:
    code = {400: "bad-request", 401: "unauthorized", 403: "forbidden", 404: "not-found", 409: "conflict"}
    text = code.get(status, "internal-error")
    return Response(status, {"httpErrorCode": status, "customErrorCode": text, "description": detail})
