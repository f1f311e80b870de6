"""What a running change tells whoever shows its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from intent.change.waves import Wave
from intent.core.verdict import Verdict
from intent.device.actor import Status


@dataclass(frozen=True, slots=True)
class Checking:
    """Live states are being compared with the plan's, before anything is written."""

    devices: int


@dataclass(frozen=True, slots=True)
class ChangeStarted:
    """The change is in the journal; its first wave follows."""

    change: str
    devices: int
    waves: int


@dataclass(frozen=True, slots=True)
class WaveStarted:
    """The wave is handed to its actors."""

    wave: Wave


@dataclass(frozen=True, slots=True)
class DeviceStep:
    """An actor is about to do a step on a device."""

    device: str
    step: str


@dataclass(frozen=True, slots=True)
class Judging:
    """Checks run on the devices that await confirmation."""

    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceJudged:
    """What the checks said of a device."""

    device: str
    verdict: Verdict
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceDone:
    """Where a device stands now that its part is over."""

    device: str
    status: Status
    detail: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing is sent for a while: the soak of a wave, or a confirm timer that runs out.

    Args:
        reason: `soak` or `confirm timer`.
        seconds: how long.
        devices: for which devices.
    """

    reason: str
    seconds: float
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stopping:
    """No further wave begins."""

    reason: str


@dataclass(frozen=True, slots=True)
class ChangeEnded:
    """The last row is written."""

    change: str


Event: TypeAlias = (
    Checking
    | ChangeStarted
    | WaveStarted
    | DeviceStep
    | Judging
    | DeviceJudged
    | DeviceDone
    | Waiting
    | Stopping
    | ChangeEnded
)
Emit: TypeAlias = Callable[[Event], None]


def silent(event: Event) -> None:
    """Show nothing."""
    del event
