"""Partitions of InfiniBand fabrics: which ports of which tenant share which key. No manager's words.

A key means something in one fabric only, so the lock keeps it with the fabric's name before it. A partition with a
member whose port GUID nobody told yet is kept whole but is not complete: nobody may render a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from intent.core import selector
from intent.core.diagnostic import Diagnostic
from intent.core.span import Span
from intent.fabric.lock import Allocator, Lock
from intent.fabric.model import End, Fabric, Network, Role, Tier
from intent.fabric.nodes import NodeSpec, Path, Places
from intent.schema.tenants import Partition as PartitionText
from intent.schema.tenants import PartitionKey, Tenant
from intent.schema.types import NumberRange

KIND = "pkey"
"""Kind of value in the lock."""

FULL_BIT = 0x8000


@dataclass(frozen=True, slots=True)
class Member:
    """A port in a partition.

    Args:
        end: node and port.
        guid: port GUID, sixteen hexadecimal digits; empty when nobody told it yet.
        full: full member; two limited members cannot talk to each other.
    """

    end: End
    guid: str
    full: bool


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition of one fabric.

    Args:
        key: fifteen bits, without the membership bit.
        name: its name within the tenant.
        tenant: whose it is.
        fabric: the fabric in which the key means something.
        members: its ports, in cabling order.
        index0: the key stands at index 0 of its members' tables.
        ipoib: it has the broadcast group of IP over InfiniBand.
        mtu_bytes: of the group; None for the manager's own.
        rate_gbps: of the group; None for the manager's own.
        service_level: of its traffic; None for the manager's own.
        path: where it stands in the document.
        span: its place.
    """

    key: int
    name: str
    tenant: str
    fabric: str
    members: tuple[Member, ...]
    index0: bool = False
    ipoib: bool = False
    mtu_bytes: int | None = None
    rate_gbps: int | None = None
    service_level: int | None = None
    path: Path = ()
    span: Span | None = None

    @property
    def label(self) -> str:
        """How messages and managers name it."""
        return f"{self.tenant}-{self.name}"

    @property
    def key_text(self) -> str:
        """The key with its top bit set, as operators see it: `0x8001`."""
        return key_text(self.key)

    @property
    def unlearnt(self) -> tuple[End, ...]:
        """Members whose GUID nobody told yet."""
        return tuple(member.end for member in self.members if not member.guid)

    @property
    def complete(self) -> bool:
        """True when every member can be named to a subnet manager."""
        return all(member.guid for member in self.members)


@dataclass(frozen=True, slots=True)
class FabricPartitions:
    """Partitions of one InfiniBand fabric.

    Args:
        fabric: its name.
        partitions: by key.
        default_full: every node is a full member of the default partition: nothing keeps tenants apart there, and no
            port can prove that the subnet manager read its partitions.
    """

    fabric: str
    partitions: tuple[Partition, ...] = ()
    default_full: bool = False

    @property
    def complete(self) -> bool:
        """True when every partition is."""
        return all(item.complete for item in self.partitions)

    def keys_of(self) -> dict[End, list[Partition]]:
        """Partitions of each port."""
        held: dict[End, list[Partition]] = {}
        for partition in self.partitions:
            for member in partition.members:
                held.setdefault(member.end, []).append(partition)
        return held


@dataclass(frozen=True, slots=True)
class SitePartitions:
    """Partitions of a site.

    Args:
        site: its name.
        fabrics: by name of the InfiniBand fabric, those without tenants too.
        diagnostics: what is wrong with keys.
    """

    site: str
    fabrics: Mapping[str, FabricPartitions] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    def __iter__(self) -> Iterator[Partition]:
        return (partition for item in self.fabrics.values() for partition in item.partitions)


def key_text(key: int) -> str:
    """A key with its top bit set: `0x8001`."""
    return f"0x{key | FULL_BIT:04x}"


def nodes_of(tenant: Tenant, site: str, nodes: Iterable[NodeSpec]) -> tuple[NodeSpec, ...]:
    """The nodes of a site that a tenant picks."""
    wanted = selector.parse(tenant.nodes)
    return tuple(node for node in nodes if wanted.matches(node.labels | {"site": site}))


