"""Tenants through a whole workspace: the shipped example, boundaries that agree, full tables, findings told."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from ib_site import fabric_text, guid, guids_csv, settled, site_text, workspace

from intent.catalog.hardware import Catalog
from intent.core.diagnostic import Diagnostic
from intent.core.errors import DiagnosticError
from intent.device.nmx.model import At
from intent.device.nmx.model import from_tree as nmx_places
from intent.device.ufm.partitions import from_tree
from intent.report.tables import partitions
from intent.workspace.compile import Compiled, after_prune, check, compile_site
from intent.workspace.files import Workspace

EXAMPLE = Path(__file__).parents[2] / "examples" / "ib-tenants"
RACKS = """\
version: 1
name: t
sites:
  s:
    racks: [{name: "g{1..2}", type: gb200-nvl72}]
    fabrics:
      q: FABRIC
tenants:
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return shutil.copytree(EXAMPLE, tmp_path / "site")


def compiled(folder: Path) -> Compiled:
    return compile_site(Workspace.open(folder), Catalog.load())


def found(folder: Path, code: str = "") -> list[Diagnostic]:
    return [item for item in check(Workspace.open(folder), Catalog.load()).diagnostics if item.code.startswith(code)]


def racks(tenants: str) -> str:
    return RACKS.replace("FABRIC", fabric_text(guids="").replace('nodes: "n*"', 'racks: "g*"')) + tenants


# --- the example


def test_the_example_compiles_without_a_finding_to_whole_partitions(example: Path) -> None:
    work = compiled(example)
    assert {(item.code, str(item.severity)) for item in work.diagnostics} == {
        ("L353", "info"),  # no size of QM9700's tables of keys is public
        ("M006", "info"),  # nobody told the GUIDs of the spines, so the files of UFM's hosts are left alone
    }
    assert "ufm1" not in work.artifacts
    held = from_tree(work.artifacts["quantum-ufm"].body, "quantum")
    assert {key: len(item.members) for key, item in held.items()} == {1: 27 * 4, 2: 9 * 4, 0x100: 9 * 4}
    assert held[1].members.keys().isdisjoint(held[2].members)
    assert {kind.membership for kind in held[1].members.values()} == {"full"}
    assert sum(kind.membership == "full" for kind in held[0x100].members.values()) == 4
    assert [(item.tenant, item.domain, len(item.gpus)) for item in work.nvlink] == [
        ("physics", "ibg01", 72),
        ("physics", "ibg02", 36),
        ("biology", "ibg02", 36),
    ]
    rows = partitions(work.partitions, work.nvlink).rows
    assert rows[0] == ("physics", "train", "quantum", "0x8001", "27", "108", "0", "", "")
    assert rows[-1] == ("biology", "nvlink", "ibg02", "", "", "36", "", "", "GPUs")


def test_the_example_gives_nmx_m_the_same_boundary(example: Path) -> None:
    work = compiled(example)
    artifact = work.artifacts["nmx1"]
    assert (artifact.platform, work.controllers["nmx1"].address) == ("nmx", "10.6.3.30")
    one, two = (f"3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a0{number}" for number in (1, 2))
    assert artifact.owned == (("domain", one), ("domain", two))
    places = nmx_places(artifact.body)
    assert {(at.domain, at.name): len(held) for at, held in places.items()} == {
        (one, "physics"): 72,
        (two, "physics"): 36,
        (two, "biology"): 36,
    }
    assert "1.9.1.4" in places[At(two, "physics")]
    assert "1.10.1.1" in places[At(two, "biology")]
    origin = artifact.why(("domain", two, "partition", "biology", "member", "1.10.1.1"))
    assert origin is not None
    assert str(origin.span).startswith("intent.yaml:")


