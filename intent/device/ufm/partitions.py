"""Partitions as values: what UFM answers, what a tree asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from intent.core.errors import IntentError
from intent.core.tree import Tree, digest
from intent.device.errors import ProtocolError
from intent.device.ufm.keys import key_number, tree_guid, tree_key

MEMBERSHIPS = ("full", "limited")
_LARGEST = 1e9  # beyond any MTU, rate or service level; neither infinity nor what is no number lies below
# Memberships UFM may answer with; `both` is set in files, never through the API.
_SEEN = (*MEMBERSHIPS, "both")


class Member(NamedTuple):
    """How a port is a member.

    Args:
        membership: `full` or `limited`; `both` is only ever read.
        index0: the key stands at index 0 of the port's table.
    """

    membership: str
    index0: bool

    @property
    def words(self) -> str:
        """For people."""
        return self.membership + (" at index 0" if self.index0 else "")


# A fabric has a million members of a few kinds: each kind is one value and one tree, compared by identity first.
_KINDS = {(membership, index0): Member(membership, index0) for membership in _SEEN for index0 in (True, False)}
_TREES: Mapping[Member, Mapping[str, Any]] = {
    kind: MappingProxyType({"membership": kind.membership, "index0": kind.index0}) for kind in _KINDS.values()
}


def member(membership: str, index0: bool) -> Member:
    """The one value of its kind."""
    return _KINDS[membership, index0]


def _kind(membership: Any, index0: Any) -> Member | None:
    if not isinstance(membership, str) or not isinstance(index0, bool):
        return None
    return _KINDS.get((membership, index0))


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition.

    Args:
        key: fifteen bits.
        name: its name; empty when none is asked for.
        ipoib: it has an IPoIB multicast group; None when not asked for.
        mtu: bytes of the group's MTU; None when not asked for.
        rate: Gb/s of the group; None when not asked for.
        service_level: service level; None when not asked for.
        members: by GUID as in our trees.
    """

    key: int
    name: str = ""
    ipoib: bool | None = None
    mtu: int | None = None
    rate: float | None = None
    service_level: int | None = None
    members: Mapping[str, Member] = field(default_factory=dict)

    def attributes(self) -> Iterator[tuple[str, Any]]:
        """What is asked for or known, without the members, under the names of our trees."""
        named = (
            ("name", self.name or None),
            ("ipoib", self.ipoib),
            ("mtu", self.mtu),
            ("rate", self.rate),
            ("service-level", self.service_level),
        )
        return ((name, value) for name, value in named if value is not None)

    def tree(self) -> Tree:
        """As it stands in our trees."""
        shown: Tree = dict(self.attributes())
        if self.members:
            shown["member"] = {guid: dict(_TREES[kind]) for guid, kind in sorted(self.members.items())}
        return shown


Partitions = Mapping[int, Partition]


def state_tree(partitions: Partitions) -> Tree:
    """Partitions as the state of a device."""
    shown = {tree_key(key): partitions[key].tree() for key in sorted(partitions)}
    return {"partition": shown} if shown else {}


def state_digest(partitions: Partitions) -> str:
    """Digest of that state."""
    return digest(state_tree(partitions))


# --- from UFM


def from_answers(members: Any, qualities: Any) -> dict[int, Partition]:
    """Partitions from the two lists UFM gives: one with members, one with MTU, rate and service level.

    Raises:
        ProtocolError: an answer is not of the documented form. Half-understood partitions would be taken for absent.
    """
    with_members, with_qualities = _mapping(members, "partitions"), _mapping(qualities, "partitions")
    found: dict[int, Partition] = {}
    for text, body in with_members.items():
        key = _live_key(text)
        if key in found:
            raise ProtocolError(f"partition {tree_key(key)} stands twice in the answer")
        found[key] = _live(key, _mapping(body, text), _mapping(with_qualities.get(text, {}), text))
    return found


def _live(key: int, body: Mapping[str, Any], more: Mapping[str, Any]) -> Partition:
    where = f"partition {tree_key(key)}"
    quality = _mapping(more.get("qos_conf") or body.get("qos_conf") or {}, where)
    guids = body.get("guids")
    if not isinstance(guids, list):
        raise ProtocolError(f"{where}: the answer lists no members")
    found: dict[str, Member] = {}
    for item in guids:
        port = _mapping(item, where)
        kind = _kind(port.get("membership"), port.get("index0"))
        if kind is None:
            raise ProtocolError(f"{where}: a member of unknown kind: {str(dict(port))[:120]}")
        try:
            guid = tree_guid(str(port.get("guid")))
        except IntentError as problem:
            raise ProtocolError(f"{where}: {problem.message}") from None
        if found.setdefault(guid, kind) is not kind:
            raise ProtocolError(f"{where}: port {guid} stands there as two kinds of member")
    ipoib = body.get("ip_over_ib")
    if not isinstance(ipoib, bool):
        raise ProtocolError(f"{where}: the answer does not say whether it carries IPoIB")
    return Partition(
        key,
        str(body.get("partition") or ""),
        ipoib,
        _kilobytes(quality.get("mtu_limit"), where),
        _number(quality.get("rate_limit"), where),
        _whole(quality.get("service_level"), where),
        found,
    )


