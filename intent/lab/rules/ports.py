"""Front-panel ports: splits, ports that exist, speeds. Source: user guide, Switch Port Attributes."""

from __future__ import annotations

from collections.abc import Iterator

from intent.lab.facts import cage_of, mapping, parts_of
from intent.lab.rules.candidate import Candidate, Invalid, Rule, only_type


def breakout_allowed(it: Candidate) -> Iterator[Invalid]:
    """A split must be one the cage can do, and stands on the cage, not on a part of it."""
    for name, interface in it.interfaces.items():
        parts, place = parts_of(interface), cage_of(name)
        if parts is None:
            continue
        path = ("interface", name, "link", "breakout")
        if place is None or place[1] is not None:
            yield Invalid(path, f"{name} is not a front-panel port that can be split")
        elif place[0] not in it.panel.cages:
            continue
        elif parts and it.panel.way(place[0], parts) is None:
            yield Invalid(path, f"{it.panel.model.name} port {name} does not support breakout {parts}x")


def port_exists(it: Candidate) -> Iterator[Invalid]:
    """A front-panel port must exist: on the panel, with its breakout, not lost to a neighbour's split."""
    lost = it.layout.lost
    for name, interface in it.interfaces.items():
        place = cage_of(name)
        if place is None:
            continue
        cage, part = place
        path = ("interface", name)
        if cage not in it.panel.cages:
            yield Invalid(path, f"{it.panel.model.name} has no port swp{cage}")
        elif cage in lost and not only_type(interface):
            yield Invalid(path, f"{name} is disabled by the breakout of swp{lost[cage]}")
        elif part is not None:
            parts = it.facts.splits.get(cage)
            if parts is None:
                yield Invalid(path, f"{name} needs a breakout of swp{cage}, which has none")
            elif part >= parts:
                yield Invalid(path, f"{name} does not exist: swp{cage} is split into {parts}")


def split_port_is_bare(it: Candidate) -> Iterator[Invalid]:
    """A port that is split carries no traffic of its own: no address, no bridge, no routing."""
    for name, interface in it.interfaces.items():
        place = cage_of(name)
        if place is None or place[1] is not None or it.facts.splits.get(place[0]) is None:
            continue
        for key in mapping(interface):
            if key in ("ip", "ipv4", "ipv6", "bridge", "router", "evpn", "vrf"):
                yield Invalid(("interface", name, key), f"{name} is split; configure its parts instead")


def speed_possible(it: Candidate) -> Iterator[Invalid]:
    """A forced speed must be one the port can run at."""
    for name, port in it.facts.ports.items():
        speeds = it.layout.speeds.get(name)
        if speeds and port.speed_gbps and port.speed_gbps not in speeds:
            text = ", ".join(f"{speed}G" for speed in speeds)
            yield Invalid(("interface", name, "link", "speed"), f"{port.speed_gbps}G is not one of {text}")


RULES: tuple[Rule, ...] = (
    breakout_allowed,
    port_exists,
    split_port_is_bare,
    speed_possible,
)
