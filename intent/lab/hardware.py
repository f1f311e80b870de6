"""Which front-panel ports a switch has, given how its cages are split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from intent.catalog.hardware import Breakout, Cage, Switch


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

    def ports(self, splits: Mapping[int, int]) -> Iterator[tuple[str, int]]:
        """Every front-panel port that exists, with its highest speed in Gb/s."""
        lost = self.lost(splits)
        for number, cage in self.cages.items():
            parts = splits.get(number)
            way = self.way(number, parts) if parts else None
            if number in lost or parts == 0:
                continue
            if parts is None:
                yield f"swp{number}", cage.speed_gbps
            elif way is not None:
                for part in range(parts):
                    yield f"swp{number}s{part}", way.part_speed()

    def speeds(self, cage: int, part: int | None, splits: Mapping[int, int]) -> tuple[int, ...]:
        """Speeds in Gb/s a port may run at, highest first; empty when it does not exist."""
        parts = splits.get(cage)
        if cage not in self.cages or cage in self.lost(splits):
            return ()
        if parts is None:
            return self.cages[cage].speeds_gbps if part is None else ()
        way = self.way(cage, parts)
        if way is None or part is None or part >= parts:
            return ()
        return way.speeds_gbps
