"""Cost of a large partitions.conf: lint of 60,000 GUIDs, tables and their difference, a routing check.

Run: `python benchmarks/partitions.py`. Figures are seconds of processor time, the best of three.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from intent.analysis.credit_loops import check_routes
from intent.formats.partitions.difference import by_pkey, difference
from intent.formats.partitions.model import Member, Membership, Partition
from intent.formats.partitions.reader import read
from intent.formats.partitions.tables import EndPort, pkey_tables
from intent.formats.partitions.writer import write

FIRST = 0x0002C903A0000001


def best(run: Callable[[], object]) -> float:
    """Least processor time of three runs."""
    took = []
    for _ in range(3):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


def sixty_thousand() -> bytes:
    """One partition with 60,000 members."""
    members = tuple(Member(FIRST + 16 * n, Membership.FULL) for n in range(60_000))
    return write([Partition("tenant", 0x12, members, ipoib=True)]).encode()


def tenants(skip: int) -> list[Partition]:
    """200 P_Keys on 5,000 ports; each port is limited in some of them."""
    return [
        Partition(
            f"t{key}",
            key,
            tuple(
                Member(FIRST + 16 * n, Membership.LIMITED if skip and (key * 7 + n) % skip == 0 else Membership.FULL)
                for n in range(5000)
            ),
        )
        for key in range(1, 201)
    ]


def fat_tree(leaves: int, spines: int, hosts: int) -> tuple[dict[int, dict[int, int]], dict, dict[int, int]]:  # type: ignore[type-arg]
    """Tables, links and destinations of a two-tier tree; leaf n is n+1, spine s is 10,000+s, host h is 20,000+h."""
    links, destinations = {}, {}
    tables: dict[int, dict[int, int]] = {leaf: {} for leaf in range(1, leaves + 1)}
    tables |= {10_000 + s: {} for s in range(spines)}
    for leaf in range(1, leaves + 1):
        for s in range(spines):
            links |= {(leaf, hosts + s + 1): (10_000 + s, leaf), (10_000 + s, leaf): (leaf, hosts + s + 1)}
        for h in range(hosts):
            host = 20_000 + leaf * hosts + h
            links |= {(leaf, h + 1): (host, 1), (host, 1): (leaf, h + 1)}
            destinations[host] = host
            for other in range(1, leaves + 1):
                tables[other][host] = h + 1 if other == leaf else hosts + host % spines + 1
            for s in range(spines):
                tables[10_000 + s][host] = leaf
    return tables, links, destinations


def main() -> None:
    """Print one line for each figure."""
    data = sixty_thousand()
    print(f"lint of 60,000 GUIDs ({len(data):,} bytes)          {best(lambda: read(data)):6.2f} s  (wanted: below 1)")
    ports = [EndPort(FIRST + 16 * n) for n in range(5000)]
    one, other = tenants(0), tenants(50)
    print(f"P_Key tables, 200 keys x 5,000 ports             {best(lambda: _tables(one, ports)):6.2f} s")
    before, after = _tables(one, ports), _tables(other, ports)
    took = best(lambda: by_pkey(difference(before, after)))
    print(f"P_Key difference, 200 keys x 5,000 ports         {took:6.2f} s  (wanted: below 1)")
    tables, links, destinations = fat_tree(leaves=160, spines=32, hosts=32)
    took = best(lambda: check_routes(tables, links, destinations))
    print(f"credit loops, {len(destinations):,} ports and 192 switches        {took:6.2f} s")


def _tables(partitions: list[Partition], ports: list[EndPort]) -> dict[int, frozenset[int]]:
    made = pkey_tables(partitions, ports, manager=ports[0].guid)
    return {guid: table.keys for guid, table in made.items()}


if __name__ == "__main__":
    main()
