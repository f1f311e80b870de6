"""What the builders of all kinds of fabric share: the lock, names and numbers, cables, switches, findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from intent.core import selector
from intent.core.diagnostic import Diagnostic, Severity
from intent.core.span import Span
from intent.fabric.cabling import Cabling
from intent.fabric.design import Design, Pools
from intent.fabric.growth import LeafCables
from intent.fabric.lock import Allocator, Lock
from intent.fabric.model import Device, Network, Port, Role
from intent.fabric.nodes import NodeSpec
from intent.fabric.numbers import Numbers
from intent.fabric.shape import differences
from intent.fabric.wiring import Spot, Wiring, decode, encode
from intent.schema.model import Site

SIZES = "sizes of what is built cannot change: undo the change, or build a new fabric under another name"


class Workshop:
    """One site while its fabrics are built, one after the other.

    Args:
        site: what is written about it.
        pools: its pools.
        lock: allocations as committed.
    """

    def __init__(self, site: Site, pools: Pools, lock: Lock) -> None:
        self.site = site
        self.lock = lock
        self.allocator = Allocator(lock)
        self.numbers = Numbers(pools, lock, self.allocator)
        self.cabling = Cabling()
        self.switches: list[Device] = []
        self.managers: list[Device] = []
        self.diagnostics: list[Diagnostic] = []
        self.cables: dict[str, LeafCables] = {}
        self._releases = {text: item.cumulus for text, item in site.releases.selected.items() if item.cumulus}

    def error(self, design: Design, message: str, hint: str = "") -> None:
        """Note that a design cannot be built."""
        self.diagnostics.append(Diagnostic("F004", f"fabric {design.name}: {message}", design.span, hint=hint))

    def lock_error(self, message: str) -> None:
        """Note that the lock holds something no compilation wrote."""
        hint = "restore the lock from version control; it is written by the compiler, not by hand"
        self.diagnostics.append(Diagnostic("A001", f"lock of site {self.lock.site}: {message}", hint=hint))

    def same_shape(self, design: Design, shape: str) -> bool:
        """Whether the sizes that everything built depends on are those of the lock; notes what differs."""
        built = self.lock.value("shape", design.name) or shape
        self.allocator.keep("shape", design.name, built)
        found = list(differences(built, shape))
        if found:
            self.error(design, "; ".join(found), SIZES)
        return not found

    def keep_count(self, owner: str, design: Design, what: str, uplinks: int, count: int) -> int:
        """Never fewer than the lock knows: taking one away moves cables, which only a prune may ask for.

        Args:
            owner: whose count it is.
            design: the fabric, for the finding.
            what: what is counted, for the finding (`spines per plane`).
            uplinks: links of each switch below, which the count divides.
            count: as many as are needed now.
        """
        known = self.lock.value("spines", owner)
        kept = int(known) if known and known.isdecimal() else 0
        if kept > count and uplinks % kept == 0:
            self.diagnostics.append(
                Diagnostic(
                    "F010",
                    f"fabric {design.name}: {kept} {what} kept - {count} would do for what is attached",
                    design.span,
                    Severity.INFO,
                    hint="`intent lock prune` lets them go; cables then move",
                )
            )
            count = kept
        self.allocator.keep("spines", owner, str(count))
        return count

    def add_switch(self, device: Device) -> None:
        """Add an Ethernet switch; it gets its numbers and its release."""
        numbered = replace(
            device,
            loopback=self.numbers.loopback(device.name),
            asn=self.numbers.asn(device.name),
            management=self.numbers.management(device.name),
        )
        self.switches.append(replace(numbered, release=self._release(numbered)))

    def _release(self, device: Device) -> str:
        chosen = selector.best(self._releases, device.labels) if self._releases else None
        return str(self._releases[chosen] if chosen else self.site.releases.cumulus)

    def known(self, lowers: Iterable[str], uplinks: int, ports: int) -> Wiring:
        """Spots the lock knows. A switch that comes back gets its cables back too, where nobody took a spot since.

        Args:
            lowers: names of the switches below.
            uplinks: links of each.
            ports: ports of a switch above.
        """
        names = tuple(lowers)
        known: dict[str, tuple[Spot, ...]] = {}
        owner: dict[Spot, str] = {}
        for part in (self.lock.held, self.lock.released):
            for name in names:
                text = part.get("uplinks", {}).get(name)
                if text is None or name in known:
                    continue
                spots = self._decode(name, text, uplinks, ports)
                taken = next((spot for spot in spots if spot in owner), None)
                if taken is None:
                    known[name] = spots
                    owner.update(dict.fromkeys(spots, name))
                elif part is self.lock.held:
                    self.lock_error(f"uplinks of {name}: {encode([taken])} - also held by {owner[taken]}")
        return known

    def keep_wiring(self, after: Wiring, cables: LeafCables) -> None:
        """Note where the uplinks of switches end and how the ends are called."""
        for name, spots in after.items():
            self.allocator.keep("uplinks", name, encode(spots))
            self.cables[name] = cables

    def _decode(self, name: str, text: str, uplinks: int, ports: int) -> tuple[Spot, ...]:
        try:
            spots = decode(text)
        except ValueError as error:
            self.lock_error(f"uplinks of {name}: {error}")
            return ()
        if len(spots) != uplinks or len(set(spots)) != uplinks:
            self.lock_error(f"uplinks of {name} - expected {uplinks}, each on a port of its own")
        elif any(spot.port >= ports or spot.spine > uplinks for spot in spots):
            self.lock_error(f"uplinks of {name} - expected ports 0 to {ports - 1} of at most {uplinks} spines")
        return spots

    def check_doubles(self, design: Design) -> None:
        """Note a port that was asked to take a second cable."""
        if self.cabling.doubles:
            end = self.cabling.doubles[0]
            message = f"fabric {design.name}: {end.device} {end.port} has a cable already"
            hint = "names under `interfaces` must differ over all groups of NICs of a node"
            self.diagnostics.append(Diagnostic("F008", message, design.span, hint=hint))
            self.cabling.doubles.clear()

    def check_names(self, nodes: Sequence[NodeSpec]) -> None:
        """Every device of the site has a name of its own, whatever the case of its letters."""
        first: dict[str, tuple[str, Span | None]] = {}
        switches = {switch.name: (str(switch.role), switch.span) for switch in self.switches}
        for what, name, span in [
            *((role, name, span) for name, (role, span) in switches.items()),
            *(("node", node.name, node.span) for node in nodes),
            *(("subnet manager", host.name, host.span) for host in self.managers),
        ]:
            known = first.setdefault(name.casefold(), (f"{what} {name}", span))
            if known != (f"{what} {name}", span):
                other, place = known
                related = ((place, f"{other} is made here"),) if place else ()
                message = f"{what} {name} has the name of {other}"
                self.diagnostics.append(Diagnostic("F007", message, span, hint="rename one", related=related))

    def devices(self, nodes: Sequence[NodeSpec]) -> dict[str, Device]:
        """Every device with its ports in cage order, switches first, hosts of subnet managers last."""
        made = self.cabling.ports
        result = {d.name: replace(d, ports=_in_order(made.get(d.name, {}))) for d in self.switches}
        for number, node in enumerate(nodes, 1):
            if made.get(node.name):
                ports = made[node.name]
                result[node.name] = Device(
                    node.name, Role.NODE, node.kind.name, self.lock.site, index=number, ports=ports, span=node.span
                )
        for host in self.managers:
            result[host.name] = replace(host, ports=made.get(host.name, {}), network=Network.INFINIBAND)
        return result


def unit_of(block: int, blocks_per_unit: int) -> int:
    """The scalable unit a leaf block belongs to, from 1."""
    return (block - 1) // blocks_per_unit + 1


def _in_order(ports: Mapping[str, Port]) -> dict[str, Port]:
    return dict(sorted(ports.items(), key=lambda item: (int(item[1].cage), item[1].sub_port or 0)))
