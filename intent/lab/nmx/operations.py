"""Operations of an NMX-M: what it does after it has answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from intent.lab.nmx.model import Json
from intent.lab.tools import Refusal


@dataclass(slots=True)
class Operation:
    """One operation of NMX-M.

    Args:
        id: identifier of NMX-M.
        method: of the request.
        uri: of the request.
        body: of the request; None for none.
        created: lab time.
        ends: lab time at which it is over.
        act: what it does; None once it is done, cancelled or failed.
        status: as the API says it.
        result: what came of it.
    """

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

    def run(self, now: float) -> None:
        """Do it when its time has come."""
        act = self.act
        if act is None:
            return
        self.status = "in-progress"
        if self.ends > now:
            return
        self.act, self.status = None, "completed"
        try:
            act()
        except Refusal as refusal:
            self.status = "failed"
            self.result = {"Error": "conflict", "Details": refusal.detail}

    def fail(self) -> None:
        """It will end as failed, nothing done."""

        def act() -> None:
            raise Refusal(500, "the controller is not ready")

        self.act = act

    def cancel(self) -> None:
        """It is not done.

        Raises:
            Refusal: it is over.
        """
        if self.act is None:
            raise Refusal(409, f"the operation is {self.status}")
        self.act, self.status = None, "cancelled"
