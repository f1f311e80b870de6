"""The NVLink domains of a site: which NMX-M manages them, and who each rack is to it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Self

from pydantic import Field, model_validator

from intent.schema.markers import Scalar, Short
from intent.schema.record import Record
from intent.schema.types import Host, Name

_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


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


class SiteNvlink(Record):
    """NVLink partitions of tenants, through NMX-M."""

    controller: Name = Field(default="nmx-m", description="Name of the NMX-M.")
    address: Host | None = Field(default=None, description="Address or name under which it is reached.")
    domains: dict[Name, Annotated[NvlinkDomain, Short("uuid")]] = Field(
        default={}, description="Domain of each rack, by the rack's name; a rack that is missing is not partitioned."
    )

    @model_validator(mode="after")
    def _once(self) -> Self:
        counts = Counter(domain.uuid for domain in self.domains.values())
        twice = next((uuid for uuid, count in counts.items() if count > 1), None)
        if twice is not None:
            racks = [rack for rack, domain in self.domains.items() if domain.uuid == twice]
            raise ValueError(f"domain {twice} is given to racks {' and '.join(racks)}: a domain is one rack")
        return self
