"""InfiniBand fabrics for the simulator, small to large, as ibsim netfiles (ibnetdiscover form)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

_HOST = 0x0002C903A0000000
_SWITCH = 0x0002C903B0000000


class NodeKind(StrEnum):
    """Kinds of node the simulator knows, in its own words."""

    ADAPTER = "Ca"
    SWITCH = "Switch"


@dataclass(frozen=True, slots=True)
class Node:
    """A channel adapter or a switch.

    Args:
        guid: node GUID; an adapter's port GUID is this plus the port number, a switch's port 0 has it itself.
        kind: which it is.
        name: node description.
        ports: number of external ports.
    """

    guid: int
    kind: NodeKind
    name: str
    ports: int

    @property
    def identifier(self) -> str:
        """Name in the netfile."""
        return f"{'S' if self.kind is NodeKind.SWITCH else 'H'}-{self.guid:016x}"


@dataclass(frozen=True, slots=True)
class EndPort:
    """A port that has a P_Key table of its own and a LID."""

    guid: int
    node: Node
    number: int


@dataclass(frozen=True, slots=True)
class Topology:
    """A fabric.

    Args:
        nodes: adapters and switches.
        links: pairs of (node GUID, port number).
        roots: GUIDs of the top switches, for engines that want them.
    """

    nodes: tuple[Node, ...]
    links: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    roots: tuple[int, ...] = ()
    ports: dict[int, EndPort] = field(default_factory=dict, compare=False)
    switches: frozenset[int] = frozenset()

    @property
    def manager_node(self) -> str:
        """The node the subnet manager is attached to: the first adapter."""
        return self.adapters[0].identifier

    @property
    def manager_port(self) -> int:
        """Its port GUID."""
        return self.adapters[0].guid + 1

    @property
    def adapters(self) -> list[Node]:
        """Channel adapters in order."""
        return [node for node in self.nodes if node.kind is NodeKind.ADAPTER]

    @property
    def adapter_ports(self) -> list[int]:
        """Port GUIDs of the adapters in order."""
        return [guid for guid in self.ports if guid not in self.switches]

    def directed_links(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Every link from both ends."""
        return {**dict(self.links), **{there: here for here, there in self.links}}

    def names(self) -> dict[int, str]:
        """Names of nodes by GUID."""
        return {node.guid: node.name for node in self.nodes}

    def netfile(self) -> str:
        """The fabric as ibsim reads it."""
        by_guid = {node.guid: node for node in self.nodes}
        lines: dict[int, dict[int, str]] = {node.guid: {} for node in self.nodes}
        for one, other in self.links:
            for (guid, port), (peer, peer_port) in ((one, other), (other, one)):
                far = by_guid[peer]
                lines[guid][port] = f'[{port}]\t"{far.identifier}"[{peer_port}]\t\t# "{far.name}" lid 0 4xHDR'
        return "\n".join(_stanza(node, lines[node.guid]) for node in self.nodes)


def _stanza(node: Node, ports: dict[int, str]) -> str:
    if node.kind is NodeKind.SWITCH:
        head = (
            f"switchguid=0x{node.guid:x}({node.guid:x})\n"
            f'Switch\t{node.ports} "{node.identifier}"\t\t# "{node.name}" base port 0 lid 0 lmc 0'
        )
    else:
        head = f'caguid=0x{node.guid:x}\nCa\t{node.ports} "{node.identifier}"\t\t# "{node.name}"'
    body = "\n".join(ports[number] for number in sorted(ports))
    if node.kind is NodeKind.ADAPTER:
        body = body.replace("]\t", f"]({node.guid + 1:x})\t", 1)
    return f"{head}\n{body}\n"


def make(
    nodes: Iterable[Node], links: Iterable[tuple[tuple[int, int], tuple[int, int]]], roots: Iterable[int] = ()
) -> Topology:
    """A topology with its end ports worked out."""
    listed = tuple(nodes)
    switches = frozenset(node.guid for node in listed if node.kind is NodeKind.SWITCH)
    ports: dict[int, EndPort] = {}
    for node in listed:
        if node.guid in switches:
            ports[node.guid] = EndPort(node.guid, node, 0)
        else:
            ports |= {node.guid + n: EndPort(node.guid + n, node, n) for n in range(1, node.ports + 1)}
    return Topology(listed, tuple(links), tuple(roots), ports, switches)


