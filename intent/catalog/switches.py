"""Switches and their chips: cages, splits, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from intent.core.errors import IntentError


class Confidence(StrEnum):
    """How well a figure is known: primary source, one secondary source, memory, no figure at all."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Asic:
    """A switch chip.

    Args:
        name: `Spectrum-4`.
        adaptive_routing: whether it does adaptive routing of RoCE.
        adaptive_routing_min_gbps: slowest port that takes it; 0 when no limit is known.
        adaptive_routing_max_gbps: fastest port that takes it; 0 when no limit is known.
        packet_trim: whether it can trim packets instead of dropping them.
        ecn_min_readback_bytes: what it shows for the RoCE profile's ECN minimum of 150000 bytes; 0 when that.
        confidence: how well this is known.
        source: where it stands.
        sharp: generation of its in-network reduction (`SHARPv3`); empty when it has none.
    """

    name: str
    adaptive_routing: bool
    adaptive_routing_min_gbps: int
    adaptive_routing_max_gbps: int
    packet_trim: bool
    ecn_min_readback_bytes: int
    confidence: Confidence
    source: str
    sharp: str = ""

    def routes_adaptively(self, speed_gbps: int) -> bool:
        """True when a port of this speed takes adaptive routing."""
        limit = self.adaptive_routing_max_gbps
        within = speed_gbps >= self.adaptive_routing_min_gbps and (limit == 0 or speed_gbps <= limit)
        return self.adaptive_routing and within


@dataclass(frozen=True, slots=True)
class Cage:
    """One front cage.

    Args:
        number: as printed on the front panel.
        connector: form factor (`OSFP`).
        lanes: electrical lanes.
        speeds_gbps: speeds of the whole cage, highest first.
        bonus: an extra service port: no split, not for the fabric.
    """

    number: int
    connector: str
    lanes: int
    speeds_gbps: tuple[int, ...]
    bonus: bool = False

    @property
    def speed_gbps(self) -> int:
        """Highest speed of the whole cage."""
        return self.speeds_gbps[0]


@dataclass(frozen=True, slots=True)
class Breakout:
    """A way to use a cage.

    Args:
        parts: into how many parts; 1 leaves it whole.
        lanes: electrical lanes of one part.
        speeds_gbps: speeds of one part, highest first.
        cages: numbers of the cages that may be used so.
        disables_next: the following cage is lost to the split.
        names: template of a part's name with {cage}, {sub} (from 0), {part} (from 1), and for twin ports that are
            split again {pair} and {half} (from 1); empty for the switch's own rule.
    """

    parts: int
    lanes: int
    speeds_gbps: tuple[int, ...]
    cages: tuple[int, ...]
    disables_next: bool = False
    names: str = ""

    @property
    def word(self) -> str:
        """NVUE's word for it: `2x`."""
        return f"{self.parts}x"

    def disabled_by(self, cage: int) -> int | None:
        """Number of the cage that splitting `cage` costs; None when it costs none."""
        return cage + 1 if self.disables_next else None

    def part_speed(self) -> int:
        """Highest speed of one part in Gb/s."""
        return self.speeds_gbps[0]


@dataclass(frozen=True, slots=True)
class Buffer:
    """The shared packet buffer.

    Args:
        size_bytes: 0 when no figure is known.
        confidence: how well it is known.
        source: where it stands.
    """

    size_bytes: int
    confidence: Confidence
    source: str


@dataclass(frozen=True, slots=True)
class InfiniBand:
    """What only an InfiniBand switch has.

    Args:
        generation: `hdr`, `ndr` or `xdr`.
        managed: it has an address of its own.
        chips: planes inside the box, each a switch of its own to the subnet manager.
        chip_ports: ports of the node as the subnet manager counts them, the aggregation node included.
        description: node description with {name}.
        sm_ports: ports apart for UFM or a subnet manager; they take none of the cages.
        pkeys: entries of the partition table of one port, where keys are enforced; 0 when no figure is known.
    """

    generation: str
    managed: bool
    chips: int
    chip_ports: int
    description: str
    sm_ports: tuple[ManagerPort, ...] = ()
    pkeys: int = 0


