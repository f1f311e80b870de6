"""A plain client of the lab for tests: http.client and ssl only, no code of ours in between."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

SURE = {"ays": "ays_yes"}
DECIDED = ("applied", "applied_and_saved", "confirm", "invalid", "apply_fail", "ignore_fail", "ays", "confirm_fail")


class LabClient:
    """One switch of a lab.

    Args:
        info: `LabInfo` of a running lab.
        name: the switch.
        user: account; the lab's by default.
        password: its password; the lab's by default.
    """

    def __init__(self, info: Any, name: str, user: str | None = None, password: str | None = None) -> None:
        place = info.switches[name]
        context = ssl.create_default_context(cafile=str(info.ca))
        self.connection = http.client.HTTPSConnection(place.address, place.port, timeout=20, context=context)
        text = f"{info.username if user is None else user}:{info.password if password is None else password}"
        self.headers = {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
        self.tick: Any = time.sleep

    def call(self, method: str, path: str, body: Any = None, raw: bytes | None = None, **query: Any) -> tuple[int, Any]:
        """Status and decoded body of a call below /nvue_v1."""
        target = "/nvue_v1" + path + (("&" if "?" in path else "?") + urlencode(query) if query else "")
        headers = dict(self.headers)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            self.connection.request(method, target, data, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise
        return answer.status, json.loads(text) if text else None

    def get(self, path: str, **query: Any) -> Any:
        """Body of a read that must succeed."""
        status, body = self.call("GET", path, **query)
        assert status == 200, (status, body)
        return body

    def applied(self) -> dict[str, Any]:
        """Configuration in force, without defaults."""
        found: dict[str, Any] = self.get("/", rev="applied", filled="false")
        return found

    def create(self) -> str:
        """A new revision."""
        status, body = self.call("POST", "/revision", {})
        assert status in (200, 201), body
        return str(next(iter(body)))

    def order(self, revision: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """A PATCH of a revision."""
        return self.call("PATCH", "/revision/" + quote(revision, safe=""), dict(body))

    def revision(self, revision: str) -> Any:
        """A revision as it stands."""
        return self.get("/revision/" + quote(revision, safe=""))

    def load(self, tree: Mapping[str, Any], *, replace: bool = False) -> str:
        """A new revision with a tree merged in, or holding only the tree."""
        revision = self.create()
        if replace:
            status, body = self.call("DELETE", "/", rev=revision)
            assert status in (200, 204), body
        status, body = self.call("PATCH", "/", dict(tree), rev=revision)
        assert status == 200, body
        return revision

    def start(self, revision: str, *, confirm: int = 0, **more: Any) -> None:
        """Start an apply."""
        order = {"state": "apply", "auto-prompt": SURE, **more}
        if confirm:
            order["state-controls"] = {"confirm": confirm}
        status, body = self.order(revision, order)
        assert status == 200, body

    def wait(self, revision: str, states: tuple[str, ...] = DECIDED) -> Any:
        """The revision once its state is one of `states`."""
        for _ in range(2000):
            body = self.revision(revision)
            if body["state"] in states:
                return body
            self.tick(0.005)
        raise AssertionError(f"revision {revision} stays {body}")

    def apply(self, tree: Mapping[str, Any], *, replace: bool = False, confirm: int = 0) -> Any:
        """Load and apply a tree; the revision once it is decided, with its id under `id`."""
        revision = self.load(tree, replace=replace)
        self.start(revision, confirm=confirm)
        return {**self.wait(revision), "id": revision}

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