def adapter(number: int) -> Node:
    """The n-th host's adapter, one port."""
    return Node(_HOST + 16 * number, NodeKind.ADAPTER, f"host{number:04} mlx5_0", 1)


def switch(tier: int, number: int, name: str, ports: int = 64) -> Node:
    """A switch of a tier."""
    return Node(_SWITCH + (tier << 24) + 256 * number, NodeKind.SWITCH, name, ports)


def fat_tree(*, leaves: int, spines: int, hosts_per_leaf: int, parallel: int = 1) -> Topology:
    """Two tiers, every leaf to every spine."""
    tops = [switch(2, s, f"spine{s:03}") for s in range(spines)]
    bottoms = [switch(1, n, f"leaf{n:03}") for n in range(leaves)]
    hosts = [adapter(h) for h in range(leaves * hosts_per_leaf)]
    links = []
    for at, leaf in enumerate(bottoms):
        for h in range(hosts_per_leaf):
            links.append(((hosts[at * hosts_per_leaf + h].guid, 1), (leaf.guid, h + 1)))
        for s, top in enumerate(tops):
            for k in range(parallel):
                port = hosts_per_leaf + s * parallel + k + 1
                links.append(((leaf.guid, port), (top.guid, at * parallel + k + 1)))
    return make([*hosts, *bottoms, *tops], links, [top.guid for top in tops])


def three_tiers(*, pods: int, leaves: int, spines: int, hosts_per_leaf: int) -> Topology:
    """Three tiers; spine s of each pod goes to every core of group s, and a group has `leaves` cores."""
    cores = [[switch(3, s * leaves + c, f"core{s:02}-{c:02}") for c in range(leaves)] for s in range(spines)]
    nodes: list[Node] = []
    links = []
    for pod in range(pods):
        tops = [switch(2, pod * spines + s, f"pod{pod:02}-spine{s:02}") for s in range(spines)]
        for n in range(leaves):
            leaf = switch(1, pod * leaves + n, f"pod{pod:02}-leaf{n:02}")
            hosts = [adapter((pod * leaves + n) * hosts_per_leaf + h) for h in range(hosts_per_leaf)]
            links += [((host.guid, 1), (leaf.guid, h + 1)) for h, host in enumerate(hosts)]
            links += [((leaf.guid, hosts_per_leaf + s + 1), (top.guid, n + 1)) for s, top in enumerate(tops)]
            nodes += [*hosts, leaf]
        for s, top in enumerate(tops):
            links += [((top.guid, leaves + c + 1), (core.guid, pod + 1)) for c, core in enumerate(cores[s])]
        nodes += tops
    flat = [core for group in cores for core in group]
    nodes.sort(key=lambda node: node.kind is NodeKind.SWITCH)
    return make([*nodes, *flat], links, [core.guid for core in flat])


def dragonfly(*, groups: int, switches: int, hosts: int) -> Topology:
    """Groups of fully meshed switches, each pair of groups joined by one cable; `hosts` per switch."""
    nodes: list[Node] = []
    links = []
    made = [[switch(1, g * switches + s, f"group{g:02}-switch{s:02}") for s in range(switches)] for g in range(groups)]
    for g, group in enumerate(made):
        for s, one in enumerate(group):
            adapters = [adapter((g * switches + s) * hosts + h) for h in range(hosts)]
            nodes += adapters
            links += [((host.guid, 1), (one.guid, h + 1)) for h, host in enumerate(adapters)]
            for t in range(s + 1, switches):
                links.append(((one.guid, hosts + t), (group[t].guid, hosts + s + 1)))
    first = hosts + switches + 1
    for g in range(groups):
        for other in range(g + 1, groups):
            there, here = (other - g - 1), (g - other) % groups - 1
            one, far = made[g][there % switches], made[other][here % switches]
            links.append(((one.guid, first + there // switches), (far.guid, first + here // switches)))
    return make([*nodes, *(one for group in made for one in group)], links)
