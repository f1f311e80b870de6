"""Typed calls of UFM's REST API. Says what UFM said; decides nothing.

Paths and bodies are those of NVIDIA's UFM Enterprise REST API guides 6.15 to 6.24, of its SDK and of the public clients
ib-kubernetes and Infra Controller. UFM answers 200 with `{}` for some things that do not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from intent.core.errors import IntentError
from intent.device.deadline import Deadline
from intent.device.errors import BadRequest, Busy, Forbidden, NotFound, ProtocolError
from intent.device.http import Reply
from intent.device.rest_session import RestSession
from intent.device.ufm.keys import DEFAULT_KEY, api_key
from intent.device.ufm.partitions import Partitions, from_answers

ROOT = "/ufmRest"
TOKEN_ROOT = "/ufmRestV3"  # noqa: S105 - a path
DEFAULT_PORT = 443
SETTINGS = "/app/smconf"
_PKEYS = "/resources/pkeys"
_ATTEMPTS = 3
_MOVING = ("running", "pending", "scheduled", "queued", "in progress")


class UfmSession(RestSession):
    """One UFM's REST API, by its virtual address.

    Args:
        transport: made with `root=ROOT`, or `TOKEN_ROOT` for access tokens.
    """

    # --- reading

    def version(self, deadline: Deadline) -> str:
        """Version of UFM, as `6.23.1-6`.

        Raises:
            ProtocolError: the answer names none.
            DeviceError: by kind of failure.
        """
        body = self.transport.get("/app/ufm_version", deadline=deadline)
        found = body.get("ufm_release_version") if isinstance(body, Mapping) else None
        if not isinstance(found, str) or not found:
            raise ProtocolError("/app/ufm_version: UFM names no version")
        return found

    def calls(self, deadline: Deadline) -> frozenset[tuple[str, str]]:
        """Methods and paths this server offers to this account; empty when it does not say.

        Raises:
            DeviceError: by kind of failure.
        """
        try:
            body = self.transport.get("/app/roles_access_control/rest_apis", deadline=deadline)
        except (NotFound, BadRequest, Forbidden):
            return frozenset()
        return frozenset(_calls(body))

    def partitions(self, deadline: Deadline) -> Partitions:
        """Every partition with its members, MTU, rate and service level.

        UFM cannot list members and the rest in one answer (NVIDIA bug 5409095), so both lists are asked for and must
        name the same keys.

        Raises:
            Busy: partitions come and go while they are read.
            DeviceError: by kind of failure.
        """
        for _ in range(_ATTEMPTS):
            members = self.transport.get(_PKEYS, {"guids_data": "true"}, deadline=deadline)
            qualities = self.transport.get(_PKEYS, {"qos_conf": "true"}, deadline=deadline)
            if isinstance(members, list):  # a server that knows no such parameter: keys only
                members = qualities = self._one_by_one(members, deadline)
            if isinstance(members, Mapping) and isinstance(qualities, Mapping) and set(members) != set(qualities):
                continue
            if members == {} and self.transport.get(f"{_PKEYS}/{api_key(DEFAULT_KEY)}", deadline=deadline):
                raise ProtocolError("UFM lists no partition, yet has its default one: the list cannot be trusted")
            return from_answers(members, qualities)
        raise Busy("partitions come and go while they are read: somebody else is changing them")

    def _one_by_one(self, keys: Sequence[Any], deadline: Deadline) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in keys:
            query = {"guids_data": "true", "qos_conf": "true"}
            body = self.transport.get(f"{_PKEYS}/{quote(str(key), safe='')}", query, deadline=deadline)
            if body:  # `{}` is a partition that went meanwhile
                found[str(key)] = body
        return found

    def last_updated(self, deadline: Deadline) -> str:
        """When partitions were changed last, in UFM's words; empty when it does not know."""
        body = self.transport.get(f"{_PKEYS}/last_updated", deadline=deadline)
        return str(body.get("last_updated") or "") if isinstance(body, Mapping) else ""

    def setting(self, name: str, deadline: Deadline) -> Any:
        """One setting of the subnet manager as UFM runs it; None when UFM does not say it. No other one is asked for.

        Raises:
            DeviceError: by kind of failure.
        """
        body = self.transport.get(SETTINGS, {"param_name": name}, deadline=deadline)
        if not isinstance(body, Mapping):
            raise ProtocolError(f"{SETTINGS}: expected an object, got {type(body).__name__}")
        return body.get(name)

    def settings(self, deadline: Deadline) -> Any:
        """Every setting of the subnet manager, keys in clear: whoever asks hides them at once.

        Raises:
            DeviceError: by kind of failure.
        """
        return self.transport.get(SETTINGS, deadline=deadline)

    def unhealthy_ports(self, deadline: Deadline) -> Any:
        """The list of ports the subnet manager set aside, as UFM answers it.

        Raises:
            DeviceError: by kind of failure.
        """
        return self.transport.get("/app/unhealthy_ports", deadline=deadline)

    def validations(self, deadline: Deadline) -> Any:
        """Names of the tests of the fabric this server offers, as it answers them.

        Raises:
            DeviceError: by kind of failure.
        """
        return self.transport.get("/fabricValidation/tests", deadline=deadline)

    def validate(self, name: str, deadline: Deadline) -> Reply:
        """Start a test of the fabric; the answer names its job.

        Raises:
            DeviceError: by kind of failure; BadRequest while it is running already.
        """
        return self.transport.order("POST", f"/fabricValidation/tests/{quote(name, safe='')}", deadline=deadline)

    def job(self, identifier: str, deadline: Deadline) -> Mapping[str, Any]:
        """A job as it stands; empty when UFM does not know it (any more).

        Raises:
            DeviceError: by kind of failure.
        """
        try:
            body = self.transport.get(f"/jobs/{quote(identifier, safe='')}", deadline=deadline)
        except NotFound:
            return {}
        return body if isinstance(body, Mapping) else {}

    def working(self, deadline: Deadline) -> str:
        """Jobs on partitions that are not over, in words; empty when there are none.

        Raises:
            DeviceError: by kind of failure.
        """
        try:
            body = self.transport.get("/jobs", deadline=deadline)
        except NotFound:
            return ""
        rows = [item for item in body if isinstance(item, Mapping)] if isinstance(body, list) else []
        found = [
            str(row.get("ID") or "?")
            for row in rows
            if str(row.get("Status") or "").lower() in _MOVING
            and any(word in str(row.get("Operation") or "").lower() for word in ("pkey", "partition"))
        ]
        return f"job {', '.join(found)} on partitions is not over" if found else ""

    def jobs_below(self, identifier: str, deadline: Deadline) -> tuple[Mapping[str, Any], ...]:
        """Parts of a job."""
        body = self.transport.get("/jobs", {"parent_id": identifier}, deadline=deadline)
        return tuple(item for item in body if isinstance(item, Mapping)) if isinstance(body, list) else ()


def partition_path(key: int, *rest: str) -> str:
    """Path of a partition, or of something below it."""
    return "/".join((_PKEYS, api_key(key), *rest))


def _calls(body: Any) -> list[tuple[str, str]]:
    """Method and path of each entry, whichever of the forms seen it has; nothing where none is understood."""
    found: list[tuple[str, str]] = []
    rows: Any = body
    if isinstance(body, Mapping):
        rows = [{"path": path, "methods": methods} for path, methods in body.items()]
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, Mapping):
            continue
        path = next((row[name] for name in ("path", "url", "route", "api", "rest_api") if row.get(name)), "")
        methods = row.get("methods") or row.get("method") or ()
        for method in [methods] if isinstance(methods, str) else methods if isinstance(methods, list | tuple) else ():
            found.append((str(method).upper(), str(path)))
    return found


def check_endpoint(token: bool, username: str) -> str:
    """Root of the API for a kind of credentials.

    Raises:
        IntentError: an account without a name.
    """
    if token:
        return TOKEN_ROOT
    if not username:
        raise IntentError("UFM: no username", hint="or `data: {authentication: token}` in inventory/groups.yaml")
    return ROOT
