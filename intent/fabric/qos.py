"""Quality-of-service profiles as vendor-neutral facts, and how exactly a device reads them back."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class QosProfile:
    """How RoCE data and congestion notifications are treated on every hop.

    Args:
        name: name the intent uses (`roce-lossless`).
        mode: `lossless` or `lossy`.
        data_dscp: markings of RoCE data.
        data_priority: switch priority of RoCE data.
        cnp_dscp: marking of congestion notification packets.
        cnp_priority: switch priority of congestion notification packets.
        pfc_priorities: switch priorities with priority flow control, both directions.
        ecn_min_bytes: queue depth at which marking starts.
        ecn_max_bytes: queue depth at which marking reaches its full probability.
        ecn_probability_percent: marking probability at `ecn_max_bytes`.
        lossy_percent: share of the buffer for lossy traffic.
        lossless_percent: share of the buffer for lossless traffic.
        watchdog_poll_ms: interval of the PFC watchdog.
        watchdog_polls: polls after which it acts.
        ecn_traffic_classes: traffic classes that mark.
    """

    name: str
    mode: str
    data_dscp: tuple[int, ...]
    data_priority: int
    cnp_dscp: int
    cnp_priority: int
    pfc_priorities: tuple[int, ...]
    ecn_min_bytes: int
    ecn_max_bytes: int
    ecn_probability_percent: int
    lossy_percent: int
    lossless_percent: int
    watchdog_poll_ms: int
    watchdog_polls: int
    ecn_traffic_classes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EcnReadBack:
    """How far a threshold may read back from what was asked: devices programme it in steps.

    Args:
        step_bytes: size of one step.
        percent: rounding of what is printed, in percent of the threshold.
    """

    step_bytes: int
    percent: float

    def equal(self, asked_bytes: int, read_bytes: int) -> bool:
        """True when `read_bytes` is what a device shows for `asked_bytes`."""
        return abs(read_bytes - asked_bytes) <= max(self.step_bytes, asked_bytes * self.percent / 100)


def built_in_profiles() -> Mapping[str, QosProfile]:
    """Every built-in profile by name. Source: `intent/catalog/data/qos.toml`."""
    return {name: _profile(name, facts) for name, facts in _data()["profile"].items()}


def ecn_read_back() -> EcnReadBack:
    """The slack of ECN thresholds. Source: `intent/catalog/data/qos.toml`."""
    return EcnReadBack(**_data()["ecn_read_back"])


def _profile(name: str, facts: Mapping[str, Any]) -> QosProfile:
    values: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in facts.items()}
    return QosProfile(name=name, **values)


def _data() -> dict[str, Any]:
    return tomllib.loads((files("intent") / "catalog" / "data" / "qos.toml").read_text(encoding="utf-8"))
