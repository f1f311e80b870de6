"""What a controller of the lab is: one address, accounts of its own, faults of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from intent.lab.api import Request, Response


@dataclass(frozen=True, slots=True)
class Login:
    """How to log in.

    Args:
        username: account.
        password: its password, or an access token where `token` is true.
        token: it is an access token.
    """

    username: str
    password: str = field(repr=False)
    token: bool = False


class Controller(Protocol):
    """A controller behind its address."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> str:
        """Platform it stands for: `ufm`, `nmx`."""

    @property
    def version(self) -> str:
        """Version it runs."""

    def login(self) -> Login:
        """How to log in."""

    def opened(self) -> None:
        """A connection was accepted."""

    def reachable(self) -> str:
        """Empty to go on, `refuse` to drop the connection."""

    def handle(self, request: Request) -> Response:
        """Answer a request."""

    def fault(self, kind: str, options: Mapping[str, Any]) -> str:
        """Let something go wrong; returns what was done, in words.

        Raises:
            IntentError: no such kind, or the options do not fit.
        """

    def snapshot(self) -> dict[str, Any]:
        """Counters and standing faults."""


# Status of an answer that is none: the connection is dropped.
DROPPED = Response(0)
