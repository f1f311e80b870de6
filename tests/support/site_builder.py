"""Sites from short texts, and what a fabric must always keep."""

from __future__ import annotations

from collections import Counter
from functools import cache

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic, Severity
from intent.fabric.build import Built, build_site
from intent.fabric.lock import Lock, dump, parse
from intent.fabric.model import Device, Fabric, Role, Tier
from intent.schema.loader import Loaded, load

B300 = "{attach_by: rail, planes: 2, link: 400G, leaf: SN5600, spine: SN5600}"


@cache
def catalog() -> Catalog:
    """The hardware, read once."""
    return Catalog.load()


def site_text(
    nodes: str = '[{name: "b300-{0001..0064}", type: dgx-b300}]',
    topology: str = B300,
    attach: str = '{nodes: "b300-*"}',
    more: str = "",
    fabrics: str = "",
) -> str:
    """An intent of one site with one fabric `ew`; `more` are further lines of the site, `fabrics` further fabrics."""
    lines = ["version: 1", "name: test", "sites:", "  lab:", f"    nodes: {nodes}"]
    lines += [f"    {line}" for line in more.splitlines()]
    lines += ["    fabrics:"]
    if topology:
        lines += ["      ew:", f"        topology: {topology}", f"        attach: {attach}"]
    lines += [f"      {line}" for line in fabrics.splitlines()]
    return "\n".join(lines) + "\n"


def b300(last: int, **more: str) -> str:
    """The published twin-plane design for nodes 1 to `last`."""
    return site_text(f'[{{name: "b300-{{0001..{last:04}}}", type: dgx-b300}}]', **more)


def loaded(text: str) -> Loaded:
    """The document of a text that must be right."""
    result = load({"intent.yaml": text})
    assert result.document, [str(item) for item in result.diagnostics]
    return result


def build(text: str, lock: Lock | None = None) -> Built:
    """The only site of a text, compiled."""
    result = loaded(text)
    assert result.document
    name, site = next(iter(result.document.sites.items()))
    return build_site(name, site, catalog(), result.sources, lock or Lock(name))


def fabric_of(text: str, lock: Lock | None = None) -> Fabric:
    """The compiled fabric of a text that must build without an error."""
    built = build(text, lock)
    assert built.fabric, [str(item) for item in built.diagnostics]
    return built.fabric


def reread(lock: Lock) -> Lock:
    """The lock after a trip through its file."""
    again, problems = parse(dump(lock), "lab.lock", lock.site)
    assert not problems, [str(item) for item in problems]
    return again


def errors(built: Built) -> list[Diagnostic]:
    """The errors; the site must not have been built when there is one."""
    found = [item for item in built.diagnostics if item.severity is Severity.ERROR]
    assert (built.fabric is None) == bool(found)
    return found


def only_error(built: Built) -> Diagnostic:
    """The one error."""
    found = errors(built)
    assert len(found) == 1, [str(item) for item in found]
    assert found[0].hint
    return found[0]


def switches(fabric: Fabric, role: Role) -> list[Device]:
    """Switches of a role."""
    return [device for device in fabric.switches if device.role is role]


def counts(fabric: Fabric) -> tuple[int, int, int, int]:
    """Leaves, spines, host links, fabric links."""
    tiers = Counter(link.tier for link in fabric.links)
    return (
        len(switches(fabric, Role.LEAF)), len(switches(fabric, Role.SPINE)), tiers[Tier.HOST], tiers[Tier.FABRIC]
    )  # fmt: skip


def pairs(fabric: Fabric) -> Counter[tuple[str, str]]:
    """Links of each pair of leaf and spine."""
    return Counter((link.a.device, link.b.device) for link in fabric.links if link.tier is Tier.FABRIC)


def check_fabric(fabric: Fabric) -> None:
    """What holds of every fabric: ports have one cable, cages one split, addresses one owner, ECMP equal weights."""
    ends = Counter(end for link in fabric.links for end in (link.a, link.b))
    assert set(ends.values()) <= {1}
    assert len({link.cable for link in fabric.links}) == len(fabric.links)
    for link in fabric.links:
        near, far = (fabric.devices[end.device].ports[end.port] for end in (link.a, link.b))
        assert near.speed_gbps == far.speed_gbps == link.speed_gbps
    known = {(end.device, end.port) for end in ends}
    assert {(d.name, port) for d in fabric.devices.values() for port in d.ports} == known
    _check_cages(fabric)
    _check_addresses(fabric)
    _check_spread(fabric)


def _check_cages(fabric: Fabric) -> None:
    for device in fabric.switches:
        model = catalog().switch(device.model)
        splits: dict[int, set[tuple[int, int, int]]] = {}
        for port in device.ports.values():
            splits.setdefault(int(port.cage), set()).add((port.breakout, port.speed_gbps, port.lanes))
            assert port.name == model.port_name(int(port.cage), port.sub_port, port.breakout)
        for cage, found in splits.items():
            assert len(found) == 1, f"{device.name} cage {cage} is split in two ways"
            parts, speed, _ = next(iter(found))
            split = model.breakout(parts, speed)
            assert split and cage in split.cages
            assert split.disabled_by(cage) not in splits


def _check_addresses(fabric: Fabric) -> None:
    for link in fabric.links:
        near, far = (fabric.devices[end.device].ports[end.port].address for end in (link.a, link.b))
        if link.tier is Tier.FABRIC:
            assert near == far == ""
            continue
        # The two ends of a /31: the leaf's last octet is even, the node's is the next.
        (net, _, low), (other_net, _, high) = (text.removesuffix("/31").rpartition(".") for text in (far, near))
        assert near.endswith("/31") and far.endswith("/31") and net == other_net
        assert int(low) % 2 == 0 and int(high) == int(low) + 1
    addresses = [port.address for d in fabric.devices.values() for port in d.ports.values() if port.address]
    addresses += [device.loopback for device in fabric.switches]
    addresses += [device.management for device in fabric.switches if device.management]
    assert len(set(addresses)) == len(addresses)
    assert len({device.asn for device in fabric.switches}) == len(fabric.switches)
    assert all(device.asn and device.loopback for device in fabric.switches)


def _check_spread(fabric: Fabric) -> None:
    found = pairs(fabric)
    for key in {(device.fabric, device.plane) for device in fabric.switches}:
        mine = [device for device in fabric.switches if (device.fabric, device.plane) == key]
        leaves = [device.name for device in mine if device.role is Role.LEAF]
        spines = [device.name for device in mine if device.role is Role.SPINE]
        assert len({found[leaf, spine] for leaf in leaves for spine in spines}) == 1
        assert all(found[leaf, spine] for leaf in leaves for spine in spines)
    for leaf, spine in found:
        a, b = fabric.devices[leaf], fabric.devices[spine]
        assert (a.fabric, a.plane) == (b.fabric, b.plane)


def dump_of(text: str) -> str:
    """The lock's text of a first compilation."""
    return dump(build(text).lock)
