"""Topology files of compiled fabrics: every link in every form, placeholders only where nothing obeys them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from infiniband_sites import NVL72, UFM, XDR, ib_text
from site_builder import catalog, fabric_of

from intent.fabric.model import Device, Fabric, Network, Port, Tier
from intent.formats.ib.names import read_names
from intent.formats.ib.ndt import read_ndt
from intent.formats.ib.netdiscover import read_topology
from intent.formats.ib.topoconfig import read_topoconfig
from intent.formats.ib.topology import NodeKind
from intent.render.ib import HOSTS_NDT, NAMES, SWITCHES_NDT, TOPOCONFIG, TOPOLOGY, placeholder, topology_files

TEXTS = [
    ib_text(15, topology="{unit: {nodes: 8}, leaf: QM9700, spine: QM9700}", manager=UFM),
    ib_text(16, "dgx-b300", XDR.replace("72", "8"), "xdr", UFM),
    ib_text(3, "gb200-nvl72", NVL72.replace("racks: 8", "racks: 2")),
    ib_text(10, "dgx-a100", "{unit: {nodes: 10}, leaf: QM8790, spine: QM8700}", "hdr"),
    ib_text(3, "gb200-nvl72", "{design: dragonfly-plus, unit: {racks: 1, planned: 3}, leaf: QM9700, spine: QM9700}"),
]


def learnt(fabric: Fabric) -> Fabric:
    """The fabric as when a file told every GUID."""
    number = 0x946DAE0300000000
    devices: dict[str, Device] = {}
    for name, device in fabric.devices.items():
        ports: dict[str, Port] = {}
        for key, port in device.ports.items():
            number += 1
            ports[key] = port if device.is_switch else replace(port, guid=f"{number:016x}")
        number += 1
        devices[name] = replace(device, ports=ports, guid=f"{number:016x}" if device.is_switch else "")
    return Fabric(fabric.site, devices, fabric.links)


@pytest.mark.parametrize("text", TEXTS, ids=["ndr", "xdr", "nvl72", "hdr", "dragonfly+"])
def test_every_link_in_every_form(text: str) -> None:
    fabric = fabric_of(text)
    (made,) = topology_files(fabric, catalog())
    read = read_topology(made.files[TOPOLOGY], TOPOLOGY)
    assert read.diagnostics == ()
    assert sum(1 for _ in read.topology.links()) == len(fabric.links)
    switches = [node for node in read.topology.nodes if node.kind is NodeKind.SWITCH]
    assert len(switches) == len(fabric.switches)
    between, found = read_ndt(made.files[SWITCHES_NDT], SWITCHES_NDT)
    hosts, more = read_ndt(made.files[HOSTS_NDT], HOSTS_NDT)
    assert (found, more) == ((), ())
    assert len(between) + len(hosts) == len(fabric.links)
    assert len(hosts) == sum(link.tier is Tier.HOST for link in fabric.links)
    assert topology_files(fabric_of(text), catalog()) == (made,)


def test_speeds_and_descriptions_are_the_fields() -> None:
    found = {}
    for text, name in zip(TEXTS, ("ndr", "xdr", "nvl72", "hdr", "dragonfly"), strict=True):
        (made,) = topology_files(fabric_of(text), catalog())
        nodes = read_topology(made.files[TOPOLOGY], TOPOLOGY).topology.nodes
        found[name] = (nodes[0].description, nodes[0].ports, {cable.rate for node in nodes for cable in node.cables})
    assert found["ndr"] == ("MF0;q-r1-l01:MQM9700/U1", 65, {"4xNDR"})
    assert found["xdr"] == ("MF0;q-r1-l01:Q3400_RA/U1", 146, {"4xXDR", "4xNDR"})  # UFM at 400G on its port apart
    assert found["hdr"] == ("Quantum Mellanox Technologies", 41, {"4xHDR"})


def test_without_guids_nothing_obeys_a_placeholder() -> None:
    (made,) = topology_files(fabric_of(TEXTS[0]), catalog())
    assert set(made.files) == {TOPOLOGY, SWITCHES_NDT, HOSTS_NDT}
    assert any(TOPOCONFIG in note and "GUIDs are not known" in note for note in made.notes)
    assert "placeholders for GUIDs" in made.files[TOPOLOGY].splitlines()[1]
    assert placeholder("q-r1-l01").startswith("02") and len(placeholder("x")) == 16


def test_with_guids_every_file_is_there_and_has_them() -> None:
    fabric = learnt(fabric_of(TEXTS[0]))
    (made,) = topology_files(fabric, catalog())
    assert made.notes == ()
    links, found = read_topoconfig(made.files[TOPOCONFIG], TOPOCONFIG)
    assert found == () and len(links) == len(fabric.links)
    names, found = read_names(made.files[NAMES], NAMES)
    assert found == () and set(names.values()) == {switch.name for switch in fabric.switches}
    assert "placeholder" not in made.files[TOPOLOGY]
    (xdr,) = topology_files(learnt(fabric_of(TEXTS[1])), catalog())
    assert TOPOCONFIG not in xdr.files and "several chips" in xdr.notes[0]


def test_a_guid_that_was_told_names_the_node() -> None:
    fabric = learnt(fabric_of(TEXTS[0]))
    (made,) = topology_files(fabric, catalog())
    node = fabric.devices["n0001"]
    guid = node.ports["rail1"].guid
    by_id = read_topology(made.files[TOPOLOGY], TOPOLOGY).topology.by_id
    assert by_id[f"H-{guid}"].description == "n0001 mlx5_0"
    assert by_id[f"H-{guid}"].cables[0].guid == guid


def test_fabrics_of_one_site_have_files_of_their_own_and_ethernet_none() -> None:
    text = ib_text(4).rstrip("\n") + (
        "\n      e:\n        topology: {leaf: SN5600, spine: SN5600, link: 200G}\n"
        "        attach: {nodes: 'n*', nics: north-south}\n"
    )
    fabric = fabric_of(text)
    assert [made.fabric for made in topology_files(fabric, catalog())] == ["q"]
    assert topology_files(fabric.only(Network.ETHERNET), catalog()) == ()
    (made,) = topology_files(fabric, catalog())
    assert "ns1p1" not in made.files[HOSTS_NDT]
