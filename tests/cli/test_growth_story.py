"""64 nodes become 128: what is told before anything is touched."""

from __future__ import annotations

from pathlib import Path

from command import intent

from intent.core.exitcode import ExitCode
from intent.schema.skeleton import demo_workspace


def write(folder: Path, nodes: str, planned: str = "") -> None:
    text = demo_workspace()["intent.yaml"].replace("{001..064}", "{001.." + nodes + "}")
    folder.mkdir(exist_ok=True)
    (folder / "intent.yaml").write_text(text.replace("planes: 2,", f"planes: 2, {planned}"), encoding="utf-8")


def test_growth_beyond_the_plan_needs_consent(tmp_path: Path) -> None:
    write(tmp_path, "064")
    assert intent("compile", "-C", tmp_path).code == ExitCode.OK
    lock = (tmp_path / "sites" / "ref1.lock").read_text(encoding="utf-8")
    write(tmp_path, "128")
    refused = intent("compile", "-C", tmp_path)
    assert refused.code == ExitCode.ERROR
    assert "512 cables have to move: 24 devices new, 24 changed, 0 renumbered" in refused.err
    assert "--allow-recabling" in refused.err
    assert (tmp_path / "sites" / "ref1.lock").read_text(encoding="utf-8") == lock
    moves = intent("cabling", "moves", "-C", tmp_path).out.splitlines()
    assert len(moves) == 1 + 512
    accepted = intent("compile", "-C", tmp_path, "--allow-recabling")
    assert accepted.code == ExitCode.OK
    assert "24 devices new, 24 changed, 0 renumbered" in accepted.out


def test_growth_within_the_plan_moves_no_cable(tmp_path: Path) -> None:
    write(tmp_path, "064", "unit: {planned: 2},")
    assert intent("compile", "-C", tmp_path).code == ExitCode.OK
    write(tmp_path, "128", "unit: {planned: 2},")
    grown = intent("compile", "-C", tmp_path)
    assert grown.code == ExitCode.OK, grown.err
    assert "16 devices new, 16 changed, 0 renumbered, no cable to move" in grown.out


def test_prune_says_what_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path, "128")
    assert intent("compile", "-C", tmp_path).code == ExitCode.OK
    write(tmp_path, "064")
    shrunk = intent("compile", "-C", tmp_path)
    assert shrunk.code == ExitCode.OK, shrunk.err
    assert "no cable to move" in shrunk.out
    told = intent("lock", "prune", "-C", tmp_path, "--dry-run")
    assert "remove 8 switches and move 512 cables" in told.out
    assert intent("lock", "prune", "-C", tmp_path, "--yes").code == ExitCode.OK
    assert intent("compile", "-C", tmp_path).code == ExitCode.ERROR
    assert "8 removed" in intent("compile", "-C", tmp_path, "--allow-recabling").out
