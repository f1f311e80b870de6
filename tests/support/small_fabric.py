"""A small fabric by hand, and what its switches would report when all is as the intent says."""

from __future__ import annotations

from intent.device.observation import (
    BgpSession,
    LinkState,
    LldpNeighbor,
    Observation,
    RoceState,
    SystemState,
)
from intent.fabric.model import Device, End, Fabric, Link, Port, Role, Tier
from intent.fabric.qos import built_in_profiles, ecn_read_back
from intent.verify.api import Expected

MTU = {Tier.HOST: 9216, Tier.FABRIC: 9216}


def port(name: str, address: str = "") -> Port:
    """A 400G half of a cage."""
    cage, _, part = name.removeprefix("swp").partition("s")
    return Port(name, cage, int(part or 0), 2, 400, 4, address)


def small_fabric() -> Fabric:
    """Two leaves with four links to each of two spines, and one node on both leaves (two rails)."""
    wires: dict[str, dict[str, Port]] = {name: {} for name in ("leaf1", "leaf2", "spine1", "spine10", "node1")}
    links: list[Link] = []

    def wire(a: str, a_port: Port, b: str, b_port: Port, tier: Tier, rail: int = 0) -> None:
        wires[a][a_port.name], wires[b][b_port.name] = a_port, b_port
        links.append(Link(End(a, a_port.name), End(b, b_port.name), tier, 400, f"c{len(links) + 1:04}", 1, rail))

    for rail, leaf in enumerate(("leaf1", "leaf2"), start=1):
        base = 2 * rail - 2
        near, far = port(f"eth{rail}", f"10.64.0.{base + 1}/31"), port("swp1s0", f"10.64.0.{base}/31")
        wire("node1", Port(near.name, str(rail), 0, 2, 400, 4, near.address), leaf, far, Tier.HOST, rail)
    for offset, leaf in enumerate(("leaf1", "leaf2")):
        for number, spine in enumerate(("spine1", "spine10")):
            for part in range(4):
                cage, half = 33 + 2 * number + part // 2, part % 2
                up = port(f"swp{cage}s{half}")
                wire(leaf, up, spine, port(f"swp{1 + 2 * offset + part // 2}s{half}"), Tier.FABRIC)
    devices = {}
    for index, name in enumerate(("leaf1", "leaf2", "spine1", "spine10"), start=1):
        role = Role.LEAF if name.startswith("leaf") else Role.SPINE
        devices[name] = Device(
            name, role, "SN5600", "ref1", "east-west", 1, index if role is Role.LEAF else 0, 1, index,
            "5.16", f"10.255.0.{index}", 4200100000 + index, f"10.1.0.{index}/22", wires[name],
        )  # fmt: skip
    devices["node1"] = Device("node1", Role.NODE, "dgx-b300", "ref1", unit=1, index=1, ports=wires["node1"])
    return Fabric("ref1", devices, tuple(links))


def good_expected(fabric: Fabric) -> Expected:
    """Facts of the intent for every switch."""
    profile = built_in_profiles()["roce-lossless"]
    return Expected(MTU, {device.name: profile for device in fabric.switches}, ecn_read_back())


def good_observations(fabric: Fabric) -> dict[str, Observation]:
    """What every switch reports when all is well."""
    return {device.name: _good(fabric, device) for device in fabric.switches}


def _good(fabric: Fabric, device: Device) -> Observation:
    links, lldp, bgp = {}, {}, []
    for own, far, link in fabric.neighbors(device.name):
        links[own.name] = LinkState(own.name, "up", "up", 400.0, MTU[link.tier])
        lldp[own.name] = (LldpNeighbor(own.name, far.device, far.port, "ifname", 100),)
        if link.tier is Tier.FABRIC:
            bgp.append(BgpSession("default", own.name, "established", fabric.devices[far.device].asn, 10))
    links["eth0"] = LinkState("eth0", "up", "up", 1.0, 1500)
    return Observation(
        device.name,
        "2026-11-30T22:00:00Z",
        SystemState(device.name, "5.16.4", device.model, 90_000),
        links,
        lldp,
        tuple(bgp),
        RoceState("lossless", (3,), (0, 3), 159_744, 1_499_463, "pcp,dscp"),
    )
