"""The sizes of a fabric that everything built depends on: changed, every port and address behind them would move.

They are kept by the lock, so that a slip in the document is told instead of recabling a hall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from intent.fabric.clos import LeafSplit
from intent.fabric.design import Design, SwitchUse
from intent.fabric.placement import Block

_WORDS: Mapping[str, str] = {
    "attach": "attach_by",
    "planes": "planes",
    "rails": "cards of a node",
    "nodes": "nodes of a rack",
    "node-ports": "ports of a node on one leaf",
    "host": "host ports of a leaf",
    "uplinks": "uplinks of a leaf",
    "uplink": "uplink ports of a leaf",
    "spine": "ports of a spine",
    "tiers": "tiers",
    "spine-group": "what spines serve",
    "unit": "leaves per rail of a unit",
    "core": "ports of a core switch",
    "groups": "groups of the dragonfly",
}


def shape_of(
    design: Design, block: Block, split: LeafSplit, uplink: SwitchUse, more: Mapping[str, str] | None = None
) -> str:
    """A fabric's shape as the lock keeps it: `key=value` apart by spaces.

    Args:
        design: the fabric.
        block: what one leaf block holds.
        split: use of a leaf's cages.
        uplink: the cages that serve uplinks.
        more: further sizes by key.
    """
    values = {
        "attach": "rail" if design.by_rail else "rack",
        "planes": str(design.planes),
        "rails": str(design.rails),
        "nodes": str(block.group_nodes),
        "node-ports": str(block.ports_per_node),
        "host": f"{_split(design.host, design.host_speed_gbps)}-from-{design.host.cages[0]}",
        "uplinks": str(split.uplinks),
        "uplink": f"{_split(uplink, design.uplink_speed_gbps)}-from-{uplink.cages[0]}",
        "spine": f"{_split(design.spine, design.uplink_speed_gbps)}-on-{len(design.spine.cages)}",
    }
    return " ".join(f"{key}={value}" for key, value in (values | dict(more or {})).items())


def differences(built: str, wanted: str) -> Iterator[str]:
    """What differs between two shapes, in words: `uplinks of a leaf: built 64, now 42`."""
    old, new = (dict(word.split("=", 1) for word in text.split()) for text in (built, wanted))
    for key, word in _WORDS.items():
        if old.get(key) != new.get(key):
            yield f"{word}: built {old.get(key, 'otherwise')}, now {new.get(key)}"


def _split(use: SwitchUse, speed_gbps: int) -> str:
    return f"{use.breakout.parts}x{speed_gbps}G"
