"""Zero-touch files and the hosts' path."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from command import SMALL, intent, workspace

from intent.core.exitcode import ExitCode

HASH = "$6$abc$SbHWHZ2UQGVVOnsT9ro6VcHs/uTtpTRU8rcn7LJfwZm4nhB8EHDjF3wTWkPPMnV0mjBqzO9yPtOUXhPyoP0UN1"


def test_ztp_fills_secrets_into_files_of_the_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTENT_SECRET_CUMULUS_HASH", HASH)
    folder, out = workspace(tmp_path / "small"), tmp_path / "ztp"
    said = intent("export", "ztp", "--url", "https://10.1.0.1/ztp/", "-o", out, "-C", folder, "--limit", "role=spine")
    assert said.code == ExitCode.OK, said.err
    assert HASH not in said.out + said.err
    assert [path.name for path in out.iterdir()] == ["east-west-s01"]
    startup = (out / "east-west-s01" / "startup.yaml").read_bytes()
    script = (out / "east-west-s01" / "ztp.sh").read_text(encoding="utf-8")
    assert HASH.encode() in startup
    assert HASH not in script
    assert hashlib.sha256(startup).hexdigest() in script
    assert "https://10.1.0.1/ztp/east-west-s01/startup.yaml" in script
    assert out.stat().st_mode & 0o077 == 0


def test_ztp_without_the_secret_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INTENT_SECRET_CUMULUS_HASH", raising=False)
    folder, out = workspace(tmp_path / "small"), tmp_path / "ztp"
    said = intent("export", "ztp", "--url", "https://10.1.0.1/ztp", "-o", out, "-C", folder)
    assert said.code == ExitCode.ERROR
    assert "cumulus_hash" in said.err
    assert not out.exists()


def test_rails_and_trays_of_a_node_are_planned_written_and_kept(tmp_path: Path) -> None:
    tenants = SMALL.replace("    racks:", "    nvlink: {imex: east-west}\n    racks:", 1)
    tenants += 'tenants: {a: {nodes: "gpu01-{01..02}", nvlink: {}}}\n'
    folder, root = workspace(tmp_path / "small", text=tenants), tmp_path / "root"
    root.mkdir()
    where = ("-C", folder, "--local", "--root", root)
    planned = intent("hosts", "plan", *where, "--limit", "gpu01-01")
    assert planned.code == ExitCode.OK, planned.out + planned.err
    assert "60-intent-rail1.network" in planned.out
    assert "files[nodes_config.cfg]" in planned.out
    assert "(NVLink partition a of rack gpu01)" in planned.out
    assert "restart nvidia-imex on every tray" in planned.out
    asked = (folder / "intent.yaml").read_text(encoding="utf-8")
    (folder / "intent.yaml").write_text(asked.replace("{imex: east-west}", "{}"), encoding="utf-8")
    stale = intent("hosts", "apply", *where, "--yes")
    assert stale.code == ExitCode.STALE, stale.err
    assert "the intent has changed since the plan was made, for 1 of 1 devices: gpu01-01" in stale.err
    (folder / "intent.yaml").write_text(asked, encoding="utf-8")
    assert not list(root.rglob("*.network")), "a plan writes nothing, and nothing else is carried out than was planned"
    applied = intent("hosts", "apply", *where, "--yes")
    assert applied.code == ExitCode.OK, applied.out + applied.err
    written = (root / "etc/systemd/network/60-intent-rail1.network").read_text(encoding="utf-8")
    assert "Address=10.64.0.1/31" in written
    trays = (root / "etc/nvidia-imex/nodes_config.cfg").read_text(encoding="utf-8")
    assert trays.splitlines() == ["10.64.0.1", "10.64.0.3"], "the first address of each tray on the fabric"
    assert "IMEX of NVLink partition a of rack gpu01: identical on 2 trays" in applied.out, "the other tray is read too"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,address\ngpu01-01,10.1.9.1\ngpu01-01,10.1.9.2\n", "stands here twice"),
        (b"name,address\ngpu01-01,nonsense\n", "expected an IP address"),
        (b"node;ip\n", "expected name, address"),
        (b'name,address\n"open', "not CSV"),
        (b"\xff\xfea", "inventory/nodes.csv"),
    ],
)
def test_bad_node_lists_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    folder = workspace(tmp_path / "small")
    (folder / "inventory").mkdir()
    (folder / "inventory" / "nodes.csv").write_bytes(content)
    said = intent("hosts", "plan", "-C", folder, "--local", "--root", tmp_path)
    assert said.code == ExitCode.ERROR
    assert words in said.err
    assert "Traceback" not in said.err
