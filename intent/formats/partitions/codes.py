"""Codes of MTU and rate, as MCMemberRecord and PathRecord carry them.

Sources: InfiniBand Architecture Specification volume 1, PathRecord and MCMemberRecord; `ib_types.h` of OpenSM 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Code → bytes of payload.
MTU_BYTES: Mapping[int, int] = MappingProxyType({1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096})

# Code → gigabits per second of signalling.
RATE_GBPS: Mapping[int, float] = MappingProxyType(
    {
        2: 2.5,
        3: 10,
        4: 30,
        5: 5,
        6: 20,
        7: 40,
        8: 60,
        9: 80,
        10: 120,
        11: 14,
        12: 56,
        13: 112,
        14: 168,
        15: 25,
        16: 100,
        17: 200,
        18: 300,
        19: 28,
        20: 50,
        21: 400,
        22: 600,
    }
)


def code_of(table: Mapping[int, float], value: float) -> int | None:
    """The code of a value (bytes or Gb/s); None when there is none."""
    return next((code for code, stands_for in table.items() if stands_for == value), None)


def explain(table: Mapping[int, float], unit: str) -> str:
    """A table for people: `2=2.5, 3=10 … (Gb/s)`."""
    return ", ".join(f"{code}={value:g}" for code, value in table.items()) + f" ({unit})"
