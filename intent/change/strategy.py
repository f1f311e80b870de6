"""How a change is carried out: how many at once, how long a device may take, how many may fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from intent.core.errors import IntentError
from intent.core.timers import SLACK_S, needed_confirm_s


def _default_unavailable() -> dict[str, int]:
    return {"plane": 1, "spine": 1}


@dataclass(frozen=True, slots=True)
class Strategy:
    """Policy of one change.

    Args:
        canary: devices of the first wave; 0 for no canary.
        batch_percent: largest part of the change in one wave, in percent; at least one device.
        batch_devices: largest number of devices in one wave, where that is less; 0 for no such limit.
        soak_s: seconds to wait after a wave is confirmed; its devices are then judged once more.
        confirm_s: seconds after which an unconfirmed device reverts by itself.
        max_failures: failed devices that are tolerated; one more stops the change.
        max_unavailable: limits inside one wave. `plane` must be 1: two planes never change together. A role
            (`leaf`, `spine`) limits the devices of that role. Any other label (`rail`, `unit`, `multihoming_peer`)
            limits the devices that share one value of it.
        deadline_s: seconds for the apply of one device.
        checks_s: seconds the checks of one wave may take.
    """

    canary: int = 1
    batch_percent: float = 10.0
    soak_s: float = 300.0
    confirm_s: int = 600
    max_failures: int = 0
    max_unavailable: Mapping[str, int] = field(default_factory=_default_unavailable)
    deadline_s: float = 240.0
    checks_s: float = 120.0
    batch_devices: int = 0

    def __post_init__(self) -> None:
        _require(self.canary >= 0, f"canary {self.canary} - expected 0 or more devices")
        _require(0 < self.batch_percent <= 100, f"batch {self.batch_percent}% - expected above 0% and at most 100%")
        _require(self.batch_devices >= 0, f"batch of {self.batch_devices} devices - expected 0 or more")
        _require(self.soak_s >= 0, f"soak {self.soak_s:g} s - expected 0 or more")
        _require(self.max_failures >= 0, f"max_failures {self.max_failures} - expected 0 or more")
        _require(self.deadline_s > 0, f"deadline {self.deadline_s:g} s - expected more than 0")
        _require(self.checks_s >= 0, f"checks {self.checks_s:g} s - expected 0 or more")
        _require(self.confirm_s > 0, f"confirm {self.confirm_s} s - expected more than 0")
        for key, limit in self.max_unavailable.items():
            _require(limit >= 1, f"max_unavailable {key}: {limit} - expected 1 or more")
        _require(
            self.max_unavailable.get("plane", 1) == 1,
            "max_unavailable plane - two planes never change in one wave - expected 1, "
            f"actual {self.max_unavailable.get('plane')}",
        )

    @property
    def needed_confirm_s(self) -> float:
        """Shortest confirm timer, in seconds, that outlives apply and checks of a wave."""
        return needed_confirm_s(self.deadline_s, self.checks_s)

    def batch(self, devices: int) -> int:
        """Largest wave, in devices, of a change of so many."""
        part = max(1, int(devices * self.batch_percent / 100))
        return min(part, self.batch_devices) if self.batch_devices else part

    def check_timer(self) -> None:
        """Refuse a confirm timer that could run out while the checks still run.

        Raises:
            IntentError: the timer is shorter than deadline, checks and slack together.
        """
        if self.confirm_s < self.needed_confirm_s:
            raise IntentError(
                f"confirm timer {self.confirm_s} s is shorter than apply and checks may take "
                f"({self.deadline_s:g} s + {self.checks_s:g} s + {SLACK_S:g} s): "
                "a device could revert while it is being checked",
                hint=f"set confirm to at least {self.needed_confirm_s:g} s, or shorten deadline or checks",
            )


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise IntentError(f"strategy: {message}", hint="see changes.strategy in the intent")
