"""A use of ports that the switch does not allow.

Some cages cannot be split, some splits cost the neighbouring cage, and a chip has an upper limit of logical ports.

Bad:
    # cage 2 of an SN5600 split in eight

Good:
    # cage 1 of an SN5600 split in eight, cage 2 unused
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.catalog.hardware import Switch
from intent.fabric.model import Device, Port
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L209", "port-rules", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        for device in fabric.switches:
            switch = context.catalog.switches.get(device.model)
            for message in _problems(device, switch) if switch else ():
                yield Finding(f"{device.name}: {message}", device=device)


def _problems(device: Device, switch: Switch) -> Iterator[str]:
    cages: dict[int, Port] = {}
    apart = {port.name for port in switch.infiniband.sm_ports} if switch.infiniband else set()
    for port in device.ports.values():
        if port.name in apart:
            continue
        before = cages.setdefault(int(port.cage), port) if port.cage.isdecimal() else port
        if before.breakout != port.breakout:
            yield f"cage {port.cage} is split {before.breakout}x and {port.breakout}x"
    for number, port in cages.items():
        if number not in {cage.number for cage in switch.cages}:
            yield f"{switch.name} has no cage {number}"
            continue
        ways = [way for way in switch.breakouts if way.parts == port.breakout and port.speed_gbps in way.speeds_gbps]
        fitting = [way for way in ways if number in way.cages]
        if not fitting:
            split = f"split {port.breakout}x at" if port.breakout > 1 else "whole at"
            yield f"cage {number} of {switch.name} cannot be used {split} {port.speed_gbps}G"
        elif (lost := fitting[0].disabled_by(number)) in cages:
            yield f"cage {number} split {port.breakout}x disables cage {lost}, which is in use"
    if len(device.ports.keys() - apart) > switch.max_logical_ports:
        yield f"{len(device.ports)} logical ports - {switch.name} has at most {switch.max_logical_ports}"
