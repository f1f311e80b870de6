"""Rules of NVLink partitions: what may be split how, in which order, and whether it splits where P_Keys do. Pure.

A domain is one NVL72 rack. Its GPUs are named by their place, `chassis.slot.host.gpu`; a tray holds some of them and
the rail ports of one node. Sources: NVIDIA GB200 NVL partition user guide; NMX Controller gRPC API 2.20 (multicast
groups, `GetDomainProperties`); NVIDIA Infra Controller issue 3247 (the default partition holds all multicast groups).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from intent.core.diagnostic import Diagnostic, Severity, in_order
from intent.core.span import Span

IN_TWO = "F060"
OTHER_DOMAIN = "F061"
NO_SUCH = "F062"
MULTICAST = "F063"
DEFAULT_HOLDS = "F064"
BOUNDARY = "F065"
SPLIT_TRAY = "F066"
TOO_MANY = "F067"
EMPTY = "F068"
NO_MAXIMUM = "F069"

Key = tuple[str, int]  # a P_Key means something in its fabric only


@dataclass(frozen=True, slots=True)
class Domain:
    """One NVLink domain.

    Args:
        name: of the rack.
        trays: places of each tray's GPUs, by name of the tray's node.
        multicast_groups: how many the domain has; None when not known.
        partitions: how many it may have; None when not known.
    """

    name: str
    trays: Mapping[str, tuple[str, ...]]
    multicast_groups: int | None = None
    partitions: int | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """One NVLink partition.

    Args:
        name: its name, once in a domain.
        domain: name of its domain.
        gpus: places of its GPUs.
        tenant: whose it is.
        multicast_groups: how many it may use; 0 for none.
        span: where it was written.
    """

    name: str
    domain: str
    gpus: tuple[str, ...]
    tenant: str = ""
    multicast_groups: int = 0
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """P_Keys of a tray's rail ports.

    Args:
        own: keys that keep tenants apart, of every fabric.
        split: its ports do not all hold the same of them.
    """

    own: frozenset[Key] = frozenset()
    split: bool = False


class Act(StrEnum):
    """What is done to a partition."""

    EMPTY = "empty"
    SHRINK = "shrink"
    MAKE = "make"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of splitting a domain.

    Args:
        act: what is done.
        partition: name; empty for the default partition.
        gpus: places it holds afterwards.
    """

    act: Act
    partition: str
    gpus: tuple[str, ...]


def steps(domain: Domain, partitions: Sequence[Partition]) -> tuple[Step, ...]:
    """How a domain, all of it in its default partition, is split: the default one first, for a GPU is in one only.

    Args:
        domain: the domain.
        partitions: its partitions.
    """
    taken = {gpu for partition in partitions if partition.domain == domain.name for gpu in partition.gpus}
    if not taken:
        return ()
    rest = tuple(gpu for gpus in domain.trays.values() for gpu in gpus if gpu not in taken)
    made = [Step(Act.MAKE, item.name, item.gpus) for item in partitions if item.domain == domain.name]
    return (Step(Act.SHRINK if rest else Act.EMPTY, "", rest), *made)


