"""A switch in memory that speaks enough of NVUE's REST API to test sessions; every reaction can be scripted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from intent.core.tree import copy
from intent.device.actor import Target
from intent.device.endpoints import Endpoints
from intent.device.fanout import Fleet
from intent.device.http import Transport
from intent.device.labfile import LabFile, LabSwitch
from intent.device.nvue.actor import NvueActor
from intent.device.nvue.waiting import Pace
from intent.device.options import ConnectionSettings
from intent.device.secrets import SecretStore

USER, PASSWORD = "cumulus", "CANARY-device-password"


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def merged(base: Any, over: Mapping[str, Any]) -> dict[str, Any]:
    result = copy(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            present = result.get(key)
            result[key] = merged(present if isinstance(present, dict) else {}, value)
        else:
            result[key] = value
    return result


def one_sided(here: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in here.items():
        other = there.get(key)
        if isinstance(value, dict) and isinstance(other, dict):
            inner = one_sided(value, other)
            if inner:
                result[key] = inner
        elif key not in there or type(value) is not type(other) or value != other:
            result[key] = value
    result.update({key: None for key in there if key not in here})
    return result


@dataclass
class FakeSwitch:
    """State and script of one switch."""

    applied: dict[str, Any]
    release: str = "5.16.4"
    model: str = "SN5600"
    hostname: str = "leaf01"
    # states shown after apply, one for each time somebody asks; the last stays
    states: list[str] = field(default_factory=lambda: ["apply", "reloading", "confirm"])
    after_confirm: list[str] = field(default_factory=lambda: ["saving", "applied_and_saved"])
    after_decline: list[str] = field(default_factory=lambda: ["inactive"])
    issues: dict[str, Any] = field(default_factory=dict)
    revisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    trees: dict[str, dict[str, Any]] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)  # operational answers by path
    calls: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    # called before each request; may raise an httpx error, or return a response that is sent instead
    fault: Callable[[str, str, FakeSwitch], httpx.Response | None] | None = None
    queue: list[str] = field(default_factory=list)
    current: str = ""
    before: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.revisions.setdefault("1", {"state": "applied_and_saved"})

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [call for call in self.calls if call[0] != "GET"]

    def handle(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/nvue_v1") or "/"
        method = request.method
        self.calls.append((method, path))
        if self.fault is not None:
            found = self.fault(method, path, self)
            if found is not None:
                return found
        body = json.loads(request.content) if request.content else None
        if method != "GET":
            self.bodies.append(body)
        return self._answer(method, path, dict(request.url.params), body)

    def _answer(self, method: str, path: str, query: dict[str, str], body: Any) -> httpx.Response:
        if path == "/":
            return self._root(method, query, body)
        if path == "/revision":
            if method == "GET":
                return httpx.Response(200, json=self.revisions)
            name = str(len(self.revisions) + 1)
            self.revisions[name] = {"state": "pending"}
            self.trees[name] = copy(self.applied)
            return httpx.Response(200, json={name: {"state": "pending"}})
        if path.startswith("/revision/"):
            return self._revision(method, path.removeprefix("/revision/"), body)
        if path == "/system" and path not in self.state:
            return httpx.Response(200, json={"hostname": self.hostname, "product-release": self.release, "uptime": 77})
        if path == "/platform" and path not in self.state:
            return httpx.Response(200, json={"product-name": self.model, "serial-number": "MT123"})
        found = self.state.get(path)
        return httpx.Response(404, json={"title": "Not Found"}) if found is None else httpx.Response(200, json=found)

    def tree(self, name: str) -> dict[str, Any]:
        return self.applied if name in ("applied", "startup") else self.trees[name]

    def _root(self, method: str, query: dict[str, str], body: Any) -> httpx.Response:
        name = query.get("rev", "applied")
        if method == "GET":
            if "diff" in query:
                return httpx.Response(200, json=one_sided(self.tree(name), self.tree(query["diff"])))
            return httpx.Response(200, json=self.tree(name))
        if method == "DELETE":
            self.trees[name] = {}
            return httpx.Response(204)
        self.trees[name] = merged(self.trees[name], body)
        return httpx.Response(200, json=body)

    def _revision(self, method: str, name: str, body: Any) -> httpx.Response:
        if name == "applied":
            return httpx.Response(200, json={"state": "saved"})
        if name not in self.revisions:
            return httpx.Response(404, json={"title": "Not Found"})
        if method == "DELETE":
            del self.revisions[name]
            return httpx.Response(204)
        if method == "PATCH":
            self.order(name, body)
        elif name == self.current and self.queue:
            self.step(name)
        shown = dict(self.revisions[name])
        if self.issues:
            shown["transition"] = {"issue": self.issues}
        return httpx.Response(200, json=shown)

    def order(self, name: str, body: Mapping[str, Any]) -> None:
        word = body["state"]
        script = {"apply": self.states, "confirm_yes": self.after_confirm, "confirm_no": self.after_decline}
        if word == "apply":
            self.before = copy(self.applied)
        self.current, self.queue = name, list(script.get(word, ["inactive"]))
        self.revisions[name]["state"] = word

    def step(self, name: str) -> None:
        word = self.queue.pop(0)
        self.revisions[name]["state"] = word
        if word in ("confirm", "applied", "applied_and_saved"):
            self.applied = copy(self.trees[name])
        elif word == "inactive" and self.before is not None:
            self.applied = copy(self.before)


class Journal:
    """Keeps what an actor announces."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str, dict[str, Any]]] = []
        self.stop = False

    def record(self, device: str, step: str, data: Mapping[str, Any] | None = None) -> None:
        self.steps.append((device, step, dict(data or {})))

    def stopping(self) -> bool:
        return self.stop

    def words(self) -> list[str]:
        return [step for _, step, _ in self.steps]


class Bench:
    """An actor in front of fake switches."""

    def __init__(
        self, switches: Mapping[str, FakeSwitch], known: Mapping[str, str] | None = None, pace: Pace | None = None
    ) -> None:
        self.switches = dict(switches)
        self.clock = Clock()
        self.opened: list[str] = []
        self.secrets = SecretStore(known=dict(known or {}), environment={})
        by_address = {f"192.0.2.{number}": name for number, name in enumerate(self.switches, 1)}
        lab = LabFile(
            "lab.json", "", USER, PASSWORD, {name: LabSwitch(address, 8765) for address, name in by_address.items()}
        )

        def transport(endpoint: Any, *, root: str) -> Transport:
            self.opened.append(endpoint.name)
            wire = httpx.MockTransport(self.switches[endpoint.name].handle)
            return Transport(endpoint, root=root, clock=self.clock, sleep=self.clock.sleep, wire=wire)

        self.endpoints = Endpoints(ConnectionSettings({}, {}), self.secrets, lab=lab, root=Path(), transport=transport)
        self.fleet = Fleet(self.endpoints)
        self.actor = NvueActor(self.fleet, pace=pace, closing_s=60)

    def target(self, name: str, release: str = "5.16.4", model: str = "SN5600") -> Target:
        return Target(name, "", "nvue", release, model)
