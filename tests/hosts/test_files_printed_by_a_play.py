"""One task reads all files of a host: what is there comes as it is, what is not is absent, the rest is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from intent.device.playbook import HostStatus, PlaybookRun

PLAY = Path(__file__).parents[2] / "playbooks" / "opensm_read.yml"
TEXTS = {"/etc/a": "one\ntwo\n", "/etc/with space": "@@ file /etc/a\nQQ==\n", "/etc/empty": ""}


def test_files_are_read_absent_or_a_failure(tmp_path: Path) -> None:
    root = tmp_path / "it's root"
    (root / "etc" / "folder").mkdir(parents=True)
    for path, text in TEXTS.items():
        (root / path.lstrip("/")).write_text(text, encoding="utf-8")
    common = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable, "opensm_become": False}
    hosts = {
        "good": {**common, "opensm_root": str(root), "opensm_paths": [*TEXTS, "/etc/nowhere", "/nowhere/at/all"]},
        "folder": {**common, "opensm_root": str(root), "opensm_paths": ["/etc/a", "/etc/folder"]},
        "no-folder": {**common, "opensm_root": "/dev/null", "opensm_paths": ["/etc/a"]},
    }
    seen = PlaybookRun()(PLAY, hosts, deadline_s=120)
    assert seen["good"].status is HostStatus.OK, seen["good"].detail
    assert dict(seen["good"].read) == {f"{root}{path}": text for path, text in TEXTS.items()}
    assert seen["good"].changed == ()
    for name, why in (("folder", "Is a directory"), ("no-folder", "Not a directory")):
        assert seen[name].status is HostStatus.FAILED
        assert why in seen[name].detail


def test_what_is_damaged_is_no_file_that_is_not_there(tmp_path: Path) -> None:
    play = tmp_path / "play.yml"
    play.write_text(
        "- hosts: all\n  gather_facts: false\n  tasks:\n"
        "    - name: Print\n      ansible.builtin.command: {argv: [printf, '@@ file /etc/a\\nQQ=\\n']}\n",
        encoding="utf-8",
    )
    common = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    seen = PlaybookRun()(play, {"h": common}, deadline_s=120)["h"]
    assert (seen.status, dict(seen.read)) == (HostStatus.FAILED, {})
    assert "damaged" in seen.detail


@pytest.mark.parametrize("name", ["opensm_read.yml", "opensm_diags.yml"])
def test_a_play_that_reads_takes_one_task(name: str) -> None:
    """Every task costs a round trip and half a second of its host's time."""
    assert (PLAY.parent / name).read_text(encoding="utf-8").count("ansible.builtin.") == 1
