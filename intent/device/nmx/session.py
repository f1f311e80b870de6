"""Typed calls of NMX-M's REST API. Says what NMX-M said; decides nothing.

Paths, bodies and states are those of the NMX Manager OpenAPI 85.1.1000 and the NetQ NVLink API user guide: every write
is answered 202 with an operation, whose end is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from intent.device.compensation import Lost, Pace, Refused, Write
from intent.device.connection import RestConnection
from intent.device.deadline import Deadline
from intent.device.endpoint import Endpoint
from intent.device.errors import DeviceError, NotFound
from intent.device.http import Reply, Transport
from intent.device.nmx.model import Live, live_from
from intent.device.rest_session import RestSession

ROOT = "/nmx/v1"
_BAD = ("failed", "cancelled")
_MOVING = ("pending", "in-progress")
_WORDS = 300


class NmxSession(RestSession):
    """One NMX-M's REST API.

    Args:
        transport: made with `root=ROOT`.
    """

    def live(self, deadline: Deadline) -> Live:
        """GPUs and partitions.

        Raises:
            DeviceError: by kind of failure.
        """
        gpus = self.transport.get("/gpus", deadline=deadline)
        return live_from(gpus, self.transport.get("/partitions", deadline=deadline))

    def operation(self, identifier: str, deadline: Deadline) -> Mapping[str, Any]:
        """An operation as it stands; empty when NMX-M does not know it.

        Raises:
            DeviceError: by kind of failure.
        """
        try:
            body = self.transport.get(f"/operations/{quote(identifier, safe='')}", deadline=deadline)
        except NotFound:
            return {}
        return body if isinstance(body, Mapping) else {}

    def working(self, deadline: Deadline) -> str:
        """Operations on partitions that are not over, in words; empty when there are none.

        Raises:
            DeviceError: by kind of failure.
        """
        body = self.transport.get("/operations", deadline=deadline)
        rows = [item for item in body if isinstance(item, Mapping)] if isinstance(body, list) else []
        found = [
            str(row.get("ID") or "?")
            for row in rows
            if row.get("Status") in _MOVING and "/partitions" in str(row.get("Request") or "")
        ]
        return f"operation {', '.join(found)} on partitions is not over" if found else ""

    def follow(self, call: Write, reply: Reply, deadline: Deadline, pace: Pace) -> None:
        """Wait until the operation an answer names is over.

        Raises:
            Refused: it failed or was cancelled.
            Lost: nobody knows how it ended.
        """
        identifier = _operation_of(reply)
        if not identifier:
            raise Lost(f"{call.words}: NMX-M names no operation")
        pause, last = pace.first_s, ""
        while not deadline.over():
            self.transport.sleep(max(0.0, min(pause, deadline.remaining())))
            pause = min(pause * pace.factor, pace.longest_s)
            try:
                body = self.operation(identifier, deadline)
            except DeviceError as problem:
                self.transport.reconnect()
                raise Lost(f"{call.words}: {problem.message}") from None
            if not body:
                raise Lost(f"{call.words}: NMX-M does not know operation {identifier} any more")
            last = str(body.get("Status") or "")
            if last == "completed":
                return
            if last in _BAD:
                raise Refused(f"{call.words}: operation {last}: {_said(body)}")
        raise Lost(f"{call.words}: the operation was not over in time ({last or 'no status'})")


class NmxConnection(RestConnection[NmxSession]):
    """Connection plugin `nmx-rest`."""

    name = "nmx-rest"

    def _made(self, make: Callable[..., Transport], endpoint: Endpoint) -> NmxSession:
        return NmxSession(make(endpoint, root=ROOT))


def _operation_of(reply: Reply) -> str:
    body = reply.body
    named = body.get("operationId") if isinstance(body, Mapping) else None
    return str(named) if named else reply.location.rpartition("/operations/")[2]


def _said(body: Mapping[str, Any]) -> str:
    result = body.get("Result")
    parts = [result.get("Error"), result.get("Details")] if isinstance(result, Mapping) else []
    return "; ".join(str(part) for part in parts if part)[:_WORDS] or "no reason given"
