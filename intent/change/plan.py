"""What would change: each device's wanted tree against its live one. Reads, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from intent.change.masking import clear_secrets, mask_differences
from intent.change.selection import Scope, natural
from intent.change.strategy import Strategy
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode, worst
from intent.core.tree import Difference, Path, digest, dotted
from intent.device.actor import Actor, Disruption, Observed, Problem, Target, Wanted
from intent.render.artifact import Artifact, Origin


class DeviceState(StrEnum):
    """What a plan says of a device."""

    CHANGE = "change"
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    UNKNOWN = "unknown"
    MISMATCH = "mismatch"


_BY_PROBLEM = {
    Problem.UNREACHABLE: DeviceState.UNREACHABLE,
    Problem.TIMEOUT: DeviceState.UNREACHABLE,
    Problem.AUTHENTICATION: DeviceState.UNKNOWN,
    Problem.PROTOCOL: DeviceState.UNKNOWN,
    Problem.BUSY: DeviceState.UNKNOWN,
    Problem.MISMATCH: DeviceState.MISMATCH,
}


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """One device's part of a plan.

    Args:
        wanted: what it must hold.
        state: what the plan says of it.
        wanted_digest: digest of what it must hold (`digest_wanted`).
        live_digest: digest of the live state the differences were computed from; empty when it could not be read.
        differences: what leads from live to wanted; secrets masked.
        origins: for each difference, the line of the intent behind it.
        disruptions: what the change does to traffic.
        revert: how the device comes back when the change fails, in words.
        new: no change of ours ever reached it.
        detail: why it cannot be changed, in words; empty when it can.
        not_compared: paths of secrets that could not be compared.
    """

    wanted: Wanted
    state: DeviceState
    wanted_digest: str
    live_digest: str = ""
    differences: Sequence[Difference] = ()
    origins: tuple[Origin | None, ...] = ()
    disruptions: tuple[Disruption, ...] = ()
    revert: str = ""
    new: bool = False
    detail: str = ""
    not_compared: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """Name of the device."""
        return self.wanted.target.name

    @property
    def digest(self) -> str:
        """Digest over what it must hold and the live state this was computed from."""
        return digest([self.name, self.wanted_digest, self.live_digest, str(self.state)])


@dataclass(frozen=True, slots=True)
class Counts:
    """Devices of a plan by what it says of them; the first five sum to all.

    Args:
        new: to be changed, and never before changed by us.
        changed: to be changed.
        unchanged: hold what they must.
        unknown: could not be read.
        refused: release or model is not the intent's.
        new_unread: how many of `unknown` are new.
    """

    new: int
    changed: int
    unchanged: int
    unknown: int
    refused: int
    new_unread: int

    @property
    def total(self) -> int:
        """All devices of the plan."""
        return self.new + self.changed + self.unchanged + self.unknown + self.refused

    def __str__(self) -> str:
        text = f"{self.new} new, {self.changed} to change, {self.unchanged} unchanged, {self.unknown} unknown"
        if self.new_unread:
            text += f" ({self.new_unread} of them new)"
        return text + (f", {self.refused} refused" if self.refused else "")


@dataclass(frozen=True, slots=True)
class Plan:
    """What would change, content-addressed.

    Args:
        kind: `apply` or `rollback`.
        intent_name: name of the intent it was computed from.
        created_at: UTC, ISO 8601.
        scope: which devices it is about.
        strategy: how it is to be carried out.
        devices: one entry per selected device, in order.
        rolls_back: change whose before-state this restores; empty for an apply.
        notes: what the reader must know before consenting.
    """

    kind: str
    intent_name: str
    created_at: str
    scope: Scope
    strategy: Strategy
    devices: tuple[DevicePlan, ...]
    rolls_back: str = ""
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Digest over the devices: same wanted trees on same live states, same digest."""
        return digest([self.scope.site, self.kind, [device.digest for device in self.devices]])

    @property
    def to_change(self) -> tuple[DevicePlan, ...]:
        """Devices that an apply would write to."""
        return tuple(device for device in self.devices if device.state is DeviceState.CHANGE)

    @property
    def counts(self) -> Counts:
        """How many devices the plan says what of."""
        unread = [d for d in self.devices if d.state in (DeviceState.UNREACHABLE, DeviceState.UNKNOWN)]
        changing = self.to_change
        new = sum(1 for device in changing if device.new)
        return Counts(
            new=new,
            changed=len(changing) - new,
            unchanged=sum(1 for d in self.devices if d.state is DeviceState.UNCHANGED),
            unknown=len(unread),
            refused=sum(1 for d in self.devices if d.state is DeviceState.MISMATCH),
            new_unread=sum(1 for d in unread if d.new),
        )

    def exit_code(self, *, detailed: bool = False) -> ExitCode:
        """Code of `intent plan`; `detailed` makes pending changes a code of their own."""
        counts = self.counts
        codes = [ExitCode.OK]
        if counts.refused:
            codes.append(ExitCode.ERROR)
        if counts.unknown:
            codes.append(ExitCode.UNKNOWN)
        if detailed and self.to_change:
            codes.append(ExitCode.CHANGES)
        return worst(*codes)


