"""A simulated subnet as the wiring file says it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet that is simulated and managed by a real OpenSM.

    Args:
        ufm: UFM it stands behind.
        topology: its nodes and links in the form `ibnetdiscover` prints.
        at: id of the node the subnet manager runs on (`H-0002c90300000001`); empty for the first adapter.
        engine: routing engine asked for.
        roots: GUIDs of the switches it routes from, 16 digits; for engines that want them.
    """

    ufm: str
    topology: Path
    at: str = ""
    engine: str = "minhop"
    roots: tuple[str, ...] = ()
