"""Values in the order in which a pool gives them out."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from intent.fabric.design import Pools


def loopbacks(pools: Pools) -> Iterator[str]:
    """Loopback addresses, the network's own address left out."""
    first, last = int(pools.loopbacks.network_address) + 1, int(pools.loopbacks.broadcast_address)
    return (str(IPv4Address(number)) for number in range(first, last + 1))


def asns(pools: Pools) -> Iterator[str]:
    """Autonomous system numbers, the lowest first."""
    return (str(number) for number in range(pools.asns[0], pools.asns[1] + 1))


def management(pools: Pools) -> Iterator[str]:
    """Management addresses with prefix length; network, broadcast and gateway left out."""
    if pools.management is None:
        return
    net = pools.management
    for number in range(int(net.network_address) + 1, int(net.broadcast_address)):
        address = IPv4Address(number)
        if address != pools.gateway:
            yield f"{address}/{net.prefixlen}"


def host_prefixes(pools: Pools, ports: int) -> Iterator[str]:
    """One prefix per leaf, large enough for a /31 on each of its ports, whatever they are used for later.

    Args:
        pools: the site's pools.
        ports: logical ports of the leaf at the host speed.
    """
    length = 32 - (2 * ports - 1).bit_length()
    if length < pools.hosts.prefixlen:
        return
    for prefix in pools.hosts.subnets(new_prefix=length):
        if not any(prefix.overlaps(other) for other in pools.reserved):
            yield str(prefix)


def host_pair(prefix: str, index: int) -> tuple[str, str]:
    """The two ends of a leaf's host port: the switch takes the even address of the /31, the node the odd one.

    Args:
        prefix: the leaf's prefix.
        index: host port of the leaf, from 0.

    Raises:
        ValueError: when the prefix has no such /31.
    """
    net = IPv4Network(prefix)
    if not 0 <= 2 * index < net.num_addresses:
        raise ValueError(f"host port {index} is outside {prefix}")
    low = int(net.network_address) + 2 * index
    return f"{IPv4Address(low)}/31", f"{IPv4Address(low + 1)}/31"
