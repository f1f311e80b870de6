"""An NMX-M of the lab as the wiring file says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Domain:
    """One NVLink domain: a rack.

    Args:
        uuid: its identifier.
        trays: compute trays, each in a slot from 1 on.
        gpus: GPUs of a tray.
        chassis: number of the chassis.
    """

    uuid: str
    trays: int = 18
    gpus: int = 4
    chassis: int = 1


@dataclass(frozen=True, slots=True)
class Nmx:
    """An NMX-M.

    Args:
        name: its name in the fabric.
        version: version it runs (`85.1.1000`).
        address: management address in the design; the lab listens elsewhere.
        default_kind: `ID_BASED` or `LOCATION_BASED`: how default partitions are kept.
        domains: the domains it manages.
    """

    name: str
    version: str
    address: str = ""
    default_kind: str = "ID_BASED"
    domains: tuple[Domain, ...] = ()
