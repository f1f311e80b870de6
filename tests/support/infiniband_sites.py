"""Sites with one InfiniBand fabric `q`, and what every such fabric must keep."""

from __future__ import annotations

from collections import Counter

from site_builder import catalog, site_text

from intent.fabric.model import Fabric, Network, Role, Tier

UFM = (
    "{by: ufm, vip: 10.1.0.20, hosts: [{name: ufm1, address: 10.1.0.21, ports: 2}, "
    "{name: ufm2, address: 10.1.0.22, ports: 2}]}"
)
NDR = "{unit: {nodes: 32}, leaf: QM9700, spine: QM9700}"
XDR = "{unit: {nodes: 72}, leaf: Q3400-RA, spine: Q3400-RA}"
NVL72 = "{unit: {racks: 8}, leaf: QM9700, spine: QM9700, core: QM9700}"


def ib_text(
    count: int,
    kind: str = "dgx-h100",
    topology: str = NDR,
    generation: str = "ndr",
    manager: str = "",
    more: str = "",
) -> str:
    """An intent of `count` nodes, or racks where the kind is one of racks."""
    racks = catalog().node(kind).is_rack
    lines = ["q:", "  kind: infiniband", f"  generation: {generation}", f"  topology: {topology}"]
    lines += ["  attach: {racks: 'n*'}" if racks else "  attach: {nodes: 'n*'}"]
    lines += [f"  subnet_manager: {manager}"] if manager else []
    entry = f'[{{name: "n{{0001..{count:04}}}", type: {kind}}}]'
    more = f"racks: {entry}\n{more}" if racks else more
    return site_text("[]" if racks else entry, topology="", more=more, fabrics="\n".join(lines))


def counts(fabric: Fabric) -> dict[str, int]:
    """Switches, nodes and links by role and tier, as the published tables count them."""
    roles = Counter(device.role for device in fabric.devices.values())
    tiers = Counter(link.tier for link in fabric.links)
    gpus = sum(catalog().node(node.model).gpus for node in fabric.nodes)
    return {
        "nodes": roles[Role.NODE],
        "gpus": gpus,
        "leaves": roles[Role.LEAF],
        "spines": roles[Role.SPINE],
        "cores": roles[Role.CORE],
        "host links": tiers[Tier.HOST],
        "leaf-spine": tiers[Tier.FABRIC],
        "spine-core": tiers[Tier.CORE],
        "spine-spine": tiers[Tier.GLOBAL],
    }


def check_infiniband(fabric: Fabric) -> None:
    """What holds of every InfiniBand fabric: one cable a port, one number a port, even links, rails kept apart."""
    ends = Counter(end for link in fabric.links for end in (link.a, link.b))
    assert set(ends.values()) <= {1}
    assert len({link.cable for link in fabric.links}) == len(fabric.links)
    assert {link.network for link in fabric.links} <= {Network.INFINIBAND}
    assert {(d.name, port) for d in fabric.devices.values() for port in d.ports} == {(e.device, e.port) for e in ends}
    for link in fabric.links:
        near, far = (fabric.devices[end.device].ports[end.port] for end in (link.a, link.b))
        assert near.speed_gbps == far.speed_gbps == link.speed_gbps
        assert near.address == far.address == ""
        if link.tier is Tier.HOST:
            leaf = fabric.devices[link.b.device]
            assert not leaf.rail or leaf.rail == link.rail
    for device in fabric.switches:
        model = catalog().switch(device.model)
        assert model.infiniband and device.network is Network.INFINIBAND and not device.loopback and not device.asn
        numbers = [port.number for port in device.ports.values()]
        assert len(set(numbers)) == len(numbers) and all(1 <= number <= 2 * 146 for number in numbers)
    _check_even(fabric)


def _check_even(fabric: Fabric) -> None:
    """Every switch has the same number of links to each of those it reaches above."""
    for tier in (Tier.FABRIC, Tier.CORE):
        above: dict[str, Counter[str]] = {}
        for link in fabric.links:
            if link.tier is tier:
                above.setdefault(link.a.device, Counter())[link.b.device] += 1
        assert all(len(set(found.values())) == 1 for found in above.values())
        sizes = {(fabric.devices[name].fabric, len(found)) for name, found in above.items()}
        assert len(sizes) == len({name for name, _ in sizes})
