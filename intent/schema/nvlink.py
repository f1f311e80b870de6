"""The NVLink domains of a site: which NMX-M manages them, and who each rack is to it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Self

from pydantic import Field, model_validator

from intent.schema.markers import Scalar, Short
from intent.schema.record import Record
from intent.schema.types import Host, Name, Selector

_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


MANAGEMENT = "management"
"""The network of `inventory/nodes.csv`, where IMEX is to use it."""


def _uuid(text: str) -> str:
    if not re.fullmatch(_UUID, text):
        raise ValueError("expected the identifier of a domain such as 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a5b")
    return text.lower()


Uuid = Annotated[str, Scalar(_uuid, "the identifier of a domain such as 3f0c2a5e-…", _UUID)]


class NvlinkDomain(Record):
    """One rack as NMX-M knows it."""

    uuid: Uuid = Field(description="Identifier of the domain; NMX-M shows it.")
    chassis: int = Field(default=1, ge=1, le=65_535, description="Number of the chassis within the domain.")
    first_slot: int = Field(
        default=1, ge=0, le=1000, description="Slot of the rack's first compute tray; the others follow in order."
    )


class SiteImex(Record):
    """IMEX of tenants' trays: every tray gets the addresses of the trays in its NVLink partition."""

    network: Name = Field(
        description="Where IMEX finds the trays: management, their addresses in inventory/nodes.csv; or an Ethernet "
        "fabric of the site, the first address each tray has there."
    )


class SiteNvlink(Record):
    """NVLink partitions of tenants, through NMX-M."""

    racks: Selector = Field(
        default="*", description="Racks that may be partitioned, by name or pattern; of the others none is touched."
    )
    controller: Name = Field(default="nmx-m", description="Name of the NMX-M.")
    address: Host | None = Field(default=None, description="Address or name under which it is reached.")
    domains: dict[Name, Annotated[NvlinkDomain, Short("uuid")]] = Field(
        default={}, description="Domain of each rack, by the rack's name; a rack that is missing is not partitioned."
    )
    multicast_groups: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Multicast groups a domain has, as the NMX-Controller of its rack tells (GetDomainProperties); no "
        "figure of any hardware is public. Left out, the groups of tenants cannot be held against it.",
    )
    imex: Annotated[SiteImex, Short("network")] | None = Field(
        default=None,
        description="Write IMEX's nodes_config.cfg on tenants' trays with `intent hosts`; left out, it is left alone.",
    )

    @model_validator(mode="after")
    def _once(self) -> Self:
        counts = Counter(domain.uuid for domain in self.domains.values())
        twice = next((uuid for uuid, count in counts.items() if count > 1), None)
        if twice is not None:
            racks = [rack for rack, domain in self.domains.items() if domain.uuid == twice]
            raise ValueError(f"domain {twice} is given to racks {' and '.join(racks)}: a domain is one rack")
        return self
