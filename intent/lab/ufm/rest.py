"""The REST API of a UFM: from a call to an answer.

Paths, verbs and bodies as NVIDIA's UFM Enterprise REST API guides 6.15 to 6.24 say and as public clients call them:
ib-kubernetes, the UFM SDK, NVIDIA Infra Controller and NVIDIA Config Manager. Quirks are kept: 200 with `{}` for a
partition that does not exist, a plain list of keys without a query, members and QoS never in one list.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from intent.core.ranges import expand
from intent.lab.api import Response
from intent.lab.tools import Refusal
from intent.lab.ufm.accounts import Accounts
from intent.lab.ufm.call import Call
from intent.lab.ufm.faults import Faults
from intent.lab.ufm.jobs import WITH_ERRORS, Job, Jobs
from intent.lab.ufm.model import Model, guid_of, number_of
from intent.lab.ufm.settings import Settings
from intent.lab.ufm.spec import Ufm

_JOB_S = 0.05
# Since then a port's conditions are a list (REST API guides, "Unhealthy Ports").
_CONDITIONS_SINCE = (6, 19)
# `h[1-4],h9`
_PART, _RANGE = re.compile(r",(?![^\[]*\])"), re.compile(r"\[(\d+)-(\d+)\]")
_TESTS = (
    "CheckLids",
    "CheckLinks",
    "CheckSubnetManager",
    "CheckDuplicateNodes",
    "CheckDuplicateGuids",
    "CheckRouting",
    "CheckLinkSpeed",
    "CheckLinkWidth",
    "CheckPartitionKey",
)


def refused(status: int, detail: str) -> Response:
    """An error."""
    return Response(status, {"error": detail})


def _ok(body: Any = None) -> Response:
    return Response(200, {} if body is None else body)


class Served(Protocol):
    """The UFM behind the routes."""

    name: str
    version: str
    spec: Ufm
    accounts: Accounts
    faults: Faults
    jobs: Jobs
    model: Model
    settings: Settings
    unhealthy: dict[tuple[str, int], str]

    @property
    def now(self) -> float:
        """Lab time."""

    def changed(self) -> None:
        """Partitions changed."""

    def later(self, operation: str, seconds: float, act: Callable[[Job], None]) -> Response:
        """202 with the job that will do something."""


class Routes:
    """The routes of one UFM.

    Args:
        manager: the UFM.
    """

    def __init__(self, manager: Served) -> None:
        self._ufm = manager
        key = r"(0x[0-9a-fA-F]+)"
        pkeys = "/resources/pkeys"
        self._table: list[tuple[str, re.Pattern[str], str, Callable[..., Response]]] = []
        for method, path, handler in (
            ("GET", "/app/ufm_version", self._version),
            ("GET", "/app/ufm_config", self._config),
            ("PUT", "/app/ufm_config", self._configure),
            ("GET", "/app/smconf", self._smconf),
            ("PUT", "/app/smconf", self._set),
            ("GET", "/app/unhealthy_ports", self._unhealthy),
            ("PUT", "/app/unhealthy_ports", self._mark),
            ("GET", "/app/roles_access_control/rest_apis", self._rest_apis),
            ("POST", "/app/tokens", self._new_token),
            ("GET", "/app/tokens", lambda _: _ok(self._ufm.accounts.listed())),
            ("POST", "/app/tokens/revoke", self._revoke),
            ("GET", pkeys, self._list),
            ("POST", pkeys, self._join),
            ("PUT", pkeys, self._replace),
            ("POST", f"{pkeys}/add", self._make),
            ("PUT", f"{pkeys}/qos_conf", self._quality),
            ("GET", f"{pkeys}/last_updated", self._last_updated),
            ("POST", f"{pkeys}/hosts", self._join_hosts),
            ("GET", f"{pkeys}/{key}", self._get),
            ("DELETE", f"{pkeys}/{key}", self._delete),
            ("DELETE", f"{pkeys}/{key}/guids/([^/]+)", self._leave),
            ("DELETE", f"{pkeys}/{key}/hosts/([^/]+)", self._leave_hosts),
            ("PUT", f"{pkeys}/{key}/sharp-reservation", self._sharp),
            ("POST", "/actions/remove_guids_from_pkey", self._leave_by_action),
            ("GET", "/jobs", self._jobs),
            ("GET", r"/jobs/(\d+)", self._job),
            ("GET", "/resources/ports", self._ports),
            ("GET", "/fabricValidation/tests", lambda _: _ok(list(_TESTS))),
            ("POST", r"/fabricValidation/tests/(\w+)", self._validate),
        ):
            self._table.append((method, re.compile(path), path, handler))

    def answer(self, call: Call) -> Response:
        """Answer a call.

        Raises:
            Refusal: there is nothing at the path, or the call makes no sense.
        """
        there = False
        for method, pattern, _, handler in self._table:
            match = pattern.fullmatch(call.path)
            if match and method == call.method:
                return handler(call, *match.groups())
            there = there or match is not None
        raise Refusal(405 if there else 404, "Method not allowed" if there else "Not found")

    # --- the server itself

    def _version(self, _: Call) -> Response:
        return _ok({"ufm_release_version": self._ufm.version, "opensm_version": "5.23.0", "sharp_version": "3.10.0"})

    def _config(self, _: Call) -> Response:
        return _ok({"ha_mode": "Enabled", "site_name": self._ufm.name, "disabled_features": []})

    def _configure(self, call: Call) -> Response:
        self._ufm.settings.take_gv(call.object)
        return _ok()

    def _smconf(self, call: Call) -> Response:
        values = self._ufm.settings.shown(self._ufm.faults.engine or self._ufm.spec.routing)
        name = call.query.get("param_name")
        if name is None:
            return _ok(values)
        if name not in values:
            raise Refusal(400, f"unknown parameter {name[:40]}")
        return _ok({name: values[name]})

    def _set(self, call: Call) -> Response:
        if not self._ufm.faults.settings_ignored:
            self._ufm.settings.take(call.object)
        return _ok()

    def _unhealthy(self, _: Call) -> Response:
        major, minor = (int(part) for part in self._ufm.version.split(".")[:2])
        several = (major, minor) >= _CONDITIONS_SINCE
        return _ok(
            [
                {
                    "UnhealthyGUID": guid,
                    "UnhealthyPortNumber": number,
                    "UnhealthyPort": f"{guid}/{number}",
                    "UnhealthyNode": "Unknown",
                    "PeerGUID": "N/A",
                    "PeerPortDname": "N/A",
                    "Condition": [condition] if several else condition,
                    "State": "Warning" if several else "Info",
                }
                for (guid, number), condition in self._ufm.unhealthy.items()
            ]
        )

    def _mark(self, call: Call) -> Response:
        """Marks ports as `guid_number`; whole devices are not known here."""
        ports, policy = call.object.get("ports"), call.object.get("ports_policy")
        if not isinstance(ports, list) or policy not in ("HEALTHY", "UNHEALTHY"):
            raise Refusal(400, "ports is a list, ports_policy HEALTHY or UNHEALTHY")
        for text in ports:
            guid, _, number = str(text).partition("_")
            if not number.isdigit():
                raise Refusal(400, f"{str(text)[:40]} is no port")
            if policy == "UNHEALTHY":
                self._ufm.unhealthy[guid_of(guid), int(number)] = "MANUAL"
            else:
                self._ufm.unhealthy.pop((guid_of(guid), int(number)), None)
        return _ok()

    def _rest_apis(self, _: Call) -> Response:
        by_path: dict[str, list[str]] = {}
        for method, _pattern, path, _handler in self._table:
            if self._ufm.faults.read_only and ("pkey" in path or "smconf" in path) and method != "GET":
                continue
            by_path.setdefault(re.sub(r"\([^)]*\)", "<id>", path), []).append(method)
        return _ok([{"path": path, "methods": methods} for path, methods in by_path.items()])

    def _new_token(self, _: Call) -> Response:
        return _ok(self._ufm.accounts.issue(self._ufm.now))

    def _revoke(self, call: Call) -> Response:
        if not self._ufm.accounts.revoke(str(call.object.get("token", ""))):
            raise Refusal(404, "no such token")
        return _ok()

    # --- partitions

    def _list(self, call: Call) -> Response:
        guids, qualities = call.asks("guids_data"), call.asks("qos_conf")
        model = self._ufm.model
        if not (guids or qualities):
            return _ok(model.keys())
        # NVIDIA bug 5409095: asked for both, members are missing.
        shown = {
            f"0x{key:x}": model.shown(key, guids=guids and not qualities, qualities=qualities)
            for key in sorted(model.partitions)
        }
        return _ok(shown)

    def _get(self, call: Call, text: str) -> Response:
        key = int(text, 16)
        if key not in self._ufm.model.partitions:
            return _ok({})
        return _ok(self._ufm.model.shown(key, guids=call.asks("guids_data"), qualities=call.asks("qos_conf")))

    def _make(self, call: Call) -> Response:
        self._ufm.model.make(call.object)
        return self._changed()

    def _join(self, call: Call) -> Response:
        body = call.object
        if self._ufm.faults.all_full:
            body = {key: value for key, value in body.items() if key != "memberships"} | {"membership": "full"}
        self._ufm.model.join(body)
        return self._changed()

    def _replace(self, call: Call) -> Response:
        self._ufm.model.replace(call.object)
        return self._changed()

    def _leave(self, _: Call, text: str, guids: str) -> Response:
        self._ufm.model.leave(int(text, 16), guids.split(","))
        return self._changed()

    def _leave_by_action(self, call: Call) -> Response:
        body = call.object
        guids = body.get("guids")
        if not isinstance(guids, list):
            raise Refusal(400, "guids must be a list")
        self._ufm.model.leave(number_of(body.get("pkey")), guids)
        return self._changed()

    def _delete(self, _: Call, text: str) -> Response:
        self._ufm.model.delete(int(text, 16))
        return self._changed()

    def _quality(self, call: Call) -> Response:
        self._ufm.model.quality(call.object)
        return self._changed()

    def _sharp(self, call: Call, text: str) -> Response:
        self._ufm.model.sharp(int(text, 16), call.object)
        return self._changed()

    def _last_updated(self, _: Call) -> Response:
        updated = self._ufm.model.updated
        return _ok({"last_updated": None if updated is None else f"{updated:.3f}"})

    def _changed(self) -> Response:
        self._ufm.changed()
        return _ok()

    # --- hosts: jobs

    def _join_hosts(self, call: Call) -> Response:
        body = dict(call.object)
        names, strangers = self._hosts(str(body.pop("hosts_names", "")))
        number_of(body.get("pkey"))

        def act(job: Job) -> None:
            guids = [port.guid for port in self._ufm.spec.ports if port.host in names]
            self._join(Call("POST", "", {}, {**body, "guids": guids}))
            if strangers:
                job.status, job.summary = WITH_ERRORS, f"unknown hosts: {', '.join(strangers)}"

        return self._ufm.later("Add hosts to PKey", _JOB_S, act)

    def _leave_hosts(self, _: Call, text: str, hosts: str) -> Response:
        names, strangers = self._hosts(hosts)
        if strangers:
            raise Refusal(404, f"unknown hosts: {', '.join(strangers)}")
        guids = [port.guid for port in self._ufm.spec.ports if port.host in names]
        self._ufm.model.leave(int(text, 16), guids)
        return self._changed()

    def _hosts(self, text: str) -> tuple[set[str], list[str]]:
        try:
            asked = [name for part in _PART.split(text) for name in expand(_RANGE.sub(r"{\1..\2}", part)) if name]
        except ValueError:
            raise Refusal(400, "hosts_names is not valid") from None
        known = {port.host for port in self._ufm.spec.ports}
        return set(asked) & known, [name for name in asked if name not in known]

    # --- jobs, ports, validation

    def _jobs(self, call: Call) -> Response:
        return _ok([job.shown(self._ufm.now) for job in self._ufm.jobs.all(call.query.get("parent_id", ""))])

    def _job(self, _: Call, identifier: str) -> Response:
        job = self._ufm.jobs.get(identifier)
        if job is None:
            raise Refusal(404, f"job {identifier} is not found")
        return _ok(job.shown(self._ufm.now))

    def _ports(self, call: Call) -> Response:
        if call.query.get("sys_type", "Computer") != "Computer":
            return _ok([])
        return _ok(
            [
                {
                    "guid": port.guid,
                    "name": f"{port.guid}_1",
                    "systemID": port.guid,
                    "lid": number,
                    "dname": port.name or "HCA-1/1",
                    "system_name": port.host,
                    "physical_state": "Link Up",
                    "logical_state": "Active",
                }
                for number, port in enumerate(self._ufm.spec.ports, 1)
            ]
        )

    def _validate(self, _: Call, name: str) -> Response:
        if name not in _TESTS:
            raise Refusal(404, f"no test is called {name}")
        operation = f"Fabric validation {name}"
        if self._ufm.jobs.running(operation):
            raise Refusal(409, f"{name} is running already")

        def act(job: Job) -> None:
            job.summary = f"-I- {name}: no errors found"

        return self._ufm.later(operation, _JOB_S, act)