def check(
    domains: Iterable[Domain], partitions: Iterable[Partition], keys: Mapping[str, Keys] | None = None
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with NVLink partitions.

    Args:
        domains: the domains, names unique.
        partitions: all partitions.
        keys: P_Keys of each tray's rail ports by name of its node, without keys that all tenants share; None where
            there is no InfiniBand, a tray that is missing holds none.
    """
    by_domain = {domain.name: domain for domain in domains}
    own: dict[str, list[Partition]] = defaultdict(list)
    found: list[Diagnostic] = []
    for partition in partitions:
        if partition.domain in by_domain:
            own[partition.domain].append(partition)
        else:
            found.append(_finding(NO_SUCH, f"{_named(partition)}: there is no domain {partition.domain!r}", partition))
    homes = {gpu: domain.name for domain in by_domain.values() for gpus in domain.trays.values() for gpu in gpus}
    for domain in by_domain.values():
        held = own.get(domain.name, [])
        found += _members(domain, held, homes)
        found += _budget(domain, held)
        if keys is not None and held:
            found += _boundary(domain, held, keys)
    return in_order(found)


@dataclass(slots=True)
class _Seen:
    """Who was seen to hold a GPU, or to carry a name."""

    first: dict[str, Partition] = field(default_factory=dict)

    def __call__(self, what: str, partition: Partition) -> Partition | None:
        present = self.first.setdefault(what, partition)
        return None if present is partition else present


def _members(domain: Domain, partitions: Sequence[Partition], homes: Mapping[str, str]) -> Iterator[Diagnostic]:
    here = {gpu for gpus in domain.trays.values() for gpu in gpus}
    gpus, names = _Seen(), _Seen()
    for partition in partitions:
        if other := names(partition.name, partition):
            message = f"{_named(partition)}: the name is given twice in the domain"
            yield _finding(IN_TWO, message, partition, related=other)
        if not partition.gpus:
            yield _finding(EMPTY, f"{_named(partition)}: it holds no GPU", partition)
        if len(set(partition.gpus)) != len(partition.gpus):
            yield _finding(IN_TWO, f"{_named(partition)}: it names a GPU twice", partition)
        for gpu in dict.fromkeys(partition.gpus):
            if gpu in here:
                if other := gpus(gpu, partition):
                    message = f"GPU {gpu} of domain {domain.name} - in partitions {other.name} and {partition.name}"
                    yield _finding(IN_TWO, message, partition, "a GPU has one NVLink partition", related=other)
            elif gpu in homes:
                message = f"{_named(partition)}: GPU {gpu} is of domain {homes[gpu]}"
                yield _finding(OTHER_DOMAIN, message, partition, "NVLink ends with the rack: one partition per domain")
            else:
                yield _finding(NO_SUCH, f"{_named(partition)}: domain {domain.name} has no GPU {gpu}", partition)


def _budget(domain: Domain, partitions: Sequence[Partition]) -> Iterator[Diagnostic]:
    asked = sum(partition.multicast_groups for partition in partitions)
    most = domain.multicast_groups
    if most is not None and asked > most:
        shares = ", ".join(f"{item.name} {item.multicast_groups}" for item in partitions if item.multicast_groups)
        message = f"domain {domain.name}: multicast groups - expected at most {most}, actual {asked} ({shares})"
        yield _finding(MULTICAST, message, partitions[-1], "lower the groups of a partition")
    if most is None and asked:
        message = (
            f"domain {domain.name}: multicast groups - {asked} asked for, the maximum of the domain is not known: "
            "whether they fit was not judged"
        )
        hint = "say multicast_groups under the site's nvlink; NMX-Controller tells it (GetDomainProperties)"
        yield _finding(NO_MAXIMUM, message, _first_asking(partitions), hint, severity=Severity.WARNING)
    if domain.partitions is not None and len(partitions) > domain.partitions:
        message = f"domain {domain.name}: partitions - expected at most {domain.partitions}, actual {len(partitions)}"
        yield _finding(TOO_MANY, message, partitions[-1])
    rest = {step.gpus for step in steps(domain, partitions) if not step.partition}
    left = len(next(iter(rest), ()))
    wanting = _first_asking(partitions)
    if left and wanting is not None:
        message = (
            f"{_named(wanting)}: multicast groups - {left} GPUs stay in the default partition, which holds them all"
        )
        yield _finding(DEFAULT_HOLDS, message, wanting, "put every GPU of the domain into a partition, or ask for none")


def _first_asking(partitions: Sequence[Partition]) -> Partition | None:
    return next((partition for partition in partitions if partition.multicast_groups), None)


def _boundary(domain: Domain, partitions: Sequence[Partition], keys: Mapping[str, Keys]) -> Iterator[Diagnostic]:
    """Trays in one NVLink partition must be of one tenant on their rails, and the other way round."""
    holder = {gpu: partition for partition in partitions for gpu in partition.gpus}
    groups: dict[str, dict[str, Keys]] = defaultdict(dict)
    for tray, gpus in domain.trays.items():
        within = dict.fromkeys(holder[gpu].name if gpu in holder else "" for gpu in gpus)
        here = keys.get(tray, Keys())
        if len(within) > 1 and not here.split:
            names = " and ".join(name or "the default one" for name in within)
            message = (
                f"tray {tray} of domain {domain.name} - its GPUs are in {names}, its rail ports hold one set of keys"
            )
            yield _finding(
                SPLIT_TRAY, message, _any(holder, gpus), "split at trays, or give each rail port its own keys"
            )
        for name in within:
            groups[name][tray] = here
    by_name = {partition.name: partition for partition in partitions}
    for name, trays in groups.items():
        sets: dict[frozenset[Key], list[str]] = defaultdict(list)
        for tray, here in trays.items():
            sets[here.own].append(tray)
        if len(sets) > 1:
            yield _mixed(domain, by_name.get(name), name, sets)
    yield from _reunited(domain, groups, by_name)


def _mixed(
    domain: Domain, partition: Partition | None, name: str, sets: Mapping[frozenset[Key], Sequence[str]]
) -> Diagnostic:
    parts = "; ".join(f"{_some(trays)} hold {_keys(own)}" for own, trays in sets.items())
    what = f"NVLink partition {name}" if name else "the default NVLink partition"
    message = f"domain {domain.name}: {what} - its trays are of different tenants on InfiniBand: {parts}"
    return _finding(BOUNDARY, message, partition, "an NVLink partition and a P_Key must end at the same trays")


def _reunited(
    domain: Domain, groups: Mapping[str, Mapping[str, Keys]], by_name: Mapping[str, Partition]
) -> Iterator[Diagnostic]:
    """Trays that share a key but no NVLink partition: their tenant's boundary is inside of its P_Key."""
    seen: dict[Key, str] = {}
    for name, trays in groups.items():
        for key in sorted({key for here in trays.values() for key in here.own}):
            other = seen.setdefault(key, name)
            if other == name:
                continue
            words = " and ".join(part or "the default one" for part in (other, name))
            message = (
                f"domain {domain.name}: P_Key 0x{key[1]:04x} of {key[0]} - its trays are in NVLink partitions {words}"
            )
            hint = "an NVLink partition and a P_Key must end at the same trays"
            yield _finding(BOUNDARY, message, by_name.get(name) or by_name.get(other), hint)


def _any(holder: Mapping[str, Partition], gpus: Iterable[str]) -> Partition | None:
    return next((holder[gpu] for gpu in gpus if gpu in holder), None)


def _keys(own: frozenset[Key]) -> str:
    return ", ".join(f"0x{key:04x} of {fabric}" for fabric, key in sorted(own)) or "no tenant's key"


def _some(trays: Sequence[str], most: int = 3) -> str:
    more = len(trays) - most
    return ", ".join(trays[:most]) + (f" and {more} more" if more > 0 else "")


def _named(partition: Partition) -> str:
    return f"NVLink partition {partition.name} of domain {partition.domain}"


def _finding(
    code: str,
    message: str,
    partition: Partition | None,
    hint: str = "",
    *,
    related: Partition | None = None,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    places = ((related.span, f"partition {related.name}"),) if related is not None and related.span else ()
    span = partition.span if partition is not None else None
    return Diagnostic(code, message, span, severity, hint, places)


def places(
    chassis: int, trays: Mapping[str, int], gpus: int, place: Callable[[int, int, int], str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Places of the GPUs of trays, as `Domain.trays` takes them.

    Args:
        chassis: number of the rack's chassis.
        trays: slot of each tray, by name of its node.
        gpus: GPUs of a tray.
        place: writes a place from chassis, slot and GPU; `chassis.slot.1.gpu` when None.
    """
    write = place or (lambda at, slot, gpu: f"{at}.{slot}.1.{gpu}")
    return {name: tuple(write(chassis, slot, gpu) for gpu in range(1, gpus + 1)) for name, slot in trays.items()}