def allocate(
    tenants: Mapping[str, Tenant],
    site: str,
    nodes: Sequence[NodeSpec],
    fabrics: Iterable[str],
    pool: NumberRange,
    places: Places,
    before: Lock,
    after: Lock,
) -> tuple[Mapping[tuple[str, str], int], Lock, tuple[Diagnostic, ...]]:
    """Keys of every partition in a site's fabrics.

    Args:
        tenants: as written.
        site: the site.
        nodes: its nodes; a tenant without any of them has no partition here.
        fabrics: names of its InfiniBand fabrics.
        pool: keys that may be given out in each of them.
        places: where things stand.
        before: allocations as committed.
        after: allocations after everything else was built; keys are added to it.

    Returns:
        Keys by tenant and partition, the lock with them, and what is wrong.
    """
    keys = _Keys(
        places, before, pool, frozenset((name, key) for name, item in tenants.items() for key in item.partitions)
    )
    known = frozenset(fabrics)
    wanted = [
        (tenant, name, text)
        for tenant, item in tenants.items()
        if any(text.fabric in known for text in item.partitions.values()) and nodes_of(item, site, nodes)
        for name, text in item.partitions.items()
        if text.fabric in known
    ]
    # What is written takes its key before anything is given out.
    for tenant, name, text in sorted(wanted, key=lambda row: row[2].pkey.auto):
        keys.take(tenant, name, text)
    return keys.given, keys.lock(after), tuple(keys.diagnostics)


def partitions_of(
    tenants: Mapping[str, Tenant],
    fabric: Fabric,
    nodes: Sequence[NodeSpec],
    keys: Mapping[tuple[str, str], int],
    default_full: Mapping[str, bool],
    places: Places,
) -> SitePartitions:
    """Partitions of a compiled site.

    Args:
        tenants: as written.
        fabric: the compiled fabric, with the GUIDs that are known.
        nodes: every node of the site with its labels.
        keys: from `allocate`.
        default_full: by InfiniBand fabric, whether nodes are full members of the default partition.
        places: where things stand.
    """
    ports = {name: _ports(fabric, name) for name in default_full}
    found: dict[str, list[Partition]] = {name: [] for name in default_full}
    for tenant, item in tenants.items():
        picked = nodes_of(item, fabric.site, nodes)
        for name, text in item.partitions.items():
            if text.fabric not in found or (tenant, name) not in keys:
                continue
            path: Path = ("tenants", tenant, "partitions", name)
            members = tuple(_members(fabric.site, picked, text, ports[text.fabric]))
            if not members:
                continue  # the tenant has no node here: its partition is another site's
            found[text.fabric].append(
                Partition(
                    keys[tenant, name],
                    name,
                    tenant,
                    text.fabric,
                    members,
                    text.index0,
                    text.ipoib,
                    text.mtu,
                    text.rate.gbps if text.rate else None,
                    text.sl,
                    path,
                    places.span(path),
                )
            )
    return SitePartitions(
        fabric.site,
        {
            name: FabricPartitions(name, tuple(sorted(items, key=lambda item: item.key)), default_full[name])
            for name, items in found.items()
        },
    )


_Kinds = Mapping[bool, tuple[Member, ...]]
"""Ports of a node in a fabric as full and as limited members, made once for all partitions."""


def _ports(fabric: Fabric, name: str) -> dict[str, _Kinds]:
    """Ports of each node in a fabric, in cabling order."""
    found: dict[str, list[str]] = {}
    for link in fabric.links:
        if link.tier is Tier.HOST and link.network is Network.INFINIBAND:
            mine = fabric.devices[link.b.device].fabric == name
            if mine and fabric.devices[link.a.device].role is Role.NODE:
                found.setdefault(link.a.device, []).append(link.a.port)
    return {
        node: {
            full: tuple(Member(End(node, port), fabric.devices[node].ports[port].guid, full) for port in ports)
            for full in (True, False)
        }
        for node, ports in found.items()
    }


