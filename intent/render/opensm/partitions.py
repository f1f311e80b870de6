"""Partitions of a fabric as the partitions.conf of its OpenSM. The writer's own reader judges the text first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256

from intent.core.errors import IntentError
from intent.fabric.model import Fabric
from intent.fabric.partitions import FabricPartitions, Partition
from intent.formats.partitions.codes import MTU_BYTES, RATE_GBPS, code_of
from intent.formats.partitions.model import DEFAULT_PKEY, GroupFlags, Keyword, Member, Membership
from intent.formats.partitions.model import Partition as Definition
from intent.formats.partitions.writer import write

_NAME_BYTES = 31  # `char name[32]` in osm_partition.h


def partitions_conf(fabric: FabricPartitions, devices: Fabric) -> str:
    """The file, the same for every subnet manager of the fabric.

    Args:
        fabric: its partitions, all complete: a file that lacks a part takes tenants' keys away.
        devices: the compiled fabric, for the ports of hosts that run subnet managers.

    Raises:
        IntentError: a partition is not complete, or OpenSM has no code for an MTU or rate.
        DiagnosticError: our own grammar refuses the text.
    """
    for partition in fabric.partitions:
        if not partition.complete:
            raise IntentError(f"partition {partition.label} is not complete: the file cannot be written in part")
    comment = f"partitions of fabric {fabric.fabric}, compiled: changes by hand are drift"
    definitions = [_default(fabric, devices), *map(_definition, fabric.partitions)]
    return write(definitions, comment=comment)


def _default(fabric: FabricPartitions, devices: Fabric) -> Definition:
    """Nodes limited (or full where the intent says so), switches and every subnet manager full."""
    nodes = Membership.FULL if fabric.default_full else Membership.LIMITED
    return Definition(
        name="Default",
        pkey=DEFAULT_PKEY,
        ipoib=True,
        members=(
            Member(Keyword.ALL, nodes),
            Member(Keyword.ALL_SWITCHES, Membership.FULL),
            *(Member(guid, Membership.FULL) for guid in sorted(_managers(fabric.fabric, devices))),
            Member(Keyword.SELF, Membership.FULL),
        ),
    )


def _managers(fabric: str, devices: Fabric) -> Iterator[int]:
    """Ports of every subnet manager, so that the standby keeps its membership when it takes over."""
    for device in devices.managers:
        if device.fabric == fabric:
            yield from (int(port.guid, 16) for port in device.ports.values() if port.guid)


def _definition(partition: Partition) -> Definition:
    return Definition(
        name=_name(partition.label),
        pkey=partition.key,
        members=tuple(
            Member(int(member.guid, 16), Membership.FULL if member.full else Membership.LIMITED)
            for member in partition.members
        ),
        ipoib=partition.ipoib,
        index0=partition.index0,
        flags=GroupFlags(
            mtu=_code(partition, "mtu", MTU_BYTES, partition.mtu_bytes),
            rate=_code(partition, "rate", RATE_GBPS, partition.rate_gbps),
            service_level=partition.service_level,
        ),
    )


def _code(partition: Partition, what: str, table: Mapping[int, float], value: int | None) -> int | None:
    if value is None:
        return None
    code = code_of(table, value)
    if code is None:
        raise IntentError(f"partition {partition.label}: OpenSM has no {what} {value}")
    return code


def _name(label: str) -> str:
    """The label, shortened where OpenSM would cut it: two long names must not become one."""
    if len(label) <= _NAME_BYTES:
        return label
    mark = sha256(label.encode()).hexdigest()[:6]
    return f"{label[: _NAME_BYTES - 7]}-{mark}"
