"""A UFM named by its virtual address alone: settings of its subnet manager from the intent to REST and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endtoend import Room
from ib_site import TENANTS, UFM, guids_csv, site_text, workspace

from intent.core.exitcode import ExitCode
from intent.lab import process

KEY = "0xc0ffee00deadbeef"
SAID = "poll: 2s, retries: 5, keys: {m_key: {secret: mk}}, options: {max_wire_smps: '16'}"
OTHER = SAID.replace("2s", "7s").replace("'16'", "'32'")
# Checks of a lab's model of UFM are few; what is judged is what was read back.
QUICK = "changes: {strategy: {soak: 0s}}\n"


def text(said: str = SAID, tenants: str = TENANTS, more: str = "") -> str:
    return site_text(tenants, manager=f"{{by: ufm, vip: 10.1.0.20, {said}}}") + more + QUICK


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setenv("INTENT_SECRET_MK", KEY)
    made = Room(workspace(tmp_path, text())).up()
    yield made
    made.down()
    _no_key(made)


def _no_key(room: Room) -> None:
    """No file of the workspace holds the key: no plan, no journal, no log, no report."""
    for file in room.folder.rglob("*"):
        if file.is_file():
            held = file.read_bytes().lower()
            assert KEY.removeprefix("0x").encode() not in held, file


def ufm(room: Room) -> dict[str, Any]:
    """What the lab says of its UFM."""
    found: dict[str, Any] = process.status(room.folder / ".intent" / "lab")["controllers"]["q-ufm"]
    return found


def settings_of(room: Room) -> dict[str, Any]:
    """Differences of settings that a plan shows, by option."""
    said = room.plan("--json")
    assert KEY.removeprefix("0x") not in (said.out + said.err).lower()
    (device,) = json.loads(said.out)["devices"]
    return {
        item["path"][1]: (item.get("before"), item.get("after"))
        for item in device["differences"]
        if item["path"][0] == "setting"
    }


def test_compile_says_what_goes_by_rest_and_what_does_not(tmp_path: Path) -> None:
    folder = workspace(tmp_path, text(f"routing: ar_updn, {SAID}"))
    said = Room(folder).run("compile")
    assert said.code == 0, said.err
    body = json.loads((folder / "build/s/q-ufm/config.json").read_text(encoding="utf-8"))
    assert body["setting"] == {
        "m_key": "$secret:mk$",
        "max_wire_smps": "16",
        "polling_retry_number": "5",
        "sminfo_polling_timeout": "2000",
    }
    out = said.out + said.err
    assert "warning M018: fabric q: UFM does not take keys.protection, routing by REST: not written" in out
    assert "hosts" in out
    why = Room(folder).run("why", "q-ufm", "setting.sminfo_polling_timeout")
    assert "intent.yaml:7:" in why.out and "2000" in why.out, why.out + why.err


def test_with_hosts_named_nothing_of_it_goes_by_rest(tmp_path: Path) -> None:
    manager = UFM.replace("by: ufm", f"by: ufm, {SAID}")
    folder = workspace(tmp_path, site_text(manager=manager), guids_csv())
    said = Room(folder).run("compile")
    assert said.code == 0 and "M018" not in said.out + said.err
    body = json.loads((folder / "build/s/q-ufm/config.json").read_text(encoding="utf-8"))
    assert "setting" not in body


def test_plan_apply_verify_and_a_second_apply_writes_nothing(room: Room) -> None:
    assert settings_of(room) == {
        "m_key": ("(secret)", "$secret:mk$"),
        "max_wire_smps": ("8", "16"),
        "polling_retry_number": ("4", "5"),
        "sminfo_polling_timeout": ("5000", "2000"),
    }
    plan = room.plan()
    assert "only this very run can put it back" in plan.out and "subnet manager" in plan.out
    done = room.apply()
    assert done.code == 0, done.out + done.err
    writes = ufm(room)["writes"]
    assert room.plan("--detailed-exitcode").code == 0
    assert room.apply().code == 0
    assert ufm(room)["writes"] == writes
    assert room.run("drift", "--lab").code == 0
    assert room.run("verify", "--lab").code == 0
    assert ufm(room)["writes"] == writes, "who looks does not write"


def test_what_somebody_sets_by_hand_is_drift_with_its_line_and_goes_back(room: Room) -> None:
    assert room.plan().code == room.apply().code == ExitCode.OK
    writes = ufm(room)["writes"]
    room.fault("set-by-hand", "q-ufm", "setting=max_wire_smps", "value=64")
    room.fault("set-by-hand", "q-ufm", "setting=m_key", "value=0x00000000abad1dea")
    room.fault("set-by-hand", "q-ufm", "setting=sm_priority", "value=3")
    drift = room.run("drift", "--lab")
    assert drift.code == ExitCode.CHANGES, drift.out
    assert "setting.max_wire_smps" in drift.out and "intent.yaml:7" in drift.out
    assert "sm_priority" not in drift.out, "nobody asked for it"
    assert "abad1dea" not in drift.out
    assert room.run("verify", "--lab").code == ExitCode.FINDINGS
    assert ufm(room)["writes"] == writes
    assert room.plan().code == room.apply().code == ExitCode.OK
    assert ufm(room)["writes"] == writes + 2
    assert room.run("drift", "--lab").code == 0


def test_rollback_brings_back_what_was_before_and_says_which_key_stays(room: Room) -> None:
    assert room.plan().code == room.apply().code == ExitCode.OK
    (first,) = (row["change"] for row in room.changes())
    workspace(room.folder, text(OTHER))
    assert settings_of(room) == {"max_wire_smps": ("16", "32"), "sminfo_polling_timeout": ("2000", "7000")}
    assert room.apply().code == 0
    (second, *_) = (row["change"] for row in room.changes() if row["change"] != first)
    writes = ufm(room)["writes"]
    back = room.run("rollback", second, "--lab", "--yes")
    assert back.code == 0, back.out + back.err
    assert ufm(room)["writes"] == writes + 2
    workspace(room.folder, text())
    assert room.run("drift", "--lab").code == 0
    whole = room.run("rollback", first, "--lab", "--yes", "--over-later", "--allow-removals")
    assert whole.code == 0, whole.out + whole.err
    assert "setting.m_key stays as it is: its old value is a secret we never knew" in whole.out + whole.err
    assert {name: new for name, (_, new) in settings_of(room).items()} == {
        "max_wire_smps": "16",
        "polling_retry_number": "5",
        "sminfo_polling_timeout": "2000",
    }


def test_a_refused_setting_is_told_and_the_rest_goes_back(room: Room) -> None:
    assert room.plan().code == 0
    room.fault("refuse-writes", "q-ufm", "status=400", "skip=2")
    done = room.apply()
    assert done.code not in (0, ExitCode.CHANGES), done.out
    assert "setting polling_retry_number" in done.out + done.err
    room.calm("q-ufm")
    assert settings_of(room)["max_wire_smps"] == ("8", "16")
    assert ufm(room)["partitions"] == {"0x7fff": 0}, "settings go first: no port was touched"


def test_a_lost_write_is_found_by_reading(room: Room) -> None:
    assert room.plan().code == 0
    room.fault("lost-write", "q-ufm", "when=after", "skip=1", "for_s=0.2")
    done = room.apply()
    assert done.code == 0, done.out + done.err
    assert room.run("drift", "--lab").code == 0


def test_what_this_ufm_does_not_show_is_unknown_with_a_way_out(room: Room) -> None:
    room.fault("hidden-setting", "q-ufm", "setting=max_wire_smps")
    plan = room.plan()
    assert plan.code == ExitCode.ERROR
    assert "UFM shows no max_wire_smps" in plan.out and "[/setting/max_wire_smps]" in plan.out
    assert room.run("verify", "--lab").code == ExitCode.UNKNOWN
    assert room.run("drift", "--lab").code == ExitCode.UNKNOWN
    out = text().replace("    fabrics:", "    manage: {except: [/setting/max_wire_smps]}\n    fabrics:", 1)
    workspace(room.folder, out)
    assert "max_wire_smps" not in settings_of(room)
    assert room.apply().code == 0


def test_settings_alone_need_no_tenant_and_leave_partitions_to_others(room: Room) -> None:
    workspace(room.folder, text(tenants=""))
    room.fault("add-member", "q-ufm", "pkey=0x12", "guid=0002c90300000077")
    assert set(settings_of(room)) == {"m_key", "max_wire_smps", "polling_retry_number", "sminfo_polling_timeout"}
    done = room.apply()
    assert done.code == 0, done.out + done.err
    assert ufm(room)["writes"] == 4
    assert ufm(room)["partitions"]["0x12"] == 1
    assert room.run("drift", "--lab").code == 0
    assert room.run("verify", "--lab").code == 0
