"""Loopback addresses nobody else on this machine numbers a lab from, so that several runs of tests go side by side."""

from __future__ import annotations

import os
from itertools import count

_FIRST, _SECONDS = 100, 150
"""The second octet: 127.100 to 127.249, far from what the product itself begins with."""

_BLOCKS = count(1)


def own_base(addresses: int = 256) -> str:
    """The next loopback address with so many free ones behind it.

    Workers of one run have process numbers beside each other, so their second octets differ.

    Args:
        addresses: how many the lab may take.
    """
    blocks = -(-addresses // 256)
    third = next(_BLOCKS)
    for _ in range(blocks - 1):
        next(_BLOCKS)
    return f"127.{_FIRST + os.getpid() % _SECONDS}.{third % (256 - blocks)}.0"