def test_a_rack_whose_domain_is_unknown_is_told_and_left_alone(example: Path) -> None:
    text = (example / "intent.yaml").read_text(encoding="utf-8")
    one = text.replace(", ibg02: 3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a02", "")
    (example / "intent.yaml").write_text(one, encoding="utf-8")
    work = compiled(example)
    assert {item.code for item in found(example)} == {"L312", "L353", "M006"}
    assert list(work.artifacts["nmx1"].body["domain"]) == ["3f0c2a5e-7d41-4a3b-9a55-0c1d2e3f4a01"]


def test_pruning_keeps_the_keys_of_partitions_that_exist(example: Path) -> None:
    work = compiled(example)
    assert after_prune(work, Catalog.load()).lock is not None
    assert work.lock.pruned().held["pkey"] == work.lock.held["pkey"]


# --- one boundary


def test_trays_of_two_tenants_in_one_nvlink_partition_are_refused(tmp_path: Path) -> None:
    """One tenant asks for its NVLink partition, the other does not: what is left is not one tenant's."""
    text = racks(
        '  a: {nodes: "g1-{01..06}", partitions: {t: {fabric: q}}, nvlink: {}}\n'
        '  b: {nodes: "g1-{07..12}", partitions: {t: {fabric: q}}}\n'
    )
    folder = workspace(tmp_path, text)
    (refused,) = (item for item in found(folder) if item.severity == "error")
    assert refused.code == "L308" and refused.span is not None
    with pytest.raises(DiagnosticError, match="L308"):
        compiled(folder)
    waved = text.replace("q}}}\n", "q}}}    # intent: ignore[L308] only this tenant has InfiniBand\n")
    (folder / "intent.yaml").write_text(waved, encoding="utf-8")
    (refused,) = (item for item in found(folder) if item.severity == "error")
    assert refused.code == "F065", "a comment takes out the rule, never the judgement of what was compiled"
    assert "the default NVLink partition - its trays are of different tenants" in refused.message
    with pytest.raises(DiagnosticError, match="F065"):
        compiled(folder)


@pytest.mark.parametrize(
    "tenants",
    [
        '  a: {nodes: "g1", partitions: {t: {fabric: q}}, nvlink: {}}\n',
        '  a: {nodes: "g1-{01..09}", partitions: {t: {fabric: q}}, nvlink: {}}\n'
        '  b: {nodes: "g1-{10..18} g2", partitions: {t: {fabric: q}}, nvlink: {}}\n',
        '  a: {nodes: "g1-{01..09}", partitions: {t: {fabric: q}, u: {fabric: q}}, nvlink: {}}\n',
    ],
)
def test_boundaries_that_agree_are_no_finding(tmp_path: Path, tenants: str) -> None:
    assert found(workspace(tmp_path, racks(tenants)), "F") == []


@pytest.mark.parametrize(
    ("most", "groups", "code", "words"),
    [
        ("multicast_groups: 32", (16, 16), "", ""),
        ("multicast_groups: 31", (16, 16), "F063", "expected at most 31, actual 32 (a 16, b 16)"),
        ("", (16, 0), "F069", "16 asked for, the maximum of the domain is not known"),
    ],
)
def test_multicast_groups_of_all_tenants_of_a_rack_fit_the_domain(
    tmp_path: Path, most: str, groups: tuple[int, int], code: str, words: str
) -> None:
    shares = (("a", "{01..09}", groups[0]), ("b", "{10..18}", groups[1]))
    tenants = "".join(
        f'  {name}: {{nodes: "g1-{trays}", partitions: {{t: {{fabric: q}}}}, nvlink: {{multicast_groups: {count}}}}}\n'
        for name, trays, count in shares
    )
    text = racks(tenants).replace("    fabrics:\n", f"    nvlink: {{{most}}}\n    fabrics:\n")
    problems = found(workspace(tmp_path, text), "F")
    assert [item.code for item in problems] == [code] * bool(code)
    assert all(words in item.message for item in problems)
    assert {item.code for item in found(tmp_path, "L31")} == {"L312", "L316"}, "and they are told not to be sent"


