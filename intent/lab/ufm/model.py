"""Partitions of a fabric as UFM keeps them: what POST adds, PUT replaces and DELETE takes away.

Source of the rules: NVIDIA UFM Enterprise REST API guide, PKey section; UFM's SDK; NVIDIA Infra Controller's client.
Defaults overwrite: what a body does not say is taken from the API's defaults, for members that exist already too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.lab.tools import Refusal

DEFAULT = 0x7FFF
RATES = (2.5, 5, 10, 14, 20, 25, 30, 40, 56, 60, 80, 100, 112, 120, 168, 200, 300)
_KEY = re.compile(r"0x[0-9a-fA-F]{1,5}")
_GUID = re.compile(r"(?:0x)?([0-9a-fA-F]{16})")

Json = dict[str, Any]


@dataclass(slots=True)
class Partition:
    """One partition.

    Args:
        name: its name.
        ipoib: it has an IPoIB multicast group.
        mtu: kB.
        rate: Gb/s.
        level: service level.
        members: membership and index 0 by GUID.
        sharp: a SHARP reservation follows it.
    """

    name: str
    ipoib: bool = True
    mtu: int = 2
    rate: float = 2.5
    level: int = 0
    members: dict[str, tuple[str, bool]] = field(default_factory=dict)
    sharp: bool = False


def number_of(text: Any) -> int:
    """The key a text stands for.

    Raises:
        Refusal: it is none the API takes.
    """
    if not isinstance(text, str) or not _KEY.fullmatch(text) or not 0 < int(text, 16) < DEFAULT:
        raise Refusal(400, "pkey must be a hexadecimal string between '0x0' and '0x7fff' exclusive")
    return int(text, 16)


def guid_of(text: Any) -> str:
    """A port GUID as answers show it.

    Raises:
        Refusal: it is none.
    """
    match = _GUID.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise Refusal(400, f"GUID {str(text)[:40]!r} is not valid")
    return match.group(1).lower()


class Model:
    """All partitions of one fabric.

    Args:
        default_membership: of hosts in the default partition.
        known: GUIDs of the fabric's ports; empty takes any.
        named: partitions can be given a name.
        shows_default: the membership of the default partition is shown.
    """

    def __init__(self, default_membership: str, known: Iterable[str], *, named: bool, shows_default: bool) -> None:
        self.partitions: dict[int, Partition] = {DEFAULT: Partition("management")}
        self.default_membership = default_membership
        self.updated: float | None = None
        self._known = frozenset(known)
        self._named = named
        self._shows_default = shows_default

    # --- reading

    def keys(self) -> list[str]:
        """The plain list."""
        return [f"0x{key:x}" for key in sorted(self.partitions)]

    def shown(self, key: int, *, guids: bool, qualities: bool) -> Json:
        """One partition."""
        held = self.partitions[key]
        body: Json = {"partition": held.name, "ip_over_ib": held.ipoib}
        if guids:
            body["guids"] = [
                {"guid": guid, "index0": index0, "membership": membership}
                for guid, (membership, index0) in held.members.items()
            ]
            if key == DEFAULT and self._shows_default:
                body |= {"index0": False, "membership": self.default_membership}
        if qualities:
            body["qos_conf"] = {"mtu_limit": held.mtu, "rate_limit": held.rate, "service_level": held.level}
        return body

    # --- writing

    def make(self, body: Mapping[str, Any]) -> None:
        """POST /resources/pkeys/add: an empty partition."""
        key = number_of(body.get("pkey"))
        _only(body, {"pkey", "index0", "ip_over_ib", "partition_name", "mtu_limit", "service_level", "rate_limit"})
        if key in self.partitions:
            raise Refusal(409, f"PKey 0x{key:x} already exists")
        if "partition_name" in body and not self._named:
            raise Refusal(400, "unknown parameter partition_name")
        name = body.get("partition_name") or f"api_pkey_0x{key:x}"
        if not isinstance(name, str):
            raise Refusal(400, "partition_name must be a string")
        made = Partition(name, _flag(body, "ip_over_ib", True))
        _flag(body, "index0", False)
        _quality(made, body)
        self.partitions[key] = made

    def join(self, body: Mapping[str, Any]) -> None:
        """POST /resources/pkeys: adds members, makes the partition where there is none, removes nobody."""
        key, members = self._members(body, {"pkey", "guids", "ip_over_ib", "index0", "membership", "memberships"})
        held = self.partitions.setdefault(key, Partition(f"api_pkey_0x{key:x}"))
        held.ipoib = _flag(body, "ip_over_ib", True)
        held.members.update(members)

    def replace(self, body: Mapping[str, Any]) -> None:
        """PUT /resources/pkeys: these members and nobody else."""
        allowed = {"pkey", "guids", "ip_over_ib", "index0", "membership", "memberships"}
        key, members = self._members(body, {*allowed, "mtu_limit", "service_level", "rate_limit"})
        held = self.partitions.setdefault(key, Partition(f"api_pkey_0x{key:x}"))
        held.ipoib = _flag(body, "ip_over_ib", True)
        held.members = dict(members)
        _quality(held, body)

    def leave(self, key: int, guids: Sequence[Any]) -> None:
        """Take members out; those that are none are passed over."""
        if key not in self.partitions or key == DEFAULT:
            raise Refusal(404, f"PKey 0x{key:x} is not found")
        for guid in [guid_of(item) for item in guids]:
            self.partitions[key].members.pop(guid, None)

    def delete(self, key: int) -> None:
        """Take a partition away."""
        if key not in self.partitions or key == DEFAULT:
            raise Refusal(404, f"PKey 0x{key:x} is not found")
        del self.partitions[key]

    def quality(self, body: Mapping[str, Any]) -> None:
        """PUT /resources/pkeys/qos_conf."""
        key = number_of(body.get("pkey"))
        _only(body, {"pkey", "mtu_limit", "service_level", "rate_limit"})
        if key not in self.partitions:
            raise Refusal(404, f"PKey 0x{key:x} is not found")
        _quality(self.partitions[key], body)

    def sharp(self, key: int, body: Mapping[str, Any]) -> None:
        """PUT /resources/pkeys/<pkey>/sharp-reservation."""
        if key not in self.partitions:
            raise Refusal(404, f"PKey 0x{key:x} is not found")
        if body.get("action") not in ("enable", "disable"):
            raise Refusal(400, "action is enable or disable")
        self.partitions[key].sharp = body["action"] == "enable"

    def _members(self, body: Mapping[str, Any], allowed: set[str]) -> tuple[int, dict[str, tuple[str, bool]]]:
        key = number_of(body.get("pkey"))
        _only(body, allowed)
        guids = body.get("guids")
        if not isinstance(guids, list):
            raise Refusal(400, "guids must be a list")
        found = [guid_of(item) for item in guids]
        if self._known:
            strangers = [guid for guid in found if guid not in self._known]
            if strangers:
                raise Refusal(400, f"GUID {strangers[0]} is not in the fabric")
        index0 = _flag(body, "index0", False)
        kinds = body.get("memberships")
        if kinds is None:
            kinds = [body.get("membership", "full")] * len(found)
        elif "membership" in body:
            raise Refusal(400, "membership and memberships exclude each other")
        if not isinstance(kinds, list) or len(kinds) != len(found):
            raise Refusal(400, "memberships must be a list as long as guids")
        if any(kind not in ("full", "limited") for kind in kinds):
            raise Refusal(400, "membership is full or limited")
        return key, {guid: (kind, index0) for guid, kind in zip(found, kinds, strict=True)}


def _only(body: Mapping[str, Any], allowed: set[str]) -> None:
    for key in body:
        if key not in allowed:
            raise Refusal(400, f"unknown parameter {key[:40]}")


def _flag(body: Mapping[str, Any], key: str, default: bool) -> bool:
    value = body.get(key, default)
    if not isinstance(value, bool):
        raise Refusal(400, f"{key} must be a boolean")
    return value


def _quality(held: Partition, body: Mapping[str, Any]) -> None:
    mtu, rate, level = (body.get(key) for key in ("mtu_limit", "rate_limit", "service_level"))
    if mtu is not None and mtu not in (2, 4):
        raise Refusal(400, "mtu_limit is 2 or 4")
    if rate is not None and (isinstance(rate, bool) or rate not in RATES):
        raise Refusal(400, f"rate_limit is one of {', '.join(map(str, RATES))}")
    if level is not None and (not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= 15):
        raise Refusal(400, "service_level is 0 to 15")
    held.mtu = held.mtu if mtu is None else mtu
    held.rate = held.rate if rate is None else rate
    held.level = held.level if level is None else level
