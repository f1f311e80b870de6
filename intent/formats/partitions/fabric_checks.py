"""A file against the ports of a fabric: GUIDs nobody has, GUIDs of nodes, tables that are too small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent.core.diagnostic import Diagnostic
from intent.formats.partitions.findings import Findings
from intent.formats.partitions.model import Partition
from intent.formats.partitions.tables import EndPort, PkeyTable


def check_ports(
    partitions: Sequence[Partition], ports: Sequence[EndPort], file: str = "partitions.conf"
) -> tuple[Diagnostic, ...]:
    """Members that are no port of the fabric. OpenSM skips them and says nothing.

    Args:
        partitions: definitions as read.
        ports: every end port of the fabric.
        file: name of the file, for places.
    """
    known = {port.guid for port in ports}
    nodes: dict[int, list[int]] = {}
    for port in ports:
        nodes.setdefault(port.node_guid, []).append(port.guid)
    found = Findings(file)
    for partition in partitions:
        for member in partition.members:
            if not isinstance(member.target, int) or member.target in known:
                continue
            owned = [f"0x{guid:016x}" for guid in nodes.get(member.target, [])]
            if owned:
                found.add(
                    "P051",
                    member.line,
                    member.column,
                    f"{partition.label}: {member.text} is the GUID of a node, not of a port",
                    hint=f"write its port: {', '.join(owned[:4])}",
                )
            else:
                found.add(
                    "P050",
                    member.line,
                    member.column,
                    f"{partition.label}: no port has the GUID {member.text}",
                    hint="OpenSM leaves it out and says nothing; check for a replaced adapter or a typing error",
                )
    return found.all()


def check_capacity(tables: Mapping[int, PkeyTable], ports: Sequence[EndPort]) -> tuple[Diagnostic, ...]:
    """Ports whose table cannot hold what they are given. OpenSM drops the keys that do not fit.

    Args:
        tables: tables by port GUID.
        ports: ports with their capacities; those without one are not checked.
    """
    found = []
    for port in ports:
        table = tables.get(port.guid)
        if table is None or port.capacity is None or len(table.keys) <= port.capacity:
            continue
        found.append(
            Diagnostic(
                "P052",
                f"0x{port.guid:016x}: {len(table.keys)} P_Keys - expected at most {port.capacity}",
                device=f"0x{port.guid:016x}",
                hint="take the port out of partitions; OpenSM drops what does not fit (ERR 0512)",
            )
        )
    return tuple(found)