# --- findings over compiled partitions


def test_what_is_not_learnt_is_told_once_per_partition(tmp_path: Path) -> None:
    (finding,) = found(workspace(tmp_path, guids=guids_csv(["n1", "n3", "n4"])), "L351")
    assert str(finding.span).startswith("intent.yaml:9:")
    assert finding.message == (
        "partition physics-train: GUIDs of 8 of 16 ports are not learnt (n2 rail1 …): it is not rendered"
    )
    assert finding.hint == "put them into the file of fabric q: guids: FILE.csv"


@pytest.mark.parametrize(("count", "expected"), [(127, 0), (128, 1)])
def test_a_table_that_is_full_is_an_error(tmp_path: Path, count: int, expected: int) -> None:
    """A port of these cards holds 128 keys, the default partition's among them."""
    listed = ", ".join(f"p{number}: {{fabric: q}}" for number in range(count))
    text = site_text(f'tenants:\n  a: {{nodes: "n1", partitions: {{{listed}}}}}\n')
    problems = found(workspace(tmp_path, text), "L352")
    assert len(problems) == expected
    assert all("is in 128 partitions and the default one - its table holds 128 keys" in i.message for i in problems)


def test_what_no_figure_is_known_of_is_told_once_per_model(tmp_path: Path) -> None:
    (remark,) = found(workspace(tmp_path), "L353")
    assert (str(remark.severity), str(remark.span)) == ("info", "intent.yaml:7:63")
    assert remark.message == (
        "QM9700: how many partition keys a port of it holds is not known - q-r1-l01 IB1/1/1 needs 2: not judged"
    )
    text = site_text().replace("type: dgx-h100", "type: dgx-h100, nics: {east-west: {model: BlueField-3}}")
    models = [item.message.partition(":")[0] for item in found(workspace(tmp_path, text), "L353")]
    assert models == ["QM9700", "BlueField-3"], "a card of which no size is known is no card of 128"


def test_a_known_table_of_a_switch_port_that_is_full_is_an_error(tmp_path: Path) -> None:
    catalog = Catalog.load()
    model = catalog.switch("QM9700")
    assert model.infiniband is not None
    small = replace(model, infiniband=replace(model.infiniband, pkeys=2))
    known = replace(catalog, switches={**catalog.switches, "QM9700": small})
    work = Workspace.open(
        workspace(tmp_path, site_text("tenants:\n  a: {nodes: n1, partitions: {u: {fabric: q}, v: {fabric: q}}}\n"))
    )
    found = [str(item) for item in check(work, known).diagnostics if item.code in ("L352", "L353")]
    assert len(found) == 1
    assert "L352: q-r1-l01 IB1/1/1 is in 2 partitions and the default one - its table holds 2 keys" in found[0]


def test_a_guid_in_two_fabrics_shows_both_places(tmp_path: Path) -> None:
    one = fabric_text(attach="n{1..2}")
    other = fabric_text(attach="n{3..4}", guids="guids/p.csv").replace("u1", "v1").replace("u2", "v2")
    text = site_text("").replace(fabric_text(), one) + f"      p: {other}\n"
    folder = workspace(tmp_path, text, guids_csv(["n1", "n2"]))
    told = guids_csv(["n3", "n4"])
    (folder / "guids" / "p.csv").write_text(told, encoding="utf-8")
    assert found(folder, "G") == []
    (folder / "guids" / "p.csv").write_text(told.replace(guid("n3", 1), guid("n1", 1)), encoding="utf-8")
    (finding,) = found(folder, "G")
    assert finding.code == "G003"
    assert (str(finding.span), str(finding.related[0][0])) == ("guids/p.csv:2:1", "guids/s.csv:2:1")


