"""One address or AS number on two devices.

Traffic for one of them ends at the other; two neighbours with one AS number refuse each other's routes. It can only
come from a lock that was changed by hand or merged wrongly.

Bad:
    # sites/par1.lock: loopback of leaf01 and leaf02 is 10.255.0.1

Good:
    # restore the lock from version control, or delete one of the two values
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.model import Device, Fabric
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L201", "duplicate-address", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        first: dict[tuple[str, str], tuple[Device, str]] = {}
        for device, what, kind, value in _values(fabric):
            before = first.setdefault((kind, value), (device, what))
            if before != (device, what):
                message = f"{kind} {value} is on {device.name} {what} and on {before[0].name} {before[1]}"
                yield Finding(message, device=device, hint="correct the site's lock")


def _values(fabric: Fabric) -> Iterator[tuple[Device, str, str, str]]:
    for device in fabric.devices.values():
        if device.loopback:
            yield device, "lo", "address", device.loopback.partition("/")[0]
        if device.management:
            yield device, "management", "address", device.management.partition("/")[0]
        if device.asn:
            yield device, "bgp", "AS number", str(device.asn)
        for port in device.ports.values():
            if port.address:
                yield device, port.name, "address", port.address.partition("/")[0]
