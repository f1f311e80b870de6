"""A tenant: which nodes are its own and which partitions keep it apart from everybody else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from intent.schema.markers import Scalar, Short
from intent.schema.record import Record
from intent.schema.types import Name, NumberRange, Rate, Selector

DEFAULT_KEY = 0x7FFF
"""Key of the partition every port is in; no tenant may have it."""

_KEY = re.compile(r"0[xX]([0-9a-fA-F]{1,4})")
_FULL_BIT = 0x8000


@dataclass(frozen=True, slots=True, order=True)
class PartitionKey:
    """A partition key as the intent says it.

    Args:
        number: the fifteen bits of the key, without the membership bit; 0 stands for `auto`.
    """

    number: int

    @property
    def auto(self) -> bool:
        """True when the key is to be allocated."""
        return not self.number

    def __str__(self) -> str:
        return "auto" if self.auto else f"0x{self.number | _FULL_BIT:04x}"


def _key(text: str) -> PartitionKey:
    if text == "auto":
        return PartitionKey(0)
    match = _KEY.fullmatch(text)
    if not match:
        # OpenSM takes 12 for 0x000c without a word.
        raise ValueError("expected auto, or a partition key in hexadecimal such as 0x8001")
    number = int(match[1], 16) & ~_FULL_BIT
    if number in (0, DEFAULT_KEY):
        word = "stands for no partition" if not number else "is that of the default partition"
        raise ValueError(f"expected a partition key from 0x8001 to 0xfffe; this one {word}")
    return PartitionKey(number)


def _keys(text: str) -> KeyRange:
    first, dash, last = (part.strip() for part in text.partition("-"))
    expected = "expected a range of partition keys such as 0x8001-0x80ff, the smaller first"
    if not dash or not (_KEY.fullmatch(first) and _KEY.fullmatch(last)):
        raise ValueError(expected)
    low, high = _key(first).number, _key(last).number
    if low > high:
        raise ValueError(expected)
    return KeyRange(low, high)


class KeyRange(NumberRange):
    """Partition keys from first to last, without the membership bit."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{PartitionKey(self.first)}-{PartitionKey(self.last)}"


Membership = Literal["full", "limited"]
Resiliency = Literal["full", "adaptive", "user-action"]
Key = Annotated[
    PartitionKey,
    Scalar(_key, "auto or a partition key such as 0x8001", "^(auto|0[xX][0-9A-Fa-f]{1,4})$", ("string", "integer")),
]


Keys = Annotated[
    KeyRange,
    Scalar(
        _keys, "a range of partition keys such as 0x8001-0x80ff", "^0[xX][0-9A-Fa-f]{1,4} ?- ?0[xX][0-9A-Fa-f]{1,4}$"
    ),
]
ALL_KEYS = KeyRange(1, DEFAULT_KEY - 1)


class Partition(Record):
    """One partition of an InfiniBand fabric: the ports of the tenant's nodes in it."""

    fabric: Name = Field(description="InfiniBand fabric it belongs to; its key means nothing in any other.")
    pkey: Key = Field(
        default=PartitionKey(0),
        description="Partition key. auto: allocated and kept in the lock; the top bit is a port's membership, so that "
        "0x8001 and 0x0001 are one key.",
    )
    membership: Annotated[dict[Selector, Membership], Short("*")] = Field(
        default={"*": "full"},
        description="full or limited, or one per selector of nodes, the narrowest wins; two limited members cannot "
        "talk to each other.",
    )
    index0: bool = Field(
        default=False,
        description="Put the key at index 0 of its members' tables, for software that looks nowhere else.",
    )
    ipoib: bool = Field(default=False, description="Make the broadcast group that IP over InfiniBand needs.")
    mtu: Literal[256, 512, 1024, 2048, 4096] | None = Field(
        default=None, description="Bytes per packet of the broadcast group; left out, the subnet manager's own."
    )
    rate: Rate | None = Field(
        default=None, description="Rate of the broadcast group, such as 100G; left out, the subnet manager's own."
    )
    sl: int | None = Field(default=None, ge=0, le=15, description="Service level of its traffic, 0 to 15.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for key, value in (("mtu", self.mtu), ("rate", self.rate)):
            if value is not None and not self.ipoib:
                raise ValueError(f"{key} is that of the broadcast group, and there is none: say ipoib: true")
        return self


class TenantNvlink(Record):
    """The tenant's part of the NVLink domains its nodes stand in."""

    partition: Literal["auto"] = Field(
        default="auto", description="auto: one NVLink partition per rack, of the tenant's trays in it."
    )
    multicast_groups: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Multicast groups each of its partitions may use; 0 for none.",
    )
    resiliency: Resiliency | None = Field(
        default=None,
        description="What a partition does when NVLink bandwidth is lost: full, adaptive or user-action; left out, "
        "NMX's own. NMX-M's REST carries neither this nor multicast_groups: NMX-C has to be told.",
    )


class Tenant(Record):
    """Whose nodes these are and what keeps them apart from others."""

    later: ClassVar[Mapping[str, str]] = {
        "networks": "EVPN overlays", "reach": "separation of tenants", "kubernetes": "Kubernetes clusters",
        "slurm": "Slurm",
    }  # fmt: skip
    nodes: Selector = Field(
        description="Nodes by name, rack or pattern, with the site where there are several: par1/ibg{01..04}; half "
        "racks by their nodes: par1/ibg03-{01..09}."
    )
    partitions: dict[Name, Partition] = Field(default={}, description="Partitions of InfiniBand fabrics, by name.")
    nvlink: TenantNvlink | None = Field(default=None, description="NVLink partitions of the tenant's trays.")
