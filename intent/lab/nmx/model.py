"""NVLink domains and their partitions as NMX-M keeps them.

Rules as the NMX Manager OpenAPI 85.1.1000 and its guide say: a GPU is in one partition at most, a partition in one
domain, a name cannot change, the kind of members is fixed when a partition is made, a PUT holds the whole list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from intent.lab.nmx.spec import Domain
from intent.lab.tools import Refusal

DEFAULT_NAME, DEFAULT_NUMBER = "Default Partition", 32766
KINDS = ("ID_BASED", "LOCATION_BASED")
_NAME = re.compile(r"[\x20-\x7e]{1,244}")
_KEYS = ("DomainUUID", "ChassisID", "SlotID", "HostID", "DeviceID")

Json = dict[str, Any]
Spot = tuple[str, int, int, int, int]  # domain, chassis, slot, host, device


@dataclass(slots=True)
class Partition:
    """One partition.

    Args:
        id: identifier of NMX-M.
        number: identifier of the network.
        name: its name.
        kind: `ID_BASED` or `LOCATION_BASED`.
        spots: its GPUs.
        created: lab time.
        updated: lab time.
    """

    id: str
    number: int
    name: str
    kind: str
    spots: set[Spot] = field(default_factory=set)
    created: float = 0.0
    updated: float = 0.0


class Model:
    """All domains of one NMX-M.

    Args:
        domains: as the wiring says them.
        default_kind: how default partitions are kept.
    """

    def __init__(self, domains: tuple[Domain, ...], default_kind: str) -> None:
        self.gpus: dict[str, Spot] = {}
        self._ids: dict[Spot, str] = {}
        self.partitions: dict[str, Partition] = {}
        self._number = 0
        self._given = 0
        for domain in domains:
            spots = list(_spots(domain))
            for spot in spots:
                identifier = self.new_id()
                self.gpus[identifier], self._ids[spot] = spot, identifier
            made = Partition(self.new_id(), DEFAULT_NUMBER, DEFAULT_NAME, default_kind, set(spots))
            self.partitions[made.id] = made

    def new_id(self) -> str:
        """An identifier nobody has."""
        self._given += 1
        return f"{0x551137C2 + self._given:08x}{self._given:016x}"

    # --- reading

    def shown_gpu(self, identifier: str) -> Json:
        """A GPU."""
        spot = self.gpus[identifier]
        domain, chassis, slot, host, device = spot
        holder = self.holder(spot)
        return {
            "ID": identifier,
            "Name": f"gpu-{chassis}-{slot}-{host}-{device}",
            "DomainUUID": domain,
            "LocationInfo": {"ChassisID": chassis, "SlotID": slot, "HostID": host, "TrayIndex": slot - 1},
            "DeviceID": device,
            "DeviceUID": 0xFFFF_0000_0000_0000 + int(identifier[-8:], 16),  # beyond what a float can hold
            "DevicePcieID": device,
            "SystemUID": slot,
            "VendorID": 0x10DE,
            "ALIDList": [],
            "PartitionID": holder.number if holder else 0,
            "Health": "HEALTHY",
        }

    def shown(self, held: Partition) -> Json:
        """A partition. Nothing in it says which domain it is of, but its members."""
        return {
            "ID": held.id,
            "PartitionID": held.number,
            "Name": held.name,
            "Type": held.kind,
            "Health": "HEALTHY" if held.spots else "UNKNOWN",
            "Members": [self._member(held.kind, spot) for spot in sorted(held.spots)],
            "CreatedAt": f"{held.created:.3f}",
            "UpdatedAt": f"{held.updated:.3f}",
        }

    def _member(self, kind: str, spot: Spot) -> Any:
        return self._ids[spot] if kind == "ID_BASED" else dict(zip(_KEYS, spot, strict=True))

    def holder(self, spot: Spot) -> Partition | None:
        """The partition a GPU is in."""
        return next((held for held in self.partitions.values() if spot in held.spots), None)

    # --- writing: what can be refused at once, and what is then done

    def asked(self, body: Any, *, name: bool) -> tuple[str, str, set[Spot]]:
        """Name, kind of members and GPUs of a body.

        Raises:
            Refusal: it makes no sense, or a GPU does not exist.
        """
        keys = {"Name", "Members"} if name else {"Members"}
        if not isinstance(body, dict) or set(body) != keys:
            raise Refusal(400, f"the body must hold {' and '.join(sorted(keys))}, nothing else")
        text = body.get("Name", "")
        if name and (not isinstance(text, str) or not _NAME.fullmatch(text)):
            raise Refusal(400, "Name is 1 to 244 printable characters")
        members = body["Members"]
        if not isinstance(members, list) and members is not None:
            raise Refusal(400, "Members must be a list")
        kinds = {isinstance(member, str) for member in members or []}
        if len(kinds) > 1:
            raise Refusal(400, "Members are identifiers or locations, not both")
        spots = [self._spot(member) for member in members or []]
        if len(set(spots)) != len(spots):
            raise Refusal(400, "Members must be unique")
        if len({spot[0] for spot in spots}) > 1:
            raise Refusal(400, "all GPUs of a partition must be of one domain")
        kind = "" if not kinds else KINDS[0] if kinds == {True} else KINDS[1]
        return text, kind, set(spots)

    def _spot(self, member: Any) -> Spot:
        if isinstance(member, str):
            if member not in self.gpus:
                raise Refusal(404, f"GPU {member[:40]} does not exist")
            return self.gpus[member]
        if not isinstance(member, dict) or set(member) != set(_KEYS):
            raise Refusal(400, f"a location holds {', '.join(_KEYS)}")
        spot = tuple(member[key] for key in _KEYS)
        if spot not in self._ids:
            raise Refusal(404, f"there is no GPU at {'.'.join(map(str, spot[1:]))[:60]} of this domain")
        return spot

    def check_free(self, spots: set[Spot], but: str = "") -> None:
        """A GPU can be in one partition at most.

        Raises:
            Refusal: one is taken.
        """
        for spot in sorted(spots):
            holder = self.holder(spot)
            if holder is not None and holder.id != but:
                raise Refusal(409, f"GPU {'.'.join(map(str, spot[1:]))} is in partition {holder.name}")

    def check_name(self, name: str, spots: set[Spot]) -> None:
        """A name is given once in a domain.

        Raises:
            Refusal: it is taken.
        """
        domains = {spot[0] for spot in spots}
        for held in self.partitions.values():
            if held.name == name and (not held.spots or domains & {spot[0] for spot in held.spots}):
                raise Refusal(409, f"a partition is called {name} already")

    def make(self, name: str, kind: str, spots: set[Spot], now: float) -> Partition:
        """A new partition."""
        self._number += 1
        made = Partition(self.new_id(), self._number, name, kind or KINDS[1], spots, now, now)
        self.partitions[made.id] = made
        return made


def _spots(domain: Domain) -> Iterator[Spot]:
    for slot in range(1, domain.trays + 1):
        for device in range(1, domain.gpus + 1):
            yield domain.uuid, domain.chassis, slot, 1, device
