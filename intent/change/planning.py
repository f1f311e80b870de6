"""Making a plan: each device's wanted tree against its live one. Reads, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from intent.change.asking import actor_for, mismatch, observe, wanted_of
from intent.change.masking import clear_secrets, mask_differences
from intent.change.plan import DevicePlan, DeviceState, Plan, digest_wanted, signature
from intent.change.selection import Scope, natural
from intent.change.strategy import Strategy
from intent.core.differences import rows
from intent.core.errors import IntentError
from intent.core.tree import Difference, Path, dotted
from intent.device.actor import Actor, Disruption, Observed, Problem, Target, Wanted
from intent.render.artifact import Artifact, Origin

_BY_PROBLEM = {
    Problem.UNREACHABLE: DeviceState.UNREACHABLE,
    Problem.TIMEOUT: DeviceState.UNREACHABLE,
    Problem.AUTHENTICATION: DeviceState.UNKNOWN,
    Problem.PROTOCOL: DeviceState.UNKNOWN,
    Problem.BUSY: DeviceState.UNKNOWN,
    Problem.MISMATCH: DeviceState.MISMATCH,
}

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
        origins=tuple([why(name, path) for path, _, _ in rows(differences)]),
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
