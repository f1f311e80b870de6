"""What the change engine asks of whatever configures a kind of device.

An actor is called once per group of devices: a switch is one of many, a controller is one device with
many objects, a playbook run is one run. All calls take several devices and answer for each by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from intent.core.tree import Difference, Path


@dataclass(frozen=True, slots=True)
class Target:
    """One device as an actor sees it.

    Args:
        name: name in the fabric.
        address: management address, without prefix length; empty when unknown.
        platform: key of the actor.
        release: release the intent names for it.
        model: hardware model the intent names for it.
        labels: role, plane, rail, unit, fabric, site: for selection and waves.
    """

    name: str
    address: str
    platform: str
    release: str = ""
    model: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a device must hold.

    Args:
        target: the device.
        body: tree in the dialect of the target's release, secrets as placeholders.
        owned: subtrees compared and pruned; nothing else is.
        excepted: subtrees inside `owned` left alone.
        replace: the whole device is ours.
    """

    target: Target
    body: Mapping[str, Any]
    owned: tuple[Path, ...] = ()
    excepted: tuple[Path, ...] = ()
    replace: bool = False


class Problem(StrEnum):
    """Why a device could not be read."""

    UNREACHABLE = "unreachable"
    AUTHENTICATION = "authentication"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    BUSY = "busy"
    MISMATCH = "mismatch"


@dataclass(frozen=True, slots=True)
class Observed:
    """What a device holds now, in the scope of a `Wanted`.

    Args:
        name: the device.
        state: applied tree restricted to the owned scope, normalised (ranges expanded, secrets masked: a live
            secret that equals the wanted one shows as its placeholder, any other as `(secret)`).
        digest: digest of `state`.
        release: release the device reports.
        model: model the device reports.
        problem: why it could not be read; None when it was.
        detail: the problem in words.
        not_compared: paths of secrets that could not be compared.
    """

    name: str
    state: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    release: str = ""
    model: str = ""
    problem: Problem | None = None
    detail: str = ""
    not_compared: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Disruption:
    """What a change does to traffic.

    Args:
        severity: `none`, `flap` (one port or session), `reload` (a service, all ports), `reboot`.
        scope: what is hit (`port swp3`, `all BGP sessions`, `switchd`).
        reason: the changed path and the rule, with its source.
    """

    severity: str
    scope: str
    reason: str


class Status(StrEnum):
    """State of a device within a change."""

    UNCHANGED = "unchanged"
    AWAITING = "awaiting confirm"
    CONFIRMED = "confirmed"
    REVERTED = "reverted"
    FAILED = "failed"
    STALE = "stale"
    UNKNOWN = "unknown"
    NOT_ATTEMPTED = "not attempted"


@dataclass(frozen=True, slots=True)
class Request:
    """One device's part of a change.

    Args:
        wanted: what it must hold.
        differences: what the plan says leads from live to wanted.
        digest: digest of the live state the plan was computed from.
        confirm_s: seconds after which the device reverts by itself.
        deadline_s: seconds for the whole of this device's apply.
    """

    wanted: Wanted
    differences: Sequence[Difference]
    digest: str
    confirm_s: int
    deadline_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call for one device.

    Args:
        name: the device.
        status: where it stands now.
        detail: why, in words a user can act on; no secret.
        handle: the device's own name for what is pending (a revision id), empty when nothing is.
    """

    name: str
    status: Status
    detail: str = ""
    handle: str = ""


# The step an actor records when a device of a group has failed, before it begins another: it counts at once.
FAILED_STEP = "failed"


class Session(Protocol):
    """What the change engine lends an actor while it works."""

    def record(self, device: str, step: str, data: Mapping[str, Any] | None = None) -> None:
        """Write a step durably, before the call it announces is made. No secret in `data`."""

    def stopping(self) -> bool:
        """True once the operator or the failure budget said stop: start nothing new."""


class Actor(Protocol):
    """Configures one kind of device."""

    @property
    def platform(self) -> str:
        """Key by which artefacts name this actor."""

    def observe(self, wanted: Sequence[Wanted]) -> Mapping[str, Observed]:
        """Read only: what each device holds in its scope. Never raises for one device."""

    def difference(self, wanted: Wanted, observed: Observed) -> Sequence[Difference]:
        """What leads from live to wanted in scope. Pure."""

    def disruption(self, wanted: Wanted, differences: Sequence[Difference]) -> tuple[Disruption, ...]:
        """What the differences do to traffic, from catalog data. Pure."""

    def revert_words(self, wanted: Wanted) -> str:
        """How this device comes back when a change fails: by its own timer, by a compensating write, or not."""

    def apply(self, requests: Sequence[Request], session: Session) -> Mapping[str, Outcome]:
        """Carry out each request up to the point where the device awaits confirmation."""

    def confirm(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Keep what was applied; `pending` maps device to handle."""

    def revert(self, pending: Mapping[str, str], session: Session) -> Mapping[str, Outcome]:
        """Put back what was applied and not confirmed; `pending` maps device to handle."""

    def settle(self, pending: Mapping[str, str]) -> Mapping[str, Outcome]:
        """Read only: where devices stand whose process died mid-change (awaiting, confirmed, reverted, unknown)."""