def _live_key(text: str) -> int:
    try:
        return key_number(text)
    except IntentError as problem:
        raise ProtocolError(f"partitions: {problem.message}") from None


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProtocolError(f"{where}: expected an object, got {type(value).__name__}")
    return value


def _kilobytes(value: Any, where: str) -> int | None:
    number = _whole(value, where)
    return None if number is None else number * 1024


def _whole(value: Any, where: str) -> int | None:
    number = _number(value, where)
    if number is not None and not isinstance(number, int):
        raise ProtocolError(f"{where}: {number!r} is not a whole number")
    return number


def _number(value: Any, where: str) -> float | int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise ProtocolError(f"{where}: {str(value)[:40]!r} is not a number that could be meant")
    return int(value) if float(value).is_integer() else float(value)


# --- from a tree


def from_tree(tree: Mapping[str, Any], fabric: str = "") -> dict[int, Partition]:
    """What a tree asks for.

    Args:
        tree: `{"partition": {key: {"name", "ipoib", "mtu" (bytes), "rate" (Gb/s), "service-level", "index0",
            "fabric", "member": {guid: {"membership", "index0"}}}}}`. A partition's `index0` and `membership` hold for
            members that do not say; `fabric`, there or at the top, must be the fabric this UFM serves. What
            stands under `setting` is not looked at.
        fabric: the fabric; empty when nobody says.

    Raises:
        IntentError: something in it makes no sense, or is meant for another fabric.
    """
    unknown = sorted(set(tree) - {"partition", "setting", "fabric"})
    if unknown:
        raise IntentError(f"{unknown[0]!r}: UFM is given partitions and settings, nothing else")
    _refuse_other(tree.get("fabric"), fabric, "the tree")
    found: dict[int, Partition] = {}
    for text, body in _object(tree.get("partition", {}), "partition").items():
        key = key_number(text)
        if key in found:
            raise IntentError(f"partition {text} stands twice: the top bit is a port's membership, not part of the key")
        found[key] = _wanted(key, text, _object(body, f"partition {text}"), fabric)
    return found


_KNOWN = {"name", "ipoib", "mtu", "rate", "service-level", "index0", "membership", "fabric", "member"}


def _wanted(key: int, text: str, body: Mapping[str, Any], fabric: str) -> Partition:
    where = f"partition {text}"
    unknown = sorted(set(body) - _KNOWN)
    if unknown:
        raise IntentError(f"{where}: unknown key {unknown[0]!r}", hint=f"known: {', '.join(sorted(_KNOWN))}")
    _refuse_other(body.get("fabric"), fabric, where)
    index0 = _flag(body, "index0", where, False)
    membership = body.get("membership", "full")
    members: dict[str, Member] = {}
    for guid, item in _object(body.get("member", {}), f"{where}: member").items():
        at = tree_guid(guid)
        if at in members:
            raise IntentError(f"{where}: port {at} stands twice")
        members[at] = _wanted_member(item, membership, index0, f"{where}: port {at}")
    return Partition(
        key,
        _text(body, "name", where),
        _flag(body, "ipoib", where, None),
        _figure(body, "mtu", where),
        _figure(body, "rate", where, whole=False),
        _figure(body, "service-level", where),
        members,
    )


def _wanted_member(item: Any, membership: Any, index0: bool | None, where: str) -> Member:
    body = _object(item, where)
    if set(body) - {"membership", "index0"}:
        raise IntentError(f"{where}: unknown key {sorted(set(body) - {'membership', 'index0'})[0]!r}")
    kind = _kind(body.get("membership", membership), body.get("index0", index0))
    if kind is None or kind.membership not in MEMBERSHIPS:
        raise IntentError(
            f"{where}: membership is full or limited, index0 is true or false", hint=f"given: {str(dict(body))[:80]}"
        )
    return kind


def _refuse_other(named: Any, fabric: str, where: str) -> None:
    if named is not None and named != fabric:
        raise IntentError(
            f"{where} is of fabric {named!r}, this UFM serves {fabric or 'no named fabric'!r}: it is not sent there"
        )


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise IntentError(f"{where}: expected a mapping, got {type(value).__name__}")
    return value


def _text(body: Mapping[str, Any], key: str, where: str) -> str:
    value = body.get(key, "")
    if not isinstance(value, str):
        raise IntentError(f"{where}: {key} must be text")
    return value


def _flag(body: Mapping[str, Any], key: str, where: str, default: bool | None) -> bool | None:
    value = body.get(key, default)
    if value is not default and not isinstance(value, bool):
        raise IntentError(f"{where}: {key} is true or false")
    return value


def _figure(body: Mapping[str, Any], key: str, where: str, *, whole: bool = True) -> Any:
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or (whole and not isinstance(value, int)):
        raise IntentError(f"{where}: {key} must be a number, not {value!r}")
    return int(value) if float(value).is_integer() else float(value)
