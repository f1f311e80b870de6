"""A simulated subnet as the wiring file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Manager:
    """A host that runs one of a subnet's managers.

    Args:
        name: of the host.
        at: id of its node in the topology (`H-0002c90300000001`); empty for the first adapter.
        priority: priority of the subnet manager, 15 the highest.
        guid: GUID of its port, 16 digits, which a UFM makes a full member of the default partition; empty makes none.
    """

    name: str
    at: str = ""
    priority: int = 15
    guid: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch of the subnet, so that faults can name its ports.

    Args:
        name: its name in the fabric.
        node: id of its node in the topology (`S-0002c90300000001`).
        ports: port number by name.
    """

    name: str
    node: str
    ports: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet that is simulated and managed by real OpenSM.

    Args:
        name: its name: of the UFM it stands behind, else of the fabric.
        topology: its nodes and links in the form `ibnetdiscover` prints.
        managers: hosts that run its managers, at least one.
        engine: routing engine asked for.
        roots: GUIDs of the switches it routes from, 16 digits; for engines that want them.
        ufm: UFM whose partitions the managers follow; empty where each host has files of its own.
        switches: its switches.
    """

    name: str
    topology: Path
    managers: tuple[Manager, ...]
    engine: str = "minhop"
    roots: tuple[str, ...] = ()
    ufm: str = ""
    switches: tuple[Switch, ...] = ()