_Item = TypeVar("_Item")
Why = Callable[[str, Path], Origin | None]


def make_plan(
    artifacts: Mapping[str, Artifact],
    targets: Mapping[str, Target],
    actors: Mapping[str, Actor],
    *,
    scope: Scope,
    intent_name: str,
    created_at: str,
    settings: Strategy,
    known: Collection[str] | None = None,
) -> Plan:
    """Compare what the intent wants with what the devices hold.

    Args:
        artifacts: rendered trees by device.
        targets: devices by name.
        actors: by platform.
        scope: devices to plan (`selection.select`).
        intent_name: name of the intent.
        created_at: UTC, ISO 8601.
        settings: strategy the change will follow.
        known: devices that a change of ours reached before (`history.known_devices`); without it a device is new
            when it holds nothing in our scope.

    Raises:
        IntentError: nothing is selected, a selected device has no artefact or target, no actor serves its
            platform, or a rendered tree holds a secret in clear.
    """
    wanted = {name: wanted_of(_find(artifacts, name), _find(targets, name)) for name in scope.devices}
    return plan_wanted(
        wanted,
        actors,
        scope=scope,
        intent_name=intent_name,
        created_at=created_at,
        settings=settings,
        known=known,
        why=lambda name, path: artifacts[name].why(path),
    )


def plan_wanted(
    wanted: Mapping[str, Wanted],
    actors: Mapping[str, Actor],
    *,
    scope: Scope,
    intent_name: str,
    created_at: str,
    settings: Strategy,
    why: Why,
    known: Collection[str] | None = None,
    kind: str = "apply",
    rolls_back: str = "",
    notes: tuple[str, ...] = (),
) -> Plan:
    """`make_plan` for wanted trees that need not come from an intent (a rollback's come from the journal)."""
    if not wanted:
        raise IntentError("no device is selected: there is nothing to plan", hint="check --limit and the intent")
    for name, item in wanted.items():
        _refuse_clear_secrets(name, item)
    live = observe(tuple(wanted.values()), actors)
    disruptions = _Disruptions(actors)
    devices = tuple(
        _plan_device(wanted[name], live[name], actors, disruptions, why, known) for name in sorted(wanted, key=natural)
    )
    return Plan(kind, intent_name, created_at, scope, settings, devices, rolls_back, notes)


def wanted_of(artifact: Artifact, target: Target) -> Wanted:
    """What a device must hold, by its artefact."""
    if artifact.platform != target.platform:
        raise IntentError(
            f"{target.name} - artefact is for another platform - expected {target.platform}, actual {artifact.platform}"
        )
    return Wanted(target, artifact.body, artifact.owned, artifact.excepted, artifact.replace)


def digest_wanted(wanted: Wanted) -> str:
    """Digest of what a device must hold, in which dialect and scope."""
    target = wanted.target
    return digest(
        [
            [target.name, target.platform, target.release, target.model, wanted.replace],
            [list(path) for path in wanted.owned],
            [list(path) for path in wanted.excepted],
            wanted.body,
        ]
    )


def observe(wanted: Sequence[Wanted], actors: Mapping[str, Actor]) -> dict[str, Observed]:
    """Read every device through its actor, each actor called once. A device nobody answers for is a problem."""
    by_platform: dict[str, list[Wanted]] = {}
    for item in wanted:
        by_platform.setdefault(item.target.platform, []).append(item)
    found: dict[str, Observed] = {}
    for platform, items in by_platform.items():
        found.update(actor_for(actors, platform).observe(items))
    silent = "its actor gave no answer for it"
    return {
        item.target.name: found.get(item.target.name)
        or Observed(item.target.name, problem=Problem.PROTOCOL, detail=silent)
        for item in wanted
    }


def actor_for(actors: Mapping[str, Actor], platform: str) -> Actor:
    """The actor that serves a platform.

    Raises:
        IntentError: none does.
    """
    actor = actors.get(platform)
    if actor is None:
        raise IntentError(f"platform {platform!r} - no actor - expected one of: {', '.join(sorted(actors)) or 'none'}")
    return actor


def mismatch(target: Target, observed: Observed) -> str:
    """Why a device is not the one the intent means, in words; empty when it is.

    The release of the intent may be shorter than the device's: `5.16` holds for `5.16.4`.
    """
    expected, actual = target.release.split("."), observed.release.split(".")
    if target.release and observed.release and actual[: len(expected)] != expected:
        return f"release - expected {target.release}, actual {observed.release}"
    if target.model and observed.model and target.model.casefold() not in _words(observed.model):
        return f"model - expected {target.model}, actual {observed.model}"
    return ""


