"""The REST API of one switch: from a request to an answer, without any network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from intent.core.tree import Path
from intent.lab import trees as lab_trees
from intent.lab.actions import Actions
from intent.lab.auth import Caller, Denied
from intent.lab.commands import bodies
from intent.lab.machine import Machine
from intent.lab.messages import Request, Response, compressed, content_type, decoded, problem
from intent.lab.reading import Reading, one
from intent.lab.tools import BadBody, Refusal
from intent.lab.trees import MISSING, Json
from intent.lab.world import World

__all__ = ["Api", "Request", "Response", "decoded", "problem"]

ROOT = "/nvue_v1"

_BAD_GATEWAY = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"


class Api:
    """Answers requests to any switch of a lab.

    Args:
        world: the lab.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._reading = Reading(world)
        self._actions = Actions()

    def handle(self, name: str, request: Request) -> Response:
        """Answer a request to a switch; time moves on first."""
        machine = self.world.machines[name]
        now = self.world.agenda.run()
        counters = machine.counters
        counters.requests += 1
        if request.method in ("GET", "HEAD"):
            counters.reads += 1
        else:
            counters.writes += 1
        if now < machine.serves_from:  # nginx is there, the NVUE service behind it is not
            return Response(502, None, (("Content-Type", "text/html"),), machine.faults.delay_s, _BAD_GATEWAY)
        response = self._checked(machine, request, now)
        if response.status in (401, 403):
            counters.refused += 1
        if machine.facts.compresses and "gzip" in request.headers.get("accept-encoding", ""):
            response = compressed(response)
        delay = machine.faults.delay_s
        return replace(response, delay_s=delay) if delay else response

    def _checked(self, machine: Machine, request: Request, now: float) -> Response:
        try:
            tokens = machine.dialect.tokens and machine.facts.token_s > 0
            caller = machine.accounts.caller(request.headers.get("authorization", ""), now, tokens=tokens)
            if caller is Denied.WHO:
                return problem(401, "The credentials are not valid")
            if isinstance(caller, Denied):
                return problem(403, "The factory password of user cumulus must be changed first")
            if request.method not in ("GET", "PATCH", "POST", "DELETE"):
                return problem(405, f"Method {request.method} is not allowed")
            if request.method != "GET" and not caller.writes:
                return problem(403, f"User {caller.user} may only read")
            return self._route(machine, request, caller, now)
        except BadBody as error:
            return problem(400, "Schema validation failed", error.errors)
        except Refusal as error:
            return problem(error.status, error.detail)

    def _route(self, machine: Machine, request: Request, caller: Caller, now: float) -> Response:
        try:
            parts = urlsplit(request.target)
            query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=200)
        except ValueError:
            raise Refusal(400, "The request target is not a valid path and query") from None
        if parts.path != ROOT and not parts.path.startswith(ROOT + "/"):
            raise Refusal(404, "The API is at /nvue_v1")
        path = tuple(unquote(piece) for piece in parts.path[len(ROOT) :].split("/") if piece)
        if path[:1] == ("revision",):
            return self._revision(machine, request, path[1:], caller, now)
        if path[:1] == ("action",) and request.method == "GET":
            return Response(200, self._actions.shown(machine, path[1:]))
        if path == ("api-token",) and request.method == "GET" and machine.dialect.tokens:
            return self._token(machine, caller, now)
        if request.method == "GET":
            return Response(200, self._reading.read(machine, path, query))
        if request.method == "POST":
            return Response(200, self._actions.start(machine, path, decoded(request)))
        name = one(query, "rev")
        if not name:
            raise Refusal(400, "Parameter rev is missing: changes go to a revision")
        if request.method == "DELETE":
            machine.held.clear(name, path)
            return self._deleted(machine)
        return self._patch(machine, name, path, request)

    @staticmethod
    def _token(machine: Machine, caller: Caller, now: float) -> Response:
        if machine.facts.token_s <= 0:
            raise Refusal(403, "Tokens are switched off: system api token-expiration is 0")
        return Response(200, {"token": machine.accounts.token(caller.user, now, machine.facts.token_s)})

    @staticmethod
    def _deleted(machine: Machine) -> Response:
        return Response(machine.dialect.delete_status, {} if machine.dialect.delete_body else None)

    def _patch(self, machine: Machine, name: str, path: Path, request: Request) -> Response:
        if machine.dialect.commands and content_type(request) == "text/plain":
            if path:
                raise Refusal(400, "Commands are patched at the root")
            over, tree = machine.held.merge_all(name, bodies(machine.schema, _text(request)))
        else:
            over, tree = machine.held.merge(name, path, decoded(request))
        shown: Any = tree if machine.dialect.patch_answer == "whole" else _with_types(over, tree)
        shown = lab_trees.at(shown, path)
        return Response(200, {} if shown is MISSING else shown)

    # Revisions

    def _revision(self, machine: Machine, request: Request, path: Path, caller: Caller, now: float) -> Response:
        if not path:
            if request.method == "GET":
                return Response(200, self._revisions(machine))
            if request.method == "POST":
                made = machine.held.create(caller.user, now)
                return Response(machine.dialect.post_status, {made.id: made.shown()})
            raise Refusal(405, f"Method {request.method} is not allowed on /revision")
        if len(path) > 1:
            raise Refusal(404, "There is nothing below a revision; the slashes of an id are quoted in a path")
        name = path[0]
        if request.method == "GET":
            return Response(200, self._shown(machine, name))
        if request.method == "PATCH":
            return Response(200, self._ordered(machine, name, decoded(request)))
        if request.method == "DELETE":
            machine.held.discard(name)
            return self._deleted(machine)
        raise Refusal(405, f"Method {request.method} is not allowed on a revision")

    @staticmethod
    def _ordered(machine: Machine, name: str, body: Any) -> Json:
        shown = machine.life.order(name, body).shown()
        # An order to save is answered with the order; the state stands in the next read.
        return {**shown, "state": "save"} if body["state"] == "save" else shown

    def _revisions(self, machine: Machine) -> Json:
        shown = {name: revision.shown() for name, revision in machine.store.revisions.items()}
        return {**shown, "applied": self._shown(machine, "applied"), "startup": self._shown(machine, "startup")}

    @staticmethod
    def _shown(machine: Machine, name: str) -> Json:
        shown = machine.revision(name).shown()
        if name == "startup":
            return {"state": "inactive", "transition": {"issue": {}, "progress": ""}}
        if name == "applied":
            shown["last-apply"] = {"rev_id": machine.store.applied_id}
        return shown


def _text(request: Request) -> str:
    try:
        return request.body.decode()
    except UnicodeDecodeError:
        raise Refusal(400, "The body is not UTF-8 text") from None


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _with_types(over: Json, tree: Json) -> Json:
    added = over.get("interface")
    if not isinstance(added, dict):
        return over
    held = _object(tree.get("interface"))
    shown = {}
    for name, value in added.items():
        kind = _object(held.get(name)).get("type")
        shown[name] = {**value, "type": kind} if isinstance(value, dict) and kind and "type" not in value else value
    return {**over, "interface": shown}