def _members(
    site: str, picked: Sequence[NodeSpec], text: PartitionText, ports: Mapping[str, _Kinds]
) -> Iterator[Member]:
    alike = list(text.membership) == ["*"]
    for node in picked:
        if node.name in ports:
            chosen = "*" if alike else selector.best(text.membership, node.labels | {"site": site})
            if chosen is not None:
                yield from ports[node.name][text.membership[chosen] == "full"]


class _Keys:
    """Gives out keys."""

    def __init__(self, places: Places, before: Lock, pool: NumberRange, written: frozenset[tuple[str, str]]) -> None:
        self.given: dict[tuple[str, str], int] = {}
        self.diagnostics: list[Diagnostic] = []
        self._places = places
        self._before = before
        self._pool = pool
        self._written = written
        self._allocator = Allocator(before)
        self._free: dict[str, Iterator[str]] = {}

    def take(self, tenant: str, name: str, text: PartitionText) -> None:
        owner = f"{text.fabric}/{tenant}/{name}"
        span = self._places.span(("tenants", tenant, "partitions", name, "pkey"))
        if text.pkey.auto:
            free = self._free.setdefault(text.fabric, _candidates(text.fabric, self._pool))
            value = self._allocator.take(KIND, owner, free)
            if value is None:
                message = f"fabric {text.fabric}: no partition key of the pool is free for {tenant}-{name}"
                hint = "enlarge pools.pkeys; `intent lock prune` frees keys of partitions that are gone"
                self._report("F041", message, span, hint)
                return
        else:
            value = self._claim(owner, f"{tenant}-{name}", text, span)
        if value:
            self.given[tenant, name] = _number(value)

    def _claim(self, owner: str, label: str, text: PartitionText, span: Span | None) -> str:
        wanted = _value(text.fabric, text.pkey)
        locked = self._before.value(KIND, owner)
        if locked not in (None, wanted):
            message = f"partition {label}: key {text.pkey} is written, the lock holds {key_text(_number(str(locked)))}"
            hint = "a key never moves: give the partition with the new key another name, or write the old key"
            self._report("F042", message, span, hint)
            return ""
        value = self._allocator.claim(KIND, owner, wanted)
        if value is None:
            holder = self._holder(wanted)
            now = self._places.span(("tenants", holder[0], "partitions", holder[1], "pkey"))
            message = f"partition {label}: key {text.pkey} of fabric {text.fabric} belongs to {'-'.join(holder)}"
            related = ((now, "it has the key"),) if now and holder in self._written else ()
            hint = "take another key, or auto; the key of a partition that is gone is free after `intent lock prune`"
            self.diagnostics.append(Diagnostic("F040", message, span, hint=hint, related=related))
            return ""
        return value

    def _holder(self, value: str) -> tuple[str, str]:
        """Tenant and partition that have a key, or had it and are gone."""
        now = self._allocator.result()
        owners = [
            owner for part in (now.held, now.released) for owner, held in part.get(KIND, {}).items() if held == value
        ]
        _, tenant, name = owners[0].split("/")
        return tenant, name

    def _report(self, code: str, message: str, span: Span | None, hint: str) -> None:
        self.diagnostics.append(Diagnostic(code, message, span, hint=hint))

    def lock(self, after: Lock) -> Lock:
        """The lock after everything else was built, with the keys in it."""
        mine = self._allocator.result()
        held = {kind: owners for kind, owners in after.held.items() if kind != KIND}
        released = {kind: owners for kind, owners in after.released.items() if kind != KIND}
        if mine.held.get(KIND):
            held[KIND] = mine.held[KIND]
        if mine.released.get(KIND):
            released[KIND] = mine.released[KIND]
        return Lock(after.site, held, released)


def _candidates(fabric: str, pool: NumberRange) -> Iterator[str]:
    return (_value(fabric, PartitionKey(number)) for number in range(pool.first, pool.last + 1))


def _value(fabric: str, key: PartitionKey) -> str:
    return f"{fabric}:{key}"


def _number(value: str) -> int:
    return int(value.rpartition(":")[2], 16) & ~FULL_BIT
