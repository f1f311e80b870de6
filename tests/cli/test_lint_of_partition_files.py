"""`intent lint FILE` on anybody's partitions.conf."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import intent, workspace

from intent.core.exitcode import ExitCode
from intent.report.diagnostics import Format

DEFAULT = "Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;\n"
DROPPED = DEFAULT + "tenant_a=0x0012, ipoib :\n    0x0002c903a0000001=full,\n    0x0002c903a0000021=full\n;\n"


def put(folder: Path, data: bytes | str, name: str = "partitions.conf") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_file_opensm_would_drop_is_refused_with_the_line(tmp_path: Path) -> None:
    path = put(tmp_path, DROPPED)
    said = intent("lint", path)
    assert said.code == ExitCode.FINDINGS
    assert f"{path}:5:1: error P012" in said.out.replace("\n", "")
    assert "drops the whole file" in " ".join(said.out.split())
    assert path.read_bytes() == DROPPED.encode()


def test_a_right_file_passes(tmp_path: Path) -> None:
    said = intent("lint", put(tmp_path, DEFAULT))
    assert (said.code, said.err) == (ExitCode.OK, "")


def test_warnings_count_when_asked(tmp_path: Path) -> None:
    path = put(tmp_path, "Default=0x7fff : ALL=full ;\n")
    assert intent("lint", path).code == ExitCode.OK
    assert intent("lint", path, "--fail-on", "warning").code == ExitCode.FINDINGS


@pytest.mark.parametrize("form", list(Format))
def test_every_format_names_the_finding(tmp_path: Path, form: Format) -> None:
    said = intent("lint", put(tmp_path, DROPPED), "--format", form.value)
    assert said.code == ExitCode.FINDINGS
    assert "P012" in said.out
    if form in (Format.JSON, Format.SARIF, Format.GITLAB):
        json.loads(said.out)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00D", b"\x00" * 5000, b"\r\n" * 900, b"\xc3\x28" * 70, b";" * 9000])
@pytest.mark.parametrize("form", list(Format))
def test_garbage_is_read_to_its_end_in_every_format(tmp_path: Path, data: bytes, form: Format) -> None:
    said = intent("lint", put(tmp_path, data), "--format", form.value)
    assert said.code == ExitCode.FINDINGS
    assert "Traceback" not in said.out + said.err


def test_any_name_can_be_told_what_it_is(tmp_path: Path) -> None:
    path = put(tmp_path, DROPPED, "tenants.txt")
    said = intent("lint", path)
    assert said.code == ExitCode.USAGE
    assert "--as partitions" in said.err
    assert intent("lint", path, "--as", "partitions").code == ExitCode.FINDINGS
    assert intent("lint", put(tmp_path, DROPPED, "partitions.conf.user_ext")).code == ExitCode.FINDINGS


def test_a_file_that_cannot_be_read_is_an_error_that_says_what_opensm_does(tmp_path: Path) -> None:
    for path in (tmp_path / "partitions.conf", tmp_path):
        said = intent("lint", path, "--as", "partitions")
        assert said.code == ExitCode.ERROR
        assert "full member" in " ".join(said.err.split())


def test_without_a_file_the_workspace_is_linted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace(tmp_path / "small")
    monkeypatch.chdir(made)
    assert intent("lint").code == ExitCode.OK
    assert intent("lint", made).out == intent("lint", "-C", made).out == intent("lint", made / "intent.yaml").out
