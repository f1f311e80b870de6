"""InfiniBand switches, from `infiniband.toml`: the same `Switch` as any other, with twin-port cages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from intent.catalog.switches import Asic, Breakout, Buffer, Cage, Confidence, InfiniBand, ManagerPort, Switch

GENERATIONS: Mapping[str, int] = MappingProxyType({"hdr": 200, "ndr": 400, "xdr": 800})
"""Speed of a port of four lanes in Gb/s, by generation."""

_NO_BUFFER = Buffer(0, Confidence.UNKNOWN, "credits of the link, not a shared buffer, carry a lossless network")


def infiniband_switches(rows: list[Mapping[str, Any]], chips: Mapping[str, Asic]) -> dict[str, Switch]:
    """InfiniBand switches by name.

    Args:
        rows: of `infiniband.toml`.
        chips: switch chips by name.
    """
    return {row["name"]: _switch(row, chips) for row in rows}


def _switch(row: Mapping[str, Any], chips: Mapping[str, Asic]) -> Switch:
    cage = row["cages"]
    numbers = tuple(range(1, cage["count"] + 1))
    whole = tuple(speed * cage["parts"] for speed in cage["speeds_gbps"])
    ways = (
        Breakout(cage["parts"], cage["lanes"], tuple(cage["speeds_gbps"]), numbers, names=row["port"]),
        *(
            Breakout(way["parts"], way["lanes"], tuple(way["speeds_gbps"]), numbers, names=way["port"])
            for way in row["splits"]
        ),
    )
    return Switch(
        name=row["name"],
        aliases=tuple(row["aliases"]),
        asic=chips[row["asic"]],
        header_model="",
        cages=tuple(Cage(n, cage["connector"], cage["lanes"] * cage["parts"], whole) for n in numbers),
        breakouts=ways,
        max_logical_ports=cage["count"] * max(way.parts for way in ways),
        buffer=_NO_BUFFER,
        management_ports=1 if row["managed"] else 0,
        forced_speeds_gbps=(),
        first_release="",
        confidence=Confidence(row["confidence"]),
        source=row["source"],
        infiniband=InfiniBand(
            generation=row["generation"],
            managed=row["managed"],
            chips=row["chips"],
            chip_ports=row["chip_ports"],
            description=row["description"],
            sm_ports=tuple(_manager_ports(row.get("sm_ports"))),
            pkeys=row.get("pkeys", 0),
        ),
    )


def _manager_ports(row: Mapping[str, Any] | None) -> Iterator[ManagerPort]:
    for part in range(1, row["count"] + 1) if row else ():
        if row:
            yield ManagerPort(row["first"] + part - 1, row["port"].format(part=part), row["speed_gbps"], row["lanes"])
