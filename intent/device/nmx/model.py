"""NVLink partitions as values: what NMX-M answers, what a tree asks for.

In our trees a GPU is named by its place, `chassis.slot.host.gpu`, within its domain. NMX-M keeps partitions by place or
by its own identifiers of GPUs; the kind is fixed when a partition is made, so both are read as places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from intent.core.errors import IntentError
from intent.core.tree import Tree
from intent.device.errors import ProtocolError

DEFAULT_NAME = "Default Partition"  # NMX-C's own: every GPU that nobody else has
DEFAULT_NUMBER = 32766
ID_BASED, LOCATION_BASED = "ID_BASED", "LOCATION_BASED"
_PLACE = re.compile(r"\d{1,5}\.\d{1,5}\.\d{1,5}\.\d{1,5}")
_NAME = re.compile(r"[\x20-\x7e]{1,244}")


class At(NamedTuple):
    """Where a partition is: its domain and its name there."""

    domain: str
    name: str


class Gpu(NamedTuple):
    """A GPU.

    Args:
        id: NMX-M's own identifier.
        domain: its domain.
        place: `chassis.slot.host.gpu`.
    """

    id: str
    domain: str
    place: str

    def location(self) -> dict[str, Any]:
        """As a member of a partition by place."""
        chassis, slot, host, device = (int(part) for part in self.place.split("."))
        return {"DomainUUID": self.domain, "ChassisID": chassis, "SlotID": slot, "HostID": host, "DeviceID": device}


@dataclass(frozen=True, slots=True)
class Held:
    """A partition as NMX-M has it.

    Args:
        id: NMX-M's own identifier.
        at: domain and name; the domain is empty for a partition without members.
        kind: `ID_BASED` or `LOCATION_BASED`.
        places: its members.
        default: it is the domain's default partition.
    """

    id: str
    at: At
    kind: str
    places: frozenset[str]
    default: bool = False


@dataclass(frozen=True, slots=True)
class Live:
    """Everything NMX-M holds.

    Args:
        gpus: by domain and place.
        partitions: in NMX-M's order.
    """

    gpus: Mapping[tuple[str, str], Gpu] = field(default_factory=dict)
    partitions: tuple[Held, ...] = ()

    def find(self, at: At, identifier: str = "") -> Held | None:
        """A partition: by its identifier, else by domain and name; an empty one is known by its name alone.

        Raises:
            ProtocolError: several empty partitions carry the name.
        """
        if identifier:
            return next((held for held in self.partitions if held.id == identifier), None)
        exact = [held for held in self.partitions if held.at == at]
        empty = [held for held in self.partitions if held.at == At("", at.name)]
        if not exact and len(empty) > 1:
            raise ProtocolError(
                f"{len(empty)} partitions without members are called {at.name!r}: which domain each has"
            )
        found = exact or empty
        return found[0] if found else None

    def owner(self, domain: str, place: str) -> Held | None:
        """The partition a GPU is in."""
        return next((held for held in self.partitions if held.at.domain == domain and place in held.places), None)


# --- from NMX-M


def live_from(gpus: Any, partitions: Any) -> Live:
    """What NMX-M holds, from its two lists.

    Raises:
        ProtocolError: an answer is not of the documented form.
    """
    every = [_gpu(item) for item in _list(gpus, "/gpus")]
    by_id = {gpu.id: gpu for gpu in every}
    by_place = {(gpu.domain, gpu.place): gpu for gpu in every}
    if len(by_id) < len(every) or len(by_place) < len(every):
        raise ProtocolError("/gpus: an identifier or a place stands there twice")
    return Live(by_place, tuple(_held(item, by_id) for item in _list(partitions, "/partitions")))


def _gpu(item: Any) -> Gpu:
    body = _mapping(item, "a GPU")
    where = _mapping(body.get("LocationInfo"), "LocationInfo of a GPU")
    parts = (where.get("ChassisID"), where.get("SlotID"), where.get("HostID"), body.get("DeviceID"))
    identifier, domain = body.get("ID"), body.get("DomainUUID")
    if not isinstance(identifier, str) or not identifier or not isinstance(domain, str):
        raise ProtocolError("a GPU has no ID or no DomainUUID")
    return Gpu(identifier, domain, _place(parts))


def _held(item: Any, gpus: Mapping[str, Gpu]) -> Held:
    body = _mapping(item, "a partition")
    name, kind = str(body.get("Name") or ""), str(body.get("Type") or "")
    domains: set[str] = {str(body["DomainUUID"])} if body.get("DomainUUID") else set()
    places = set()
    for member in _list(body.get("Members") or [], f"members of {name!r}"):
        if isinstance(member, str):
            if member not in gpus:
                raise ProtocolError(f"partition {name!r} holds GPU {member!r}, which is not in the list of GPUs")
            domains.add(gpus[member].domain)
            places.add(gpus[member].place)
        else:
            where = _mapping(member, f"a member of {name!r}")
            domains.add(str(where.get("DomainUUID") or ""))
            places.add(_place([where.get(key) for key in ("ChassisID", "SlotID", "HostID", "DeviceID")]))
    if len(domains) > 1:
        raise ProtocolError(f"partition {name!r} holds GPUs of {len(domains)} domains")
    domain = next(iter(domains), "")
    default = body.get("PartitionID") == DEFAULT_NUMBER
    return Held(str(body.get("ID") or ""), At(domain, name), kind, frozenset(places), default)


def _place(parts: Any) -> str:
    numbers = list(parts)
    if not all(isinstance(part, int) and not isinstance(part, bool) for part in numbers):
        raise ProtocolError(f"a GPU's place is not four numbers: {str(numbers)[:80]}")
    return ".".join(str(part) for part in numbers)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProtocolError(f"{where}: expected a list, got {type(value).__name__}")
    return value


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProtocolError(f"{where}: expected an object, got {type(value).__name__}")
    return value


# --- trees

Places = dict[At, frozenset[str]]


def from_tree(tree: Mapping[str, Any]) -> Places:
    """What a tree asks for.

    Args:
        tree: `{"domain": {uuid: {"partition": {name: {"member": {"chassis.slot.host.gpu": {}}}}}}}`.

    Raises:
        IntentError: something in it makes no sense, or a GPU is in two partitions.
    """
    found: Places = {}
    for domain, body in _only(tree, "domain", "the tree").items():
        taken: dict[str, str] = {}
        for name, held in _only(body, "partition", f"domain {domain}").items():
            where = f"domain {domain}: partition {name!r}"
            if not _NAME.fullmatch(name):
                raise IntentError(f"{where}: a name is 1 to 244 printable ASCII characters")
            places = _only(held, "member", where)
            for place in places:
                if not _PLACE.fullmatch(place):
                    raise IntentError(f"{where}: GPU {place[:40]!r} is not of the form chassis.slot.host.gpu")
                if place in taken:
                    raise IntentError(
                        f"{where}: GPU {place} is in {taken[place]!r} too", hint="a GPU has one partition"
                    )
                taken[place] = name
            found[At(domain, name)] = frozenset(places)
    return found


def to_tree(places: Mapping[At, frozenset[str]]) -> Tree:
    """Partitions as they stand in our trees."""
    tree: Tree = {}
    for at in sorted(places):
        domain = tree.setdefault("domain", {}).setdefault(at.domain, {}).setdefault("partition", {})
        members = places[at]
        domain[at.name] = {"member": {place: {} for place in sorted(members, key=_order)}} if members else {}
    return tree


def _order(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("."))


def _only(value: Any, key: str, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise IntentError(f"{where}: expected a mapping, got {type(value).__name__}")
    other = sorted(set(value) - {key})
    if other:
        raise IntentError(f"{where}: unknown key {other[0]!r}", hint=f"known: {key}")
    found = value.get(key, {})
    if not isinstance(found, Mapping):
        raise IntentError(f"{where}: {key} must be a mapping")
    return found
