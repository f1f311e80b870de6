"""Rules over the compiled fabric, each on a small good fabric with one thing made wrong. D07 is here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from intent.catalog.hardware import Catalog
from intent.core.span import Span
from intent.fabric.model import Device, End, Fabric, Link, Port, Role, Tier
from intent.lint.engine import lint
from intent.schema.loader import Loaded, load

LOOPBACK = "which belongs on loopbacks only"
LINK = "link n1 rail1p1 - leaf1 swp1s0"

TEXT = """\
version: 1
name: t
sites:
  s:
    nodes: [{name: n1, type: dgx-b300}]
    fabrics: {e: {topology: {leaf: SN5600, spine: SN5600, planes: 2}, attach: {nodes: n1}}}
"""


def intent() -> Loaded:
    return load({"intent.yaml": TEXT})


def port(
    name: str, address: str = "", *, cage: str = "1", part: int | None = 0, split: int = 2, gbps: int = 400
) -> Port:
    return Port(name, cage, part, split, gbps, 4, address)


def switch(name: str, role: Role, number: int, plane: int, ports: tuple[Port, ...], *, rail: int = 0) -> Device:
    return Device(
        name=name, role=role, model="SN5600", site="s", fabric="e", plane=plane, rail=rail, index=1, release="5.16.4",
        loopback=f"10.255.0.{number}", asn=4_200_100_000 + number, management=f"10.1.0.{number}/22",
        ports={item.name: item for item in ports}, span=Span("intent.yaml", 6, 19),
    )  # fmt: skip


def fabric() -> Fabric:
    """Two planes of one leaf and two spines, and one node with a port in each."""
    devices: dict[str, Device] = {}
    links: list[Link] = []
    for plane in (1, 2):
        leaf = f"leaf{plane}"
        low = f"10.64.0.{2 * plane - 2}/31"
        ups = (port("swp33s0", cage="33"), port("swp33s1", cage="33", part=1))
        devices[leaf] = switch(leaf, Role.LEAF, plane, plane, (port("swp1s0", low), *ups), rail=1)
        links.append(Link(End("n1", f"rail1p{plane}"), End(leaf, "swp1s0"), Tier.HOST, 400, f"h{plane}", plane, 1))
        for number in (1, 2):
            spine = f"spine{plane}{number}"
            devices[spine] = switch(spine, Role.SPINE, 10 * plane + number, plane, (port("swp1s0"),))
            up = End(leaf, f"swp33s{number - 1}")
            links.append(Link(up, End(spine, "swp1s0"), Tier.FABRIC, 400, f"f{plane}{number}", plane, 1))
    nics = (port("rail1p1", "10.64.0.1/31"), port("rail1p2", "10.64.0.3/31", part=1))
    devices["n1"] = Device("n1", Role.NODE, "dgx-b300", "s", ports={item.name: item for item in nics})
    return Fabric("s", devices, tuple(links))


def codes(wrong: Fabric, code: str) -> list[str]:
    loaded = intent()
    assert loaded.document is not None
    found = lint(loaded.document, loaded.sources, wrong, catalog=Catalog.load())
    return [item.message for item in found if item.code == code]


def device(name: str, **changed: object) -> Callable[[Fabric], Fabric]:
    return lambda good: replace_device(good, replace(good.devices[name], **changed))  # type: ignore[arg-type]


def replace_device(good: Fabric, changed: Device) -> Fabric:
    return Fabric(good.site, {**good.devices, changed.name: changed}, good.links)


def address(name: str, port_name: str, text: str) -> Callable[[Fabric], Fabric]:
    def change(good: Fabric) -> Fabric:
        ports = dict(good.devices[name].ports)
        ports[port_name] = replace(ports[port_name], address=text)
        return replace_device(good, replace(good.devices[name], ports=ports))

    return change


def links(change: Callable[[tuple[Link, ...]], tuple[Link, ...]]) -> Callable[[Fabric], Fabric]:
    return lambda good: Fabric(good.site, good.devices, change(good.links))


def test_the_good_fabric_has_no_finding() -> None:
    loaded = intent()
    assert loaded.document is not None
    assert lint(loaded.document, loaded.sources, [fabric()]) == ()
    assert lint(loaded.document, loaded.sources, None) == ()


WRONG: list[tuple[str, Callable[[Fabric], Fabric], str]] = [
    ("L201", device("leaf2", loopback="10.255.0.1"), "address 10.255.0.1 is on leaf2 lo and on leaf1 lo"),
    ("L201", device("spine11", asn=4_200_100_001), "AS number 4200100001 is on spine11 bgp and on leaf1 bgp"),
    (
        "L201",
        device("leaf2", management="10.1.0.1/22"),
        "address 10.1.0.1 is on leaf2 management and on leaf1 management",
    ),
    ("L201", address("leaf2", "swp1s0", "10.64.0.0/31"), "address 10.64.0.0 is on leaf2 swp1s0 and on leaf1 swp1s0"),
    (
        "L205",
        links(lambda each: tuple(replace(x, b=End("spine11", "swp1s0")) if x.cable == "f12" else x for x in each)),
        "leaf1: 0 to 2 links per spine - expected the same to each",
    ),
    (
        "L206",
        links(lambda each: tuple(replace(x, b=End("spine21", "swp1s0")) if x.cable == "f11" else x for x in each)),
        "link leaf1 swp33s0 - spine21 swp1s0 crosses planes",
    ),
    (
        "L207",
        links(lambda each: tuple(replace(x, rail=3) if x.cable == "h1" else x for x in each)),
        "n1 rail1p1 of rail 3 is on leaf1 of rail 1",
    ),
    (
        "L208",
        links(lambda each: (*each, replace(each[1], b=End("spine12", "swp1s0")))),
        "leaf1 swp33s0: two cables in one port",
    ),
    (
        "L208",
        links(lambda each: (*each, replace(each[1], a=End("leaf1", "swp64s0"), b=End("spine12", "swp2")))),
        "leaf1 swp64s0: cabled, and there is no such port",
    ),
    (
        "L210",
        links(
            lambda each: tuple(x for x in each if x.tier is Tier.HOST) + each[1:2] + (replace(each[0], cable="h3"),) * 2
        ),
        "leaf1: capacity down to up is 3:1 - expected 1:1",
    ),
    (
        "L211",
        device("leaf1", loopback="10.1.2.3"),
        "loopback of leaf1: allocated outside pool loopbacks, or where it is reserved",
    ),
    ("L211", device("leaf1", asn=65001), "AS number of leaf1: allocated outside pool asns, or where it is reserved"),
    (
        "L211",
        address("leaf1", "swp1s0", "10.32.0.0/31"),
        "address of leaf1 swp1s0: allocated outside pool hosts, or where it is reserved",
    ),
    (
        "L212",
        device("leaf1", model="SN5640", release="5.9.1"),
        "leaf1: Cumulus Linux 5.9.1 does not run on SN5640 - expected 5.15 or later",
    ),
]


@pytest.mark.parametrize(
    ("code", "wrong", "message"), WRONG, ids=[f"{code}-{at}" for at, (code, _, _) in enumerate(WRONG)]
)
def test_one_thing_made_wrong(code: str, wrong: Callable[[Fabric], Fabric], message: str) -> None:
    found = codes(wrong(fabric()), code)
    assert message in found


PORTS: list[tuple[tuple[Port, ...], str]] = [
    ((port("swp1s0"), port("swp1", part=None, split=1, gbps=800)), "leaf1: cage 1 is split 2x and 1x"),
    ((port("swp99s0", cage="99"),), "leaf1: SN5600 has no cage 99"),
    ((port("swp2s0", cage="2", split=8, gbps=100),), "leaf1: cage 2 of SN5600 cannot be used split 8x at 100G"),
    (
        (port("swp1s0", split=8, gbps=100), port("swp2s0", cage="2")),
        "leaf1: cage 1 split 8x disables cage 2, which is in use",
    ),
    ((port("swp1s0", gbps=1000),), "leaf1: cage 1 of SN5600 cannot be used split 2x at 1000G"),
]


@pytest.mark.parametrize(("ports", "message"), PORTS, ids=range(len(PORTS)))
def test_L209_ports_that_the_switch_does_not_have(ports: tuple[Port, ...], message: str) -> None:
    wrong = device("leaf1", ports={item.name: item for item in ports})(fabric())
    assert message in codes(wrong, "L209")


@pytest.mark.parametrize(
    ("leaf", "node"),
    [
        ("10.64.0.0/31", "10.64.0.1/31"),
        ("10.64.0.1/31", "10.64.0.0/31"),
        ("fd00::/127", "fd00::1/127"),
        ("10.64.0.1/30", "10.64.0.2/30"),
        ("10.64.0.1/24", "10.64.0.254/24"),
        ("", ""),
    ],
)
def test_D07_both_ends_of_a_link_are_usable(leaf: str, node: str) -> None:
    good = address("n1", "rail1p1", node)(address("leaf1", "swp1s0", leaf)(fabric()))
    assert codes(good, "L203") == []


@pytest.mark.parametrize(
    ("leaf", "node", "message"),
    [
        ("10.1.0.0/24", "10.1.0.1/24", "leaf1 swp1s0: 10.1.0.0/24 is the network address of 10.1.0.0/24"),
        ("10.64.0.3/30", "10.64.0.2/30", "leaf1 swp1s0: 10.64.0.3/30 is the broadcast address of 10.64.0.0/30"),
        ("10.64.0.0/32", "10.64.0.1/31", f"leaf1 swp1s0: 10.64.0.0/32 has the length /32, {LOOPBACK}"),
        ("fd00::1/128", "fd00::2/127", f"leaf1 swp1s0: fd00::1/128 has the length /128, {LOOPBACK}"),
        ("10.64.0.0", "10.64.0.1/31", "leaf1 swp1s0: 10.64.0.0 has no prefix length"),
        ("010.0.0.1/31", "10.64.0.1/31", "leaf1 swp1s0: 010.0.0.1/31 is no address with a prefix length"),
        ("10.1/31", "10.64.0.1/31", "leaf1 swp1s0: 10.1/31 is no address with a prefix length"),
        ("10.64.0.0/31", "10.64.0.5/31", f"{LINK}: 10.64.0.5/31 and 10.64.0.0/31 are not in one subnet"),
        ("10.64.0.1/31", "10.64.0.1/31", "link n1 rail1p1 - leaf1 swp1s0: both ends are 10.64.0.1"),
        ("10.64.0.0/31", "", "link n1 rail1p1 - leaf1 swp1s0: leaf1 swp1s0 has an address and n1 rail1p1 has none"),
        ("", "10.64.0.1/31", "link n1 rail1p1 - leaf1 swp1s0: n1 rail1p1 has an address and leaf1 swp1s0 has none"),
    ],
)  # fmt: skip
def test_D07_what_no_interface_takes(leaf: str, node: str, message: str) -> None:
    wrong = address("n1", "rail1p1", node)(address("leaf1", "swp1s0", leaf)(fabric()))
    assert message in codes(wrong, "L203")


def test_a_finding_about_a_device_stands_at_the_line_that_made_it() -> None:
    loaded = intent()
    assert loaded.document is not None
    wrong = device("leaf2", loopback="10.255.0.1")(fabric())
    (finding,) = lint(loaded.document, loaded.sources, wrong)
    assert (str(finding.span), finding.device) == ("intent.yaml:6:19", "leaf2")
