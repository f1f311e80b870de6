"""One NMX-M of the lab: REST, operations, accounts, faults, counters.

Every write is answered 202 with an operation; what can be refused at once is refused at once, as the OpenAPI says.
"""

from __future__ import annotations

import base64
import hmac
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from intent.core.errors import IntentError
from intent.lab.agenda import Clock
from intent.lab.api import Request, Response
from intent.lab.controller import DROPPED, Login
from intent.lab.nmx.model import Json, Model, Partition
from intent.lab.nmx.spec import Nmx
from intent.lab.tools import Counters, Refusal

ROOT = "/nmx/v1"
USER, READER = "rw-user", "ro-user"
KINDS = {
    "unreachable": "connections are refused, for for_s seconds or until cleared",
    "slow": "every answer takes delay_s longer",
    "failover": "connections drop, nobody answers for for_s seconds, operations are forgotten",
    "lost-write": "a write's connection drops, when=before or when=after it is accepted; skip=n go well first",
    "operation-fails": "an operation ends as failed, nothing is done",
    "slow-operation": "operations take delay_s seconds",
    "move-gpu": "somebody moves GPU place of domain into partition (empty for none) by hand",
    "clear": "every standing fault ends",
}
_OPERATION_S = 0.02
_log = logging.getLogger("intent.lab")


@dataclass(slots=True)
class Faults:
    """Standing faults; `times` counts the writes that are hit."""

    down: bool = False
    until: float = 0.0
    delay_s: float = 0.0
    lost: str = ""
    failover_s: float = 0.0
    fails: bool = False
    operation_s: float = _OPERATION_S
    skip: int = 0
    times: int = 0

    def hits(self) -> bool:
        """True when a fault of writes is due now; counts it."""
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times == 0:
            return False
        self.times -= self.times > 0
        return True


@dataclass(slots=True)
class Operation:
    """One operation of NMX-M."""

    id: str
    method: str
    uri: str
    body: Any
    created: float
    ends: float
    act: Callable[[], None] | None
    status: str = "pending"
    result: Json = field(default_factory=dict)

    def shown(self, now: float) -> Json:
        """As the API says it."""
        return {
            "ID": self.id,
            "Status": self.status,
            "Percentage": 100.0 if self.act is None else 50.0,
            "CurrentStep": self.status,
            "CreatedAt": f"{self.created:.3f}",
            "UpdatedAt": f"{min(now, self.ends):.3f}",
            "Request": {"Method": self.method.lower(), "URI": self.uri, "Body": self.body, "Cancellable": True},
            "Result": self.result,
        }


