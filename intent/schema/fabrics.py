"""One fabric of a site: its topology, what it attaches, addressing, underlay and traffic policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from intent.core import units
from intent.schema.infiniband import Generation, SubnetManager, SubnetManagerOf
from intent.schema.markers import Later, Short
from intent.schema.record import Record
from intent.schema.types import BfdTimers, FilePath, Length, Name, Rate, Ratio, Selector

Kind = Annotated[Literal["ethernet", "infiniband"], Later({"nvlink": "NVLink domains"})]
Design = Annotated[
    Literal["leaf-spine", "fat-tree", "dragonfly-plus"],
    Later({"dragonfly": "dragonfly topologies", "out-of-band": "out-of-band management fabrics"}),
]
Spine = Annotated[Name, Later({"none": "rail-only fabrics without spines"})]
HostAddressing = Annotated[Literal["routed-31"], Later({"anycast": "host subnets with an anycast gateway"})]
LinkAddressing = Annotated[Literal["unnumbered"], Later({"numbered": "numbered underlay links"})]


class Unit(Record):
    """The scalable unit in which a fabric grows."""

    nodes: int | None = Field(default=None, ge=1, le=100_000, description="Nodes of one unit.")
    racks: int | None = Field(default=None, ge=1, le=10_000, description="Racks of one unit.")
    planned: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="Units the upper tiers are sized for from day one, in dragonfly+ the groups; growth up to it "
        "moves no cable.",
    )
    reserved: int | None = Field(
        default=None,
        ge=0,
        le=1024,
        description="Node slots of the first unit kept for subnet managers; left out, as many as their ports need.",
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.nodes is not None and self.racks is not None:
            raise ValueError("a unit is so many nodes or so many racks, not both")
        return self


class Leaf(Record):
    """The leaf tier."""

    model: Name = Field(description="Switch model of every leaf.")
    racks: int | None = Field(
        default=None, ge=1, le=10_000, description="Racks one leaf serves; left out, as many as its ports allow."
    )


class Topology(Record):
    """The shape of a fabric; every count follows from it."""

    later: ClassVar[Mapping[str, str]] = {
        "leafs": "several kinds of leaf in one fabric",
    }
    design: Design = Field(
        default="fat-tree",
        description="Shape of the fabric; a fat tree of InfiniBand has two or three tiers as its size demands.",
    )
    attach_by: Literal["rail", "rack"] = Field(
        default="rail", description="Which NICs share a leaf: those of one rail over all nodes, or all of one rack."
    )
    planes: int = Field(
        default=1, ge=1, le=8, description="Independent copies of the fabric; each NIC has a port in every one."
    )
    link: Rate | None = Field(default=None, description="Speed of every link; left out, that of the NIC's ports.")
    unit: Unit | None = Field(default=None, description="Scalable unit; left out, that of the node or rack type.")
    leaf: Annotated[Leaf, Short("model")] = Field(
        description="Switch model of the leaves, or model and racks per leaf."
    )
    spine: Spine = Field(description="Switch model of the spines.")
    core: Name | None = Field(
        default=None,
        description="InfiniBand: switch model of a third tier, built whatever the size; left out, only when needed.",
    )
    spine_group: Literal["rail", "unit"] | None = Field(
        default=None,
        description="Three tiers: what spines serve, the leaves of one rail of a unit or of a whole unit; left out, "
        "rail where a unit has several leaves per rail.",
    )
    oversubscription: Ratio = Field(
        default=units.Ratio(1, 1), description="Capacity to the hosts : capacity to the spines, per leaf."
    )
    uplinks: int | None = Field(
        default=None,
        ge=1,
        le=1024,
        description="Links from each leaf to the spines; left out, what the oversubscription asks for.",
    )


class Attach(Record):
    """What is plugged into the fabric."""

    nodes: Selector | None = Field(default=None, description="Nodes by name or pattern.")
    racks: Selector | None = Field(default=None, description="Racks by name or pattern: all their nodes.")
    nics: Name = Field(default="east-west", description="Group of NICs of the node type that this fabric serves.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.nodes is None and self.racks is None:
            raise ValueError("nothing is attached: give 'nodes' or 'racks'")
        return self


class Addressing(Record):
    """How hosts get their addresses."""

    hosts: HostAddressing = Field(default="routed-31", description="One /31 per host port, out of the pool `hosts`.")


class Underlay(Record):
    """Routing between the switches."""

    links: LinkAddressing = Field(default="unnumbered", description="Addresses of the links between switches.")
    bfd: BfdTimers = Field(
        default=units.BfdTimers(3, 900),
        description="Detection of a dead neighbour; link-local sessions are not offloaded, so not below 3x900ms.",
    )


class Cables(Record):
    """Lengths of the cables, from which the PFC headroom follows."""

    leaf_spine: Length = Field(default=units.Length(100), alias="leaf-spine", description="Between leaf and spine.")
    host_leaf: Length = Field(default=units.Length(100), alias="host-leaf", description="Between host and leaf.")


class Fabric(Record):
    """One network of a site."""

    later: ClassVar[Mapping[str, str]] = {
        "overlay": "EVPN overlays",
        "external": "links to the world outside",
    }
    kind: Kind = Field(default="ethernet", description="Kind of network.")
    generation: Generation | None = Field(
        default=None, description="InfiniBand: hdr, ndr or xdr, 200G, 400G or 800G per port."
    )
    topology: Topology = Field(description="Shape, switch models, planes and growth.")
    attach: Attach = Field(description="Which nodes and which of their NICs are plugged in.")
    guids: FilePath | None = Field(
        default=None, description="InfiniBand: CSV file of GUIDs, one `device,port,guid` a line; a switch has no port."
    )
    subnet_manager: SubnetManagerOf = Field(
        default=SubnetManager(), description="InfiniBand: who manages the subnet, and how."
    )
    addressing: Addressing = Field(default=Addressing(), description="Addresses of host ports.")
    underlay: Underlay = Field(default=Underlay(), description="Routing between the switches.")
    adaptive_routing: bool = Field(
        default=False, description="Spread each flow over all paths by load; needs links below 800G on Spectrum-4."
    )
    qos: Annotated[dict[Selector, Name], Short("*")] = Field(
        default={"*": "roce-lossless"}, description="RoCE profile, or one per selector of switches; the narrowest wins."
    )
    cables: Cables = Field(default=Cables(), description="Lengths of the cables.")
