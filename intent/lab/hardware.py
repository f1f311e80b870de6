"""Which front-panel ports a switch has, given how its cages are split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern

from intent.catalog.hardware import Breakout, Cage, Switch


@dataclass(frozen=True, slots=True)
class Layout:
    """The front-panel ports that exist.

    Args:
        speeds: speeds in Gb/s each may run at, highest first, by port in the panel's order.
        lost: cages disabled by the split of a neighbour, with that neighbour.
    """

    speeds: Mapping[str, tuple[int, ...]]
    lost: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Panel:
    """The front panel of one model.

    Args:
        model: the catalog's switch.
        cages: its cages by number.
        ways: by parts and cage, how the cage may be split.
    """

    model: Switch
    cages: Mapping[int, Cage]
    ways: Mapping[tuple[int, int], Breakout]

    @classmethod
    def of(cls, model: Switch) -> Panel:
        """The panel of a catalog switch."""
        ways = {(way.parts, cage): way for way in model.breakouts if way.parts > 1 for cage in way.cages}
        return cls(model, {cage.number: cage for cage in model.cages}, ways)

    def way(self, cage: int, parts: int) -> Breakout | None:
        """How a cage splits into so many parts; None when it does not."""
        return self.ways.get((parts, cage))

    def lost(self, splits: Mapping[int, int]) -> dict[int, int]:
        """Cages disabled by the split of a neighbour, with that neighbour."""
        found = {}
        for cage, parts in splits.items():
            way = self.way(cage, parts)
            victim = way.disabled_by(cage) if way else None
            if victim is not None:
                found[victim] = cage
        return found

    def layout(self, splits: Mapping[int, int]) -> Layout:
        """The ports that exist when the cages are split so."""
        lost = self.lost(splits)
        speeds: dict[str, tuple[int, ...]] = {}
        for number, cage in self.cages.items():
            parts = splits.get(number)
            if number in lost or parts == 0:
                continue
            if parts is None:
                speeds[intern(f"swp{number}")] = cage.speeds_gbps
            elif (way := self.way(number, parts)) is not None:
                for part in range(parts):
                    speeds[intern(f"swp{number}s{part}")] = way.speeds_gbps
        return Layout(speeds, lost)
