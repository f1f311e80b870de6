"""A UFM of the lab as the wiring file says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FabricPort:
    """An InfiniBand port of a host.

    Args:
        guid: sixteen hexadecimal digits, lower case.
        host: host it belongs to.
        name: device and port, as `mlx5_0/1`.
    """

    guid: str
    host: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Ufm:
    """A UFM.

    Args:
        name: its name in the fabric.
        version: version it runs (`6.23.1-6`).
        address: management address in the design; the lab listens elsewhere.
        default_membership: `full` or `limited`: what hosts are in the default partition.
        authentication: `basic` or `token`: how the lab's state file says to log in.
        ports: ports of the fabric; empty takes any GUID.
        routing: routing engine its subnet manager says is at work.
    """

    name: str
    version: str
    address: str = ""
    default_membership: str = "limited"
    authentication: str = "basic"
    ports: tuple[FabricPort, ...] = ()
    routing: str = "ar_updn"
