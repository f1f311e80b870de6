"""IMEX's list of nodes: all trays of an NVLink partition get the same one, or none of them gets one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import intent

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic
from intent.core.errors import DiagnosticError
from intent.core.exitcode import ExitCode
from intent.formats.imex import parse
from intent.render.hosts import host_artifacts, host_defaults
from intent.render.imex import ImexDomain
from intent.report.imex import told
from intent.workspace.compile import Compiled, check, compile_site
from intent.workspace.files import Workspace

EXAMPLE = Path(__file__).parents[2] / "examples" / "ib-tenants"
ETHERNET = """\
version: 1
name: t
sites:
  s:
    racks: [{name: g1, type: gb200-nvl72}]
    fabrics:
      e: {topology: {leaf: SN5600, spine: SN5600}, attach: {racks: "g*", nics: east-west}}
    nvlink: {domains: {g1: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a01}, imex: e}
tenants: {a: {nodes: "g1-{01..02}", nvlink: {}}, b: {nodes: g1-03, nvlink: {}}}
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return shutil.copytree(EXAMPLE, tmp_path / "site")


def compiled(folder: Path) -> Compiled:
    return compile_site(Workspace.open(folder), Catalog.load())


def found(folder: Path) -> list[Diagnostic]:
    return [item for item in check(Workspace.open(folder), Catalog.load()).diagnostics if item.code[0] in "IW"]


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def test_every_tray_of_a_partition_holds_the_same_list_and_no_other_tray_is_in_it(example: Path) -> None:
    imex = compiled(example).imex
    assert [(item.partition, item.rack, len(item.trays)) for item in imex.domains] == [
        ("physics", "ibg01", 18),
        ("physics", "ibg02", 9),
        ("biology", "ibg02", 9),
    ]
    (_, left, right) = imex.domains
    assert left.addresses == tuple(f"10.6.2.{number}" for number in range(11, 20))
    assert set(left.addresses).isdisjoint(right.addresses)
    for domain in imex.domains:
        assert parse(domain.text).findings == ()
        assert {imex.by_tray[tray].sha256 for tray in domain.trays} == {domain.sha256}


def test_compile_lists_them_and_why_names_the_line_of_the_tenant(example: Path) -> None:
    said = intent("compile", "-C", example)
    assert said.code == ExitCode.OK, said.err
    assert "IMEX: nodes_config.cfg of 36 trays in 3 NVLink partitions" in said.out
    files = {
        path.read_text() for path in (example / "build/ref6").glob("ibg02-1*/files/etc/nvidia-imex/nodes_config.cfg")
    }
    assert len(files) == 1, "ibg02-10 to ibg02-18 are one tenant's"
    assert intent("compile", "-C", example).code == ExitCode.OK, "an earlier output of ours is replaced"
    why = intent("why", "ibg02-10", "imex.addresses", "-C", example)
    assert "'10.6.2.20', '10.6.2.21'" in why.out
    assert "intent.yaml:38:5  (NVLink partition biology of rack ibg02)" in why.out


def test_a_tray_without_an_address_keeps_the_list_from_its_whole_partition_and_from_no_other(example: Path) -> None:
    edit(example, "inventory/nodes.csv", "ibg02-12,10.6.2.22\n", "")
    (finding,) = found(example)
    assert (finding.code, str(finding.severity), str(finding.span)) == ("I010", "warning", "intent.yaml:27:13")
    assert finding.message == (
        "NVLink partition biology of rack ibg02: 1 of 9 trays have no address on management (ibg02-12): "
        "nodes_config.cfg is not rendered"
    )
    assert "inventory/nodes.csv" in finding.hint
    assert [item.partition for item in compiled(example).imex.domains] == ["physics", "physics"]


@pytest.mark.parametrize(
    ("address", "words"), [("10.6.2.23", "stands in line"), ("fd00::1", "IPv4 and of IPv6"), ("127.0.0.1", "cannot be")]
)
def test_addresses_that_make_no_list_are_an_error(example: Path, address: str, words: str) -> None:
    edit(example, "inventory/nodes.csv", "ibg02-12,10.6.2.22\n", f"ibg02-12,{address}\n")
    (finding,) = found(example)
    assert (finding.code, str(finding.severity)) == ("I011", "error")
    assert words in finding.message
    with pytest.raises(DiagnosticError, match="I011"):
        compiled(example)


def test_a_damaged_list_of_nodes_is_told_with_its_line(example: Path) -> None:
    edit(example, "inventory/nodes.csv", "ibg02-12,10.6.2.22\n", "ibg02-12,nonsense\n")
    (finding,) = found(example)
    assert (finding.code, finding.span and finding.span.file) == ("W001", "inventory/nodes.csv")


def test_an_ethernet_fabric_gives_the_first_address_of_each_tray(tmp_path: Path) -> None:
    (tmp_path / "intent.yaml").write_text(ETHERNET, encoding="utf-8")
    work = compiled(tmp_path)
    node = work.fabric.devices["g1-01"]
    first = next(port.address for port in node.ports.values() if port.address).partition("/")[0]
    assert first in work.imex.by_tray["g1-01"].addresses
    assert work.imex.by_tray["g1-03"].addresses != work.imex.by_tray["g1-01"].addresses
    body = host_artifacts(work.fabric, host_defaults(), work.imex)["g1-01"].body
    assert body["rails"] and body["imex"]["addresses"] == list(work.imex.by_tray["g1-02"].addresses)


def test_nothing_is_said_and_nothing_is_written_where_imex_is_not_asked_for(example: Path) -> None:
    edit(example, "intent.yaml", "      imex: management\n", "")
    work = compiled(example)
    assert work.imex.domains == ()
    assert host_artifacts(work.fabric, host_defaults(), work.imex) == {}


DOMAIN = ImexDomain("physics", "g1", ("n1", "n2", "n3"), ("10.0.0.1", "10.0.0.2", "10.0.0.3"))
SAME = (DOMAIN.sha256, "")


@pytest.mark.parametrize(
    ("hashes", "code", "words"),
    [
        ({"n1": SAME, "n2": SAME, "n3": SAME}, ExitCode.OK, "identical on 3 trays"),
        ({"n1": SAME, "n2": SAME, "n3": ("", "")}, ExitCode.FINDINGS, "1 of 3 trays have another list or none (n3)"),
        ({"n1": SAME, "n2": ("ab", ""), "n3": ("", "off")}, ExitCode.FINDINGS, "(n2)"),
        ({"n1": SAME, "n2": SAME, "n3": ("", "no route")}, ExitCode.UNKNOWN, "could not be read (n3): no route"),
        ({"n1": ("ab", ""), "n2": ("ab", ""), "n3": ("ab", "")}, ExitCode.FINDINGS, "3 of 3 trays"),
        ({"n1": SAME, "n2": SAME}, ExitCode.UNKNOWN, "not asked"),
    ],
)
def test_lists_are_compared_by_hash_and_what_was_not_read_is_never_alike(
    hashes: dict[str, tuple[str, str]], code: ExitCode, words: str
) -> None:
    said = told([DOMAIN], hashes)
    assert said.exit_code is code
    assert words in said.text.plain
