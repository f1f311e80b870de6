"""Live state against the intent, by reading only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from intent.change.asking import actor_for, mismatch, observe, wanted_of
from intent.change.masking import mask_differences
from intent.change.selection import Scope
from intent.core.errors import IntentError
from intent.core.exitcode import ExitCode, worst
from intent.core.tree import Difference, Path
from intent.device.actor import Actor, Observed, Target, Wanted
from intent.render.artifact import Artifact, Origin


class DriftState(StrEnum):
    """What was found of a device."""

    IN_SYNC = "in sync"
    DRIFT = "drift"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One leaf that is not what the intent says.

    Args:
        difference: `before` is what the device holds, `after` what the intent wants.
        origin: line of the intent it goes against; of the nearest subtree for what the intent does not name.
    """

    difference: Difference
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class DeviceDrift:
    """One device.

    Args:
        device: its name.
        state: in sync, drift or unknown.
        deviations: what differs, sorted by path.
        detail: why it is unknown; empty otherwise.
        not_compared: paths of secrets that could not be compared.
    """

    device: str
    state: DriftState
    deviations: tuple[Deviation, ...] = ()
    detail: str = ""
    not_compared: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Every device that was asked for, in order.

    Args:
        scope: which they are.
        devices: one entry each.
    """

    scope: Scope
    devices: tuple[DeviceDrift, ...]

    @property
    def counts(self) -> dict[DriftState, int]:
        """Devices by state."""
        return dict(Counter(device.state for device in self.devices))

    @property
    def exit_code(self) -> ExitCode:
        """unknown before drift before none."""
        counts = self.counts
        codes = [ExitCode.OK]
        if not self.devices or counts.get(DriftState.UNKNOWN):
            codes.append(ExitCode.UNKNOWN)
        if counts.get(DriftState.DRIFT):
            codes.append(ExitCode.CHANGES)
        return worst(*codes)


def find_drift(
    artifacts: Mapping[str, Artifact],
    targets: Mapping[str, Target],
    actors: Mapping[str, Actor],
    *,
    scope: Scope,
) -> DriftReport:
    """Compare live devices with the intent; only reads.

    Args:
        artifacts: rendered trees by device.
        targets: devices by name.
        actors: by platform.
        scope: devices to look at (`selection.select`).

    Raises:
        IntentError: nothing is selected, or a selected device is not configured by the intent.
    """
    if not scope.devices:
        raise IntentError("no device is selected: nothing was compared", hint="check --limit and the intent")
    missing = [name for name in scope.devices if name not in artifacts or name not in targets]
    if missing:
        raise IntentError(f"{missing[0]} - selected, but the intent does not configure it", hint="check --limit")
    wanted = {name: wanted_of(artifacts[name], targets[name]) for name in scope.devices}
    live = observe(tuple(wanted.values()), actors)
    return DriftReport(scope, tuple(_drift(wanted[n], artifacts[n], live[n], actors) for n in scope.devices))


def _drift(wanted: Wanted, artifact: Artifact, live: Observed, actors: Mapping[str, Actor]) -> DeviceDrift:
    name = wanted.target.name
    if live.problem:
        return DeviceDrift(name, DriftState.UNKNOWN, detail=f"{live.problem}: {live.detail}".rstrip(": "))
    other = mismatch(wanted.target, live)
    if other:
        return DeviceDrift(name, DriftState.UNKNOWN, detail=other)
    found = mask_differences(actor_for(actors, wanted.target.platform).difference(wanted, live))
    return DeviceDrift(
        name,
        DriftState.DRIFT if found else DriftState.IN_SYNC,
        tuple(Deviation(item, artifact.why(item.path)) for item in found),
        not_compared=live.not_compared,
    )