def _words(text: str) -> set[str]:
    return {text.casefold(), *text.casefold().replace("(", " ").replace(")", " ").replace(",", " ").split()}


def require_current(
    plan: Plan,
    artifacts: Mapping[str, Artifact],
    targets: Mapping[str, Target] | None = None,
    settings: Strategy | None = None,
) -> None:
    """Refuse a plan that is not what the workspace compiles to now.

    A digest in a file holds only against damage: who edits the file can compute it anew. What holds a plan is that all
    an apply acts on follows from somewhere else: trees, scopes, places and the manner from the workspace, here;
    differences from the live devices, when each is compared once more before it is written to.

    Args:
        plan: the plan.
        artifacts: what the workspace compiles to, by device.
        targets: where the devices are and what they are, by name; not compared when not given.
        settings: how changes are to be carried out; not compared when not given.

    Raises:
        IntentError: some device's tree, scope or place differs, or the strategy does (exit code: stale).
    """
    other = [device.name for device in plan.devices if not _follows(device, artifacts, targets)]
    if other:
        raise IntentError(
            f"the intent has changed since the plan was made, for {len(other)} of {len(plan.devices)} devices: "
            f"{', '.join(other[:5])}{', …' if len(other) > 5 else ''}",
            hint="make a new plan",
            exit_code=ExitCode.STALE,
        )
    if settings is not None and plan.strategy != settings:
        raise IntentError(
            "the strategy of changes is not the one the plan was made with",
            hint="make a new plan",
            exit_code=ExitCode.STALE,
        )


def _follows(device: DevicePlan, artifacts: Mapping[str, Artifact], targets: Mapping[str, Target] | None) -> bool:
    target = device.wanted.target
    if device.name not in artifacts or artifacts[device.name].platform != target.platform:
        return False
    if targets is not None and targets.get(device.name) != target:
        return False
    return digest_wanted(wanted_of(artifacts[device.name], target)) == device.wanted_digest


def _plan_device(
    wanted: Wanted,
    live: Observed,
    actors: Mapping[str, Actor],
    disruptions: _Disruptions,
    why: Why,
    known: Collection[str] | None,
) -> DevicePlan:
    name, mark = wanted.target.name, digest_wanted(wanted)
    new = not live.state if known is None else name not in known
    if live.problem:
        state = _BY_PROBLEM.get(live.problem, DeviceState.UNKNOWN)
        return DevicePlan(wanted, state, mark, new=new, detail=f"{live.problem}: {live.detail}".rstrip(": "))
    refusal = mismatch(wanted.target, live)
    if refusal:
        return DevicePlan(wanted, DeviceState.MISMATCH, mark, live_digest=live.digest, new=new, detail=refusal)
    actor = actor_for(actors, wanted.target.platform)
    differences = mask_differences(actor.difference(wanted, live))
    return DevicePlan(
        wanted,
        DeviceState.CHANGE if differences else DeviceState.UNCHANGED,
        mark,
        live_digest=live.digest,
        differences=differences,
        origins=tuple(why(name, item.path) for item in differences),
        disruptions=disruptions.of(wanted, live, differences),
        revert=actor.revert_words(wanted) if differences else "",
        new=new and bool(differences),
        not_compared=live.not_compared,
    )


class _Disruptions:
    """Asks an actor once for equal differences on equal hardware in equal state: at 1,000 devices most are equal."""

    def __init__(self, actors: Mapping[str, Actor]) -> None:
        self._actors = actors
        self._seen: dict[tuple[str, str, str, str, str], tuple[Disruption, ...]] = {}

    def of(self, wanted: Wanted, live: Observed, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        if not differences:
            return ()
        target = wanted.target
        # The state counts too: a change may have to take out first what stands there and is not changed.
        key = (target.platform, target.release, target.model, live.digest, signature(differences))
        if key not in self._seen:
            self._seen[key] = tuple(actor_for(self._actors, target.platform).disruption(wanted, differences))
        return self._seen[key]


def signature(differences: Sequence[Difference]) -> str:
    """Equal for equal differences."""
    return digest([[list(d.path), str(d.kind), repr(d.before), repr(d.after)] for d in differences])


def _refuse_clear_secrets(name: str, wanted: Wanted) -> None:
    paths = clear_secrets(wanted.body)
    if paths:
        raise IntentError(
            f"{name} - a secret stands in clear at {dotted(paths[0])} - nothing was read or written",
            hint="name the secret in the intent by reference; a plan holds no secret",
        )


def _find(items: Mapping[str, _Item], name: str) -> _Item:
    if name not in items:
        raise IntentError(f"{name} - selected, but the intent does not configure it", hint="check --limit")
    return items[name]