@dataclass(frozen=True, slots=True)
class ManagerPort:
    """A port apart for UFM or a subnet manager.

    Args:
        number: port number of the node.
        name: the switch's name for it.
        speed_gbps: its speed.
        lanes: its lanes.
    """

    number: int
    name: str
    speed_gbps: int
    lanes: int


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch model.

    Args:
        name: catalog name (`SN5600`).
        aliases: other names of the same box.
        asic: its chip.
        header_model: the word in the header of `startup.yaml`.
        cages: every front cage in order, bonus cages last.
        breakouts: ways to use a cage, whole first.
        max_logical_ports: limit over all splits, bonus ports apart.
        buffer: shared packet buffer.
        management_ports: number of `eth` ports.
        forced_speeds_gbps: speeds that do not auto-negotiate here and must be set.
        first_release: oldest release that runs on it; empty when not known.
        confidence: how well the port rules are known.
        source: where they stand.
        infiniband: what only an InfiniBand switch has; None for Ethernet.
    """

    name: str
    aliases: tuple[str, ...]
    asic: Asic
    header_model: str
    cages: tuple[Cage, ...]
    breakouts: tuple[Breakout, ...]
    max_logical_ports: int
    buffer: Buffer
    management_ports: int
    forced_speeds_gbps: tuple[int, ...]
    first_release: str
    confidence: Confidence
    source: str
    infiniband: InfiniBand | None = None

    @property
    def kind(self) -> str:
        """Kind of network it serves: `ethernet` or `infiniband`."""
        return "infiniband" if self.infiniband else "ethernet"

    @property
    def fabric_cages(self) -> tuple[Cage, ...]:
        """Cages for the fabric: all but the bonus ones."""
        return tuple(cage for cage in self.cages if not cage.bonus)

    @property
    def bonus_cages(self) -> tuple[Cage, ...]:
        """Extra service ports."""
        return tuple(cage for cage in self.cages if cage.bonus)

    def cage(self, number: int) -> Cage:
        """The cage with this number.

        Raises:
            IntentError: the switch has none.
        """
        for cage in self.cages:
            if cage.number == number:
                return cage
        raise IntentError(
            f"{self.name} has no cage {number}", hint=f"its cages are {self.cages[0].number} to {self.cages[-1].number}"
        )

    def breakout(self, parts: int, speed_gbps: int) -> Breakout | None:
        """The way to split a cage into `parts` of `speed_gbps` each; None when there is none."""
        for breakout in self.breakouts:
            if breakout.parts == parts and speed_gbps in breakout.speeds_gbps:
                return breakout
        return None

    def breakout_for(self, speed_gbps: int) -> Breakout | None:
        """The split that gives the most ports of a speed, with the fewest parts; None when there is none."""
        fitting = [b for b in self.breakouts if speed_gbps in b.speeds_gbps]
        return max(fitting, key=lambda b: (self._count(b, speed_gbps), -b.parts), default=None)

    def logical_ports(self, speed_gbps: int) -> int:
        """How many fabric ports of a speed the switch offers when all its cages serve that speed."""
        best = self.breakout_for(speed_gbps)
        return self._count(best, speed_gbps) if best else 0

    def usable_cages(self, breakout: Breakout) -> tuple[int, ...]:
        """Numbers of the cages when every cage that may is used so: cages lost to a neighbour left out."""
        lost = {breakout.disabled_by(number) for number in breakout.cages}
        return tuple(number for number in breakout.cages if number not in lost)

    def _count(self, breakout: Breakout, speed_gbps: int) -> int:
        used = self.usable_cages(breakout)
        lost = {breakout.disabled_by(number) for number in used}
        rest = [c for c in self.fabric_cages if c.number not in used and c.number not in lost]
        whole = sum(1 for cage in rest if speed_gbps in cage.speeds_gbps)
        return min(len(used) * breakout.parts + whole, self.max_logical_ports)

    def port_name(self, cage: int, sub_port: int | None = None, breakout: int = 1) -> str:
        """The switch's own name of a logical port: `swp7`, `swp7s1`.

        Raises:
            IntentError: no such cage, or no such part of the split.
        """
        self.cage(cage)
        way = next((way for way in self.breakouts if way.parts == breakout and way.names), None)
        if way and (breakout == 1 or (sub_port is not None and 0 <= sub_port < breakout)):
            sub = sub_port or 0
            return way.names.format(cage=cage, sub=sub, part=sub + 1, pair=sub // 2 + 1, half=sub % 2 + 1)
        if breakout == 1 and sub_port is None:
            return f"swp{cage}"
        if sub_port is None or not 0 <= sub_port < breakout:
            raise IntentError(
                f"{self.name} swp{cage} split {breakout}x has no part {sub_port}",
                hint=f"parts are numbered 0 to {breakout - 1}",
            )
        return f"swp{cage}s{sub_port}"


def asics(rows: list[Mapping[str, Any]]) -> dict[str, Asic]:
    """Chips by name, from `asics.toml`."""
    return {row["name"]: Asic(**{**row, "confidence": Confidence(row["confidence"])}) for row in rows}


def switches(rows: list[Mapping[str, Any]], chips: Mapping[str, Asic]) -> dict[str, Switch]:
    """Switches by name, from `switches.toml`."""
    return {row["name"]: _switch(row, chips) for row in rows}


def _switch(row: Mapping[str, Any], chips: Mapping[str, Asic]) -> Switch:
    cages = tuple(_cages(row["cages"]))
    buffer = row["buffer"]
    return Switch(
        name=row["name"],
        aliases=tuple(row.get("aliases", ())),
        asic=chips[row["asic"]],
        header_model=row["header_model"],
        cages=cages,
        breakouts=tuple(_breakouts(row["breakouts"], cages)),
        max_logical_ports=row["max_logical_ports"],
        buffer=Buffer(buffer["bytes"], Confidence(buffer["confidence"]), buffer["source"]),
        management_ports=row["management_ports"],
        forced_speeds_gbps=tuple(row.get("forced_speeds_gbps", ())),
        first_release=row.get("first_release", ""),
        confidence=Confidence(row.get("confidence", "high")),
        source=row["source"],
    )


def _cages(rows: list[Mapping[str, Any]]) -> Iterator[Cage]:
    for row in rows:
        for number in range(row["first"], row["last"] + 1):
            yield Cage(number, row["connector"], row["lanes"], tuple(row["speeds_gbps"]), row.get("bonus", False))


def _breakouts(rows: list[Mapping[str, Any]], cages: tuple[Cage, ...]) -> Iterator[Breakout]:
    whole: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for cage in cages:
        if not cage.bonus:
            whole.setdefault((cage.lanes, cage.speeds_gbps), []).append(cage.number)
    for (lanes, speeds), numbers in whole.items():
        yield Breakout(1, lanes, speeds, tuple(numbers))
    for row in rows:
        allowed = [c.number for c in cages if not c.bonus and c.connector == row["connector"]]
        if row["cages"] != "all":
            allowed = [number for number in allowed if number % 2 == (row["cages"] == "odd")]
        disables = row["disables"] == "next"
        yield Breakout(row["parts"], row["lanes"], tuple(row["speeds_gbps"]), tuple(allowed), disables)
