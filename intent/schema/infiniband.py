"""What only an InfiniBand fabric has: its subnet managers and how they are told to run it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from intent.core import units
from intent.schema.markers import Short
from intent.schema.record import Record
from intent.schema.secret import SecretRef
from intent.schema.types import Address, Duration, Host, Name, Selector, SubnetPrefix, Text

Generation = Literal["hdr", "ndr", "xdr"]
Membership = Literal["full", "limited"]
Routing = Literal[
    "ar_updn", "ar_ftree", "ar_dor", "ar_torus", "dfp", "dfp2", "pqft", "updn", "dnup", "ftree", "minhop", "dor",
    "lash", "sssp", "dfsssp", "nue", "torus-2QoS",
]  # fmt: skip
"""Routing engines of NVIDIA's subnet manager and of OpenSM; which of them knows one is checked where its files are
written."""


class ManagerHost(Record):
    """A host that runs a subnet manager."""

    name: Name = Field(description="Name of the host.")
    address: Host = Field(description="Address or name under which it is managed.")
    ports: int = Field(default=1, ge=1, le=8, description="Ports it has in this fabric.")
    priority: int | None = Field(
        default=None, ge=0, le=15, description="Priority among the hosts, 15 the highest; left out, by their order."
    )


class ManagerKeys(Record):
    """Keys of the subnet; each is a reference to a secret."""

    m_key: SecretRef | None = Field(default=None, description="Protects the ports against other managers.")
    sm_key: SecretRef | None = Field(default=None, description="Authenticates subnet managers to each other.")
    sa_key: SecretRef | None = Field(default=None, description="Opens the trusted queries of the administration.")
    protection: int = Field(
        default=2, ge=0, le=3, description="Protection level of the management key, once there is one: 0 to 3."
    )


class ServiceLevel(Record):
    """One class of traffic: its service level, its lane and its share of the link."""

    sl: int = Field(ge=0, le=15, description="Service level that marks the traffic.")
    vl: int = Field(ge=0, le=14, description="Virtual lane it takes on every link.")
    high: int = Field(default=0, ge=0, le=255, description="Weight among the lanes served first; 0: not among them.")
    low: int = Field(default=64, ge=0, le=255, description="Weight among all lanes otherwise.")


class ManagerQos(Record):
    """Service levels, their lanes and the arbitration between lanes."""

    lanes: Literal[1, 2, 4, 8, 15] = Field(default=4, description="Virtual lanes for data on every link.")
    high_limit: int = Field(
        default=4, ge=0, le=255, description="Units of 4 KiB the first lanes may send before another one gets a turn."
    )
    levels: dict[Name, ServiceLevel] = Field(
        default={}, description="Classes of traffic by name; a service level without one takes lane 0."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, level in self.levels.items():
            if level.vl >= self.lanes:
                raise ValueError(
                    f"level {name}: lane {level.vl} - expected 0 to {self.lanes - 1}, of {self.lanes} lanes"
                )
        twice = [sl for sl, count in Counter(level.sl for level in self.levels.values()).items() if count > 1]
        if twice:
            raise ValueError(f"service level {twice[0]} is given to two levels")
        return self


class SubnetManager(Record):
    """Who manages the subnet, and how."""

    by: Literal["ufm", "opensm"] = Field(
        default="opensm", description="ufm: NVIDIA UFM over REST; opensm: OpenSM on the hosts, by its files."
    )
    vip: Address | None = Field(default=None, description="Address UFM answers under, whichever host is active.")
    hosts: tuple[ManagerHost, ...] = Field(
        default=(), description="Hosts it runs on, the preferred one first; their ports are counted and cabled."
    )
    routing: Routing | None = Field(
        default=None, description="Routing engine; left out, ar_updn with UFM and updn with OpenSM."
    )
    roots: Selector | None = Field(
        default=None, description="Switches that routing takes as roots; left out, those of the top tier."
    )
    sharp: bool = Field(default=False, description="In-network reduction, reserved for tenants by their partitions.")
    congestion_control: bool = Field(default=False, description="Congestion control in switches and cards.")
    default_membership: Membership = Field(
        default="limited", description="Membership of nodes in the default partition; limited keeps tenants apart."
    )
    allowed: Literal["hosts", "any"] = Field(
        default="hosts", description="Which subnet managers the fabric takes: those of the hosts, or any."
    )
    hardening: bool = Field(
        default=True, description="Keys per port, random administration key, trust model, limits of what nodes may ask."
    )
    keys: ManagerKeys = Field(default=ManagerKeys(), description="Keys of the subnet.")
    qos: ManagerQos | None = Field(default=None, description="Service levels; left out, one lane carries everything.")
    subnet_prefix: SubnetPrefix = Field(
        default="0xfe80000000000000",
        description="Prefix of the subnet; give each fabric its own where routers join them.",
    )
    lmc: int = Field(default=0, ge=0, le=7, description="Every port gets 2 to the power of this many addresses.")
    sweep: Duration = Field(default=units.Duration(10 * 10**6), description="Time between two looks at the fabric.")
    poll: Duration = Field(
        default=units.Duration(10**6), description="Time between two looks of a standby at the master."
    )
    retries: int = Field(
        default=3, ge=1, le=100, description="Looks without an answer after which a standby takes over."
    )
    extension: Text | None = Field(
        default=None,
        description="Partitions that UFM's REST API cannot express, in the grammar of partitions.conf: UFM's user "
        "extension. A line of comment takes the last one out.",
    )
    topoconfig: bool = Field(
        default=False,
        description="UFM's subnet manager takes the links of the plan and sees no other; once every GUID is known.",
    )
    options: dict[Name, Text] = Field(
        default={}, description="Further options of the subnet manager's own file, written last."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.by == "opensm" and self.vip is not None:
            raise ValueError("vip: only UFM has one; OpenSM hosts take over from each other by priority")
        if self.by == "ufm" and len(self.hosts) > 1 and self.vip is None:
            raise ValueError("vip is missing: UFM on several hosts is reached under one address")
        for key, written in (("extension", self.extension), ("topoconfig", self.topoconfig)):
            if self.by == "opensm" and written:
                raise ValueError(f"{key}: only UFM has one; hosts of OpenSM get a whole partitions.conf")
        names = [name for name, count in Counter(host.name for host in self.hosts).items() if count > 1]
        if names:
            raise ValueError(f"host {names[0]} is given twice")
        taken = Counter(self.priorities().values())
        twice = next((number for number, count in taken.items() if count > 1), None)
        if self.by == "opensm" and twice is not None:
            raise ValueError(f"priority {twice} is given to two hosts: the lower GUID would be master")
        return self

    def priorities(self) -> dict[str, int]:
        """Priority of each host: as written, else 14 for the first one down to 0."""
        return {
            host.name: max(0, 14 - place) if host.priority is None else host.priority
            for place, host in enumerate(self.hosts)
        }

    @property
    def engine(self) -> str:
        """The routing engine asked for."""
        return self.routing or ("ar_updn" if self.by == "ufm" else "updn")


SubnetManagerOf = Annotated[SubnetManager, Short("by")]
"""A subnet manager, or only which one."""
