"""A plain client of a controller of the lab: http.client and ssl only, no code of ours in between."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from typing import Any


class PlainClient:
    """One controller.

    Args:
        info: `LabInfo` of a running lab.
        name: the controller.
        header: `Authorization` header; the account's by default.
    """

    def __init__(self, info: Any, name: str, header: str | None = None) -> None:
        self.place = info.controllers[name]
        self.context = ssl.create_default_context(cafile=str(info.ca))
        text = base64.b64encode(f"{self.place.username}:{self.place.password}".encode()).decode()
        self.header = f"Basic {text}" if header is None else header
        self.location = ""

    def call(self, method: str, target: str, body: Any = None, raw: bytes | None = None) -> tuple[int, Any]:
        """Status and decoded body; `location` holds what the answer's head names."""
        connection = http.client.HTTPSConnection(self.place.address, self.place.port, timeout=20, context=self.context)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self.header}
        if data is not None:
            headers["Content-Type"] = "application/json" if raw is None else "multipart/form-data; boundary=x"
        try:
            connection.request(method, target, data, headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        self.location = answer.headers.get("Location", "")
        return answer.status, json.loads(text) if text.strip() else None