def test_a_guid_in_two_sites_is_an_error(tmp_path: Path) -> None:
    text = site_text("")
    pools = "    pools: {loopbacks: 10.254.0.0/18, hosts: 10.96.0.0/12, asns: 4200200000-4200299999}\n"
    other = text[text.index("  s:\n") :].replace("  s:\n", f"  t:\n{pools}").replace("guids/s.csv", "guids/t.csv")
    folder = workspace(tmp_path, text + other)
    (folder / "guids" / "t.csv").write_text(guids_csv(["n4"]), encoding="utf-8")
    (finding,) = found(folder, "G")
    assert finding.message == f"GUID 0x{guid('n4', 1)} of t/n4 rail1 is that of s/n4 rail1 too"
    for site in ("s", "t"):
        with pytest.raises(DiagnosticError, match="of t/n4 rail1 is that of s/n4 rail1 too"):
            compile_site(Workspace.open(folder), Catalog.load(), site)
    apart = guids_csv(["n4"]).replace("0002c903", "0002c904")
    (folder / "guids" / "t.csv").write_text(apart, encoding="utf-8")
    assert compile_site(Workspace.open(folder), Catalog.load(), "t").name == "t"


def test_a_guid_of_a_switch_in_two_sites_is_an_error(tmp_path: Path) -> None:
    text = site_text("")
    pools = "    pools: {loopbacks: 10.254.0.0/18, hosts: 10.96.0.0/12, asns: 4200200000-4200299999}\n"
    other = text[text.index("  s:\n") :].replace("  s:\n", f"  t:\n{pools}").replace("guids/s.csv", "guids/t.csv")
    told = guids_csv([], switches=["q-s01"])
    folder = workspace(tmp_path, text + other, told)
    (folder / "guids" / "t.csv").write_text(told, encoding="utf-8")
    (finding,) = found(folder, "G")
    assert finding.message.endswith("of t/q-s01 is that of s/q-s01 too")
    with pytest.raises(DiagnosticError, match="G003"):
        compile_site(Workspace.open(folder), Catalog.load(), "s")


def test_one_file_may_tell_of_two_fabrics(tmp_path: Path) -> None:
    one, other = fabric_text(attach="n{1..2}"), fabric_text(attach="n{3..4}").replace("u1", "v1").replace("u2", "v2")
    text = site_text("").replace(fabric_text(), one) + f"      p: {other}\n"
    assert found(workspace(tmp_path, text), "G") == []


def test_a_file_outside_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    folder = workspace(tmp_path / "site")
    (tmp_path / "else.csv").write_text(guids_csv(), encoding="utf-8")
    (folder / "guids" / "s.csv").unlink()
    (folder / "guids" / "s.csv").symlink_to(tmp_path / "else.csv")
    with pytest.raises(DiagnosticError) as refused:
        compiled(folder)
    assert "G005" in {item.code for item in refused.value.diagnostics}


def test_tenants_of_a_site_without_infiniband_are_no_trouble(tmp_path: Path) -> None:
    text = (
        "version: 1\nname: t\nsites: {s: {nodes: [{name: n1, type: dgx-b300}], fabrics: {e: {topology: "
        "{leaf: SN5600, spine: SN5600, planes: 2, link: 400G}, attach: {nodes: n1}}}}}\n"
        'tenants: {a: {nodes: "s/n1"}}\n'
    )
    work = compiled(workspace(tmp_path, text))
    assert list(work.partitions) == []
    assert work.controllers == {}


def test_a_thousand_nodes_take_seconds() -> None:
    """Members of 200 partitions over 5,000 ports are worked out in linear time."""
    import time

    text = site_text("").replace("n{1..4}", "n{1..640}").replace("guids: guids/s.csv, ", "")
    listed = ", ".join(f"p{number}: {{fabric: q}}" for number in range(100))
    text += f'tenants:\n  a: {{nodes: "n*", partitions: {{{listed}}}}}\n'
    before = time.process_time()
    result = settled(text)
    assert sum(len(item.members) for item in result.partitions) == 640 * 8 * 100
    assert time.process_time() - before < 20
