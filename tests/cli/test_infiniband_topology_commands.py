"""`compile` writes and `show` lists the topology files of InfiniBand fabrics, beside whatever else a site has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import intent

from intent.core.exitcode import ExitCode

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ib") / "dragonfly-plus"
    shutil.copytree(EXAMPLES / "dragonfly-plus", folder)
    made = intent("compile", "-C", folder)
    assert made.code == ExitCode.OK, made.err
    return folder


def test_compile_writes_the_files_and_tells_what_it_left_out(site: Path) -> None:
    folder = site / "build" / "ref5" / "quantum"
    assert {path.name for path in folder.iterdir()} == {"topology.net", "switch-to-switch.ndt", "switch-to-host.ndt"}
    again = intent("compile", "-C", site, "--locked")
    assert again.code == ExitCode.OK, again.err
    assert "InfiniBand fabric quantum: topology.net, switch-to-switch.ndt, switch-to-host.ndt" in again.out
    assert "topoconfig.conf left out" in again.out
    tiers = {
        line.split(",")[1] for line in (site / "build" / "ref5" / "cabling.csv").read_text("utf-8").splitlines()[1:]
    }
    assert tiers == {"host-leaf", "leaf-spine", "spine-spine"}


def test_guids_complete_the_files(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with-guids"
    shutil.copytree(site, folder)
    links = (site / "build" / "ref5" / "cabling.csv").read_text("utf-8").splitlines()
    columns = links[0].split(",")
    rows, seen = ["device,port,guid"], set()
    for line in links[1:]:
        cells = dict(zip(columns, line.split(","), strict=True))
        for device, port in ((cells["a_device"], cells["a_port"]), (cells["b_device"], "")):
            key = (device, "" if device.startswith("quantum-") else port)
            if key not in seen:
                seen.add(key)
                rows.append(f"{key[0]},{key[1]},0x946dae03{len(rows):08x}")
    (folder / "guids.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = (folder / "intent.yaml").read_text("utf-8")
    (folder / "intent.yaml").write_text(
        text.replace("generation: ndr", "generation: ndr\n        guids: guids.csv"), "utf-8"
    )
    made = intent("compile", "-C", folder)
    assert made.code == ExitCode.OK, made.err + made.out
    assert "left out" not in made.out
    written = folder / "build" / "ref5" / "quantum"
    assert (written / "topoconfig.conf").read_text("utf-8").count("\n") == len(links) - 1
    assert '"quantum-u1-s01"' in (written / "ib-node-name-map").read_text("utf-8")


def test_show_lists_and_prints(site: Path) -> None:
    listed = intent("show", "topology", "--json", "-C", site)
    assert listed.code == ExitCode.OK, listed.err
    rows = json.loads(listed.out)
    assert "quantum/topology.net" in json.dumps(rows)
    assert "topoconfig.conf left out" in listed.err
    printed = intent("show", "topology", "quantum/switch-to-switch.ndt", "-C", site)
    assert printed.out.startswith("#StartDevice,StartPort,EndDevice,EndPort,LinkType\n")
    wrong = intent("show", "topology", "quantum/topology.nett", "-C", site)
    assert wrong.code != ExitCode.OK and "did you mean quantum/topology.net" in wrong.err


def test_an_intent_of_keys_of_another_kind_is_refused(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wrong"
    shutil.copytree(site, folder)
    text = (folder / "intent.yaml").read_text("utf-8")
    (folder / "intent.yaml").write_text(
        text.replace("generation: ndr", "generation: ndr\n        qos: roce-lossless"), "utf-8"
    )
    refused = intent("compile", "-C", folder)
    assert refused.code != ExitCode.OK
    assert "L120" in refused.err + refused.out
