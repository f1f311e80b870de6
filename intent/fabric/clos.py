"""How many leaves and spines a two-tier folded Clos needs, and how a leaf's cages are shared out.

Formulas: published reference tables for SuperPOD and Spectrum-X designs (see `docs/sizing.md`). The rule that
reproduces all of them is that the number of spines divides the number of uplinks of a leaf, so that every
leaf has the same number of links to every spine; a plain ceiling fails the 3-unit and the large rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class LeafSplit:
    """How the cages of a leaf are used.

    Args:
        host_cages: cages towards nodes, counted from the first.
        uplink_cages: cages towards spines, the first of those that the host cages leave.
        host_ports: logical ports towards nodes.
        uplinks: logical ports towards spines.
    """

    host_cages: int
    uplink_cages: int
    host_ports: int
    uplinks: int


@dataclass(frozen=True, slots=True)
class PortPlan:
    """How one kind of port uses a cage.

    Args:
        parts: logical ports per cage.
        speed_gbps: speed of each.
    """

    parts: int
    speed_gbps: int


def split_leaf(
    cages: int,
    host: PortPlan,
    uplink: PortPlan,
    oversubscription: Fraction,
    uplinks: int = 0,
    left: Callable[[int], int] | None = None,
) -> LeafSplit | None:
    """The largest number of host cages whose uplinks still fit beside them.

    A cage serves hosts or spines, never both, since its breakout belongs to the whole cage.

    Args:
        cages: cages of the leaf that may serve hosts.
        host: use of a host cage.
        uplink: use of an uplink cage.
        oversubscription: host bandwidth over uplink bandwidth; 1 is non-blocking.
        uplinks: number of uplinks where it is given; 0 when it follows from the oversubscription.
        left: how many cages may serve uplinks beside so many host cages; by default all the others.

    Returns:
        The split, or None when not even one host cage fits.
    """
    for host_cages in range(cages, 0, -1):
        needed = uplinks or _uplinks(host_cages * host.parts, host, uplink, oversubscription)
        uplink_cages = -(-needed // uplink.parts)
        if uplink_cages <= (left(host_cages) if left else cages - host_cages):
            return LeafSplit(host_cages, uplink_cages, host_cages * host.parts, needed)
    return None


def trim_uplinks(
    split: LeafSplit, host_ports: int, host: PortPlan, uplink: PortPlan, oversubscription: Fraction
) -> LeafSplit:
    """The split with as many uplinks as the host ports ask for that a leaf serves by design.

    The border between host and uplink cages stays, so that both sides have room to grow where they are.

    Args:
        split: the largest split.
        host_ports: host ports in use when the leaf is full.
        host: use of a host cage.
        uplink: use of an uplink cage.
        oversubscription: host bandwidth over uplink bandwidth.
    """
    needed = _uplinks(host_ports, host, uplink, oversubscription)
    return replace(split, uplink_cages=-(-needed // uplink.parts), uplinks=needed)


def _uplinks(host_ports: int, host: PortPlan, uplink: PortPlan, oversubscription: Fraction) -> int:
    return int(-(-Fraction(host_ports * host.speed_gbps) // (oversubscription * uplink.speed_gbps)))


def spine_count(leaves: int, uplinks: int, spine_ports: int) -> int | None:
    """Spines per plane: the least divisor of `uplinks` that offers enough ports.

    Args:
        leaves: leaves of the plane.
        uplinks: uplinks of one leaf.
        spine_ports: logical ports of one spine at the uplink speed.

    Returns:
        The count, or None when two tiers cannot carry that many leaves.
    """
    if not leaves:
        return 0
    needed = -(-leaves * uplinks // spine_ports)
    for count in range(max(needed, 1), uplinks + 1):
        if uplinks % count == 0:
            return count
    return None
