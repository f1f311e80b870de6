"""One UFM of the lab behind its virtual address: reachability, accounts, faults, counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from intent.core.errors import IntentError
from intent.lab.agenda import Clock
from intent.lab.api import Request, Response
from intent.lab.controller import Login
from intent.lab.rest_controller import RestController
from intent.lab.tools import Refusal
from intent.lab.ufm.accounts import BASIC, TOKEN, USER, Accounts
from intent.lab.ufm.call import Call
from intent.lab.ufm.faults import KINDS, Faults
from intent.lab.ufm.jobs import WITH_ERRORS, Job, Jobs
from intent.lab.ufm.model import Model, Partition, guid_of, number_of
from intent.lab.ufm.rest import Routes, refused
from intent.lab.ufm.settings import Settings
from intent.lab.ufm.spec import Ufm

_JOB_S = 0.05
_HIT = ("/resources/pkeys", "/actions/remove_guids", "/app/smconf")  # writes that faults are about

Observer = Callable[[Mapping[int, Partition]], None]


class Backing(Protocol):
    """A real subnet manager behind the model."""

    def follow(self, partitions: Mapping[int, Partition]) -> None:
        """Partitions changed."""

    def by_hand(self, options: Mapping[str, Any]) -> str:
        """A file is put in place of its partition file by hand; what was done, in words.

        Raises:
            IntentError: it cannot be read.
        """

    def seen(self) -> dict[str, Any]:
        """What it does."""


class UfmManager(RestController):
    """A UFM pair behind one virtual address, with a model of its partitions.

    Args:
        spec: what the wiring says of it.
        clock: seconds, never running backwards.
        password: of the account `admin`.
        observer: told of the partitions after each change of them.
        backing: a real subnet manager that follows them.
    """

    kind = "ufm"
    kinds = KINDS
    what = "a UFM"

    def __init__(
        self,
        spec: Ufm,
        clock: Clock,
        password: str,
        observer: Observer | None = None,
        backing: Backing | None = None,
    ) -> None:
        super().__init__(spec.name, spec.version, clock)
        self.spec = spec
        self.accounts = Accounts(password)
        self.faults: Faults = Faults()
        self.jobs = Jobs()
        major, minor = (int(part) for part in spec.version.split(".")[:2])
        self.model = Model(
            spec.default_membership,
            [port.guid for port in spec.ports],
            named=(major, minor) >= (6, 22),
            shows_default=(major, minor) >= (6, 19),
        )
        self.settings = Settings()
        self.unhealthy: dict[tuple[str, int], str] = {}  # condition by GUID and port number
        self._observer = observer
        self._backing = backing
        self._routes = Routes(self)
        self._token = self.accounts.issue(clock())["access_token"] if spec.authentication == "token" else ""

    def login(self) -> Login:
        """How to log in."""
        return Login(USER, self._token or self.accounts.password, bool(self._token))

    def error(self, status: int, detail: str) -> Response:
        """An error in its own words."""
        return refused(status, detail)

    def answer(self, request: Request, reading: bool) -> Response:
        """Answer a request.

        Raises:
            Refusal: it makes no sense, or the account may not.
        """
        self.jobs.run(self.now)
        root = request.target.partition("?")[0].split("/", 2)[1]
        if not self.accounts.allowed(f"/{root}", request.headers.get("authorization", "")):
            raise Refusal(401, "Unauthorized")
        if f"/{root}" not in (BASIC, TOKEN):
            raise Refusal(404, "Not found")
        call = Call.of(request, f"/{root}")
        if reading:
            return self._routes.answer(call)
        self.calls.append((call.method, call.path))
        hit = call.path.startswith(_HIT) and self.faults.hits()
        if self.faults.read_only and call.path.startswith(_HIT):
            raise Refusal(403, "the role does not allow it")
        if hit and self.faults.refuse:
            raise Refusal(self.faults.refuse, "refused on demand")
        if hit and self.faults.lost == "before":
            return self.dropped()
        if hit and self.faults.job_errors:
            return self._half_done(call)
        if self.faults.job_s and call.path.startswith("/resources/pkeys"):
            return self._slowly(call)
        answer = self._routes.answer(call)
        return self.dropped() if hit and self.faults.lost == "after" else answer

    def _slowly(self, call: Call) -> Response:
        def act(_: Job) -> None:
            self._routes.answer(call)

        return self.later("pkeys", self.faults.job_s, act)

    def _half_done(self, call: Call) -> Response:
        """Half of the call is done, and the job says so in its status alone."""
        body = call.body
        guids = body.get("guids") if isinstance(body, dict) else None

        def act(job: Job) -> None:
            if isinstance(guids, list) and guids:
                kept = {**body, "guids": guids[: len(guids) // 2]}
                if "memberships" in body:
                    kept["memberships"] = body["memberships"][: len(guids) // 2]
                self._routes.answer(Call(call.method, call.path, call.query, kept))
            job.status, job.summary = WITH_ERRORS, "the subnet manager refused some of the ports"

        return self.later("pkeys", _JOB_S, act)

    def later(self, operation: str, seconds: float, act: Callable[[Job], None]) -> Response:
        """202 with the job that will do something."""
        job = self.jobs.start(operation, self.now, seconds, act)
        location = (("Location", f"{BASIC}/jobs/{job.id}"),)
        return Response(202, {}, location)

    def changed(self) -> None:
        """Partitions changed."""
        self.model.updated = self.now
        if self._observer is not None:
            self._observer(self.model.partitions)
        if self._backing is not None:
            self._backing.follow(self.model.partitions)

    # --- faults

    def forget(self) -> None:
        """The node that takes over knows no job."""
        self.jobs.forget()

    def calm(self) -> None:
        """Every standing fault ends; its OpenSM gets its own partitions again."""
        self.faults = Faults()
        self.settings.hidden.clear()
        self.unhealthy.clear()
        if self._backing is not None:
            self._backing.follow(self.model.partitions)

    def faulty(self, kind: str, options: Mapping[str, Any]) -> str | None:
        """A fault of UFM's own; what was done, in words, where the kind does not say it all."""
        faults = self.faults
        if kind in ("job-errors", "refuse-writes"):
            faults.counted(options)
        if kind == "job-errors":
            faults.job_errors = True
        elif kind == "slow-job":
            faults.job_s = float(options.get("delay_s", 1.0))
        elif kind == "refuse-writes":
            faults.refuse = int(options.get("status", 500))
        elif kind in ("all-full", "read-only", "settings-ignored"):
            setattr(faults, kind.replace("-", "_"), True)
        elif kind == "partitions-by-hand":
            return self._pushed(options)
        else:
            return self._by_hand(kind, options)
        return None

    def _by_hand(self, kind: str, options: Mapping[str, Any]) -> str:
        if kind == "routing-engine":
            self.faults.engine = str(options.get("engine", "minhop"))
            return f"{self.name}: {kind} {self.faults.engine}"
        if kind == "unhealthy-port":
            port = (guid_of(options.get("guid")), int(options.get("number", 1)))
            self.unhealthy[port] = str(options.get("condition", "MANUAL"))
            return f"{self.name}: {kind} {port[0]} {port[1]}"
        if kind == "hidden-setting":
            self.settings.hidden.add(str(options.get("setting", "")))
            return f"{self.name}: {kind} {options.get('setting', '')}"
        if kind == "set-by-hand":
            return self._set_by_hand(str(options.get("setting", "")), str(options.get("value", "")))
        key, guid = number_of(options.get("pkey")), guid_of(options.get("guid"))
        if kind == "add-member":
            held = self.model.partitions.setdefault(key, Partition(f"api_pkey_0x{key:x}"))
            held.members[guid] = (str(options.get("membership", "full")), options.get("index0") in (True, "true"))
        else:
            self.model.leave(key, [guid])
        self.changed()
        return f"{self.name}: {kind} {guid} 0x{key:x}"

    def _set_by_hand(self, name: str, value: str) -> str:
        old = self.settings.values.get(name)
        figure = isinstance(old, int) and not isinstance(old, bool) and value.isdigit()
        self.settings.take({name: int(value) if figure else value == "true" if isinstance(old, bool) else value})
        return f"{self.name}: set-by-hand {name}"

    def _pushed(self, options: Mapping[str, Any]) -> str:
        if self._backing is None:
            raise IntentError(f"{self.name}: no OpenSM runs behind it", hint="intent lab up --engine opensm")
        return self._backing.by_hand(options)

    def seen(self) -> dict[str, Any]:
        """Partitions by number of members, standing faults, the engine behind it."""
        return {
            "failovers": self.failovers,
            "partitions": {f"0x{key:x}": len(held.members) for key, held in sorted(self.model.partitions.items())},
            "faults": self.faults.words(),
            **({"engine": "internal model"} if self._backing is None else self._backing.seen()),
        }
