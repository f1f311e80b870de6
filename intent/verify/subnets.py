"""Compiled fabric, partitions and managers → what the checks expect of a subnet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from intent.catalog.subnet_managers import SubnetManagers
from intent.fabric.model import Fabric, Network
from intent.formats.partitions.model import Partition
from intent.formats.partitions.tables import EndPort, PortKind, canaries, pkey_tables
from intent.verify.api import Subnet


def subnet_of(
    fabric: str,
    partitions: Iterable[Partition],
    ports: Sequence[EndPort],
    *,
    managers: Mapping[str, int],
    engine: str,
    laboratory: bool = False,
    lids: Mapping[str, int] | None = None,
    sets_aside: bool = False,
    one_at_a_time: bool = False,
) -> Subnet:
    """What is expected of a subnet.

    Args:
        fabric: name of the fabric.
        partitions: its partition file, as read.
        ports: every end port of the fabric.
        managers: priority of each manager by port GUID, 16 digits; in the tables the highest is SELF.
        engine: routing engine asked for.
        laboratory: a laboratory stands in for the fabric, which runs plain engines only.
        lids: local identifiers from before, by port GUID.
        sets_aside: the manager keeps a list of unhealthy ports.
        one_at_a_time: only one of the managers runs, whichever, and takes its priority from nobody here.
    """
    first = max(managers, key=lambda guid: managers[guid], default="0")
    tables = pkey_tables(partitions, ports, manager=int(first, 16))
    plain = SubnetManagers().plain_engine(engine)
    return Subnet(
        fabric=fabric,
        pkeys={_guid(guid): table.keys for guid, table in tables.items()},
        index0={_guid(guid): table.index0 for guid, table in tables.items()},
        canaries=tuple(_guid(guid) for guid in canaries(tables)),
        managers=managers,
        engine=engine,
        stand_in=plain if laboratory and plain != engine else "",
        lids=lids,
        sets_aside=sets_aside,
        one_at_a_time=one_at_a_time,
    )


def end_ports_of(fabric: Fabric, name: str) -> tuple[list[EndPort], int]:
    """Every end port of one InfiniBand fabric whose GUID is known, and how many are not.

    Args:
        fabric: the compiled site.
        name: the fabric.
    """
    part = fabric.only(Network.INFINIBAND, name)
    found: list[EndPort] = []
    unknown = 0
    for device in part.devices.values():
        guids = [device.guid] if device.is_switch else [port.guid for port in device.ports.values()]
        kind = PortKind.SWITCH if device.is_switch else PortKind.ADAPTER
        found += [EndPort(int(guid, 16), kind) for guid in guids if guid]
        unknown += sum(not guid for guid in guids)
    return found, unknown


def _guid(value: int) -> str:
    return f"{value:016x}"
