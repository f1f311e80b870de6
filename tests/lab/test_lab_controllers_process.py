"""Controllers in the lab that runs as a process of its own, beside switches; and who is told of their partitions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import own_base
from nmx_bench import R1
from ufm_bench import NAME, Rig, members, wiring
from ufm_client import PlainClient

from intent.core.errors import IntentError
from intent.device.actor import Status
from intent.lab import process
from intent.lab.inprocess import LabServer

WIRING = {
    "switches": [{"name": "leaf1", "model": "SN5600", "release": "5.16.4"}],
    "ufm": [{"name": "ufm01", "version": "6.23.1-6", "ports": [{"guid": "0002c90300000001", "host": "h1"}]}],
    "nmx": [{"name": "nmx01", "domains": [{"uuid": R1}]}],
}


def test_switches_and_controllers_in_one_process(tmp_path: Path) -> None:
    file = tmp_path / "wiring.json"
    file.write_text(json.dumps(WIRING))
    info = process.up(file, tmp_path / "lab", address_base=own_base(), port=0)
    try:
        assert set(info.controllers) == {"ufm01", "nmx01"} and set(info.switches) == {"leaf1"}
        assert len({place.address for place in (*info.switches.values(), *info.controllers.values())}) == 3
        ufm = PlainClient(info, "ufm01")
        assert ufm.call("GET", "/ufmRest/app/ufm_version")[1]["ufm_release_version"] == "6.23.1-6"
        assert PlainClient(info, "nmx01").call("GET", "/nmx/v1/gpus/count")[1] == {"total": 72}
        done = process.fault(tmp_path / "lab", "add-member", "ufm01", pkey="0x12", guid="0002c90300000001")
        assert "0x12" in done
        status = process.status(tmp_path / "lab")
        assert status["controllers"]["ufm01"]["partitions"] == {"0x12": 1, "0x7fff": 0}
        assert status["switches"]["leaf1"]["model"] == "SN5600"
        with pytest.raises(IntentError, match="no fault of a UFM"):
            process.fault(tmp_path / "lab", "reboot", "ufm01")
    finally:
        assert process.down(tmp_path / "lab")


def test_who_watches_a_ufm_is_told_of_every_change(tmp_path: Path) -> None:
    seen: list[dict[int, int]] = []

    def watch(partitions: dict) -> None:
        seen.append({key: len(held.members) for key, held in partitions.items()})

    with LabServer(wiring(), tmp_path, observers={NAME: watch}) as lab:
        assert Rig(lab).apply({"0x8012": {"member": members(1, 2)}}).status is Status.AWAITING
    assert seen[-1] == {0x7FFF: 0, 0x12: 2}
