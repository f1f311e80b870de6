"""A lab without network and without waiting: time moves when the test says so."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlencode

from lab_client import LabClient

from intent.lab.api import Api, Request
from intent.lab.crypt512 import hashed
from intent.lab.tools import Timing
from intent.lab.wiring import Wiring
from intent.lab.world import World

PASSWORD = "lab-password"
USER_HASH = hashed(PASSWORD, "saltsalt")


class DirectLab:
    """A lab in memory with a clock of its own.

    Args:
        wiring: switches, hosts and cables.
        apply_s: seconds an apply takes.
    """

    def __init__(self, wiring: Wiring, *, apply_s: float = 1.0) -> None:
        self.now = 1000.0
        self.world = World(wiring, clock=lambda: self.now, user_hash=USER_HASH, timing=Timing(apply_s=apply_s))
        self.api = Api(self.world)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def client(self, name: str, user: str = "cumulus", password: str = PASSWORD) -> DirectClient:
        """A client of a switch."""
        return DirectClient(self, name, user, password)

    def fault(self, kind: str, device: str, **options: Any) -> str:
        """Let something go wrong."""
        return self.world.fault(kind, device, options)


class DirectClient(LabClient):
    """As `LabClient`, but straight into the API."""

    def __init__(self, lab: DirectLab, name: str, user: str, password: str) -> None:
        self.lab = lab
        self.name = name
        self.headers = {"authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
        self.tick = lambda _: lab.advance(0.1)

    def call(self, method: str, path: str, body: Any = None, raw: bytes | None = None, **query: Any) -> tuple[int, Any]:
        """Status and body of a call below /nvue_v1."""
        target = "/nvue_v1" + path + (("&" if "?" in path else "?") + urlencode(query) if query else "")
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        answer = self.lab.api.handle(self.name, Request(method, target, self.headers, data))
        return answer.status, answer.body

    def commands(self, revision: str, text: str) -> tuple[int, Any]:
        """Status and body of a PATCH with `nv set` and `nv unset` commands."""
        headers = {**self.headers, "content-type": "text/plain"}
        target = f"/nvue_v1/?{urlencode({'rev': revision})}"
        answer = self.lab.api.handle(self.name, Request("PATCH", target, headers, text.encode()))
        return answer.status, answer.body