class NmxManager:
    """An NMX-M with a model of its domains.

    Args:
        spec: what the wiring says of it.
        clock: seconds, never running backwards.
        password: of its accounts.
    """

    kind = "nmx"

    def __init__(self, spec: Nmx, clock: Clock, password: str) -> None:
        self.spec = spec
        self.model = Model(spec.domains, spec.default_kind)
        self.counters = Counters()
        self.faults = Faults()
        self.operations: dict[str, Operation] = {}
        self.calls: list[tuple[str, str]] = []
        self._clock = clock
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

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def version(self) -> str:
        """Version it runs."""
        return self.spec.version

    @property
    def now(self) -> float:
        """Lab time."""
        return self._clock()

    def login(self) -> Login:
        """How to log in."""
        return Login(USER, self._password)

    # --- behind the address

    def opened(self) -> None:
        """A connection was accepted."""
        self.counters.connections += 1

    def reachable(self) -> str:
        """Whether it answers now."""
        faults = self.faults
        if faults.down and faults.until and faults.until <= self.now:
            faults.down, faults.until = False, 0.0
        return "refuse" if faults.down else ""

    def handle(self, request: Request) -> Response:
        """Answer; a bug of the lab is an answer 500 and a trace in its log, never a crash."""
        reading = request.method in ("GET", "HEAD")
        self.counters.requests += 1
        self.counters.reads += reading
        self.counters.writes += not reading
        try:
            answer = self._answer(request, reading)
        except Refusal as refusal:
            answer = _error(refusal.status, refusal.detail)
        except Exception:
            _log.exception("%s: %s %s", self.name, request.method, request.target[:200])
            answer = _error(500, "The lab failed to answer; see its log")
        self.counters.refused += answer.status in (401, 403)
        if not self.faults.delay_s or answer is DROPPED:
            return answer
        return Response(answer.status, answer.body, answer.headers, self.faults.delay_s)

    def _answer(self, request: Request, reading: bool) -> Response:
        self._run()
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
            return self._dropped()
        answer = self._routed(request, path, fails=hit and self.faults.fails)
        return self._dropped() if hit and self.faults.lost == "after" else answer

    def _routed(self, request: Request, path: str, *, fails: bool) -> Response:
        there = False
        for method, pattern, handler in self._routes:
            match = pattern.fullmatch(path)
            if match and method == request.method:
                answer = handler(request, *match.groups())
                if fails and answer.status == 202:
                    self._fail(answer.body["operationId"])
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

    def _run(self) -> None:
        for operation in list(self.operations.values()):
            act = operation.act
            if act is None:
                continue
            operation.status = "in-progress"
            if operation.ends > self.now:
                continue
            operation.act, operation.status = None, "completed"
            try:
                act()
            except Refusal as refusal:
                operation.status = "failed"
                operation.result = {"Error": "conflict", "Details": refusal.detail}

    def _fail(self, identifier: str) -> None:
        def act() -> None:
            raise Refusal(500, "the controller is not ready")

        self.operations[identifier].act = act

    def _operation(self, _: Request, identifier: str) -> Response:
        operation = self.operations.get(identifier)
        if operation is None:
            raise Refusal(404, f"operation {identifier} does not exist")
        return Response(200, operation.shown(self.now))

    def _cancel(self, _: Request, identifier: str) -> Response:
        operation = self.operations.get(identifier)
        if operation is None:
            raise Refusal(404, f"operation {identifier} does not exist")
        if operation.act is None:
            raise Refusal(409, f"the operation is {operation.status}")
        operation.act, operation.status = None, "cancelled"
        return Response(202, {"operationId": identifier})

    # --- faults

    def _dropped(self) -> Response:
        if self.faults.failover_s:
            self._failover(self.faults.failover_s)
        return DROPPED

    def _failover(self, seconds: float) -> None:
        self.operations.clear()
        self.faults.down, self.faults.until = True, self.now + seconds

    def fault(self, kind: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong.

        Raises:
            IntentError: no such kind, or the options do not fit.
        """
        if kind not in KINDS:
            raise IntentError(f"no fault of an NMX-M is called {kind!r}", hint=f"known: {', '.join(KINDS)}")
        try:
            self._faulty(kind, options)
        except (TypeError, ValueError, KeyError) as problem:
            raise IntentError(f"{self.name}: {kind}: {problem}", hint=KINDS[kind]) from None
        return f"{self.name}: {kind}"

    def _faulty(self, kind: str, options: Mapping[str, Any]) -> None:
        faults, seconds = self.faults, float(options.get("for_s", 0.0))
        if kind in ("lost-write", "operation-fails"):
            faults.times, faults.skip = int(options.get("times", 1)), int(options.get("skip", 0))
            faults.fails = kind == "operation-fails"
            faults.lost = "" if faults.fails else "before" if options.get("when") == "before" else "after"
            faults.failover_s = seconds
        elif kind == "unreachable":
            faults.down, faults.until = True, self.now + seconds if seconds else 0.0
        elif kind == "slow":
            faults.delay_s = float(options.get("delay_s", 1.0))
        elif kind == "failover":
            self._failover(seconds or 1.0)
        elif kind == "slow-operation":
            faults.operation_s = float(options.get("delay_s", 1.0))
        elif kind == "move-gpu":
            self._move(str(options["domain"]), str(options["place"]), str(options.get("partition", "")))
        else:
            self.faults = Faults()

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

    def snapshot(self) -> dict[str, Any]:
        """Counters, partitions by number of members, standing faults."""
        faults = self.faults
        named = {"unreachable": faults.down, "slow": faults.delay_s, "lost-write": faults.times and faults.lost}
        return {
            "kind": self.kind,
            "release": self.version,
            "reachable": not self.reachable(),
            "partitions": {held.id: len(held.spots) for held in self.model.partitions.values()},
            "faults": [name for name, value in named.items() if value],
            **asdict(self.counters),
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
