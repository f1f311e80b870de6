"""Files go to a host whole or not at all, whatever they hold and are called, and come back as they were."""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import throwaway_sshd
from host_bench import PLAYBOOKS, by_ssh

from intent.device.playbook import HostReport, HostStatus, PlaybookRun

KEY = "0x00000000beefcafe"
BEFORE = {
    "/etc/plain": "one\ntwo\n",
    '/etc/it\'s "a\\b" $(id) *.x': "no end of line",
    "/etc/empty": "",
    "/etc/same": "stays\n",
}
AFTER = {
    "/etc/plain": f"sm_key {KEY}\n",
    '/etc/it\'s "a\\b" $(id) *.x': "\n\nzwölf\t\\n 'x'\n\n",
    "/etc/empty": "no longer\n" * 30_000,
    "/etc/same": "stays\n",
    "/etc/new folder/new": "",
}


class Hosts:
    """Folders that stand for hosts, and what is to be written on each."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.roots = {name: folder / f"{name}'s root" for name in names}
        self.sources = folder / "sources"
        self.sources.mkdir()
        for root in self.roots.values():
            for path, text in BEFORE.items():
                file = root / path.lstrip("/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                file.chmod(0o640)

    def staged(self, path: str, text: str, **more: Any) -> dict[str, Any]:
        source = self.sources / str(len(list(self.sources.iterdir())))
        source.write_text(text, encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        return {"path": path, "source": str(source), "sha256": digest, "secret": KEY in text, **more}

    def run(self, play: str, check: bool = False, **files: list[dict[str, Any]]) -> dict[str, HostReport]:
        common = {
            "ansible_connection": "local", "ansible_python_interpreter": sys.executable, "opensm_handle": "h1",
            "opensm_action": "hup", "opensm_hup": ["true"],
        }  # fmt: skip
        hosts = {
            name: {**common, "opensm_root": str(root), "opensm_files": files.get(name, [])}
            for name, root in self.roots.items()
        }
        return PlaybookRun()(PLAYBOOKS / f"{play}.yml", hosts, deadline_s=120, check=check)

    def held(self, name: str) -> dict[str, tuple[str, int]]:
        root = self.roots[name]
        return {
            f"/{path.relative_to(root)}": (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777)
            for path in root.rglob("*")
            if path.is_file() and "/var/lib/" not in str(path)
        }


def test_all_files_of_a_host_or_none(tmp_path: Path) -> None:
    names = ("good", "damaged", "link", "moved")
    hosts = Hosts(tmp_path, *names)
    was = hosts.held("good")
    (hosts.roots["link"] / "etc/plain").unlink()
    (hosts.roots["link"] / "etc/plain").symlink_to("same")
    files = {name: [hosts.staged(path, text) for path, text in AFTER.items()] for name in names}
    files["damaged"][1]["sha256"] = "0" * 64
    files["moved"][1]["was"] = "0" * 64
    seen = hosts.run("opensm", **files)
    assert (seen["good"].status, seen["good"].detail, seen["good"].changed) == (HostStatus.OK, "", ("Put in place",))
    new = {path: (text, 0o600 if KEY in text else 0o644) for path, text in AFTER.items() if path not in BEFORE}
    assert hosts.held("good") == {path: (AFTER[path], 0o640) for path in BEFORE} | new
    for name, why in (("damaged", "did not arrive as it was sent"), ("link", "is no regular file"),
                      ("moved", "changed since it was read")):  # fmt: skip
        assert (seen[name].status, seen[name].changed) == (HostStatus.FAILED, ()), "nothing was put in place"
        assert why in seen[name].detail and str(tmp_path) not in seen[name].detail
        assert not list(hosts.roots[name].rglob("*.json")), "and there is nothing to put back"
    assert hosts.held("damaged") == hosts.held("moved") == was
    assert "beefcafe" not in repr(seen)

    stands = hosts.run("opensm_status")
    assert {name: list(report.read.values()) for name, report in stands.items()} == {
        "good": ['{"state": "awaiting"}\n'], "damaged": [], "link": [], "moved": []
    }  # fmt: skip
    back = hosts.run("opensm_revert")
    assert (back["good"].status, back["good"].detail) == (HostStatus.OK, "")
    assert back["damaged"].status is HostStatus.FAILED and "no record" in back["damaged"].detail
    assert hosts.held("good") == was
    kept = hosts.run("opensm_confirm")["good"]
    assert kept.status is HostStatus.FAILED and "reverted already" in kept.detail


RECORDS = {
    "older": (
        '{"state": "awaiting", "action": "hup", "before": {"/etc/same": "eA=="}, "edited": {}}',
        "another release",
    ),
    "cut": ('{"state": "awaiting", "action": "hup", "before": {\n"/etc/same": {"content": "eA=="', "another release"),
    "strange": ("[]", "damaged"),
    "confirmed": ('{"state": "confirmed", "before": {}}', "confirmed already"),
}


def test_a_record_that_is_not_ours_puts_nothing_back(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path, *RECORDS)
    for name, (text, _) in RECORDS.items():
        record = hosts.roots[name] / "var/lib/intent/opensm/h1.json"
        record.parent.mkdir(parents=True)
        record.write_text(text, encoding="utf-8")
    was = hosts.held("older")
    seen = hosts.run("opensm_revert")
    for name, (_, why) in RECORDS.items():
        assert (seen[name].status, seen[name].changed) == (HostStatus.FAILED, ())
        assert why in seen[name].detail and hosts.held(name) == was


def test_a_command_that_fails_is_a_change_that_failed(tmp_path: Path) -> None:
    """The files are in force for whoever reads them next: that is to be put back."""
    hosts = Hosts(tmp_path, "h")
    play = tmp_path / "play.yml"
    text = (PLAYBOOKS / "opensm.yml").read_text(encoding="utf-8")
    for name in ("files", "vars"):
        (tmp_path / name).symlink_to(PLAYBOOKS / name)
    play.write_text(
        text.replace("become:", "vars: {opensm_hup: [sh, -c, 'echo no service >&2; exit 3']}\n  become:", 1)
    )
    variables = {
        "ansible_connection": "local", "ansible_python_interpreter": sys.executable, "opensm_handle": "h1",
        "opensm_action": "hup", "opensm_root": str(hosts.roots["h"]), "opensm_files": [hosts.staged("/etc/same", "x")],
    }  # fmt: skip
    seen = PlaybookRun()(play, {"h": variables}, deadline_s=120)["h"]
    assert (seen.status, seen.changed) == (HostStatus.FAILED, ("Put in place",))
    assert seen.detail == "Put in place: the service could not be told: no service"


@pytest.mark.parametrize("lost", [1, 2])
def test_a_host_lost_in_the_middle_may_have_changed(tmp_path: Path, lost: int) -> None:
    play = tmp_path / "play.yml"
    away = "vars: {ansible_connection: ssh, ansible_host: 127.0.0.1, ansible_port: 1}"
    tasks = "".join(
        f"    - name: t{number}\n      ansible.builtin.raw: 'true'\n      changed_when: false\n"
        + (f"      {away}\n" if number == lost else "")
        for number in (1, 2)
    )
    play.write_text(f"- hosts: all\n  gather_facts: false\n  tasks:\n{tasks}", encoding="utf-8")
    seen = PlaybookRun()(play, {"h": {"ansible_connection": "local"}}, deadline_s=120)["h"]
    assert (seen.status, seen.changed) == (HostStatus.UNREACHABLE, ("t2",) if lost == 2 else ())


@pytest.mark.skipif(bool(throwaway_sshd.missing()), reason=throwaway_sshd.missing() or "-")
def test_a_host_goes_on_when_the_connection_is_lost(tmp_path: Path) -> None:
    hosts, keys, started, told = Hosts(tmp_path, "h"), tmp_path / "keys", tmp_path / "started", tmp_path / "told"
    keys.mkdir()
    with throwaway_sshd.sshd(keys) as server:
        variables = {
            **by_ssh(server, hosts.roots["h"]).variables("", "opensm"), "opensm_handle": "h1", "opensm_action": "hup",
            "opensm_hup": ["sh", "-c", f"touch '{started}'; sleep 4; touch '{told}'"],
            "opensm_files": [hosts.staged(path, text) for path, text in AFTER.items()],
        }  # fmt: skip
        seen = PlaybookRun(stopped=started.exists)(PLAYBOOKS / "opensm.yml", {"h": variables}, deadline_s=120)["h"]
        assert (seen.status, seen.detail) == (HostStatus.NOT_RUN, "the run was stopped")
        end = time.monotonic() + 30
        while not told.exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert told.exists() and {path: text for path, (text, _) in hosts.held("h").items()} == AFTER
        stands = PlaybookRun()(PLAYBOOKS / "opensm_status.yml", {"h": variables}, deadline_s=120)["h"]
        assert list(stands.read.values()) == ['{"state": "awaiting"}\n'], "a later process puts it back"
