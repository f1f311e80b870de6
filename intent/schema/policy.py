"""RoCE profiles and the policy of changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from intent.core import units
from intent.schema.record import Record
from intent.schema.types import Amount, Duration, Percent, Size


class Ecn(Record):
    """When a queue begins to mark packets."""

    min: Size = Field(description="Queue length at which marking begins, such as 150KB.")
    max: Size = Field(description="Queue length at which marking reaches its probability, such as 1500KB.")
    probability: Percent = Field(default=units.Percent(100), description="Share of packets marked at `max`.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


class QosData(Record):
    """How the lossless data class behaves."""

    later: ClassVar[Mapping[str, str]] = {
        "dscp": "markings of the data class",
        "priority": "switch priority of the data class",
        "pfc": "priority flow control of the data class",
        "share": "bandwidth share of the data class",
    }
    ecn: Ecn | None = Field(default=None, description="Congestion marking; left out, the device's own values hold.")


class QosPools(Record):
    """How the switch's buffer is divided."""

    lossy: Percent = Field(description="Share of the buffer for lossy traffic.")
    lossless: Percent = Field(description="Share of the buffer for lossless traffic.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.lossy.value + self.lossless.value > 100:
            raise ValueError(f"lossy {self.lossy} and lossless {self.lossless} are more than 100%")
        return self


class QosWatchdog(Record):
    """When a queue stuck in pause is drained."""

    poll: Duration = Field(default=units.Duration(100_000), description="Time between two looks at the queue.")
    polls: int = Field(default=3, ge=1, le=255, description="Looks in a row that find it stuck before it is drained.")


class QosProfile(Record):
    """A RoCE profile: a built-in one with some values of its own."""

    later: ClassVar[Mapping[str, str]] = {
        "cnp": "class of the congestion notification packets",
        "congestion_control": "congestion control on the network cards",
        "small_packet_probability": "assumption behind the PFC headroom",
    }
    base: Literal["roce-lossless"] = Field(
        default="roce-lossless", description="Built-in profile this one starts from."
    )
    data: QosData = Field(default=QosData(), description="The lossless data class.")
    pools: QosPools | None = Field(default=None, description="Division of the buffer; left out, the device's own.")
    watchdog: QosWatchdog | None = Field(default=None, description="PFC watchdog; left out, it is off.")


class MaxUnavailable(Record):
    """How many of a kind may be under change at once."""

    later: ClassVar[Mapping[str, str]] = {"multihoming_peer": "peers of one multihomed host"}
    plane: int = Field(default=1, ge=1, le=64, description="Planes touched in one wave.")
    spine: int = Field(default=1, ge=1, le=4096, description="Spines touched at once in one fabric.")


class Strategy(Record):
    """How a change walks over the devices."""

    canary: int = Field(default=1, ge=0, le=4096, description="Devices changed alone, first.")
    batch: Amount = Field(default=units.Amount(10, percent=True), description="Devices per wave: a number or a share.")
    soak: Duration = Field(default=units.Duration(60 * 10**6), description="Wait after each wave before the next.")
    confirm: Duration = Field(
        default=units.Duration(600 * 10**6), description="Time after which a device reverts by itself unless confirmed."
    )
    deadline: Duration = Field(
        default=units.Duration(240 * 10**6), description="Longest time the apply of one device may take."
    )
    checks: Duration = Field(
        default=units.Duration(120 * 10**6),
        description="Longest time the checks of one wave may wait for the fabric to converge.",
    )
    max_failures: int = Field(default=0, ge=0, le=100_000, description="Failed devices after which the change stops.")
    max_unavailable: MaxUnavailable = Field(default=MaxUnavailable(), description="What may be down at the same time.")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.batch.number:
            raise ValueError("batch is 0: nothing would ever change")
        if not self.confirm.microseconds:
            raise ValueError("confirm is 0: every device would revert at once")
        if self.confirm.microseconds % 10**6:
            raise ValueError(f"confirm {self.confirm} - expected whole seconds: devices count no less")
        if not self.deadline.microseconds:
            raise ValueError("deadline is 0: no device would ever be done in time")
        return self


class Changes(Record):
    """How changes are carried out."""

    later: ClassVar[Mapping[str, str]] = {
        "windows": "change windows",
        "freezes": "change freezes",
        "approvals": "approval of plans",
        "team": "owner of a site's changes",
    }
    strategy: Strategy = Field(default=Strategy(), description="Canary, waves, confirmation and budgets.")
