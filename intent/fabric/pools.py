"""Values in the order in which a pool gives them out, and whether a value lies in its pool."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network

from intent.fabric.design import Pools

_END = 1 << 32


class Ranges:
    """Networks that are taken. Of two networks one holds the other or they are apart; the inner one adds nothing.

    Args:
        networks: networks to begin with.
    """

    def __init__(self, networks: Iterable[IPv4Network] = ()) -> None:
        self._spans: list[tuple[int, int]] = []
        for network in networks:
            self.add(network)

    def add(self, network: IPv4Network) -> None:
        """Take a network."""
        first, last = int(network.network_address), int(network.broadcast_address)
        if self.end(first, last) < last:
            inner = slice(bisect_left(self._spans, (first, 0)), bisect_right(self._spans, (last, _END)))
            self._spans[inner] = [(first, last)]

    def end(self, first: int, last: int) -> int:
        """Last address of the last taken network that meets `first` to `last` (numbers), -1 when none does."""
        at = bisect_right(self._spans, (last, _END))
        if at and self._spans[at - 1][1] >= first:
            return self._spans[at - 1][1]
        return -1


def loopbacks(pools: Pools) -> Iterator[str]:
    """Loopback addresses, the network's own address and what is reserved left out."""
    net = pools.loopbacks
    first = int(net.network_address) + (1 if net.prefixlen < 31 else 0)
    return _addresses(first, int(net.broadcast_address), Ranges(pools.reserved))


def asns(pools: Pools) -> Iterator[str]:
    """Autonomous system numbers, the lowest first."""
    return (str(number) for number in range(pools.asns[0], pools.asns[1] + 1))


def management(pools: Pools) -> Iterator[str]:
    """Management addresses; network, broadcast, gateway and what is reserved left out."""
    net = pools.management
    if net is None:
        return
    for address in _addresses(int(net.network_address) + 1, int(net.broadcast_address) - 1, Ranges(pools.reserved)):
        if address != str(pools.gateway):
            yield address


def host_prefixes(pools: Pools, ports: int, busy: Ranges) -> Iterator[str]:
    """One prefix per leaf, large enough for a /31 on each of its ports, whatever they are used for later.

    Args:
        pools: the site's pools.
        ports: logical ports of the leaf at the host speed.
        busy: prefixes given out; asked anew for each prefix, so that leaves of several sizes share one pool.
    """
    length = prefix_length(ports)
    size = 1 << (32 - length)
    reserved = Ranges(pools.reserved)
    address, last = int(pools.hosts.network_address), int(pools.hosts.broadcast_address)
    while address + size - 1 <= last:
        blocked = max(reserved.end(address, address + size - 1), busy.end(address, address + size - 1))
        if blocked < 0:
            yield f"{dotted(address)}/{length}"
            address += size
        else:
            address = (blocked // size + 1) * size


def prefix_length(ports: int) -> int:
    """Length of the prefix that has a /31 for each of so many ports."""
    return 32 - (2 * ports - 1).bit_length()


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
    return host_pairs(prefix, index + 1)[index]


def host_pairs(prefix: str, ports: int) -> tuple[tuple[str, str], ...]:
    """`host_pair` of the first ports of a leaf."""
    first = int(IPv4Network(prefix).network_address)
    ends = range(first, first + 2 * ports, 2)
    return tuple((f"{dotted(number)}/31", f"{dotted(number + 1)}/31") for number in ends)


def dotted(number: int) -> str:
    """The address of a number; several times faster than the standard library, and asked for every port."""
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def holds(pools: Pools, kind: str, value: str) -> bool:
    """Whether a value may come from its pool.

    Args:
        pools: the site's pools.
        kind: `loopback`, `asn`, `management` or `host-prefix`.
        value: a value of that kind.
    """
    if kind == "asn":
        return pools.asns[0] <= int(value) <= pools.asns[1]
    if kind == "host-prefix":
        return IPv4Network(value).subnet_of(pools.hosts)
    address = IPv4Address(value)
    if kind == "loopback":
        return address in pools.loopbacks
    net = pools.management
    ends = (net.network_address, net.broadcast_address, pools.gateway) if net else ()
    return net is not None and address in net and address not in ends


def _addresses(first: int, last: int, reserved: Ranges) -> Iterator[str]:
    number = first
    while number <= last:
        blocked = reserved.end(number, number)
        if blocked < 0:
            yield dotted(number)
        number = max(number, blocked) + 1
