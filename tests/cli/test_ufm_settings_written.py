"""`intent compile` writes what UFM's own files must say, and refuses what its manager does not know."""

from __future__ import annotations

from pathlib import Path

from command import intent
from ib_site import NODES, SPINES, UFM, guids_csv, site_text, workspace

from intent.catalog.subnet_managers import SubnetManagers
from intent.formats.opensm.conf import read_conf_strict
from intent.formats.opensm.guids import read_guid_list

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


def test_nothing_is_written_while_a_guid_is_missing(tmp_path: Path) -> None:
    folder = workspace(tmp_path, site_text(), guids_csv())
    assert intent("compile", "-C", folder).code == 0
    assert not (folder / "build/s/q/ufm").exists()


def test_an_engine_the_manager_does_not_know_stops_the_compiler(tmp_path: Path) -> None:
    text = site_text(manager=UFM.replace("by: ufm", "by: ufm, routing: nue"))
    said = intent("compile", "-C", workspace(tmp_path, text, KNOWN))
    assert said.code == 1 and "M002" in said.out + said.err
