"""State of BGP sessions and the routes they carry, from what both ends have applied."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent.lab.facts import Bgp, Neighbor, cage_of
from intent.lab.links import Links
from intent.lab.machine import Machine
from intent.lab.world import World

MAX_HOPS = 8

_Interface: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface


@dataclass(frozen=True, slots=True)
class BgpSession:
    """A session as one end sees it.

    Args:
        state: `established`, `active` or `idle`.
        reason: why it is not up, in the words of FRR; empty when it is.
        code: FRR's code of the reason; 0 when up.
        peer: name of the switch at the other end; empty when there is none.
        peer_vrf: the VRF the peer holds it in.
        peer_asn: the peer's number; 0 when it was not heard.
        peer_router_id: empty when not established.
    """

    state: str
    reason: str = ""
    code: int = 0
    peer: str = ""
    peer_vrf: str = ""
    peer_asn: int = 0
    peer_router_id: str = ""

    @property
    def up(self) -> bool:
        """Established."""
        return self.state == "established"


# Reasons and codes of FRR's `peer_down_str` (bgpd/bgp_fsm.c).
ADMIN_SHUTDOWN = ("idle", "Admin. shutdown", 9)
INTERFACE_DOWN = ("idle", "Interface down", 15)
NO_NEXTHOP = ("active", "Waiting for NHT", 29)
BAD_PEER_AS = ("active", "Notification sent (OPEN Message Error/Bad Peer AS)", 2)
PEER_SILENT = ("active", "Waiting for peer OPEN", 30)


class Routing:
    """The sessions of a lab. Answers are kept: when anything changes, a new one is made.

    Args:
        world: the lab.
        links: its links.
    """

    def __init__(self, world: World, links: Links) -> None:
        self.world = world
        self.links = links
        self._sessions: dict[tuple[str, str, str], BgpSession] = {}
        self._own: dict[tuple[str, str], frozenset[str]] = {}
        self._owners: dict[str, list[tuple[Machine, str]]] | None = None
        self._behind: dict[tuple[str, str], int] = {}
        self._segments: dict[tuple[str, str], list[tuple[_Interface, str]]] = {}

    def session(self, machine: Machine, vrf: str, key: str) -> BgpSession:
        """A configured neighbour's session."""
        at = (machine.spec.name, vrf, key)
        if at not in self._sessions:
            self._sessions[at] = self._judge(machine, vrf, key)
        return self._sessions[at]

    def _judge(self, machine: Machine, vrf: str, key: str) -> BgpSession:
        bgp = machine.facts.bgp[vrf]
        neighbor = bgp.neighbors[key]
        if not bgp.enabled or not neighbor.enabled:
            return BgpSession(*ADMIN_SHUTDOWN)
        found = self._numbered(machine, vrf, key) if _is_address(key) else self._unnumbered(machine, key)
        if isinstance(found, tuple):
            return BgpSession(*found)
        peer, peer_vrf, back = found.peer, found.vrf, found.neighbor
        other = peer.facts.bgp.get(peer_vrf)
        if other is None or not other.enabled or back is None:
            return BgpSession(*PEER_SILENT)
        if not back.enabled:
            return BgpSession("active", "Notification received (Cease/Administrative Shutdown)", 1)
        name = peer.spec.name
        if not _accepts(neighbor.remote_as, bgp.asn, other.asn):
            return BgpSession(*BAD_PEER_AS, name, peer_vrf, other.asn)
        if not _accepts(back.remote_as, other.asn, bgp.asn):
            text = "Notification received (OPEN Message Error/Bad Peer AS)"
            return BgpSession("active", text, 1, name, peer_vrf, other.asn)
        return BgpSession("established", "", 0, name, peer_vrf, other.asn, _router_id(peer, other))

    def _unnumbered(self, machine: Machine, key: str) -> _Found | tuple[str, str, int]:
        if not self.links.up(machine, key):
            return INTERFACE_DOWN
        far = self.world.far(machine.spec.name, key)
        if far is None or far.host is not None:
            return PEER_SILENT
        peer = self.world.machines[far.end.device]
        return self._back(peer, far.end.port, far.end.port)

    def _back(self, peer: Machine, interface: str, key: str) -> _Found:
        held = peer.facts.ports.get(interface)
        vrf = held.vrf if held is not None else "default"
        bgp = peer.facts.bgp.get(vrf)
        return _Found(peer, vrf, bgp.neighbors.get(key) if bgp else None)

    def _numbered(self, machine: Machine, vrf: str, key: str) -> _Found | tuple[str, str, int]:
        wanted = ipaddress.ip_address(key)
        for own, interface in self._attached(machine, vrf):
            if own.version != wanted.version or wanted not in own.network:
                continue
            if not self.links.up(machine, interface):
                return INTERFACE_DOWN
            owner = self._on_segment(machine, interface, key)
            if owner is None:
                return PEER_SILENT
            return self._back(owner[0], owner[1], str(own.ip))
        return self._multihop(machine, vrf, key)

    def _attached(self, machine: Machine, vrf: str) -> list[tuple[_Interface, str]]:
        at = (machine.spec.name, vrf)
        if at not in self._segments:
            self._segments[at] = [
                (ipaddress.ip_interface(text), name)
                for name, port in machine.facts.ports.items()
                if port.vrf == vrf and port.kind != "loopback"
                for text in port.addresses
            ]
        return self._segments[at]

    def _on_segment(self, machine: Machine, interface: str, address: str) -> tuple[Machine, str] | None:
        far = self.world.far(machine.spec.name, interface)
        for owner, port in self._owned(address):
            if cage_of(interface) is None or (far and (owner.spec.name, port) == (far.end.device, far.end.port)):
                return owner, port
        return None

    def _multihop(self, machine: Machine, vrf: str, key: str) -> _Found | tuple[str, str, int]:
        if not machine.facts.bgp[vrf].neighbors[key].multihop:
            return NO_NEXTHOP
        owner = next(iter(self._owned(key)), None)
        if owner is None or not self._reaches(machine, owner[0]):
            return NO_NEXTHOP
        mine = [text.partition("/")[0] for port in machine.facts.ports.values() for text in port.addresses]
        found = [self._back(owner[0], owner[1], address) for address in mine]
        return next((item for item in found if item.neighbor is not None), found[0] if found else NO_NEXTHOP)

    def _owned(self, address: str) -> list[tuple[Machine, str]]:
        if self._owners is None:
            self._owners = {}
            for machine in self.world.machines.values():
                for name, port in machine.facts.ports.items():
                    for text in port.addresses:
                        self._owners.setdefault(text.partition("/")[0], []).append((machine, name))
        return self._owners.get(address, [])

    def _reaches(self, start: Machine, goal: Machine) -> bool:
        seen, edge = {start.spec.name}, [start]
        for _ in range(MAX_HOPS):
            if goal.spec.name in seen:
                return True
            edge = [peer for machine in edge for peer in self._adjacent(machine, seen)]
        return goal.spec.name in seen

    def _adjacent(self, machine: Machine, seen: set[str]) -> Iterator[Machine]:
        for port in machine.facts.ports:
            far = self.world.far(machine.spec.name, port)
            if far and far.host is None and far.end.device not in seen and self.links.up(machine, port):
                seen.add(far.end.device)
                yield self.world.machines[far.end.device]

    # Routes

    def own(self, machine: Machine, vrf: str) -> frozenset[str]:
        """IPv4 prefixes a switch originates in a VRF."""
        at = (machine.spec.name, vrf)
        if at not in self._own:
            bgp = machine.facts.bgp.get(vrf)
            networks: set[str] = set()
            if bgp is not None and bgp.enabled:
                networks |= set(bgp.networks)
                if bgp.connected:
                    networks |= set(self.connected(machine, vrf))
            self._own[at] = frozenset(networks)
        return self._own[at]

    def connected(self, machine: Machine, vrf: str) -> Iterator[str]:
        """IPv4 prefixes of a switch's interfaces that are up."""
        for name, port in machine.facts.ports.items():
            if port.vrf == vrf and port.addresses and self.links.up(machine, name):
                for text in port.addresses:
                    if ":" not in text:
                        yield str(ipaddress.ip_interface(text).network)

    def received(self, machine: Machine, session: BgpSession) -> int:
        """Prefixes a peer sends: its own and those of its other peers. Longer paths are not counted."""
        peer = self.world.machines[session.peer]
        own = len(self.own(peer, session.peer_vrf))
        mine = len(self.own(machine, session.peer_vrf))
        return own + max(0, self._total_behind(peer, session.peer_vrf) - mine)

    def sent(self, machine: Machine, vrf: str, session: BgpSession) -> int:
        """Prefixes sent to a peer: own ones and those of other peers."""
        peer = self.world.machines[session.peer]
        theirs = len(self.own(peer, session.peer_vrf))
        return len(self.own(machine, vrf)) + max(0, self._total_behind(machine, vrf) - theirs)

    def _total_behind(self, machine: Machine, vrf: str) -> int:
        at = (machine.spec.name, vrf)
        if at not in self._behind:
            peers = dict.fromkeys((peer.spec.name, peer_vrf) for _, peer, peer_vrf in self.peers(machine, vrf))
            self._behind[at] = sum(len(self.own(self.world.machines[name], held)) for name, held in peers)
        return self._behind[at]

    def peers(self, machine: Machine, vrf: str) -> Iterator[tuple[str, Machine, str]]:
        """Neighbour key, switch and VRF of every established session."""
        bgp = machine.facts.bgp.get(vrf)
        for key in bgp.neighbors if bgp else ():
            session = self.session(machine, vrf, key)
            if session.up:
                yield key, self.world.machines[session.peer], session.peer_vrf

    def routes(self, machine: Machine, vrf: str) -> dict[str, tuple[int, list[str]]]:
        """Every prefix learnt by BGP: length of the path in hops and the neighbours it came from."""
        found: dict[str, tuple[int, list[str]]] = {}
        reached = {(machine.spec.name, vrf)}
        edge: dict[tuple[str, str], list[str]] = {}
        for key, peer, held in self.peers(machine, vrf):
            edge.setdefault((peer.spec.name, held), []).append(key)
        own = set(self.connected(machine, vrf))
        for hops in range(1, MAX_HOPS):
            reached |= set(edge)
            following: dict[tuple[str, str], list[str]] = {}
            for (name, held), keys in edge.items():
                for prefix in self.own(self.world.machines[name], held) - own:
                    if prefix not in found:
                        found[prefix] = (hops, list(keys))
                    elif found[prefix][0] == hops:
                        found[prefix][1].extend(key for key in keys if key not in found[prefix][1])
                for _, peer, peer_vrf in self.peers(self.world.machines[name], held):
                    if (peer.spec.name, peer_vrf) not in reached:
                        through = following.setdefault((peer.spec.name, peer_vrf), [])
                        through.extend(key for key in keys if key not in through)
            edge = following
        return found


@dataclass(frozen=True, slots=True)
class _Found:
    peer: Machine
    vrf: str
    neighbor: Neighbor | None


def _is_address(key: str) -> bool:
    try:
        ipaddress.ip_address(key)
    except ValueError:
        return False
    return True


def _accepts(remote_as: str, own: int, peer: int) -> bool:
    if remote_as == "external":
        return peer != own
    if remote_as == "internal":
        return peer == own
    return remote_as == "auto" or remote_as == str(peer)


def _router_id(machine: Machine, bgp: Bgp) -> str:
    if bgp.router_id:
        return bgp.router_id
    loopback = machine.facts.ports.get("lo")
    addresses = [text.partition("/")[0] for text in (loopback.addresses if loopback else ()) if ":" not in text]
    return addresses[0] if addresses else "0.0.0.0"  # noqa: S104 - a router id, not an address to bind
