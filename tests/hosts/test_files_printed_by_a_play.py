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


def test_a_large_file_is_read_whole(tmp_path: Path) -> None:
    """The runner's callback empties results that are longer than 700,000 characters unless it is told otherwise."""
    text = "Default=0x7fff : ALL=limited, SELF=full ;\n" * 40_000
    (tmp_path / "partitions.conf").write_text(text, encoding="utf-8")
    common = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    asked = {**common, "opensm_root": str(tmp_path), "opensm_paths": ["/partitions.conf"]}
    seen = PlaybookRun()(PLAY, {"h": asked}, deadline_s=120)["h"]
    assert list(seen.read.values()) == [text]


@pytest.mark.parametrize(
    ("name", "tasks"),
    [
        ("opensm", 3), ("opensm_confirm", 1), ("opensm_diags", 1), ("opensm_read", 1), ("opensm_revert", 1),
        ("opensm_status", 1), ("rails", 2), ("rails_confirm", 1), ("rails_read", 1), ("rails_revert", 1),
        ("rails_status", 1), ("ufm_read", 1),
    ],
)  # fmt: skip
def test_a_play_takes_few_tasks(name: str, tasks: int) -> None:
    """A task takes a round trip and, with a module, half a second of its host's time; check mode may take more."""
    text, _, _ = (PLAY.parent / f"{name}.yml").read_text(encoding="utf-8").partition("ansible.builtin.meta: end_host")
    assert text.count("ansible.builtin.") == tasks
    assert text.count("loop:") == 0
