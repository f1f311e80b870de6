"""What the intent asks for beyond devices and links, as checks look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from intent.fabric.model import End, Role, Tier
from intent.fabric.qos import EcnReadBack, QosProfile


@dataclass(frozen=True, slots=True)
class Subnet:
    """What the intent asks for of one InfiniBand subnet. GUIDs are 16 hexadecimal digits in small letters.

    Args:
        fabric: name of the fabric.
        pkeys: keys each end port must hold, membership bits included, by port GUID.
        index0: the key at index 0 of each table, by port GUID.
        canaries: ports limited in the default partition: each proves that the partition file was read.
        managers: priority of each subnet manager by the GUID of its port; the highest is master.
        engine: the routing engine asked for.
        stand_in: the engine that a laboratory runs in its place; empty where the real one runs.
        lids: local identifiers as they were before; None where nothing is known of before.
        most_symbol_errors: so many a port may have counted.
        sets_aside: its manager keeps a list of unhealthy ports.
        one_at_a_time: only one of `managers` runs at a time, whichever, as of a UFM pair; priorities say nothing.
    """

    fabric: str
    pkeys: Mapping[str, frozenset[int]] = field(default_factory=dict)
    index0: Mapping[str, int] = field(default_factory=dict)
    canaries: tuple[str, ...] = ()
    managers: Mapping[str, int] = field(default_factory=dict)
    engine: str = ""
    stand_in: str = ""
    lids: Mapping[str, int] | None = None
    most_symbol_errors: int = 10
    sets_aside: bool = True
    one_at_a_time: bool = False


@dataclass(frozen=True, slots=True)
class Nvlink:
    """What the intent asks of the NVLink domains of one manager.

    Args:
        partitions: places of the GPUs of each partition, by identifier of the domain and name of the partition.
        excepted: partitions that are somebody else's, by the same.
        racks: name of the rack that each domain is.
    """

    partitions: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    excepted: frozenset[tuple[str, str]] = frozenset()
    racks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expected:
    """What the intent asks for beyond devices and links.

    Args:
        mtu_bytes: MTU of switch ports by tier of their link; a tier that is absent is not judged.
        qos: profile of each device that has one, by device name.
        ecn_read_back: how far an ECN threshold may read back from what was asked; None compares exactly.
        mac_owners: which port owns a MAC address, keyed as `normal_mac` writes it (inventory of node NICs).
        lldp_roles: roles that send LLDP for certain. Silence of any other role is not judged.
        subnets: InfiniBand subnets by name of the fabric.
        nvlink: NVLink domains by name of their manager.
    """

    mtu_bytes: Mapping[Tier, int] = field(default_factory=dict)
    qos: Mapping[str, QosProfile] = field(default_factory=dict)
    ecn_read_back: EcnReadBack | None = None
    mac_owners: Mapping[str, End] = field(default_factory=dict)
    lldp_roles: frozenset[Role] = frozenset({Role.LEAF, Role.SPINE})
    subnets: Mapping[str, Subnet] = field(default_factory=dict)
    nvlink: Mapping[str, Nvlink] = field(default_factory=dict)
