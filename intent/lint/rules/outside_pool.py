"""An allocated address or AS number that lies outside its pool, or in a reserved part of it.

The pool was changed after the allocation, or the lock by hand. What is allocated never moves by itself.

Bad:
    pools: {hosts: 10.80.0.0/12, ...}      # and the lock holds 10.64.0.0/31

Good:
    pools: {hosts: 10.64.0.0/12, ...}
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from intent.core.diagnostic import Severity
from intent.fabric.model import Fabric
from intent.lint.rule import Context, Finding, Rule
from intent.schema.model import Pools


def rule() -> Rule:
    """The rule."""
    return Rule("L211", "outside-pool", _check, __doc__ or "", Severity.WARNING)


def _check(context: Context) -> Iterator[Finding]:
    for fabric in context.fabrics:
        site = context.document.sites.get(fabric.site)
        if site is None:
            continue
        outside: dict[str, list[str]] = {}
        for pool, owner, fine in _allocated(fabric, site.pools):
            if not fine:
                outside.setdefault(pool, []).append(owner)
        for pool, owners in outside.items():
            more = f" and {len(owners) - 1} more" if len(owners) > 1 else ""
            message = f"{owners[0]}{more}: allocated outside pool {pool}, or where it is reserved"
            hint = "give the pool back what it had, or delete the values from the lock and renumber"
            yield Finding(message, ("sites", fabric.site, "pools", pool), hint=hint)


def _allocated(fabric: Fabric, pools: Pools) -> Iterator[tuple[str, str, bool]]:
    for device in fabric.switches:
        if device.loopback:
            yield "loopbacks", f"loopback of {device.name}", _inside(device.loopback, pools.loopbacks, pools)
        if device.asn:
            yield "asns", f"AS number of {device.name}", device.asn in pools.asns
        for port in device.ports.values():
            if port.address:
                yield "hosts", f"address of {device.name} {port.name}", _inside(port.address, pools.hosts, pools)


def _inside(text: str, pool: IPv4Network, pools: Pools) -> bool:
    try:
        address = IPv4Address(text.partition("/")[0])
    except ValueError:
        return True  # what is no address is another rule's finding
    return address in pool and not any(address in reserved for reserved in pools.reserved)
