"""A management network whose gateway or size cannot be right.

The gateway is a usable address of the prefix, and beside it there must be room for every switch.

Bad:
    management: {prefix: 10.1.0.0/22, gateway: 10.1.4.1}

Good:
    management: {prefix: 10.1.0.0/22, gateway: 10.1.0.1}
"""

from __future__ import annotations

from collections.abc import Iterator

from intent.fabric.model import Network
from intent.lint.rule import Context, Finding, Rule


def rule() -> Rule:
    """The rule."""
    return Rule("L113", "management-network", _check, __doc__ or "")


def _check(context: Context) -> Iterator[Finding]:
    switches = {
        fabric.site: sum(1 for switch in fabric.switches if switch.network is Network.ETHERNET or switch.management)
        for fabric in context.fabrics
    }
    for name, site in context.document.sites.items():
        management = site.management
        if management is None:
            continue
        prefix, gateway = management.prefix, management.gateway
        path = ("sites", name, "management")
        if gateway not in prefix:
            yield Finding(f"site {name}: gateway {gateway} is not in {prefix}", (*path, "gateway"))
        elif prefix.prefixlen < 31 and gateway in (prefix.network_address, prefix.broadcast_address):
            kind = "network" if gateway == prefix.network_address else "broadcast"
            yield Finding(f"site {name}: gateway {gateway} is the {kind} address of {prefix}", (*path, "gateway"))
        room = max(prefix.num_addresses - 3, 0)
        needed = max(switches.get(name, 0), 1 if site.fabrics else 0)
        if management.address == "auto" and room < needed:
            message = f"site {name}: management prefix {prefix} has room for {room} switches, expected {needed}"
            yield Finding(message, (*path, "prefix"), hint="take a shorter prefix length")
