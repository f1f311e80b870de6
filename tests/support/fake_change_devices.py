"""Devices in memory, with faults, for tests of the change engine. Nothing here knows a vendor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from intent.change.apply import apply_plan
from intent.change.control import Stop, stamp
from intent.change.engine import Judgement
from intent.change.journal import Journal, open_journal
from intent.change.lock import Holder
from intent.change.plan import Plan
from intent.change.planning import make_plan
from intent.change.result import Result
from intent.change.selection import select
from intent.change.strategy import Strategy
from intent.core.span import Span
from intent.core.tree import ABSENT, Difference, Path, copy, difference, digest, get, put
from intent.core.verdict import Verdict
from intent.device.actor import (
    FAILED_STEP,
    Disruption,
    Observed,
    Outcome,
    Problem,
    Request,
    Session,
    Status,
    Target,
    Wanted,
)
from intent.render.artifact import Artifact, Origin

QUICK = Strategy(canary=1, batch_percent=50, soak_s=0, confirm_s=60, deadline_s=20, checks_s=20)


class FakeClock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.on_sleep: list[Any] = []

    def monotonic(self) -> float:
        return self.now

    def utc(self) -> datetime:
        return datetime(2026, 11, 30, 22, 0, tzinfo=UTC) + timedelta(seconds=self.now - 1000.0)

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for hook in self.on_sleep:
            hook()


@dataclass
class FakeDevice:
    """One device: an applied tree, and at most one change that awaits confirmation."""

    name: str
    applied: dict[str, Any] = field(default_factory=dict)
    release: str = "1.2.3"
    model: str = "BOX-1"
    faults: set[str] = field(default_factory=set)
    pending: tuple[str, dict[str, Any], float] | None = None
    fate: dict[str, Status] = field(default_factory=dict)
    number: int = 0

    def tick(self, now: float) -> None:
        """Revert when the timer has run out."""
        if self.pending and now >= self.pending[2]:
            self.undo()

    def undo(self) -> None:
        handle, before, _ = self.pending  # type: ignore[misc]
        self.applied, self.pending = before, None
        self.fate[handle] = Status.REVERTED


def restricted(tree: Mapping[str, Any], wanted: Wanted) -> dict[str, Any]:
    """The part of a tree that is ours."""
    if wanted.replace:
        result = copy(tree)
    else:
        result = {}
        for path in wanted.owned:
            part = get(tree, path)
            if part is not ABSENT:
                put(result, path, copy(part))
    for path in wanted.excepted:
        _drop(result, path)
    return result


def _drop(tree: dict[str, Any], path: Path) -> None:
    node: Any = get(tree, path[:-1]) if len(path) > 1 else tree
    if isinstance(node, dict):
        node.pop(path[-1], None)
        if not node and len(path) > 1:
            _drop(tree, path[:-1])


def _graft(tree: Mapping[str, Any], wanted: Wanted) -> dict[str, Any]:
    """The tree with our part replaced by what is wanted; what is excepted stays."""
    result: dict[str, Any] = {} if wanted.replace else copy(tree)
    if not wanted.replace:
        for path in wanted.owned:
            _drop(result, path)
    for path in [()] if wanted.replace else wanted.owned:
        part = get(restricted(wanted.body, wanted), path) if path else restricted(wanted.body, wanted)
        if part is not ABSENT:
            if path:
                put(result, path, copy(part))
            else:
                result = copy(part)
    for path in wanted.excepted:
        kept = get(tree, path)
        if kept is not ABSENT:
            put(result, path, copy(kept))
    return result


class FakeActor:
    """Configures fake devices. Faults are words in `FakeDevice.faults`; `calls` counts reads and writes."""

    def __init__(self, devices: Mapping[str, FakeDevice], clock: FakeClock, platform: str = "fake") -> None:
        self._platform = platform
        self.devices = devices
        self.clock = clock
        self.calls: Counter[str] = Counter()
        self.during_apply: list[Any] = []

    @property
    def platform(self) -> str:
        return self._platform

    @property
    def writes(self) -> int:
        return self.calls["write"]

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Observed]:
        return {item.target.name: self._observe(item) for item in wanted if self._answers(item.target.name)}

    def _answers(self, name: str) -> bool:
        return "mute" not in self.devices[name].faults

    def _observe(self, wanted: Wanted) -> Observed:
        device = self._device(wanted.target.name)
        self.calls["read"] += 1
        if "unreachable" in device.faults:
            return Observed(device.name, problem=Problem.UNREACHABLE, detail="no route")
        if "denied" in device.faults:
            return Observed(device.name, problem=Problem.AUTHENTICATION, detail="user or password refused")
        state = restricted(device.applied, wanted)
        return Observed(device.name, state, digest(state), device.release, device.model)

    def difference(self, wanted: Wanted, observed: Observed) -> tuple[Difference, ...]:
        return tuple(difference(observed.state, restricted(wanted.body, wanted)))

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        self.calls["disruption"] += 1
        ports = sorted({item.path[1] for item in differences if item.path[0] == "port" and len(item.path) > 1})
        return tuple(Disruption("flap", f"port {port}", "port changes") for port in ports)

    def revert_words(self, wanted: Wanted) -> str:
        return "by its own timer"

    def apply(self, requests: Sequence[Request], session: Session) -> dict[str, Outcome]:
        answers = {}
        for request in requests:
            name = request.wanted.target.name
            stopped = session.stopping()
            answers[name] = Outcome(name, Status.NOT_ATTEMPTED) if stopped else self._apply(request, session)
            if "says so" in self.devices[name].faults and answers[name].status is Status.FAILED:
                session.record(name, FAILED_STEP, {"status": "failed"})
            for hook in self.during_apply:
                hook(name)
        return {name: outcome for name, outcome in answers.items() if self._answers(name)}

    def _apply(self, request: Request, session: Session) -> Outcome:
        name = request.wanted.target.name
        device = self._device(name)
        if "broken actor" in device.faults:
            raise RuntimeError("hunter2 leaks here")
        session.record(name, "stage")
        self.calls["write"] += 1
        if "unreachable" in device.faults:
            return Outcome(name, Status.NOT_ATTEMPTED, "no route")
        if "hand change at apply" in device.faults:
            put(device.applied, ("port", "p9", "mtu"), 1400)
        observed = self._observe(request.wanted)
        if observed.digest != request.digest or self.difference(request.wanted, observed) != request.differences:
            return Outcome(name, Status.STALE, "changed since the plan")
        if "apply fails" in device.faults:
            return Outcome(name, Status.FAILED, "the device refused it")
        device.number += 1
        handle = str(device.number)
        session.record(name, "apply", {"handle": handle})
        self.calls["write"] += 1
        device.pending = (handle, copy(device.applied), self.clock.now + request.confirm_s)
        device.applied = _graft(device.applied, request.wanted)
        if "slow" in device.faults:
            self.clock.now += request.deadline_s
        if "cut off by apply" in device.faults:
            device.faults |= {"lost"}
        if device.faults & {"lost", "blip"}:
            device.faults.discard("blip")
            return Outcome(name, Status.UNKNOWN, "no answer after apply", handle)
        return Outcome(name, Status.AWAITING, handle=handle)

    def confirm(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        return {name: self._confirm(name, handle, session) for name, handle in pending.items()}

    def _confirm(self, name: str, handle: str, session: Session) -> Outcome:
        device = self._device(name)
        session.record(name, "confirm", {"handle": handle})
        self.calls["write"] += 1
        if "confirm lost" in device.faults:
            return Outcome(name, Status.UNKNOWN, "no answer to confirm", handle)
        if device.pending is None or device.pending[0] != handle:
            return Outcome(name, device.fate.get(handle, Status.UNKNOWN), "nothing was pending")
        device.pending = None
        device.fate[handle] = Status.CONFIRMED
        return Outcome(name, Status.CONFIRMED)

    def revert(self, pending: Mapping[str, str], session: Session) -> dict[str, Outcome]:
        return {name: self._revert(name, handle, session) for name, handle in pending.items()}

    def _revert(self, name: str, handle: str, session: Session) -> Outcome:
        device = self._device(name)
        session.record(name, "revert", {"handle": handle})
        self.calls["write"] += 1
        if device.faults & {"lost", "revert lost", "unreachable"}:
            return Outcome(name, Status.UNKNOWN, "no answer to revert", handle)
        if device.pending and device.pending[0] == handle:
            device.undo()
        return Outcome(name, device.fate.get(handle, Status.UNKNOWN))

    def settle(self, pending: Mapping[str, str]) -> dict[str, Outcome]:
        return {name: self._settle(name, handle) for name, handle in pending.items()}

    def _settle(self, name: str, handle: str) -> Outcome:
        device = self._device(name)
        self.calls["read"] += 1
        if device.faults & {"lost", "unreachable"} and device.pending:
            return Outcome(name, Status.UNKNOWN, "no route")
        if device.pending and handle in ("", device.pending[0]):
            return Outcome(name, Status.AWAITING, handle=device.pending[0])
        if not handle or handle not in device.fate:
            return Outcome(name, Status.NOT_ATTEMPTED, "nothing was applied")
        return Outcome(name, device.fate[handle])

    def _device(self, name: str) -> FakeDevice:
        device = self.devices[name]
        device.tick(self.clock.now)
        return device


class Killed(BaseException):
    """The process is dead."""


class MortalJournal(Journal):
    """A journal whose process dies at its n-th write; after that nothing is ever written."""

    def arm(self, writes: int, *, after: bool = False) -> None:
        self.left, self.after = writes, after

    def transaction(self) -> Any:
        self.left -= 1
        if self.left < 0 or (self.left == 0 and not self.after):
            self.left = 0
            raise Killed
        return _Dying(super().transaction()) if self.left == 0 else super().transaction()


class _Dying:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __enter__(self) -> Any:
        return self.inner.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.inner.__exit__(*error)
        raise Killed


class Site:
    """A small site: fake devices, their intent, one journal."""

    def __init__(self, folder: Any, names: Mapping[str, Mapping[str, str]], *, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.devices = {name: FakeDevice(name, before()) for name in names}
        self.actor = FakeActor(self.devices, self.clock)
        self.actors = {"fake": self.actor}
        self.targets = {
            name: Target(name, "192.0.2.1", "fake", "1.2", "BOX-1", dict(labels)) for name, labels in names.items()
        }
        self.artifacts = {name: artifact(name, after(name)) for name in names}
        self.file = folder / "journal.db"
        self.judged: list[tuple[str, ...]] = []
        self.bad: dict[str, Verdict] = {}

    def journal(self) -> Journal:
        return open_journal(self.file, self.clock)

    def want(self, name: str, body: dict[str, Any]) -> None:
        self.artifacts[name] = artifact(name, body)

    def scope(self, *limit: str) -> Any:
        return select(self.targets, limit, site="par1")

    def judge(self, names: Sequence[str], in_force: frozenset[str]) -> dict[str, Judgement]:
        self.judged.append(tuple(names))
        assert set(names) <= in_force
        return {
            n: Judgement(self.bad.get(n, Verdict.PASS), ("Session: x - down - expected up, actual idle",))
            for n in names
        }


def plan_of(site: Site, *limit: str, settings: Strategy = QUICK, known: Any = None) -> Plan:
    return make_plan(
        site.artifacts,
        site.targets,
        site.actors,
        scope=site.scope(*limit),
        intent_name="aurora",
        created_at=stamp(site.clock),
        settings=settings,
        known=known,
    )


def run(site: Site, plan: Plan, journal: Journal, *, stop: Stop | None = None, pid: int = 77, **more: Any) -> Result:
    options = {"judge": site.judge, "reason": "CHG-1", **more}
    return apply_plan(
        plan,
        actors=site.actors,
        journal=journal,
        holder=holder(pid),
        clock=site.clock,
        stop=stop or Stop(),
        **options,
    )


def statuses(result: Result) -> dict[str, Status]:
    return {row.device: row.status for row in result.rows}


def holder(pid: int = 77) -> Holder:
    return Holder("ada", "jump1", pid, f"start-{pid}")


def before() -> dict[str, Any]:
    return {"port": {"p1": {"mtu": 1500}, "p2": {"mtu": 1500}}, "other": {"kept": True}}


def after(name: str) -> dict[str, Any]:
    return {"port": {"p1": {"mtu": 9216}, "p3": {"mtu": 9216, "name": name}}}


def artifact(name: str, body: dict[str, Any]) -> Artifact:
    origins = {
        ("port",): Origin(Span("intent.yaml", 7, 3), "ports"),
        ("port", "p1"): Origin(Span("intent.yaml", 9, 5), "mtu"),
    }
    return Artifact(name, "fake", "1.2", "BOX-1", body, owned=(("port",),), origins=origins)


def two_planes(leaves: int = 2, spines: int = 1) -> dict[str, dict[str, str]]:
    """Names and labels of a fabric of two planes."""
    found = {}
    for plane in ("1", "2"):
        for role, count in (("leaf", leaves), ("spine", spines)):
            for index in range(1, count + 1):
                found[f"p{plane}-{role}{index}"] = {"site": "par1", "fabric": "ew", "plane": plane, "role": role}
    return found
