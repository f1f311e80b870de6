"""`intent compile` writes what UFM's own files must say, and refuses what its manager does not know."""

from __future__ import annotations

from pathlib import Path

from command import intent
from ib_site import NODES, RAILS, SPINES, UFM, guids_csv, site_text, workspace

from intent.catalog.subnet_managers import SubnetManagers
from intent.formats.opensm.conf import read_conf_strict
from intent.formats.opensm.guids import read_guid_list

ALL_SWITCHES = (*(f"q-r{rail}-l01" for rail in range(1, RAILS + 1)), *SPINES)
KNOWN = guids_csv((*NODES,), ("u1", "u2"), SPINES)


def test_settings_are_written_once_every_guid_is_known(tmp_path: Path) -> None:
    folder = workspace(tmp_path, site_text(), KNOWN)
    assert intent("compile", "-C", folder).code == 0
    written = folder / "build/s/q/ufm"
    options = read_conf_strict((written / "opensm.conf").read_bytes(), SubnetManagers().manager("nvidia"))
    assert (options["routing_engine"], options["m_key_protection_level"]) == ("ar_updn", "2")
    assert len(options["allowed_sm_guids"].split(",")) == 2
    guids, wrong = read_guid_list((written / "root_guid.conf").read_bytes())
    assert (len(guids), wrong) == (len(SPINES), ())
    assert "default_membership = limited\n" in (written / "gv.cfg").read_text()
    assert intent("compile", "-C", folder).code == 0, "what was written is ours to replace"


def test_extension_and_static_topology_are_written_for_every_host(tmp_path: Path) -> None:
    manager = UFM.replace(
        "by: ufm", 'by: ufm, topoconfig: true, extension: "backup=0x0200 : 0x0002c90300000001=both ;"'
    )
    folder = workspace(tmp_path, site_text(manager=manager), guids_csv((*NODES,), ("u1", "u2"), ALL_SWITCHES))
    assert intent("compile", "-C", folder).code == 0
    for host in ("u1", "u2"):
        files = folder / "build/s" / host / "files/opt/ufm/files/conf"
        assert "backup=0x0200" in (files / "partitions.conf.user_ext").read_text()
        assert (files / "opensm/topoconfig.conf").read_text() == (folder / "build/s/q/topoconfig.conf").read_text()
    partly = intent("compile", "-C", workspace(tmp_path / "part", site_text(manager=manager), KNOWN))
    assert partly.code == 0 and "M017" in partly.out + partly.err
    taken = manager.replace("0x0200", "0x0001")
    said = intent("compile", "-C", workspace(tmp_path / "taken", site_text(manager=taken), KNOWN))
    assert said.code == 1 and "M016" in said.out + said.err and "partition physics-train too" in said.out + said.err


def test_nothing_is_written_while_a_guid_is_missing(tmp_path: Path) -> None:
    folder = workspace(tmp_path, site_text(), guids_csv())
    assert intent("compile", "-C", folder).code == 0
    assert not (folder / "build/s/q/ufm").exists()


def test_an_engine_the_manager_does_not_know_stops_the_compiler(tmp_path: Path) -> None:
    text = site_text(manager=UFM.replace("by: ufm", "by: ufm, routing: nue"))
    said = intent("compile", "-C", workspace(tmp_path, text, KNOWN))
    assert said.code == 1 and "M002" in said.out + said.err
