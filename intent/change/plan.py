"""A plan as a value: what would change on which device, why, and what it does to traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from intent.change.selection import Scope
from intent.change.strategy import Strategy
from intent.change.waves import Wave, make_waves
from intent.core.differences import Differences
from intent.core.exitcode import ExitCode, worst
from intent.core.tree import Difference, Path, digest
from intent.device.actor import Disruption, Wanted
from intent.render.artifact import Origin


class DeviceState(StrEnum):
    """What a plan says of a device."""

    CHANGE = "change"
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    UNKNOWN = "unknown"
    MISMATCH = "mismatch"


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

    @property
    def waves(self) -> tuple[Wave, ...]:
        """The waves an apply would go in, were every device as it was when the plan was made."""
        return make_waves([device.wanted.target for device in self.to_change], self.strategy)

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


def digest_wanted(wanted: Wanted) -> str:
    """Digest of what a device must hold, in which dialect and scope."""
    target = wanted.target
    return digest(
        [
            [target.name, target.platform, target.release, target.model, wanted.replace],
            wanted.owned,
            wanted.excepted,
            wanted.body,
        ]
    )


def signature(differences: Sequence[Difference]) -> str:
    """Equal for equal differences."""
    parts = differences if isinstance(differences, Differences) else Differences.of(differences)
    if parts is not None:
        return parts.digest
    return digest([[list(d.path), str(d.kind), repr(d.before), repr(d.after)] for d in differences])
